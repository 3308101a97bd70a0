package dev.baton.alibaba;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.core.adapter.AdapterDescriptor.Variable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What the descriptor says against what the module does; AdaptersTest has what all must keep. */
class AlibabaAdapterTest {

  private static final Pattern VARIABLE = Pattern.compile("\"((?:BATON|ALIBABA_CLOUD)_[A-Z_]+)\"");

  private final List<Variable> variables = new AlibabaAdapter().descriptor().variables();

  @Test
  void itNamesEveryVariableThatIsRead() throws IOException {
    Set<String> read = new TreeSet<>();
    try (Stream<Path> files = Files.walk(Path.of("src/main/java"))) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        VARIABLE.matcher(Files.readString(file)).results().forEach(r -> read.add(r.group(1)));
      }
    }
    assertThat(variables).extracting(Variable::name).containsExactlyInAnyOrderElementsOf(read);
  }

  @Test
  void keysAndWhereTheyGoAreSensitive() {
    assertThat(variables)
        .filteredOn(v -> v.name().matches(".*(KEY|TOKEN|CREDENTIALS|ENDPOINT|FROM).*"))
        .hasSize(10)
        .allMatch(Variable::sensitive);
  }
}
