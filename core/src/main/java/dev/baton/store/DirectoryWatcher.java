package dev.baton.store;

import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Tells when a file appears in a directory under a certain name, as the operating system reports
 * it.
 *
 * <ol>
 *   <li>All listeners of a process share one handle of the operating system and its threads: Linux
 *       grants a user 128 such handles by default, and other programs need them as well.
 *   <li>The handle is opened for the first listener. The thread that delivers closes it a moment
 *       after the last listener is gone: closing takes the kernel some milliseconds, too long for a
 *       caller that has just got its lock, and a process often waits again soon.
 *   <li>A report may be lost: most network file systems send none, a directory may be deleted and
 *       made again, and the JDK on macOS looks every ten seconds instead. So listeners must also
 *       look by themselves now and then.
 * </ol>
 */
final class DirectoryWatcher {

  static final DirectoryWatcher SHARED = new DirectoryWatcher(Duration.ofSeconds(1));

  private final Duration linger;
  private final Map<WatchKey, Set<Listener>> listeners = new HashMap<>();
  private WatchService service;

  /**
   * @param linger for how long a handle that nobody uses stays open, at most
   */
  DirectoryWatcher(Duration linger) {
    this.linger = linger;
  }

  private static final class Listener {
    private final Path name;
    private final Runnable told;

    Listener(Path name, Runnable told) {
      this.name = name;
      this.told = told;
    }
  }

  /**
   * @param told called on a thread of this class; it must return soon and must not throw
   * @return empty when this system cannot tell, now or ever
   */
  synchronized Optional<ChangeWatch> watch(Path directory, String name, Runnable told) {
    Listener listener = new Listener(Path.of(name), told);
    try {
      open();
      // A rename counts as a creation of the new name. The same key for the same directory.
      WatchKey key = directory.register(service, StandardWatchEventKinds.ENTRY_CREATE);
      listeners.computeIfAbsent(key, k -> new HashSet<>()).add(listener);
      return Optional.of(() -> remove(key, listener));
    } catch (IOException | UnsupportedOperationException e) {
      // There is no such directory, or no handle left for this user: looking has to do.
      return Optional.empty();
    }
  }

  private void open() throws IOException {
    if (service == null) {
      WatchService opened = FileSystems.getDefault().newWatchService();
      Thread thread = new Thread(() -> deliver(opened), "baton-file-watch");
      thread.setDaemon(true);
      thread.start();
      service = opened;
    }
  }

  private synchronized void remove(WatchKey key, Listener listener) {
    Set<Listener> ofKey = listeners.get(key);
    if (ofKey != null) {
      ofKey.remove(listener);
    }
  }

  private void deliver(WatchService opened) {
    long lastSweep = System.nanoTime();
    try (opened) {
      while (true) {
        WatchKey key = opened.poll(linger.toNanos(), TimeUnit.NANOSECONDS);
        if (key != null) {
          tell(key);
        }
        if (System.nanoTime() - lastSweep >= linger.toNanos()) {
          lastSweep = System.nanoTime();
          if (isUnusedAfterSweep()) {
            return;
          }
        }
      }
    } catch (InterruptedException | IOException e) {
      // Those who listen are not told any more, and look.
    } finally {
      forget(opened);
    }
  }

  private void tell(WatchKey key) {
    List<WatchEvent<?>> events = key.pollEvents();
    boolean alive = key.reset();
    for (Listener listener : listenersOf(key)) {
      if (!alive || events.stream().anyMatch(e -> concerns(e, listener))) {
        listener.told.run();
      }
    }
  }

  private static boolean concerns(WatchEvent<?> event, Listener listener) {
    return event.kind() == StandardWatchEventKinds.OVERFLOW
        || listener.name.equals(event.context());
  }

  private synchronized List<Listener> listenersOf(WatchKey key) {
    return List.copyOf(listeners.getOrDefault(key, Set.of()));
  }

  /** Ends watches that nobody listens to; true: all, and the handle is no longer in use. */
  private synchronized boolean isUnusedAfterSweep() {
    listeners
        .entrySet()
        .removeIf(
            e -> {
              boolean unused = e.getValue().isEmpty();
              if (unused) {
                e.getKey().cancel();
              }
              return unused;
            });
    if (listeners.isEmpty()) {
      service = null;
    }
    return listeners.isEmpty();
  }

  private synchronized void forget(WatchService opened) {
    if (service == opened) {
      service = null;
      listeners.clear();
    }
  }
}
