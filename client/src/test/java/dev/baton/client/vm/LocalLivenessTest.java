package dev.baton.client.vm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.vm.LockRecord;
import dev.baton.vm.Operation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** "Dead" is never a guess. */
class LocalLivenessTest {

  private static final Instant AT = Instant.parse("2026-01-02T03:04:05Z");
  private static final String NONCE = "0123456789abcdef";

  @TempDir Path directory;

  /** A machine with processes that the test starts and ends. */
  private static final class Machine implements ProcessTable {
    final Set<LockRecord.Holder> running = new HashSet<>();
    LockRecord.Holder own = new LockRecord.Holder("hal", 1, "10");

    @Override
    public Optional<LockRecord.Holder> own() {
      return Optional.of(own);
    }

    @Override
    public boolean hasEnded(LockRecord.Holder process) {
      return process.machine().equals(own.machine()) && !running.contains(process);
    }
  }

  private final Machine machine = new Machine();

  private LocalLiveness liveness() {
    return new LocalLiveness(directory, machine);
  }

  private static LockRecord lock(String nonce, Optional<LockRecord.Holder> process) {
    return new LockRecord(Operation.DEPLOY, "hal-1", AT, AT, 1, nonce, Optional.empty(), process);
  }

  private static LockRecord lock(LockRecord.Holder process) {
    return lock(NONCE, Optional.of(process));
  }

  /** As a process that was killed leaves it. */
  private LockRecord.Holder killed() throws IOException {
    Files.createFile(directory.resolve(NONCE));
    return new LockRecord.Holder("hal", 7, "20");
  }

  @Test
  void aProcessThatWasKilledIsDead() throws IOException {
    assertThat(liveness().isDead(lock(killed()))).isTrue();
  }

  @Test
  void oneThatRunsIsNot() throws IOException {
    LockRecord.Holder process = killed();
    machine.running.add(process);
    assertThat(liveness().isDead(lock(process))).isFalse();
  }

  @Test
  void oneOfAnotherMachineOrContainerIsNot() throws IOException {
    killed();
    assertThat(liveness().isDead(lock(new LockRecord.Holder("dave", 7, "20")))).isFalse();
  }

  @Test
  void withoutItsFileItIsNot() {
    // A copy of this machine, made while a process ran, has the same boot and the same numbers.
    assertThat(liveness().isDead(lock(new LockRecord.Holder("hal", 7, "20")))).isFalse();
  }

  @Test
  void aLinkIsNoFileOfIts() throws IOException {
    Files.createFile(directory.resolve("elsewhere"));
    Files.createSymbolicLink(directory.resolve(NONCE), directory.resolve("elsewhere"));
    assertThat(liveness().isDead(lock(new LockRecord.Holder("hal", 7, "20")))).isFalse();
  }

  @Test
  void whileItsFileIsLockedItIsNot() {
    LocalLiveness holder = liveness();
    LockRecord.Holder own = holder.show(NONCE).orElseThrow();
    assertThat(directory.resolve(NONCE)).exists();
    // In this process, though another one would see it as one that has ended.
    assertThat(holder.isDead(lock(own))).isFalse();
    assertThat(liveness().isDead(lock(own))).isFalse();
    holder.forget(NONCE);
    assertThat(directory).isEmptyDirectory();
    assertThat(liveness().isDead(lock(own))).isFalse();
  }

  @Test
  void aLockThatNamesNoProcessOrLeadsElsewhereIsNot() throws IOException {
    LockRecord.Holder process = killed();
    assertThat(liveness().isDead(lock(NONCE, Optional.empty()))).isFalse();
    Path outside = Files.createFile(directory.resolveSibling("outside-" + directory.getFileName()));
    String way = "../" + outside.getFileName();
    assertThat(liveness().isDead(lock(way, Optional.of(process)))).isFalse();
    liveness().forget(way);
    assertThat(outside).exists();
  }

  @Test
  void whoeverTakesOverRemovesTheFile() throws IOException {
    LockRecord.Holder process = killed();
    assertThat(liveness().isDead(lock(process))).isTrue();
    liveness().forget(NONCE);
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void oldFilesOfTheDeadAreRemoved() throws IOException {
    killed();
    Path old = Files.createFile(directory.resolve("fedcba9876543210"));
    Files.setLastModifiedTime(old, FileTime.from(Instant.now().minusSeconds(100_000)));
    LocalLiveness next = liveness();
    next.show("00112233445566");
    assertThat(old).doesNotExist();
    assertThat(directory.resolve(NONCE)).exists();
    next.forget("00112233445566");
  }

  @Test
  void whereNothingCanBeWrittenNobodyCanTell() throws IOException {
    Path file = Files.createFile(directory.resolve("file"));
    assertThat(new LocalLiveness(file.resolve("below"), machine).show(NONCE)).isEmpty();
  }
}
