package dev.baton.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.store.StoppingFiles.Killed;
import dev.baton.store.StoppingFiles.Way;
import dev.baton.store.WriteResult.Unknown;
import dev.baton.store.WriteResult.Written;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A writer stops after each step that it takes: the next one finds a whole document and goes on.
 */
class FileStoresKilledTest {
  private static final List<String> BEFORE = List.of("first", "second", "third");
  private static final String OLD = "third";
  private static final String NEW = "the new content";

  @TempDir Path place;

  @ParameterizedTest
  @EnumSource(
      value = Way.class,
      names = {"KILLED", "KILLED_HALFWAY"})
  void aKillAfterAnyStepOfAnUpdate(Way way) throws IOException {
    int steps = 0;
    boolean stopped = true;
    boolean sawOld = false;
    boolean sawNew = false;
    for (; stopped; steps++) {
      Path directory = filled("update-" + way + steps);
      StoppingFiles files = new StoppingFiles(new Disk(), steps, way);
      VersionedStore writer = store(directory, files);
      Version before = writer.read().version();
      stopped = isKilled(() -> writer.write(before, NEW, ""), files);

      String found = recover(directory, Optional.of(OLD));
      sawOld |= found.equals(OLD);
      sawNew |= stopped && found.equals(NEW);
    }
    // A deletion, then create, write, sync, link, two renames for the kept ones, the rename, sync.
    assertThat(steps).isEqualTo(10);
    assertThat(sawOld).isTrue();
    assertThat(sawNew).as("killed between the rename and its sync").isTrue();
  }

  @ParameterizedTest
  @EnumSource(
      value = Way.class,
      names = {"KILLED", "KILLED_HALFWAY"})
  void aKillAfterAnyStepOfTheFirstWrite(Way way) throws IOException {
    int steps = 0;
    for (boolean stopped = true; stopped; steps++) {
      Path directory = place.resolve("create-" + way + steps);
      StoppingFiles files = new StoppingFiles(new Disk(), steps, way);
      VersionedStore writer = store(directory, files);
      stopped = isKilled(() -> writer.write(Version.ABSENT, NEW, ""), files);

      recover(directory, Optional.empty());
    }
    assertThat(steps).isEqualTo(6);
  }

  @ParameterizedTest
  @EnumSource(
      value = Way.class,
      names = {"KILLED", "KILLED_HALFWAY"})
  void aKillAfterAnyStepOfAnUpdateWithoutSecondNames(Way way) throws IOException {
    int steps = 0;
    for (boolean stopped = true; stopped; steps++) {
      Path directory = filled("nolink-" + way + steps);
      StoppingFiles files = new StoppingFiles(new DiskWithoutLinks(), steps, way);
      VersionedStore writer = store(directory, files);
      Version before = writer.read().version();
      stopped = isKilled(() -> writer.write(before, NEW, ""), files);

      recover(directory, Optional.of(OLD));
    }
    assertThat(steps).isEqualTo(13);
  }

  @ParameterizedTest
  @EnumSource(
      value = Way.class,
      names = {"KILLED", "KILLED_HALFWAY"})
  void aKillAfterAnyStepOfSettingAside(Way way) throws IOException {
    int steps = 0;
    for (boolean stopped = true; stopped; steps++) {
      Path directory = filled("aside-" + way + steps);
      StoppingFiles files = new StoppingFiles(new Disk(), steps, way);
      VersionedStore writer = store(directory, files);
      stopped = isKilled(() -> writer.setAside(writer.read()), files);

      assertThat(recover(directory, Optional.of(OLD))).isEqualTo(OLD);
      for (Path aside : files(directory, ".broken-")) {
        assertThat(aside).hasContent(OLD);
      }
    }
    assertThat(steps).isEqualTo(7);
  }

  @ParameterizedTest
  @EnumSource(
      value = Way.class,
      names = {"FAILING_STEP", "LYING_STEP"})
  void anErrorInAnyStepOfAnUpdate(Way way) throws IOException {
    int steps = 0;
    for (boolean stopped = true; stopped; steps++) {
      Path directory = filled("error-" + way + steps);
      StoppingFiles files = new StoppingFiles(new Disk(), steps, way);
      VersionedStore writer = store(directory, files);
      Version before = writer.read().version();
      WriteResult result;
      try {
        result = writer.write(before, NEW, "");
      } catch (StoreException e) {
        assertThat(e).hasMessageContaining(directory.toString());
        result = null;
      }
      stopped = files.stopped();

      String found = recover(directory, Optional.of(OLD));
      if (result instanceof Written) {
        assertThat(found).isEqualTo(NEW);
      } else if (result == null) {
        assertThat(found).as("an exception says that nothing was written").isEqualTo(OLD);
      } else {
        assertThat(result).isInstanceOf(Unknown.class);
      }
    }
    assertThat(steps).isGreaterThanOrEqualTo(10);
  }

  /** What the next process finds, and that it can work there. Returns the document it found. */
  private static String recover(Path directory, Optional<String> old) throws IOException {
    VersionedStore next = FileStores.in(directory).document("queue");
    Snapshot found = next.read();
    if (found.content().isEmpty()) {
      assertThat(old).isEmpty();
    } else {
      assertThat(found.content().get()).isIn(old.orElse(NEW), NEW);
    }
    List<String> earlier = next.earlier(10);
    assertThat(BEFORE).containsAll(earlier);
    if (old.isPresent()) {
      assertThat(earlier).as("something to go back to").isNotEmpty();
    }

    WriteResult result = next.write(found.version(), "after it", "");

    assertThat(result).isInstanceOf(Written.class);
    assertThat(next.read().content()).contains("after it");
    if (found.content().isPresent()) {
      assertThat(next.earlier(1)).containsExactly(found.content().get());
    }
    assertThat(files(directory, ".tmp")).isEmpty();
    return found.content().orElse("");
  }

  private Path filled(String name) throws IOException {
    Path directory = place.resolve(name);
    VersionedStore store = FileStores.in(directory).document("queue");
    Version version = Version.ABSENT;
    for (String content : BEFORE) {
      version = ((Written) store.write(version, content, "")).version();
    }
    Files.writeString(directory.resolve("queue.left.tmp"), "by somebody killed before");
    return directory;
  }

  private static VersionedStore store(Path directory, FileOperations files) {
    return new FileStores(directory, files, Duration.ofSeconds(5), Clock.systemUTC())
        .document("queue");
  }

  private interface Operation {
    void run() throws StoreException;
  }

  private static boolean isKilled(Operation operation, StoppingFiles files) throws StoreException {
    try {
      operation.run();
      assertThat(files.stopped()).isFalse();
      return false;
    } catch (Killed e) {
      // Dead for good: nothing that runs on the way out may still change a file.
      assertThatThrownBy(() -> files.delete(Path.of("x"))).isInstanceOf(Killed.class);
      return true;
    }
  }

  private static List<Path> files(Path directory, String part) throws IOException {
    try (Stream<Path> entries = Files.list(directory)) {
      return entries.filter(file -> file.getFileName().toString().contains(part)).toList();
    }
  }

  private static final class DiskWithoutLinks extends ForwardingFiles {
    DiskWithoutLinks() {
      super(new Disk());
    }

    @Override
    public void link(Path existing, Path name) throws IOException {
      throw new IOException("no second names here");
    }
  }
}
