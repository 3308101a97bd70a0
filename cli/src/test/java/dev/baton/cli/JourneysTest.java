package dev.baton.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/**
 * What the README tells somebody to type, from top to bottom and from an empty home: the developer
 * at a shell and the user of VMs. Workflows are in {@code JourneyTest} of the action, builds in
 * that of the Gradle plugin.
 */
@EnabledOnOs(OS.LINUX)
class JourneysTest {

  private static final Path README = Path.of(System.getProperty("root")).resolve("README.md");

  @TempDir Path home;

  private Cli terminal() {
    Path programs = Examples.programs(home.resolve("programs"));
    return new Cli(home).with("PATH", programs + ":" + System.getenv("PATH")).typing("y\ny\n");
  }

  /** The commands of the first block below a heading. */
  private static List<String> commands(String heading) throws IOException {
    List<String> commands = new ArrayList<>();
    boolean below = false;
    boolean inside = false;
    for (String line : Files.readAllLines(README)) {
      if (line.startsWith("## ")) {
        below = line.equals("## " + heading);
      } else if (below && line.startsWith("```")) {
        if (inside) {
          return commands;
        }
        inside = true;
      } else if (below && inside) {
        commands.add(line.replaceFirst("\\s+#\\s.*", ""));
      }
    }
    throw new AssertionError("README.md has no commands below " + heading);
  }

  private static String typed(Cli terminal, String line) {
    List<String> words = Examples.words(line);
    assertThat(words.get(0)).isEqualTo("baton");
    Cli.Result result = terminal.ok(words.subList(1, words.size()).toArray(String[]::new));
    return result.out() + result.err();
  }

  @Test
  void aDeveloperAtAShell() throws IOException {
    Cli terminal = terminal();
    List<String> commands = commands("At a shell");
    assertThat(commands).hasSize(3);
    assertThat(typed(terminal, commands.get(0))).contains("is created");
    typed(terminal, commands.get(1));
    assertThat(typed(terminal, commands.get(2))).contains("release 1.4").contains("succeeded");
    JsonNode status = terminal.json("status");
    assertThat(status.get("building")).isEmpty();
    assertThat(status.get("last").get("title").asText()).isEqualTo("release 1.4");
  }

  @Test
  void aUserOfVms() throws IOException {
    Cli terminal = terminal();
    List<String> commands = commands("A VM for a build");
    assertThat(commands).hasSize(3);
    typed(terminal, commands.get(0));
    assertThat(typed(terminal, "baton vm status")).contains("running");
    typed(terminal, commands.get(1));
    typed(terminal, commands.get(2));
    assertThat(typed(terminal, "baton vm sweep")).doesNotContain("would");
    assertThat(typed(terminal, "baton vm status")).doesNotContain("running");
  }
}
