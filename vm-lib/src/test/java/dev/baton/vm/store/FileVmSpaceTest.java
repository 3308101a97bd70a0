package dev.baton.vm.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.baton.store.StoreException;
import dev.baton.store.Version;
import dev.baton.vm.VmName;
import dev.baton.vm.spi.VmSpace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class FileVmSpaceTest extends VmSpaceContract {

  @TempDir Path directory;

  @Override
  protected VmSpace open() {
    return FileVmSpace.in(directory.resolve("vms"));
  }

  @Override
  protected boolean loseId() throws IOException {
    Files.delete(directory.resolve("vms/.journal/space.json"));
    return true;
  }

  @Test
  void theDefaultVmIsAtTheRootAndOthersBelowTheirName() throws Exception {
    VmSpace space = open();
    VmName other = new VmName("other");
    space.put(VmName.DEFAULT, "state.json", "a");
    space.put(VmName.DEFAULT, "history/2026-02-24T10-00-00.json", "h");
    space.put(other, ".lock", "b");
    space.journal(VmName.DEFAULT).write(Version.ABSENT, "j", "first");
    space.journal(other).write(Version.ABSENT, "k", "first");
    Path root = directory.resolve("vms");
    assertThat(root.resolve("state.json")).hasContent("a");
    assertThat(root.resolve("history/2026-02-24T10-00-00.json")).hasContent("h");
    assertThat(root.resolve("other/.lock")).hasContent("b");
    assertThat(root.resolve(".journal/journal.json")).hasContent("j");
    assertThat(root.resolve("other/.journal/journal.json")).hasContent("k");
    try (Stream<Path> files = Files.walk(root)) {
      assertThat(files).noneMatch(f -> f.toString().endsWith(".tmp"));
    }
  }

  /** In a shared directory another user could have placed it, and nobody writes to it. */
  @Test
  @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void aPipeInThePlaceOfAFileHoldsUpNobody() throws Exception {
    assumeTrue(Files.isExecutable(Path.of("/usr/bin/mkfifo")));
    VmSpace space = open();
    space.put(VmName.DEFAULT, "state.json", "a");
    Path state = directory.resolve("vms/state.json");
    Files.delete(state);
    assertThat(new ProcessBuilder("mkfifo", state.toString()).start().waitFor()).isZero();
    assertThatThrownBy(() -> space.get(VmName.DEFAULT, "state.json"))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("it is a pipe");
  }

  @Test
  void historyIsKeptThirtyDays() {
    assertThat(open().historyKept()).contains(Duration.ofDays(30));
  }

  @Test
  void noFileNameLeadsElsewhere() {
    for (String file : new String[] {"../x", "a/b", "/etc/passwd", "", "history/../x"}) {
      assertThatThrownBy(() -> open().put(VmName.DEFAULT, file, "x"))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void aBrokenIdIsNotReplaced() throws Exception {
    open().id();
    Path file = directory.resolve("vms/.journal/space.json");
    Files.writeString(file, "{}");
    assertThatThrownBy(() -> open().id())
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("space.json is broken");
    assertThat(file).hasContent("{}");
  }

  @Test
  void aFileInTheWayIsNamed() throws IOException {
    Files.writeString(directory.resolve("vms"), "a file");
    assertThatThrownBy(() -> open().put(VmName.DEFAULT, "state.json", "x"))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("vms");
  }
}
