package dev.baton.client.vm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.baton.vm.LockRecord;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Processes as Linux shows them below {@code /proc}. */
class ProcessTableTest {

  @TempDir Path proc;

  @BeforeEach
  void machine() throws IOException {
    boot("11111111-2222");
    namespace("pid", "pid:[4026531836]");
    namespace("time", "time:[4026531834]");
    self("100");
    process(100, "java", "S", 5_000);
  }

  private void boot(String id) throws IOException {
    Files.createDirectories(proc.resolve("sys/kernel/random"));
    Files.writeString(proc.resolve("sys/kernel/random/boot_id"), id + "\n");
  }

  private void namespace(String name, String id) throws IOException {
    // What the link "self" leads to is not looked at but for its name.
    Path links = proc.resolve("100/ns");
    Files.createDirectories(links);
    Files.deleteIfExists(links.resolve(name));
    Files.createSymbolicLink(links.resolve(name), Path.of(id));
  }

  private void self(String pid) throws IOException {
    Files.deleteIfExists(proc.resolve("self"));
    Files.createSymbolicLink(proc.resolve("self"), Path.of(pid));
  }

  private void process(long pid, String name, String state, long started) throws IOException {
    Files.createDirectories(proc.resolve("" + pid));
    Files.writeString(
        proc.resolve(pid + "/stat"),
        pid
            + " ("
            + name
            + ") "
            + state
            + " 1 1 1 0 -1 4 5 6 7 8 9 10 11 12 20 0 30 0 "
            + started
            + " 99 100\n");
  }

  private ProcessTable table() {
    return new ProcessTable.Linux(proc, 100);
  }

  private LockRecord.Holder other(long pid, long started) {
    return new LockRecord.Holder(table().own().orElseThrow().machine(), pid, "" + started);
  }

  @Test
  void aProcessIsKnownByItsStart() throws IOException {
    assertThat(table().own().orElseThrow().started()).isEqualTo("5000");
    process(7, "a) b (c", "S", 20);
    assertThat(table().hasEnded(other(7, 20))).isFalse();
    assertThat(table().hasEnded(other(7, 21))).as("its number has been given to another").isTrue();
    assertThat(table().hasEnded(other(8, 20))).isTrue();
    assertThat(table().hasEnded(other(100, 5_000))).as("this one").isFalse();
    process(7, "java", "Z", 20);
    assertThat(table().hasEnded(other(7, 20))).as("nobody has asked how it ended").isTrue();
  }

  @Test
  void anotherBootAnotherContainerAndAnotherTimeAreNotThisMachine() throws IOException {
    LockRecord.Holder before = other(8, 20);
    boot("33333333-4444");
    assertThat(table().hasEnded(before)).isFalse();
    boot("11111111-2222");
    assertThat(table().hasEnded(before)).isTrue();
    namespace("pid", "pid:[4026532777]");
    assertThat(table().hasEnded(before)).isFalse();
    namespace("pid", "pid:[4026531836]");
    namespace("time", "time:[4026532778]");
    assertThat(table().hasEnded(before)).isFalse();
  }

  @Test
  void whereAnythingIsNotAsExpectedNobodyCanTell() throws IOException {
    LockRecord.Holder before = other(8, 20);
    process(9, "java", "S", 30);
    Files.writeString(proc.resolve("9/stat"), "9 (java");
    assertThat(table().hasEnded(other(9, 31))).isFalse();
    self("4711");
    assertThat(table().own()).as("/proc of another namespace").isEmpty();
    assertThat(table().hasEnded(before)).isFalse();
    self("100");
    Files.delete(proc.resolve("sys/kernel/random/boot_id"));
    assertThat(table().own()).isEmpty();
    assertThat(table().hasEnded(before)).isFalse();
  }

  @Test
  void aKernelWithoutTimeNamespacesIsFine() throws IOException {
    Files.delete(proc.resolve("100/ns/time"));
    assertThat(table().hasEnded(other(8, 20))).isTrue();
  }

  @Test
  void thisMachineIsUnderstood() {
    assumeTrue(System.getProperty("os.name").equals("Linux"));
    ProcessTable real = new ProcessTable.Linux(Path.of("/proc"), ProcessHandle.current().pid());
    LockRecord.Holder own = real.own().orElseThrow();
    assertThat(own.pid()).isEqualTo(ProcessHandle.current().pid());
    assertThat(real.hasEnded(own)).isFalse();
    assertThat(real.hasEnded(new LockRecord.Holder(own.machine(), own.pid(), "0"))).isTrue();
  }

  @Test
  void elsewhereTheFirstProcessTellsTheBoot() {
    ProcessTable here = new ProcessTable.Elsewhere("Mac hal");
    ProcessTable other = new ProcessTable.Elsewhere("Mac dave");
    here.own()
        .ifPresent(
            own -> {
              assertThat(here.hasEnded(own)).isFalse();
              LockRecord.Holder gone =
                  new LockRecord.Holder(own.machine(), own.pid(), "2001-01-01T00:00:00Z");
              assertThat(here.hasEnded(gone)).isTrue();
              assertThat(other.hasEnded(gone)).isFalse();
            });
  }
}
