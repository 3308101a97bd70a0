package dev.baton.cli;

import dev.baton.cli.terminal.Baton;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine;

/** Every command line of {@code baton} that help and documents show. */
final class Examples {

  /**
   * A line that people copy into a shell.
   *
   * @param source where it stands
   * @param line without what is said about it
   * @param environment what lines before it export
   */
  record Example(String source, String line, Map<String, String> environment) {

    boolean isAboutVms() {
      return line.matches("(?s).*\\bbaton( -\\S+)* vm\\b.*");
    }

    @Override
    public String toString() {
      return source + ": " + line;
    }
  }

  private static final Path ROOT = Path.of(System.getProperty("root"));
  private static final Pattern COMMAND = Pattern.compile("(^|[|;&(]\\s*)baton\\s");
  private static final Pattern EXPORTED = Pattern.compile("(BATON_[A-Z_]+)=(\\S+)");
  private static final Pattern FENCE = Pattern.compile("```\\s*([a-z]*)\\s*");
  private static final Pattern SPAN = Pattern.compile("(?<!`)`(baton [^`]+)`(?!`)");

  private Examples() {}

  /** Of the help of every command, as it is printed. */
  static List<Example> ofHelp(Path home) {
    List<Example> all = new ArrayList<>();
    Cli cli = new Cli(home);
    for (CommandLine command : commands(home)) {
      List<String> words = List.of(command.getCommandSpec().qualifiedName(" ").split(" "));
      List<String> help = new ArrayList<>(words.subList(1, words.size()));
      help.add("--help");
      String text = cli.ok(help.toArray(String[]::new)).out();
      text.substring(text.indexOf("\nExamples:\n") + "\nExamples:\n".length())
          .lines()
          .takeWhile(line -> !line.isBlank())
          .filter(line -> line.matches(" {2}\\S.*"))
          // What is said about an example stands two spaces behind it.
          .map(line -> line.strip().split(" {2,}")[0])
          .forEach(line -> all.add(new Example(String.join(" ", help), line, Map.of())));
    }
    return all;
  }

  /** Of the blocks for a shell in all documents. */
  static List<Example> ofDocuments() throws IOException {
    List<Example> all = new ArrayList<>();
    for (Path document : documents()) {
      String language = null;
      Map<String, String> exported = new LinkedHashMap<>();
      for (String line : Files.readAllLines(document)) {
        Matcher fence = FENCE.matcher(line.strip());
        if (fence.matches()) {
          language = language == null ? fence.group(1) : null;
          exported.clear();
        } else if (language != null && language.matches("|sh|bash|shell|console")) {
          String command = command(line, language.equals("console"));
          if (command.startsWith("export ")) {
            EXPORTED.matcher(command).results().forEach(m -> exported.put(m.group(1), m.group(2)));
          } else if (COMMAND.matcher(command).find()) {
            String source = ROOT.relativize(document).toString();
            all.add(new Example(source, command, Map.copyOf(exported)));
          }
        }
      }
    }
    return all;
  }

  private static String command(String line, boolean session) {
    String typed = line.strip();
    if (session) {
      typed = typed.startsWith("$ ") ? typed.substring(2) : "";
    }
    return typed.replaceFirst("\\s+#\\s.*", "");
  }

  /**
   * What sentences name, such as {@code baton drop}: at least the command and the options exist.
   */
  static List<Example> inSentences() throws IOException {
    List<Example> all = new ArrayList<>();
    for (Path document : documents()) {
      String source = ROOT.relativize(document).toString();
      String text = Files.readString(document).replaceAll("(?s)```.*?```", "");
      SPAN.matcher(text)
          .results()
          .map(m -> m.group(1).replaceAll("\\s+", " "))
          .filter(span -> span.matches("baton [a-z-].*"))
          .forEach(span -> all.add(new Example(source, span, Map.of())));
    }
    return all;
  }

  private static List<Path> documents() throws IOException {
    List<Path> all = new ArrayList<>(List.of(ROOT.resolve("README.md")));
    for (String glob : List.of("docs", "samples")) {
      try (DirectoryStream<Path> files = Files.newDirectoryStream(ROOT.resolve(glob))) {
        for (Path file : files) {
          Path document = Files.isDirectory(file) ? file.resolve("README.md") : file;
          if (document.toString().endsWith(".md") && Files.exists(document)) {
            all.add(document);
          }
        }
      }
    }
    return all;
  }

  // ---- which commands there are

  static CommandLine root(Path home) {
    Baton baton =
        new Baton(new Cli(home).shell(new ByteArrayOutputStream(), new ByteArrayOutputStream()));
    return Commands.commandLine(baton, List.of("help"));
  }

  static List<CommandLine> commands(Path home) {
    List<CommandLine> all = new ArrayList<>();
    add(root(home), all);
    return all;
  }

  private static void add(CommandLine command, List<CommandLine> to) {
    to.add(command);
    command.getSubcommands().values().forEach(sub -> add(sub, to));
  }

  // ---- how a shell reads them

  /** Whether it takes a shell to run it. */
  static boolean needsShell(String line) {
    return line.replaceAll("'[^']*'", "").matches(".*[|;&<>$~()].*");
  }

  /** The words of a line that needs no shell. */
  static List<String> words(String line) {
    List<String> words = new ArrayList<>();
    Matcher word = Pattern.compile("(?:[^\\s\"']|\"[^\"]*\"|'[^']*')+").matcher(line);
    while (word.find()) {
      words.add(word.group().replaceAll("[\"']", ""));
    }
    return words;
  }

  /** A directory with programs that examples start. */
  static Path programs(Path directory) {
    try {
      Files.createDirectories(directory);
      for (String name : List.of("make", "gradlew", "publish", "build.sh", "deploy.sh")) {
        Path program = Files.writeString(directory.resolve(name), "#!/bin/sh\nexit 0\n");
        if (!program.toFile().setExecutable(true)) {
          throw new IOException("cannot be made executable: " + program);
        }
      }
      return directory;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
