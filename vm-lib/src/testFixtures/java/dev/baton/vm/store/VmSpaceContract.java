package dev.baton.vm.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.store.Snapshot;
import dev.baton.store.StoreException;
import dev.baton.store.Version;
import dev.baton.store.WriteResult;
import dev.baton.vm.VmName;
import dev.baton.vm.spi.VmSpace;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/**
 * What every space promises. Its journals must also pass {@code VersionedStoreContract}.
 *
 * <p>A test of a space extends this class and says how to open it.
 */
public abstract class VmSpaceContract {

  private static final VmName ONE = VmName.DEFAULT;
  private static final VmName TWO = new VmName("run-42-1-build");

  /** A new handle on one place, the same one within a test and empty when the test begins. */
  protected abstract VmSpace open();

  /**
   * As if somebody had deleted the id.
   *
   * @return false: it cannot get lost there
   */
  protected abstract boolean loseId() throws IOException;

  @Test
  protected void theIdIsTheSameForAllAndStays() throws StoreException {
    String id = open().id();
    assertThat(id).matches("[a-z0-9]{8,32}");
    assertThat(open().id()).isEqualTo(id);
  }

  @Test
  protected void anIdThatGotLostIsNotMadeAnewWhereThereAreVms() throws IOException {
    String id = open().id();
    written(ONE);
    if (!loseId()) {
      assertThat(open().id()).isEqualTo(id);
      return;
    }
    for (ThrowingCallable use :
        List.<ThrowingCallable>of(() -> open().id(), () -> written(TWO), () -> open().id())) {
      assertThatThrownBy(use)
          .isInstanceOfSatisfying(StoreException.class, e -> assertThat(e.isRetryable()).isFalse())
          .hasMessageContaining("is missing")
          .hasMessageContaining("Put it back")
          .hasMessageContaining("baton-ID-VM");
    }
    assertThat(open().names()).containsExactly(ONE);
  }

  @Test
  protected void anIdThatGotLostBeforeThereWasAVmIsMadeAnew() throws IOException {
    open().id();
    loseId();
    assertThat(open().id()).matches("[a-z0-9]{8,32}");
  }

  /** Else whoever is killed in between would leave a journal that nobody may have an id for. */
  @Test
  protected void noJournalIsBegunBeforeThereIsAnId() throws StoreException {
    written(ONE);
    String id = open().id();
    written(TWO);
    assertThat(open().id()).isEqualTo(id);
  }

  private void written(VmName name) throws StoreException {
    assertThat(open().journal(name).write(Version.ABSENT, "first", "test"))
        .isInstanceOf(WriteResult.Written.class);
  }

  @Test
  protected void anEmptySpaceHasNothing() throws StoreException {
    assertThat(open().names()).isEmpty();
    assertThat(open().journal(ONE).read()).isEqualTo(Snapshot.ABSENT);
    assertThat(open().get(ONE, "state.json")).isEmpty();
    assertThat(open().list(ONE, "history")).isEmpty();
  }

  @Test
  protected void journalsOfDifferentVmsAreDifferentDocuments() throws StoreException {
    assertThat(open().journal(ONE).write(Version.ABSENT, "one", "first"))
        .isInstanceOf(WriteResult.Written.class);
    assertThat(open().journal(TWO).read()).isEqualTo(Snapshot.ABSENT);
    assertThat(open().journal(TWO).write(Version.ABSENT, "two", "second"))
        .isInstanceOf(WriteResult.Written.class);
    assertThat(open().journal(ONE).write(Version.ABSENT, "three", "late"))
        .isEqualTo(new WriteResult.Lost());
    assertThat(open().journal(ONE).read().content()).contains("one");
    assertThat(open().names()).containsExactly(ONE, TWO);
  }

  @Test
  protected void filesAreOfOneVmAndCanBeReplacedAndRemoved() throws StoreException {
    VmSpace space = open();
    space.put(ONE, "state.json", "a");
    space.put(TWO, "state.json", "b");
    space.put(ONE, "state.json", "c");
    space.put(ONE, ".lock", "l");
    assertThat(open().get(ONE, "state.json")).contains("c");
    assertThat(open().get(TWO, "state.json")).contains("b");
    assertThat(open().get(ONE, ".lock")).contains("l");
    space.remove(ONE, "state.json");
    space.remove(ONE, "state.json");
    assertThat(open().get(ONE, "state.json")).isEmpty();
    assertThat(open().get(TWO, "state.json")).contains("b");
  }

  @Test
  protected void filesAloneMakeNoVm() throws StoreException {
    open().put(TWO, "state.json", "somebody else's");
    assertThat(open().names()).isEmpty();
  }

  @Test
  protected void historyIsListedInOrderWithItsDirectory() throws StoreException {
    VmSpace space = open();
    space.put(TWO, "history/2026-02-24T10-00-01.json", "2");
    space.put(TWO, "history/2026-02-24T10-00-00.json", "1");
    space.put(TWO, "state.json", "no history");
    space.put(ONE, "history/2026-01-01T00-00-00.json", "another's");
    assertThat(open().list(TWO, "history"))
        .containsExactly("history/2026-02-24T10-00-00.json", "history/2026-02-24T10-00-01.json");
    assertThat(open().get(TWO, "history/2026-02-24T10-00-00.json")).contains("1");
  }

  @Test
  protected void itsTimeDoesNotGoBackAndIsOneForAll() throws StoreException {
    Instant first = open().now();
    Instant second = open().now();
    assertThat(second).isBetween(first, first.plus(Duration.ofMinutes(1)));
  }

  @Test
  protected void itSaysWhereItIs() {
    assertThat(open().location()).isNotBlank();
  }
}
