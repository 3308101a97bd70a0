package dev.baton.queue.sim;

import dev.baton.queue.internal.engine.QueueEngine;
import java.io.IOException;
import java.io.InputStream;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Enumeration;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.TreeMap;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Stream;

/**
 * How far many simulations have come, kept in a file, so that a run that was interrupted goes on
 * where it was. Seeds end in any order; what counts is the row of those that are done from the
 * first one on. Thread-safe.
 */
final class Progress {
  private static final long SAVE_NANOS = 5_000_000_000L;

  /** What is run: results of different plans, or of different classes, are never added up. */
  record Plan(long firstSeed, long seeds, int operations, String profile, String classes) {}

  /** What a number of seeds came to. */
  record Sum(long operations, long grants, List<Long> violations) {
    static final Sum NONE = new Sum(0, 0, List.of());

    Sum plus(long seed, Simulation.Result r) {
      List<Long> all = new ArrayList<>(violations);
      r.violation().ifPresent(v -> all.add(seed));
      return new Sum(operations + r.operations(), grants + r.grants(), all);
    }

    private Sum plus(Sum other) {
      List<Long> all = new ArrayList<>(violations);
      all.addAll(other.violations);
      return new Sum(operations + other.operations, grants + other.grants, all);
    }
  }

  /** The file is of another run. */
  static final class Foreign extends RuntimeException {
    private static final long serialVersionUID = 1;

    Foreign(String message) {
      super(message);
    }
  }

  private final Optional<Path> file;
  private final Plan plan;
  private final Map<Long, Sum> later = new TreeMap<>();
  private Sum sum = Sum.NONE;
  private long next;
  private long saved = System.nanoTime();

  private Progress(Optional<Path> file, Plan plan) {
    this.file = file;
    this.plan = plan;
    this.next = plan.firstSeed();
  }

  /** Kept nowhere. */
  static Progress ofOneGo(Plan plan) {
    return new Progress(Optional.empty(), plan);
  }

  /**
   * Goes on with what a file says.
   *
   * @throws Foreign when that is of another plan or of other classes
   */
  static Progress in(Path file, Plan plan) {
    Progress progress = new Progress(Optional.of(file), plan);
    if (Files.exists(file)) {
      progress.load(file);
    }
    return progress;
  }

  /** Begins at the beginning, whatever the file says. */
  static Progress over(Path file, Plan plan) {
    return new Progress(Optional.of(file), plan);
  }

  private void load(Path from) {
    Properties p = new Properties();
    try (Reader in = Files.newBufferedReader(from)) {
      p.load(in);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    for (Map.Entry<String, String> wanted : described().entrySet()) {
      String found = p.getProperty(wanted.getKey(), "");
      if (!found.equals(wanted.getValue())) {
        throw new Foreign(
            from
                + " is of another run ("
                + wanted.getKey()
                + " is '"
                + found
                + "' and not '"
                + wanted.getValue()
                + "'): delete it, or name another file");
      }
    }
    next = Long.parseLong(p.getProperty("next"));
    List<Long> violations =
        Stream.of(p.getProperty("violations").split(","))
            .filter(s -> !s.isEmpty())
            .map(Long::valueOf)
            .toList();
    sum =
        new Sum(
            Long.parseLong(p.getProperty("simulated")),
            Long.parseLong(p.getProperty("grants")),
            violations);
  }

  private Map<String, String> described() {
    Map<String, String> m = new TreeMap<>();
    m.put("firstSeed", Long.toString(plan.firstSeed()));
    m.put("seeds", Long.toString(plan.seeds()));
    m.put("operations", Integer.toString(plan.operations()));
    m.put("profile", plan.profile());
    m.put("classes", plan.classes());
    return m;
  }

  /** The first seed that is not known to be done. */
  synchronized long next() {
    return next;
  }

  long end() {
    return plan.firstSeed() + plan.seeds();
  }

  long seeds() {
    return plan.seeds();
  }

  /** How many seeds are done, in a row or not. */
  synchronized long done() {
    return next - plan.firstSeed() + later.size();
  }

  synchronized Sum sum() {
    Sum all = sum;
    for (Sum one : later.values()) {
      all = all.plus(one);
    }
    return all;
  }

  /** One seed is done. */
  synchronized void add(long seed, Simulation.Result r) {
    later.put(seed, Sum.NONE.plus(seed, r));
    for (Sum one = later.remove(next); one != null; one = later.remove(next)) {
      sum = sum.plus(one);
      next++;
    }
    if (System.nanoTime() - saved > SAVE_NANOS) {
      save();
    }
  }

  /** Writes the row that is done, as a whole or not at all. */
  synchronized void save() {
    saved = System.nanoTime();
    file.ifPresent(this::save);
  }

  private void save(Path to) {
    Properties p = new Properties();
    p.putAll(described());
    p.setProperty("next", Long.toString(next));
    p.setProperty("simulated", Long.toString(sum.operations()));
    p.setProperty("grants", Long.toString(sum.grants()));
    p.setProperty(
        "violations", String.join(",", sum.violations().stream().map(String::valueOf).toList()));
    try {
      if (to.toAbsolutePath().getParent() != null) {
        Files.createDirectories(to.toAbsolutePath().getParent());
      }
      Path draft = to.resolveSibling(to.getFileName() + ".new");
      try (Writer out = Files.newBufferedWriter(draft)) {
        p.store(out, "./gradlew :queue-lib:simulate");
      }
      Files.move(draft, to, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The run is over: the next one with the same plan begins at its beginning. */
  synchronized void forget() {
    file.ifPresent(
        f -> {
          try {
            Files.deleteIfExists(f);
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
  }

  /** A hash of all classes of the queue and of the simulation. */
  static String hashOfClasses() {
    try {
      MessageDigest hash = MessageDigest.getInstance("SHA-256");
      for (Class<?> one : List.of(QueueEngine.class, Simulation.class)) {
        Path at = Path.of(one.getProtectionDomain().getCodeSource().getLocation().toURI());
        new TreeMap<>(Files.isDirectory(at) ? ofDirectory(at) : ofJar(at))
            .forEach(
                (name, content) -> {
                  hash.update(name.getBytes(StandardCharsets.UTF_8));
                  hash.update(content);
                });
      }
      return HexFormat.of().formatHex(hash.digest(), 0, 16);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (URISyntaxException | NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Map<String, byte[]> ofDirectory(Path root) throws IOException {
    Map<String, byte[]> found = new TreeMap<>();
    try (Stream<Path> all = Files.walk(root)) {
      for (Path p : (Iterable<Path>) all.filter(f -> f.toString().endsWith(".class"))::iterator) {
        found.put(root.relativize(p).toString(), Files.readAllBytes(p));
      }
    }
    return found;
  }

  private static Map<String, byte[]> ofJar(Path jar) throws IOException {
    Map<String, byte[]> found = new TreeMap<>();
    try (JarFile open = new JarFile(jar.toFile())) {
      for (Enumeration<JarEntry> e = open.entries(); e.hasMoreElements(); ) {
        JarEntry entry = e.nextElement();
        if (entry.getName().endsWith(".class")) {
          try (InputStream in = open.getInputStream(entry)) {
            found.put(entry.getName(), in.readAllBytes());
          }
        }
      }
    }
    return found;
  }
}
