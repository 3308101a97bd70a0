package dev.baton.state;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.state.spi.StateSpace;
import dev.baton.state.spi.StateSpace.Purpose;
import dev.baton.store.Snapshot;
import dev.baton.store.StoreException;
import dev.baton.store.Version;
import dev.baton.store.WriteResult;
import dev.baton.testing.Concurrently;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What every place for states of deployments does. */
public abstract class StateSpaceContract {

  private static final String PATH = "stacks/shop/production/state.json";

  private StateSpace space;

  /** An empty one. */
  protected abstract StateSpace newSpace() throws Exception;

  /** The same place for another client. */
  protected abstract StateSpace another(StateSpace space) throws Exception;

  @BeforeEach
  void open() throws Exception {
    space = newSpace();
  }

  private Version written(String path, Version expected, String content) throws StoreException {
    WriteResult result = space.put(path, expected, content, Purpose.STATE);
    assertThat(result).isInstanceOf(WriteResult.Written.class);
    return ((WriteResult.Written) result).version();
  }

  @Test
  void whatIsMissingIsAbsent() throws Exception {
    assertThat(space.get(PATH)).isEqualTo(Snapshot.ABSENT);
    assertThat(space.list("stacks")).isEmpty();
    assertThat(space.remove(PATH, new Version("x"))).isFalse();
  }

  @Test
  void whatWasWrittenIsReadByAll() throws Exception {
    Version version = written(PATH, Version.ABSENT, "{\"text\": \"é 😀\"}\n");
    for (StateSpace one : List.of(space, another(space))) {
      assertThat(one.get(PATH)).isEqualTo(Snapshot.of(version, "{\"text\": \"é 😀\"}\n"));
    }
  }

  @Test
  void onlyTheVersionThatIsThereIsReplaced() throws Exception {
    Version first = written(PATH, Version.ABSENT, "1");
    assertThat(space.put(PATH, Version.ABSENT, "x", Purpose.STATE))
        .isEqualTo(new WriteResult.Lost());
    Version second = written(PATH, first, "2");
    assertThat(second).isNotEqualTo(first);
    assertThat(space.put(PATH, first, "x", Purpose.STATE)).isEqualTo(new WriteResult.Lost());
    assertThat(space.get(PATH).content()).contains("2");
  }

  @Test
  void onlyTheVersionThatIsThereIsRemoved() throws Exception {
    Version first = written(PATH, Version.ABSENT, "1");
    Version second = written(PATH, first, "2");
    assertThat(space.remove(PATH, first)).isFalse();
    assertThat(space.get(PATH).content()).contains("2");
    assertThat(space.remove(PATH, second)).isTrue();
    assertThat(space.get(PATH)).isEqualTo(Snapshot.ABSENT);
    written(PATH, Version.ABSENT, "3");
  }

  @Test
  void aDirectoryListsWhatIsInIt() throws Exception {
    written(PATH, Version.ABSENT, "1");
    written("stacks/shop/production/history/2026-01-01-00-00-00.json", Version.ABSENT, "1");
    written("stacks/shop/staging/state.json", Version.ABSENT, "1");
    written("stacks/shop-2/staging/state.json", Version.ABSENT, "1");
    assertThat(space.list("stacks")).containsExactly("shop-2/", "shop/");
    assertThat(space.list("stacks/shop")).containsExactly("production/", "staging/");
    assertThat(space.list("stacks/shop/production")).contains("history/", "state.json");
    assertThat(space.list("stacks/shop/production/history"))
        .containsExactly("2026-01-01-00-00-00.json");
    assertThat(space.list("stacks/none")).isEmpty();
  }

  @Test
  void ofWritersThatRaceOneWins() throws Exception {
    Version before = Version.ABSENT;
    for (int round = 0; round < 5; round++) {
      List<Callable<WriteResult>> writers = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        String content = round + "/" + i;
        Version expected = before;
        StateSpace own = another(space);
        writers.add(() -> own.put(PATH, expected, content, Purpose.STATE));
      }
      List<WriteResult> results = Concurrently.allOf(Duration.ofMinutes(2), writers);
      assertThat(results).filteredOn(WriteResult.Written.class::isInstance).hasSize(1);
      int winner =
          results.indexOf(
              results.stream().filter(WriteResult.Written.class::isInstance).findFirst().get());
      assertThat(space.get(PATH).content()).contains(round + "/" + winner);
      before = space.get(PATH).version();
    }
  }
}
