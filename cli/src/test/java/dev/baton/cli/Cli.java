package dev.baton.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.baton.cli.terminal.Shell;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A person at a shell of their own: runs commands in this process. */
public final class Cli {
  private final Path home;
  private final Map<String, String> environment = new HashMap<>();
  private boolean terminal;
  private String input = "";
  private int columns = 80;
  private Path directory;
  private InstantSource clock = InstantSource.system();

  public Cli(Path home) {
    this.home = home;
    this.directory = home;
    environment.put("PATH", System.getenv("PATH"));
  }

  public Cli with(String variable, String value) {
    environment.put(variable, value);
    return this;
  }

  Cli on(Path elsewhere) {
    directory = elsewhere;
    return this;
  }

  /** The commands that follow are run this much later. */
  Cli later(Duration by) {
    clock = InstantSource.offset(InstantSource.system(), by);
    return this;
  }

  public Cli typing(String text) {
    terminal = true;
    input = text;
    return this;
  }

  /** In a window of that width. */
  Cli wide(int cells) {
    columns = cells;
    return this;
  }

  /** Input that nobody types. */
  Cli piping(String text) {
    terminal = false;
    input = text;
    return this;
  }

  /** A job of a workflow. */
  Cli inRun(String repository, long run, int attempt) {
    return with("GITHUB_REPOSITORY", repository)
        .with("GITHUB_RUN_ID", "" + run)
        .with("GITHUB_RUN_ATTEMPT", "" + attempt)
        .with("GITHUB_JOB", "build")
        .with("GITHUB_ACTOR", "ann")
        .with("GITHUB_REF_NAME", "feature/x");
  }

  public Shell shell(ByteArrayOutputStream out, ByteArrayOutputStream err) {
    return new Shell(
        environment,
        new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8)),
        new PrintStream(out, true, StandardCharsets.UTF_8),
        new PrintStream(err, true, StandardCharsets.UTF_8),
        terminal,
        () -> columns,
        directory,
        home,
        "Linux",
        "jane",
        () -> "hal",
        clock);
  }

  Result run(String... args) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    int code = Commands.run(shell(out, err), args);
    return new Result(
        code, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
  }

  /** Runs what has to succeed. */
  public Result ok(String... args) {
    Result result = run(args);
    if (result.code() != 0) {
      throw new AssertionError(List.of(args) + " ended with " + result);
    }
    return result;
  }

  JsonNode json(String... args) {
    String[] all = java.util.Arrays.copyOf(args, args.length + 1);
    all[args.length] = "--json";
    return ok(all).json();
  }

  /** The fencing token of the one that builds. */
  String token() {
    return json("status").get("building").get(0).get("token").asText();
  }

  /** What came of a command. */
  record Result(int code, String out, String err) {
    JsonNode json() {
      return parsed(out);
    }

    static JsonNode parsed(String text) {
      try {
        return new ObjectMapper().readTree(text);
      } catch (JsonProcessingException e) {
        throw new AssertionError("no JSON: " + text, e);
      }
    }
  }
}
