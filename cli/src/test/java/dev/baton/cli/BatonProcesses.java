package dev.baton.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.testing.Signals;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Real processes of {@code baton} that get real signals. */
public abstract class BatonProcesses {

  /** For what must happen at all, on however busy a machine. */
  public static final Duration PATIENCE = Duration.ofMinutes(2);

  @TempDir public Path home;
  public final List<Process> started = new ArrayList<>();
  private final List<Long> noted = new ArrayList<>();
  public Cli cli;

  @BeforeEach
  void start() {
    cli = new Cli(home);
  }

  @AfterEach
  void stop() {
    for (Process p : started) {
      p.descendants().forEach(ProcessHandle::destroyForcibly);
      p.destroyForcibly();
    }
    noted.stream()
        .filter(BatonProcesses::lives)
        .flatMap(pid -> ProcessHandle.of(pid).stream())
        .forEach(ProcessHandle::destroyForcibly);
  }

  Process baton(String... args) throws IOException {
    return start(Signals.noneIgnored(commandLine(args)));
  }

  static List<String> commandLine(String... args) {
    List<String> command = new ArrayList<>(List.of(javaCommand()));
    command.addAll(List.of(args));
    return command;
  }

  Process start(List<String> command) throws IOException {
    ProcessBuilder builder = new ProcessBuilder(command).directory(home.toFile());
    builder.environment().remove("GITHUB_RUN_ID");
    builder.environment().put("XDG_STATE_HOME", home.resolve(".local/state").toString());
    builder.redirectOutput(home.resolve("out").toFile());
    builder.redirectError(home.resolve("err").toFile());
    Process p = builder.start();
    started.add(p);
    return p;
  }

  public static String[] javaCommand() {
    return new String[] {
      Path.of(System.getProperty("java.home"), "bin", "java").toString(),
      "-XX:+UseSerialGC",
      "-XX:TieredStopAtLevel=1",
      "-cp",
      System.getProperty("java.class.path"),
      "dev.baton.cli.Main"
    };
  }

  static void signal(Process p, String name) throws IOException, InterruptedException {
    signal(p.pid(), name);
  }

  static void signal(long pid, String name) throws IOException, InterruptedException {
    int code = new ProcessBuilder("kill", "-" + name, "" + pid).start().waitFor();
    assertThat(code).isZero();
  }

  /** A process that a command has written down; ended after the test. */
  public long pidIn(String name) throws IOException {
    Path file = home.resolve(name);
    until(name, () -> Files.exists(file) && !Files.readString(file).isBlank());
    long pid = Long.parseLong(Files.readString(file).strip());
    noted.add(pid);
    return pid;
  }

  /** Not all systems bury their dead at once. */
  public static boolean lives(long pid) {
    try {
      Path stat = Path.of("/proc/" + pid + "/stat");
      boolean dead = Files.exists(stat) && Files.readString(stat).matches("(?s).*\\) [ZX] .*");
      return !dead && ProcessHandle.of(pid).filter(ProcessHandle::isAlive).isPresent();
    } catch (IOException e) {
      return false;
    }
  }

  public static void until(String what, Callable<Boolean> condition) {
    long end = System.nanoTime() + PATIENCE.toNanos();
    try {
      while (!condition.call()) {
        assertThat(System.nanoTime()).as("in time: " + what).isLessThan(end);
        Thread.sleep(50);
      }
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    } catch (Exception e) {
      throw new AssertionError(what, e);
    }
  }

  int endOf(Process p) throws InterruptedException {
    assertThat(p.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).as("ends in time").isTrue();
    return p.exitValue();
  }

  JsonNode status() {
    return cli.json("status");
  }

  String err() throws IOException {
    return Files.readString(home.resolve("err"));
  }
}
