package dev.baton.vm.internal.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.core.BrokenDocumentException;
import dev.baton.core.Extra;
import dev.baton.core.UnknownFormatException;
import dev.baton.vm.Backup;
import dev.baton.vm.Cleanup;
import dev.baton.vm.HistoryRecord;
import dev.baton.vm.Intent;
import dev.baton.vm.Journal;
import dev.baton.vm.Kind;
import dev.baton.vm.LockRecord;
import dev.baton.vm.Operation;
import dev.baton.vm.Resource;
import dev.baton.vm.Status;
import dev.baton.vm.VmName;
import dev.baton.vm.VmState;
import dev.baton.vm.VmState.DataDisk;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class VmCodecTest {

  private static final Instant AT = Instant.parse("2026-02-24T10:00:00Z");

  private static Journal full() {
    VmState state =
        new VmState(
            Status.DESTROYING,
            Optional.of(Status.SUSPENDED),
            "ap-southeast-1",
            true,
            true,
            Map.of(
                Kind.NETWORK,
                new Resource(Kind.NETWORK, "vpc-1", Map.of("cidr", "192.168.0.0/16")),
                Kind.KEY_PAIR,
                new Resource(Kind.KEY_PAIR, "key \"1\"\\", Map.of())),
            List.of(),
            Optional.of(Duration.ofHours(8)),
            Optional.of(AT.plusSeconds(60)),
            AT,
            new Extra(Map.of("cloudcode", Map.of("domain", "oc.example.com"))));
    return new Journal(
        new VmName("run-1"),
        7,
        3,
        Optional.of(
            new LockRecord(
                Operation.DESTROY,
                "laptop-1",
                AT,
                AT.plusSeconds(5),
                3,
                "nonce-12345",
                Optional.of(Status.SUSPENDED),
                Optional.of(new LockRecord.Holder("0123abcd", 4711, "99887766")))),
        Optional.of(state),
        List.of(new Intent(Kind.SNAPSHOT, "token-12345", Map.of("ecs", "i-1"), AT)),
        Optional.of(new Journal.DestroyPlan(true, false)),
        Optional.empty(),
        Optional.of(new Backup("s-1", "0.3.0", AT, "ap-southeast-1", 60, "i-1", Extra.NONE)),
        List.of(new Cleanup(Kind.IMAGE, "m-1", "would not go", AT)),
        List.of(
            new HistoryRecord(
                AT,
                Operation.SUSPEND,
                Optional.of(Status.RUNNING),
                Optional.empty(),
                "laptop-1",
                Optional.of("it broke\nbadly"),
                Optional.of("it costs money"),
                Duration.ofMillis(5000),
                2)),
        new Extra(Map.of("later", 1L)));
  }

  @Test
  void aJournalComesBackAsItWas() {
    assertThat(VmCodec.decode(VmCodec.encode(full()))).isEqualTo(full());
    Journal empty = Journal.empty(VmName.DEFAULT);
    assertThat(VmCodec.decode(VmCodec.encode(empty))).isEqualTo(empty);
  }

  @Test
  void everyHistoryRecordComesBackAsItWas() {
    HistoryRecord record = full().unpublished().get(0);
    assertThat(VmCodec.decodeHistory(VmCodec.historyFile(record))).isEqualTo(record);
    assertThat(record.error()).contains("it broke badly");
  }

  @Test
  void unknownFieldsOfTheStateAreKept() {
    Journal journal = full();
    assertThat(VmCodec.stateFile(journal.state().orElseThrow(), journal))
        .contains("\"cloudcode\": {\"domain\":\"oc.example.com\"}");
    assertThat(VmCodec.encode(VmCodec.decode(VmCodec.encode(journal)))).contains("oc.example.com");
  }

  /** All that the first format has no words for, one at a time. */
  private static List<Journal> withNewWords() {
    Journal journal = full();
    VmState state = journal.state().orElseThrow();
    VmState running = state.at(Status.RUNNING, Optional.empty());
    DataDisk disk = new DataDisk("cache", "d-1", 20, DataDisk.Wanted.DETACHED);
    LockRecord lock = journal.lock().orElseThrow();
    return List.of(
        journal.withState(Optional.of(state.at(Status.STOPPED, Optional.empty()))),
        journal.withState(Optional.of(state.at(Status.DESTROYING, Optional.of(Status.STOPPED)))),
        journal.withState(Optional.of(state.at(Status.RESIZING, Optional.of(Status.RUNNING)))),
        journal.withState(Optional.of(running.with(disk))),
        journal.withResize(
            Optional.of(new Journal.ResizePlan(Map.of("cpus", "1"), Map.of("cpus", "2")))),
        journal.withDestroy(Optional.of(new Journal.DestroyPlan(true, false, true))),
        journal.with(new Intent(Kind.DISK, "token-12345", Map.of("name", "cache"), AT)),
        journal.with(new Cleanup(Kind.DISK, "d-1", "would not go", AT)),
        journal.withLock(
            Optional.of(
                new LockRecord(
                    Operation.ATTACH,
                    lock.clientId(),
                    AT,
                    AT,
                    3,
                    lock.nonce(),
                    lock.from(),
                    lock.process()))),
        journal.with(
            new HistoryRecord(
                AT,
                Operation.STOP,
                Optional.of(Status.RUNNING),
                Optional.of(Status.RUNNING),
                "laptop-1",
                Optional.of("it would not"),
                Optional.empty(),
                Duration.ZERO,
                2)));
  }

  @Test
  void whatTheFirstFormatHasNoWordsForIsWrittenInTheSecondAndComesBack() {
    for (Journal journal : withNewWords()) {
      String text = VmCodec.encode(journal);
      assertThat(text).as(journal.toString()).contains("\"format\": \"baton-vm/2\"");
      assertThat(VmCodec.decode(text)).isEqualTo(journal);
    }
  }

  @Test
  void whatTheFirstFormatCanSayIsWrittenInIt() {
    assertThat(VmCodec.encode(full()))
        .contains("\"format\": \"baton-vm/1\"", "\"version\": \"0.3.0\"");
    VmState stopped = full().state().orElseThrow().at(Status.STOPPED, Optional.empty());
    assertThat(VmCodec.stateFile(stopped, full())).contains("\"version\": \"0.4.0\"");
  }

  @Test
  void aFormatOfALaterVersionIsRefused() {
    String text = VmCodec.encode(full()).replace("baton-vm/1", "baton-vm/3");
    assertThatThrownBy(() -> VmCodec.decode(text))
        .isInstanceOf(UnknownFormatException.class)
        .hasMessage("baton-vm/3");
  }

  @Test
  void aResourceThatIsUnknownIsNotLost() {
    String text = VmCodec.encode(full()).replace("\"vpc\":", "\"teapot\":");
    assertThatThrownBy(() -> VmCodec.decode(text))
        .isInstanceOf(UnknownFormatException.class)
        .hasMessageContaining("teapot");
  }

  @Test
  void aStateOfALaterVersionInsideIsRefused() {
    String text =
        VmCodec.encode(full()).replace("\"version\": \"0.3.0\"", "\"version\": \"0.5.0\"");
    assertThatThrownBy(() -> VmCodec.decode(text))
        .isInstanceOf(UnknownFormatException.class)
        .hasMessage("0.5.0");
  }

  @Test
  void damageIsNamedWithItsPlace() {
    String good = VmCodec.encode(full());
    assertThatThrownBy(() -> VmCodec.decode(good.replace("\"destroying\"", "\"dancing\"")))
        .isInstanceOf(BrokenDocumentException.class)
        .hasMessage("state.status is unknown: \"dancing\"");
    assertThatThrownBy(() -> VmCodec.decode(good.replace("\"token-12345\"", "7")))
        .hasMessage("intents[0].token must be a string, not 7");
    assertThatThrownBy(() -> VmCodec.decode(good.replace("\"suspended\"", "\"destroyed\"")))
        .hasMessageContaining("previous_status must be running, suspended or stopped");
    assertThatThrownBy(() -> VmCodec.decode(good.substring(0, good.length() / 2)))
        .hasMessageContaining("not JSON, at line");
  }

  @Test
  void theLockFileHasNoNonce() {
    assertThat(VmCodec.lockFile(full().lock().orElseThrow())).doesNotContain("nonce");
  }
}
