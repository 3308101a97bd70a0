package dev.baton.queue.github.probe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.core.probe.Assumption;
import dev.baton.core.probe.AssumptionTable;
import dev.baton.queue.internal.board.Board;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The list of assumptions and the code that it speaks of. */
class AssumptionsTest {

  @Test
  void idsAreNamesOfOneThing() {
    Set<String> ids = new HashSet<>();
    assertThat(GitHubAssumptions.all()).allMatch(a -> ids.add(a.id()));
  }

  @Test
  void theCodeThatReliesOnThemIsThere() {
    for (Assumption assumption : GitHubAssumptions.all()) {
      for (String code : assumption.reliedOnBy()) {
        String[] parts = code.split("\\.");
        assertThat(methods(parts[0])).as(assumption.id()).contains(parts[1]);
      }
    }
  }

  private static List<String> methods(String simpleName) {
    for (String room : List.of("dev.baton.queue.github.", "dev.baton.queue.github.probe.")) {
      try {
        return Arrays.stream(Class.forName(room + simpleName).getDeclaredMethods())
            .map(Method::getName)
            .toList();
      } catch (ClassNotFoundException e) {
        continue; // the next one
      }
    }
    throw new AssertionError("there is no class " + simpleName);
  }

  @Test
  void boundsAreThoseOfTheCode() throws ReflectiveOperationException {
    assertThat(GitHubAssumptions.LONGEST_BODY).isEqualTo(Board.MAX_BODY);
    assertThat(GitHubAssumptions.TAGS).isEqualTo(constant("ExpectedTags", "MOST"));
    assertThat(GitHubAssumptions.LONGEST_DOCUMENT).isEqualTo(constant("GitStore", "MAX_LENGTH"));
  }

  private static Object constant(String simpleName, String name)
      throws ReflectiveOperationException {
    Field field = Class.forName("dev.baton.queue.github." + simpleName).getDeclaredField(name);
    field.setAccessible(true);
    return field.get(null);
  }

  @Test
  void theDocumentationHasThemAll() {
    AssumptionTable.requireIn(Path.of("../docs/probe.md"), "## On GitHub", GitHubAssumptions.all());
  }
}
