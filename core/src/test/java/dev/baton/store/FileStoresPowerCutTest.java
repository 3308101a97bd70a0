package dev.baton.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.store.FakeDisk.Torn;
import dev.baton.store.StoppingFiles.Killed;
import dev.baton.store.StoppingFiles.Way;
import dev.baton.store.WriteResult.Written;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The power is cut after each step of a write, on a disk that keeps only what it was told to. */
class FileStoresPowerCutTest {
  private static final List<String> BEFORE = List.of("first content", "second content");
  private static final String OLD = "second content";
  private static final String NEW = "the new content";

  @TempDir Path place;

  @Test
  void leavesTheOldDocumentOrTheNewOneAndNeverTakesBackAWriteThatWasAnswered() throws IOException {
    Findings findings = cutAfterEachStep(true, true, true);

    assertThat(findings.violations).isEmpty();
    // The disk does forget: without that the test would show nothing.
    assertThat(findings.cuts).isGreaterThan(200);
    assertThat(findings.oldSeen).isPositive();
    assertThat(findings.newSeen).isPositive();
  }

  @Test
  void soItDoesWithoutSecondNames() throws IOException {
    Findings findings = cutAfterEachStep(true, true, false);

    assertThat(findings.violations).isEmpty();
    assertThat(findings.cuts).isGreaterThan(200);
  }

  @Test
  void wouldBreakDocumentsIfFilesWereNotSynced() throws IOException {
    Findings findings = cutAfterEachStep(false, true, true);

    assertThat(findings.violations).anyMatch(found -> found.startsWith("broken document"));
  }

  @Test
  void wouldTakeWritesBackIfTheDirectoryWereNotSynced() throws IOException {
    Findings findings = cutAfterEachStep(true, false, true);

    assertThat(findings.violations).anyMatch(found -> found.startsWith("answered write lost"));
    assertThat(findings.violations).noneMatch(found -> found.startsWith("broken document"));
  }

  /** The lock is free before the directory is synced, so that another one may write in between. */
  @Test
  void anAnsweredWriteMakesTheOneBeforeItDurableTooWhichIsNotSyncedYet() throws IOException {
    Findings findings = new Findings();
    FakeDisk disk = new FakeDisk();
    ForwardingFiles slow =
        new ForwardingFiles(disk) {
          @Override
          public void syncDirectory(Path directory) throws IOException {
            Version old = store(disk).read().version();
            assertThat(store(disk).write(old, NEW, "")).isInstanceOf(Written.class);
            cutInEveryWay(disk, true, "before the first one is synced", findings);
            throw new Killed();
          }
        };
    Version first = ((Written) store(disk).write(Version.ABSENT, BEFORE.get(0), "")).version();
    assertThatThrownBy(() -> store(slow).write(first, OLD, "")).isInstanceOf(Killed.class);

    assertThat(findings.violations).isEmpty();
    assertThat(findings.newSeen).isPositive();
  }

  /** Two writers, neither of which has synced the directory. */
  @Test
  void aCutBeforeEitherSyncLeavesAWholeDocument() throws IOException {
    FakeDisk disk = new FakeDisk();
    Version first = ((Written) store(disk).write(Version.ABSENT, BEFORE.get(0), "")).version();
    ForwardingFiles killed =
        new ForwardingFiles(disk) {
          @Override
          public void syncDirectory(Path directory) {
            throw new Killed();
          }
        };
    assertThatThrownBy(() -> store(killed).write(first, OLD, "")).isInstanceOf(Killed.class);
    Version old = store(disk).read().version();
    assertThatThrownBy(() -> store(killed).write(old, NEW, "")).isInstanceOf(Killed.class);
    for (int survivors = 0; survivors < 1 << disk.unsyncedChanges(); survivors++) {
      for (Torn torn : Torn.values()) {
        VersionedStore next = store(disk.afterPowerCut(survivors, torn));
        assertThat(next.read().content().orElse("")).isIn(BEFORE.get(0), OLD, NEW);
        assertThat(List.of(BEFORE.get(0), OLD, NEW)).containsAll(next.earlier(10));
      }
    }
  }

  private static final class Findings {
    private final List<String> violations = new ArrayList<>();
    private int cuts;
    private int oldSeen;
    private int newSeen;
  }

  private Findings cutAfterEachStep(boolean fileSync, boolean directorySync, boolean links)
      throws IOException {
    Findings findings = new Findings();
    FakeDisk filled = new FakeDisk();
    VersionedStore filling = store(filled);
    Version version = Version.ABSENT;
    for (String content : BEFORE) {
      version = ((Written) filling.write(version, content, "")).version();
    }
    boolean stopped = true;
    for (int steps = 0; stopped; steps++) {
      FakeDisk disk = filled.copy(fileSync, directorySync);
      StoppingFiles files = new StoppingFiles(disk, steps, Way.KILLED_HALFWAY);
      FileOperations used = links ? files : new WithoutLinks(files);
      try {
        stopped = false;
        assertThat(store(used).write(version, NEW, "")).isInstanceOf(Written.class);
      } catch (Killed e) {
        stopped = true;
      }
      cutInEveryWay(disk, !stopped, "after " + steps + " steps", findings);
    }
    return findings;
  }

  private void cutInEveryWay(FakeDisk disk, boolean answered, String when, Findings findings)
      throws IOException {
    for (int survivors = 0; survivors < 1 << disk.unsyncedChanges(); survivors++) {
      for (Torn torn : Torn.values()) {
        FakeDisk left = disk.afterPowerCut(survivors, torn);
        String how = when + ", changes " + Integer.toBinaryString(survivors) + ", " + torn;
        findings.cuts++;
        judge(left, answered, how, findings);
      }
    }
  }

  private void judge(FakeDisk left, boolean answered, String how, Findings findings)
      throws IOException {
    VersionedStore next = store(left);
    Snapshot found = next.read();
    String content = found.content().orElse("");
    if (content.equals(NEW)) {
      findings.newSeen++;
    } else if (!content.equals(OLD)) {
      findings.violations.add("broken document: \"" + content + "\" " + how);
    } else if (answered) {
      findings.violations.add("answered write lost " + how);
    } else {
      findings.oldSeen++;
    }
    if (!BEFORE.containsAll(next.earlier(10))) {
      findings.violations.add("broken earlier content " + how);
    }
    if (!(next.write(found.version(), "after it", "") instanceof Written)
        || !next.read().content().orElse("").equals("after it")
        || !left.list(place, "queue.", ".tmp").isEmpty()) {
      findings.violations.add("the next writer could not go on " + how);
    }
  }

  private VersionedStore store(FileOperations files) {
    return new FileStores(place, files, Duration.ofSeconds(5), Clock.systemUTC()).document("queue");
  }

  private static final class WithoutLinks extends ForwardingFiles {
    WithoutLinks(FileOperations files) {
      super(files);
    }

    @Override
    public void link(Path existing, Path name) {
      throw new UnsupportedOperationException("no second names here");
    }
  }
}
