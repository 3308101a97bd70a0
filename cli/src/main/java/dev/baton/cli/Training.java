package dev.baton.cli;

import dev.baton.client.training.TrainingServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Lists the classes that the usual commands load, against a few answers on loopback. An
 * installation makes an archive from the list, which is good for that installation alone.
 */
final class Training {

  /** What the command line ends with when it has waited for long enough. */
  private static final int GAVE_UP = 4;

  private static final String JAVA =
      Path.of(System.getProperty("java.home"), "bin", "java").toString();

  /**
   * A line of a list. The line of a lambda is there once for each place of its class that makes one
   * like it, and the archive needs all of them.
   *
   * @param nth which of the lines with this text, from 1
   */
  private record Line(String text, int nth) {

    /** The same at each build; Java leaves out some lambdas whose class does not come before. */
    static final Comparator<Line> ORDER =
        Comparator.comparing((Line line) -> line.text().startsWith("@"))
            .thenComparing(Line::text)
            .thenComparing(Line::nth);
  }

  private Training() {}

  /**
   * @param args the file for the list
   */
  public static void main(String[] args)
      throws IOException, GeneralSecurityException, InterruptedException {
    try (TrainingServer server = TrainingServer.start()) {
      boolean good = commands(server.port(), Path.of(args[0]));
      if (!good) {
        System.out.println("training: failed");
      }
      System.exit(good ? 0 : 1);
    }
  }

  private static boolean commands(int port, Path list) throws IOException, InterruptedException {
    Path files = Files.createTempDirectory("training");
    Set<Line> loaded = new TreeSet<>(Line.ORDER);
    boolean good = command(0, port, files, loaded, "--help");
    for (String store : List.of("file:" + files.resolve("store"), "github:octo/app")) {
      if (store.startsWith("file:")) {
        good &= command(0, port, files, loaded, "init", "--store", store);
      }
      good &= command(0, port, files, loaded, "status", "--store", store);
      good &= command(0, port, files, loaded, "run", "--store", store, "--", JAVA, "--version");
      good &= command(0, port, files, loaded, "join", "--store", store);
      // Behind one who has joined and never takes the turn: this one waits, and gives up.
      good &=
          command(
              GAVE_UP,
              port,
              files,
              loaded,
              "run",
              "--store",
              store,
              "--wait-timeout",
              "1s",
              "--",
              JAVA,
              "--version");
    }
    Files.write(list, loaded.stream().map(Line::text).toList());
    return good;
  }

  /** As a process of its own, as people run it. */
  private static boolean command(
      int expected, int port, Path files, Set<Line> loaded, String... arguments)
      throws IOException, InterruptedException {
    Path list = files.resolve("list");
    Path said = files.resolve("said");
    List<String> command =
        new ArrayList<>(
            List.of(
                JAVA,
                "-Xshare:off",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-XX:DumpLoadedClassList=" + list,
                "-cp",
                System.getProperty("java.class.path"),
                "dev.baton.cli.Main"));
    command.addAll(List.of(arguments));
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(said.toFile());
    Map<String, String> environment = builder.environment();
    environment.keySet().removeIf(name -> name.startsWith("BATON_") || name.startsWith("GITHUB_"));
    environment.put("GITHUB_API_URL", "http://127.0.0.1:" + port);
    environment.put("BATON_TOKEN", "training");
    int code = builder.start().waitFor();
    if (code != expected) {
      System.out.println("training: " + List.of(arguments) + " ends with " + code);
      System.out.println(Files.readString(said));
    }
    Map<String, Integer> times = new HashMap<>();
    for (String line : Files.readAllLines(list)) {
      // A class of a loader of its own would be named with the path of its file.
      if (!line.contains("source:")) {
        loaded.add(new Line(line, times.merge(line, 1, Integer::sum)));
      }
    }
    return code == expected;
  }
}
