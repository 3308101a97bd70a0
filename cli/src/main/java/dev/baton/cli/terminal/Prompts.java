package dev.baton.cli.terminal;

import dev.baton.core.Problem.Kind;
import java.io.ByteArrayOutputStream;
import java.io.Console;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/**
 * Asks a person several things in a row. Whoever presses Ctrl-C instead of an answer does not have
 * to wait: reading cannot be interrupted, so it is done by a thread that nobody waits for.
 */
public final class Prompts {

  private static final int LONGEST = 10_000;

  private final Baton baton;

  public Prompts(Baton baton) {
    this.baton = baton;
  }

  /** Whether there is anybody to ask. */
  public boolean canAsk() {
    return baton.shell().terminal() && !baton.json;
  }

  /** What a person says; empty when nobody does. */
  public Optional<String> line(String question) throws InterruptedException {
    baton.shell().err().print(question);
    baton.shell().err().flush();
    return interruptibly(() -> Optional.ofNullable(read(baton.shell().in())));
  }

  /** The same without showing it. */
  public Optional<String> secret(String question) throws InterruptedException {
    Console console = baton.shell().in() == System.in ? System.console() : null;
    if (console == null) {
      return line(question);
    }
    baton.shell().err().print(question);
    baton.shell().err().flush();
    return interruptibly(
        () -> {
          char[] typed = console.readPassword();
          return typed == null ? Optional.empty() : Optional.of(new String(typed).strip());
        });
  }

  /** Reads no further than the end of the line: what follows is for others. */
  public static String read(InputStream in) throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    int next = in.read();
    if (next < 0) {
      return null;
    }
    while (next >= 0 && next != '\n' && line.size() < LONGEST) {
      line.write(next);
      next = in.read();
    }
    return line.toString(StandardCharsets.UTF_8).strip();
  }

  private static <T> T interruptibly(Callable<T> reading) throws InterruptedException {
    FutureTask<T> task = new FutureTask<>(reading);
    Thread reader = new Thread(task, "baton-prompt");
    reader.setDaemon(true);
    reader.start();
    try {
      return task.get();
    } catch (ExecutionException e) {
      throw new CliException(
          Kind.FAILED, "the answer cannot be read", "Try again in a terminal.", e.getCause());
    }
  }
}
