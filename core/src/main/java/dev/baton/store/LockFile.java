package dev.baton.store;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Lets one writer at a time work, among all threads and processes of a machine, in three steps:
 *
 * <ol>
 *   <li>a lock of this class, which can be waited for with a limit;
 *   <li>a monitor that all copies of this class in the JVM share. A build tool may have loaded this
 *       library twice, and POSIX drops a process's lock on a file when that process closes
 *       <i>any</i> handle of the file: a copy that merely tried and gave up would take the lock
 *       from the other;
 *   <li>the operating system's lock on the file, which ends with the process at the latest.
 * </ol>
 */
final class LockFile {
  private static final ReentrantLock[] IN_THIS_CLASS = new ReentrantLock[64];

  static {
    for (int i = 0; i < IN_THIS_CLASS.length; i++) {
      IN_THIS_CLASS[i] = new ReentrantLock();
    }
  }

  private static final long FIRST_PAUSE_NANOS = TimeUnit.MICROSECONDS.toNanos(200);
  private static final long LONGEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(8);

  private final Path file;
  private final Duration patience;

  LockFile(Path file, Duration patience) {
    this.file = file;
    this.patience = patience;
  }

  interface Work<T> {
    T run(Held held) throws StoreException;
  }

  /** The lock, as seen by the work that is done under it. */
  interface Held {
    /**
     * @throws StoreException when somebody deleted the lock file, so that others may be writing
     */
    void check() throws StoreException;
  }

  /** Does the work while nobody else does. The directory of the lock file must exist. */
  <T> T hold(Work<T> work) throws StoreException {
    long deadline = System.nanoTime() + patience.toNanos();
    boolean interrupted = false; // put off to the end: the wait has a limit of its own
    try {
      String place = identity(file.getParent()) + "/" + file.getFileName();
      ReentrantLock here = IN_THIS_CLASS[Math.floorMod(place.hashCode(), IN_THIS_CLASS.length)];
      while (true) {
        try {
          if (!here.tryLock(deadline - System.nanoTime(), TimeUnit.NANOSECONDS)) {
            throw waitedTooLong(null);
          }
          break;
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
      try {
        // Interned strings are the same object for every class loader.
        synchronized (("dev.baton.store.LockFile " + place).intern()) {
          return holdInProcess(work, deadline);
        }
      } finally {
        here.unlock();
      }
    } catch (StoreException e) {
      throw e;
    } catch (IOException e) {
      throw FileTrouble.of("lock", file, e);
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private <T> T holdInProcess(Work<T> work, long deadline) throws IOException {
    while (true) {
      FileChannel channel;
      String opened;
      try {
        createIfMissing();
        opened = identity(file);
        FileTrouble.requireNoPipe(file);
        channel = FileChannel.open(file, StandardOpenOption.WRITE);
      } catch (NoSuchFileException e) {
        // Deleted just now. Without its directory there is nothing to try again for.
        if (System.nanoTime() - deadline >= 0 || !Files.isDirectory(file.getParent())) {
          throw e;
        }
        continue;
      }
      try {
        lock(channel, deadline);
        if (isStill(opened)) {
          return work.run(() -> requireStill(opened));
        }
        if (System.nanoTime() - deadline >= 0) {
          throw deleted();
        }
      } finally {
        giveBack(channel);
      }
    }
  }

  private static void giveBack(FileChannel channel) {
    try {
      channel.close();
    } catch (IOException e) {
      // The handle is gone all the same, and nothing was written to it. What the work has done
      // stays true, so its result must not become a failure here.
    }
  }

  private void createIfMissing() throws IOException {
    if (!Files.exists(file)) {
      try {
        Access.of(file.getParent()).create(file);
      } catch (FileAlreadyExistsException e) {
        // Somebody else was faster, which is as good.
      }
    }
  }

  private void lock(FileChannel channel, long deadline) throws IOException {
    long start = System.nanoTime();
    long pause = FIRST_PAUSE_NANOS;
    boolean interrupted = false;
    try {
      while (true) {
        OverlappingFileLockException heldHere = null;
        try {
          FileLock lock = channel.tryLock();
          if (lock != null) {
            return;
          }
        } catch (OverlappingFileLockException e) {
          heldHere = e;
        }
        if (System.nanoTime() - deadline >= 0) {
          throw waitedTooLong(heldHere);
        }
        LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(pause / 2, pause + 1));
        interrupted |= Thread.interrupted();
        // A part of what was waited: a lock that is soon free is soon seen to be.
        long waited = System.nanoTime() - start;
        pause = Math.max(FIRST_PAUSE_NANOS, Math.min(waited / 4, LONGEST_PAUSE_NANOS));
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private void requireStill(String opened) throws StoreException {
    boolean still;
    try {
      still = isStill(opened);
    } catch (IOException e) {
      throw FileTrouble.of("look at", file, e);
    }
    if (!still) {
      throw deleted();
    }
  }

  private StoreException deleted() {
    return StoreException.passing(
        "nothing was written: " + file + " was deleted during the write",
        "Leave that file alone; it needs no cleaning up.",
        null);
  }

  private boolean isStill(String opened) throws IOException {
    try {
      return identity(file).equals(opened);
    } catch (NoSuchFileException e) {
      return false;
    }
  }

  private StoreException waitedTooLong(Throwable cause) {
    return StoreException.passing(
        "waited " + patience.toMillis() + " ms for the lock on " + file,
        "Look for a process that was stopped while it wrote (fuser "
            + file
            + ") and continue or end it; the lock ends with it. Do not delete the file.",
        cause);
  }

  /** The same for every path that leads to the same file, where the system can tell. */
  private static String identity(Path path) throws IOException {
    Object key = Files.readAttributes(path, BasicFileAttributes.class).fileKey();
    return Objects.requireNonNullElseGet(key, path::toAbsolutePath).toString();
  }
}
