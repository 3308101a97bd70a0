package dev.baton.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.core.Problem.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** docs/problems.md lists every kind, with the exit code that it ends with. */
class ProblemTableTest {

  private static final Pattern ROW = Pattern.compile("\\| `(\\w+)` \\| [^|]+ \\| (\\d+) \\|.*");

  @Test
  void theTableIsTheEnum() throws IOException {
    List<String> documented =
        Files.readAllLines(Path.of("../docs/problems.md")).stream()
            .map(ROW::matcher)
            .filter(m -> m.matches())
            .map(m -> m.group(1) + " " + m.group(2))
            .toList();

    assertThat(documented)
        .containsExactlyElementsOf(
            Arrays.stream(Kind.values())
                .map(k -> k.name().toLowerCase(Locale.ROOT) + " " + ExitCode.of(k).code)
                .toList());
  }
}
