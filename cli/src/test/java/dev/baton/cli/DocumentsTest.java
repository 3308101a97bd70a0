package dev.baton.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.cli.terminal.Baton;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** What readers of the documents take for granted: links lead somewhere, and help is as shown. */
class DocumentsTest {

  private static final Path ROOT = Path.of(System.getProperty("root"));
  private static final int MOST_WORDS = 900;
  private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]+)\\)");
  private static final Pattern HEADING = Pattern.compile("(?m)^#{1,6} +(.*?) *#*$");
  private static final Set<String> NOT_OURS =
      Set.of("build", "node_modules", ".git", ".gradle", "bin", "out");

  /** The first screens are for those who have never heard of Baton. As {@code wc -w} counts. */
  @Test
  void theReadmeIsShort() throws IOException {
    String readme = Files.readString(ROOT.resolve("README.md"));
    assertThat(readme.strip().split("\\s+")).hasSizeLessThanOrEqualTo(MOST_WORDS);
    assertThat(readme.lines().map(line -> line.replaceFirst("\\s+#.*", "")))
        .as("how to see it work, and how to test it")
        .contains("./gradlew demo", "./gradlew check");
  }

  // ---- links

  @Test
  void everyLinkLeadsSomewhere() throws IOException {
    List<String> broken = new ArrayList<>();
    int links = 0;
    for (Path document : documents()) {
      Matcher link = LINK.matcher(prose(document));
      while (link.find()) {
        String target = link.group(1);
        if (!target.matches("[a-z]+:.*")) {
          links++;
          if (!leadsSomewhere(document, target)) {
            broken.add(ROOT.relativize(document) + ": " + target);
          }
        }
      }
    }
    assertThat(broken).isEmpty();
    assertThat(links).isGreaterThan(200);
  }

  private static boolean leadsSomewhere(Path document, String link) throws IOException {
    String[] parts = link.split("#", 2);
    Path target =
        parts[0].isEmpty()
            ? document
            : document.resolveSibling(parts[0]).toAbsolutePath().normalize();
    if (!Files.exists(target) || !target.startsWith(ROOT.toAbsolutePath().normalize())) {
      return false;
    }
    return parts.length == 1 || anchors(target).contains(parts[1]);
  }

  /** As GitHub makes them from headings. */
  private static Set<String> anchors(Path document) throws IOException {
    Set<String> anchors = new HashSet<>();
    Map<String, Integer> seen = new HashMap<>();
    Matcher heading = HEADING.matcher(prose(document));
    while (heading.find()) {
      String anchor =
          heading
              .group(1)
              .replaceAll("\\]\\([^)]*\\)", "")
              .toLowerCase(Locale.ROOT)
              .replaceAll("[^\\p{L}\\p{N} _-]", "")
              .replace(' ', '-');
      int before = seen.merge(anchor, 1, Integer::sum) - 1;
      anchors.add(before == 0 ? anchor : anchor + "-" + before);
    }
    return anchors;
  }

  /** Without blocks of code. */
  private static String prose(Path document) throws IOException {
    StringBuilder prose = new StringBuilder();
    boolean code = false;
    for (String line : Files.readAllLines(document)) {
      if (line.strip().startsWith("```")) {
        code = !code;
      } else if (!code) {
        prose.append(line).append('\n');
      }
    }
    return prose.toString();
  }

  private static List<Path> documents() throws IOException {
    List<Path> documents = new ArrayList<>();
    Files.walkFileTree(
        ROOT,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
            return NOT_OURS.contains(directory.getFileName().toString())
                ? FileVisitResult.SKIP_SUBTREE
                : FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            if (file.toString().endsWith(".md")
                && !file.toString().contains("src/test/resources")) {
              documents.add(file);
            }
            return FileVisitResult.CONTINUE;
          }
        });
    return documents;
  }

  // ---- the help of all commands

  /** ./gradlew :cli:test --tests '*DocumentsTest*' -PupdateGolden writes it. */
  @Test
  void thePageOfTheCommandLineHasTheHelpOfAllCommands(@TempDir Path home) throws IOException {
    Path file = ROOT.resolve("docs/cli.md");
    String text = Files.readString(file);
    String begin = "<!-- from the help -->\n";
    String end = "<!-- end -->\n";
    int from = text.indexOf(begin) + begin.length();
    int to = text.indexOf(end);
    String help = reference(home);
    if (Boolean.getBoolean("updateGolden")) {
      Files.writeString(file, text.substring(0, from) + help + text.substring(to));
    } else {
      assertThat(text.substring(from, to)).isEqualTo(help);
    }
  }

  private static String reference(Path home) {
    Baton baton =
        new Baton(new Cli(home).shell(new ByteArrayOutputStream(), new ByteArrayOutputStream()));
    CommandLine all = Commands.commandLine(baton, List.of("help"));
    StringBuilder out = new StringBuilder("\n");
    describe(home, all, out);
    return out.toString();
  }

  private static void describe(Path home, CommandLine command, StringBuilder out) {
    String name = command.getCommandSpec().qualifiedName(" ");
    List<String> args =
        new ArrayList<>(Arrays.asList(name.split(" ")).subList(1, name.split(" ").length));
    args.add("--help");
    out.append("### ")
        .append(name)
        .append("\n\n```text\n")
        .append(new Cli(home).ok(args.toArray(String[]::new)).out().strip())
        .append("\n```\n\n");
    command.getSubcommands().values().forEach(sub -> describe(home, sub, out));
  }
}
