package dev.baton.action;

import dev.baton.core.SystemWorld;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** Where the container's process begins: {@code main} or {@code post} is its first argument. */
public final class Main {

  private Main() {}

  public static void main(String[] args) {
    Map<String, String> environment = System.getenv();
    configureLog(environment);
    PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    Console console = new Console(out);
    Phase phase;
    try {
      phase = Phase.of(args);
    } catch (IllegalArgumentException e) {
      console.error("Baton", e.getMessage());
      System.exit(2);
      return;
    }
    Cancellation cancellation = Cancellation.watch(Thread.currentThread(), phase);
    int code = Action.run(phase, new Runner(environment, console, new SystemWorld()));
    if (cancellation.finish()) {
      System.exit(code);
    }
  }

  private static void configureLog(Map<String, String> environment) {
    String prefix = "org.slf4j.simpleLogger.";
    boolean debug = "1".equals(environment.get("RUNNER_DEBUG"));
    // Not of the clients of clouds: they log the requests that they sign, with tokens in them.
    System.setProperty(prefix + "defaultLogLevel", "warn");
    System.setProperty(prefix + "log.dev.baton", debug ? "debug" : "warn");
    System.setProperty(prefix + "showThreadName", "false");
    System.setProperty(prefix + "showLogName", "false");
    System.setErr(new PrintStream(new Harmless(System.err), true, StandardCharsets.UTF_8));
  }

  /** The log quotes what others wrote; the runner reads it as it reads everything. */
  private static final class Harmless extends FilterOutputStream {

    Harmless(OutputStream out) {
      super(out);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      String text = new String(bytes, offset, length, StandardCharsets.UTF_8);
      out.write(text.replace("##[", "# #[").replace("::", ": :").getBytes(StandardCharsets.UTF_8));
    }
  }
}
