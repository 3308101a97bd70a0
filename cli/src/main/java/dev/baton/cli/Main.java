package dev.baton.cli;

import dev.baton.cli.terminal.Aside;
import dev.baton.cli.terminal.LogLines;
import dev.baton.cli.terminal.Programs;
import dev.baton.cli.terminal.Shell;
import dev.baton.client.settings.Host;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Where the process begins and ends; nothing below it ends the process. */
public final class Main {

  /** Stopping a command takes 10 s at most, and giving back the lock a few more. */
  private static final long LAST_WORDS_SECONDS = 30;

  private static final int USUAL_COLUMNS = 80;

  private Main() {}

  public static void main(String[] args) {
    Thread worker = Thread.currentThread();
    CountDownLatch done = new CountDownLatch(1);
    // A signal interrupts what is under way and waits for it to clean up. The JVM then ends with
    // the code of the signal.
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(
                () -> {
                  if (done.getCount() > 0) {
                    worker.interrupt();
                    awaitQuietly(done);
                  }
                },
                "baton-signal"));
    Preparation.start(System.getenv(), args);
    Shell shell = systemShell();
    // The shell has the real one; what is left is the log.
    System.setErr(
        new PrintStream(
            new LogLines(shell.err(), isLogAskedFor(shell, args), shell.terminal(), shell.clock()),
            true,
            StandardCharsets.UTF_8));
    int code = Commands.run(shell, args);
    done.countDown();
    System.exit(code);
  }

  private static boolean isLogAskedFor(Shell shell, String... args) {
    return !shell.variable("BATON_LOG").isEmpty()
        || Arrays.stream(args)
            .takeWhile(arg -> !arg.equals("--"))
            .anyMatch(arg -> arg.matches("-v+|--verbose|--debug"));
  }

  private static void awaitQuietly(CountDownLatch done) {
    try {
      if (!done.await(LAST_WORDS_SECONDS, TimeUnit.SECONDS)) {
        Aside.say(
            () -> System.err.println("baton: gave up cleaning up; the lock ends with its lease"));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static Shell systemShell() {
    return new Shell(
        System.getenv(),
        System.in,
        new PrintStream(System.out, false, StandardCharsets.UTF_8),
        new PrintStream(System.err, true, StandardCharsets.UTF_8),
        System.console() != null,
        Main::columns,
        Path.of("").toAbsolutePath(),
        Host.home(System.getenv()),
        System.getProperty("os.name"),
        System.getProperty("user.name"),
        Host::machineName,
        InstantSource.system());
  }

  /** Java cannot tell; {@code stty} can where it exists. */
  private static int columns() {
    String set = System.getenv("COLUMNS");
    if (set != null && set.matches("[1-9][0-9]{1,3}")) {
      return Integer.parseInt(set);
    }
    Optional<Path> program = Programs.ofSystem("stty", System.getProperty("os.name"));
    if (program.isEmpty()) {
      return USUAL_COLUMNS;
    }
    try {
      Process stty =
          new ProcessBuilder(program.get().toString(), "size")
              .redirectInput(ProcessBuilder.Redirect.INHERIT)
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      try (InputStream answer = stty.getInputStream()) {
        String text = new String(answer.readAllBytes(), StandardCharsets.US_ASCII).strip();
        return text.matches("[0-9]+ [1-9][0-9]{1,3}")
            ? Integer.parseInt(text.substring(text.indexOf(' ') + 1))
            : USUAL_COLUMNS;
      }
    } catch (IOException e) {
      return USUAL_COLUMNS;
    }
  }
}
