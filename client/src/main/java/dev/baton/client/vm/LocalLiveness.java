package dev.baton.client.vm;

import dev.baton.client.settings.Host;
import dev.baton.core.BadSetting;
import dev.baton.core.Checkout;
import dev.baton.vm.Liveness;
import dev.baton.vm.LockRecord;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/**
 * Whether a process of this machine that holds the lock of a VM has ended. It has if all of this is
 * true, and anything else counts as doubt:
 *
 * <ol>
 *   <li>It ran on this machine, since its last boot, and in this container: see {@link
 *       ProcessTable}.
 *   <li>No process with its number is there, or one that was started at another time.
 *   <li>The file that it kept locked for as long as it had the VM's lock is in this user's
 *       directory, and nobody has it locked. The system takes the lock off the file when a process
 *       ends, however it ends. So a copy of this machine, which has the same processes in its
 *       memory, is not taken for it.
 * </ol>
 */
final class LocalLiveness implements Liveness {

  /** What a process that was killed has left, once the lease of its lock is over for sure. */
  private static final Duration OLD = Duration.ofDays(1);

  private static final String NAME = "[A-Za-z0-9-]{8,64}";

  private final Path directory;
  private final ProcessTable processes;
  private final Map<String, FileChannel> shown = new ConcurrentHashMap<>();

  LocalLiveness(Path directory, ProcessTable processes) {
    this.directory = Objects.requireNonNull(directory, "directory");
    this.processes = Objects.requireNonNull(processes, "processes");
  }

  /** None where this user's directory may have come with a checkout. */
  static Liveness of(Host host) {
    Path directory = host.stateDirectory().resolve("vm-processes");
    try {
      Checkout.requireOutside(directory, host.directory());
    } catch (BadSetting e) {
      return UNKNOWN;
    }
    return new LocalLiveness(directory, ProcessTable.ofThisMachine(host));
  }

  @Override
  public Optional<LockRecord.Holder> show(String nonce) {
    Optional<LockRecord.Holder> own = processes.own();
    if (own.isEmpty() || !nonce.matches(NAME)) {
      return Optional.empty();
    }
    try {
      Files.createDirectories(directory);
      removeOld();
      FileChannel channel =
          FileChannel.open(
              directory.resolve(nonce), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
      shown.put(nonce, channel);
      if (channel.tryLock() == null) {
        forget(nonce);
        return Optional.empty();
      }
      return own;
    } catch (IOException | OverlappingFileLockException e) {
      // A file system without locks, or a full one: then nobody can tell whether this lives.
      forget(nonce);
      return Optional.empty();
    }
  }

  @Override
  public void forget(String nonce) {
    if (!nonce.matches(NAME)) {
      return;
    }
    FileChannel channel = shown.remove(nonce);
    try {
      Files.deleteIfExists(directory.resolve(nonce));
      if (channel != null) {
        channel.close();
      }
    } catch (IOException e) {
      // It is removed when it is old.
      return;
    }
  }

  @Override
  public boolean isDead(LockRecord lock) {
    return lock.nonce().matches(NAME)
        && !shown.containsKey(lock.nonce())
        && lock.process().filter(processes::hasEnded).isPresent()
        && isUnlocked(directory.resolve(lock.nonce()));
  }

  private static boolean isUnlocked(Path file) {
    if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
      return false;
    }
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE);
        FileLock taken = channel.tryLock()) {
      return taken != null;
    } catch (IOException | OverlappingFileLockException e) {
      return false;
    }
  }

  private void removeOld() throws IOException {
    Instant before = Instant.now().minus(OLD);
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.limit(1_000).toList()) {
        if (Files.getLastModifiedTime(file, LinkOption.NOFOLLOW_LINKS).toInstant().isBefore(before)
            && !shown.containsKey(file.getFileName().toString())
            && isUnlocked(file)) {
          Files.deleteIfExists(file);
        }
      }
    }
  }
}
