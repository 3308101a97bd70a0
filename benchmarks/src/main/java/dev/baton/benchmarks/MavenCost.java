package dev.baton.benchmarks;

import dev.baton.queue.BuildQueue;
import dev.baton.queue.QueueException;
import dev.baton.queue.Rules;
import dev.baton.queue.internal.engine.QueueEngine;
import dev.baton.store.FileStores;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/**
 * What the Maven plugin adds to a build: the same with the extension and without it, each in a
 * process of its own as `mvn` starts it, from its start to its end. Maven starts a container of its
 * own to load whatever stands in {@code .mvn/extensions.xml}, so what an extension that does
 * nothing costs there is measured too.
 */
final class MavenCost {

  private static final int WARM_UP = 3;
  private static final int PAIRS = 31;

  private final Path directory;
  private final List<String> java;

  private MavenCost(Path directory, Path maven, Path repository) throws IOException {
    this.directory = directory;
    Path launcher;
    try (Stream<Path> jars = Files.list(maven.resolve("boot"))) {
      launcher =
          jars.filter(j -> j.getFileName().toString().matches("plexus-classworlds-[0-9.]+\\.jar"))
              .findFirst()
              .orElseThrow(() -> new IllegalArgumentException("no Maven in " + maven));
    }
    this.java =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xshare:auto",
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-classpath",
            launcher.toString(),
            "-Dclassworlds.conf=" + maven.resolve("bin/m2.conf"),
            "-Dmaven.home=" + maven,
            "-Dmaven.repo.local=" + repository);
  }

  public static void main(String[] args) throws IOException, InterruptedException, QueueException {
    Path directory = Files.createTempDirectory("baton-maven-cost");
    Table table = new Table();
    try {
      MavenCost cost = new MavenCost(directory, Path.of(args[0]), Path.of(args[1]));
      cost.prepare(args[2]);
      table.say("What the Maven plugin adds, with %s", Path.of(args[0]).getFileName());
      cost.pairs("idle", "validate", WARM_UP);
      cost.pairs("idle", "validate", PAIRS)
          .tell(table, "for comparison, a core extension that does nothing");
      for (String kind : List.of("core", "pom")) {
        String where = kind.equals("core") ? ", .mvn/extensions.xml" : ", extension of the POM";
        cost.measure(table, kind, "validate", "without guarded work" + where, 50);
        cost.measure(table, kind, "compile", "guarded, nobody waits" + where, 150);
      }
    } finally {
      PairedRuns.delete(directory);
    }
    System.out.print(table.text());
    System.exit(table.isMissed() ? 1 : 0);
  }

  private void prepare(String version) throws IOException, QueueException, InterruptedException {
    String plugin =
        "<plugin><groupId>dev.baton</groupId><artifactId>%s</artifactId><version>"
            + version
            + "</version>%s</plugin>";
    String work =
        plugin.formatted(
            "probe-maven-plugin",
            "<executions>" + execution("validate") + execution("compile") + "</executions>");
    String guards =
        "<configuration><store>file:../locks</store><guards><guard>"
            + "<executions>at-compile</executions></guard></guards></configuration>";
    write("plain/pom.xml", pom(work));
    write("plain/.mvn/maven.config", "");
    write("idle/pom.xml", pom(work));
    write("idle/.mvn/extensions.xml", extension("probe-maven-plugin", version));
    write("core/pom.xml", pom(work + plugin.formatted("baton-maven-plugin", guards)));
    write("core/.mvn/extensions.xml", extension("baton-maven-plugin", version));
    write(
        "pom/pom.xml",
        pom(
            work
                + plugin.formatted(
                    "baton-maven-plugin", "<extensions>true</extensions>" + guards)));
    write("pom/.mvn/maven.config", "");
    try (BuildQueue queue = QueueEngine.open(FileStores.in(directory.resolve("locks/build")))) {
      queue.create(Rules.DEFAULT);
    }
  }

  private static String extension(String artifact, String version) {
    return "<extensions><extension><groupId>dev.baton</groupId><artifactId>%s</artifactId>"
            .formatted(artifact)
        + "<version>%s</version></extension></extensions>".formatted(version);
  }

  private static String execution(String phase) {
    return "<execution><id>at-%1$s</id><phase>%1$s</phase><goals><goal>work</goal></goals></execution>"
        .formatted(phase);
  }

  private static String pom(String plugins) {
    return "<project><modelVersion>4.0.0</modelVersion><groupId>t</groupId><artifactId>t</artifactId>"
               + "<version>1</version><packaging>pom</packaging><build><plugins>"
        + plugins
        + "</plugins></build></project>";
  }

  private void write(String name, String content) throws IOException {
    Path file = directory.resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, content);
  }

  private void measure(Table table, String kind, String phase, String what, int goal)
      throws IOException, InterruptedException {
    pairs(kind, phase, WARM_UP);
    pairs(kind, phase, PAIRS).tell(table, what, goal);
  }

  private PairedRuns pairs(String kind, String phase, int count)
      throws IOException, InterruptedException {
    return PairedRuns.of(count, () -> run("plain", phase), () -> run(kind, phase));
  }

  private long run(String build, String phase) throws IOException, InterruptedException {
    Path home = directory.resolve(build);
    Path output = directory.resolve("output.txt");
    List<String> command =
        Stream.concat(
                java.stream(),
                Stream.of(
                    "-Dmaven.multiModuleProjectDirectory=" + home,
                    "org.codehaus.plexus.classworlds.launcher.Launcher",
                    "-B",
                    "-q",
                    "-o",
                    phase))
            .toList();
    long start = System.nanoTime();
    int code =
        new ProcessBuilder(command)
            .directory(home.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start()
            .waitFor();
    long end = System.nanoTime();
    if (code != 0) {
      throw new IllegalStateException("the build failed:\n" + Files.readString(output));
    }
    return Duration.ofNanos(end - start).toMillis();
  }
}
