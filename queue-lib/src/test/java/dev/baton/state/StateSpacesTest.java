package dev.baton.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.state.spi.StateSpace;
import dev.baton.state.spi.StateSpace.Purpose;
import dev.baton.state.store.FileStateSpace;
import dev.baton.store.StoreException;
import dev.baton.store.Version;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StateSpacesTest {

  @Nested
  class InMemory extends StateSpaceContract {
    @Override
    protected StateSpace newSpace() {
      return new MemoryStateSpace();
    }

    @Override
    protected StateSpace another(StateSpace space) {
      return space;
    }
  }

  @Nested
  class InADirectory extends StateSpaceContract {
    @TempDir Path directory;

    @Override
    protected StateSpace newSpace() {
      return FileStateSpace.in(directory.resolve("states"));
    }

    @Override
    protected StateSpace another(StateSpace space) {
      return FileStateSpace.in(Path.of(space.location()));
    }

    @Test
    void whatAKilledWriterLeftIsRemovedAndFilesOfOthersStay() throws Exception {
      Path stack = directory.resolve("states/stacks/shop/production");
      Files.createDirectories(stack.resolve("pulumi"));
      Path leftover = Files.writeString(stack.resolve(".state.json.1234.tmp"), "half");
      Path foreign = Files.writeString(stack.resolve("pulumi/stack.json"), "{}");
      newSpace().put("stacks/shop/production/state.json", Version.ABSENT, "1", Purpose.STATE);
      assertThat(leftover).doesNotExist();
      assertThat(foreign).hasContent("{}");
      assertThat(stack.resolve("state.json")).hasContent("1");
    }

    @Test
    void aLinkLeadsNowhereElse() throws Exception {
      Path elsewhere = Files.createDirectories(directory.resolve("elsewhere"));
      Files.createDirectories(directory.resolve("states/stacks"));
      Files.createSymbolicLink(directory.resolve("states/stacks/shop"), elsewhere);
      assertThatThrownBy(
              () ->
                  newSpace()
                      .put("stacks/shop/production/state.json", Version.ABSENT, "1", Purpose.STATE))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("a link leads out of");
      assertThat(elsewhere).isEmptyDirectory();
    }

    @Test
    void aPathStaysBelowTheRoot() {
      for (String path : new String[] {"../x", "", "a/../../x", "/etc/passwd", "a//b"}) {
        assertThatThrownBy(() -> newSpace().put(path, Version.ABSENT, "1", Purpose.STATE))
            .as(path)
            .isInstanceOf(IllegalArgumentException.class);
      }
    }
  }
}
