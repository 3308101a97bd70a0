package dev.baton.maven.internal;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.UserPrincipal;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import org.slf4j.Logger;

/**
 * A Maven that a guarded execution starts, such as {@code release:perform} does, would wait for the
 * lock that its own parent holds. No goal hands an environment on there, so the parent leaves a
 * note under its process id, for as long as a guarded execution runs. Java 17 alone gets here.
 */
final class OuterMaven {

  private static final String LOCKS = "BATON_LOCKS";
  private static final String STARTED = "started";
  private static final String PARALLEL = "parallel";
  private static final int MOST_ANCESTORS = 100;

  private static UserPrincipal ownUser;

  private OuterMaven() {}

  // ---- the one that holds the lock

  /**
   * @param environment what a process finds that is told properly
   * @param parallel whether other executions run beside the guarded one, so that nobody knows which
   *     of them has started a process
   */
  static void tell(Map<String, String> environment, boolean parallel, Logger log) {
    if (!environment.containsKey(LOCKS)) {
      return;
    }
    Object self = Processes.current();
    Properties note = new Properties();
    note.setProperty(LOCKS, environment.get(LOCKS));
    note.setProperty(STARTED, Processes.started(self));
    note.setProperty(PARALLEL, Boolean.toString(parallel));
    Path file = note(self);
    try {
      Files.createDirectories(file.getParent());
      Files.deleteIfExists(file);
      // Nobody's link: it must not be there.
      try (OutputStream out = Files.newOutputStream(file, StandardOpenOption.CREATE_NEW)) {
        note.store(out, null);
      }
    } catch (IOException e) {
      log.debug("Baton: A Maven within this one will not know of its lock: {}", e.toString());
    }
  }

  static void untell(Logger log) {
    try {
      Files.deleteIfExists(note(Processes.current()));
    } catch (IOException e) {
      log.debug("Baton: The note for a Maven within this one is left behind: {}", e.toString());
    }
  }

  /** Others may write in this directory too: a note counts only if this user owns it. */
  static Path note(Object process) {
    return Paths.get(
        System.getProperty("java.io.tmpdir"),
        "baton-maven-" + System.getProperty("user.name").replaceAll("[^A-Za-z0-9._-]", "_"),
        Long.toString(Processes.pid(process)));
  }

  // ---- the one that is started

  /** The environment, with the locks that an outer Maven holds while it waits for this one. */
  static Map<String, String> environment(Map<String, String> own) {
    if (own.containsKey(LOCKS)) {
      return own;
    }
    Optional<Properties> outer = outer();
    if (!outer.isPresent()) {
      return own;
    }
    if (Boolean.parseBoolean(outer.get().getProperty(PARALLEL))) {
      throw new BadConfiguration(
          "this Maven was started by a parallel one that holds a lock, and cannot tell whether it"
              + " was the guarded execution that started it",
          "Start the outer one without -T, guard only one of them, or hand the lock on:"
              + " <environmentVariables> of the goal that starts it.");
    }
    Map<String, String> all = new HashMap<>(own);
    all.put(LOCKS, outer.get().getProperty(LOCKS));
    return all;
  }

  private static Optional<Properties> outer() {
    Optional<?> process = Processes.parent(Processes.current());
    for (int i = 0; process.isPresent() && i < MOST_ANCESTORS; i++) {
      Optional<Properties> note = read(process.get());
      if (note.isPresent()) {
        return note;
      }
      process = Processes.parent(process.get());
    }
    return Optional.empty();
  }

  /** By a file that is this user's for sure: names of users differ, and some users have none. */
  private static synchronized UserPrincipal ownUser() throws IOException {
    if (ownUser == null) {
      Path own = Files.createTempFile("baton-maven", null);
      try {
        ownUser = Files.getOwner(own);
      } finally {
        Files.delete(own);
      }
    }
    return ownUser;
  }

  /** The note of a Maven that still runs, and that this user has started; empty if it has none. */
  static Optional<Properties> read(Object process) {
    Path file = note(process);
    try {
      if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)
          || !Files.getOwner(file).equals(ownUser())) {
        return Optional.empty();
      }
      Properties note = new Properties();
      try (InputStream in = Files.newInputStream(file)) {
        note.load(in);
      }
      // A later process may have the id of one that was killed.
      return Processes.started(process).equals(note.getProperty(STARTED))
              && note.getProperty(LOCKS) != null
          ? Optional.of(note)
          : Optional.empty();
    } catch (IOException | IllegalArgumentException e) {
      return Optional.empty(); // it ended meanwhile
    }
  }

  /** Processes, of which Java 8 knows nothing. */
  private static final class Processes {

    static Object current() {
      return call(null, "current");
    }

    static long pid(Object process) {
      return (Long) call(process, "pid");
    }

    static Optional<?> parent(Object process) {
      return (Optional<?>) call(process, "parent");
    }

    static String started(Object process) {
      try {
        Object info = call(process, "info");
        Optional<?> instant =
            (Optional<?>)
                Class.forName("java.lang.ProcessHandle$Info")
                    .getMethod("startInstant")
                    .invoke(info);
        return instant.map(Object::toString).orElse("");
      } catch (ReflectiveOperationException e) {
        throw new IllegalStateException(e);
      }
    }

    private static Object call(Object process, String method) {
      try {
        return Class.forName("java.lang.ProcessHandle").getMethod(method).invoke(process);
      } catch (ReflectiveOperationException e) {
        throw new IllegalStateException(e);
      }
    }
  }
}
