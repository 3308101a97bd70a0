package dev.baton.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.store.WriteResult.Lost;
import dev.baton.store.WriteResult.Written;
import dev.baton.testing.Concurrently;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What every store promises. A test of a store extends this class and says how to open it.
 *
 * <p>The store under test must answer reads with the present: tests of stale reads need to know how
 * the store is made stale, and belong to it.
 */
public abstract class VersionedStoreContract {
  private static final String DOCUMENT = "contract";
  private static final int THREADS = 8;

  /**
   * A new handle on one place, the same one for each call within a test and empty when the test
   * begins.
   */
  protected abstract StoreSpace open();

  /** How often each of the racing threads must win. Smaller for a store that is slow. */
  protected int winsPerThread() {
    return 25;
  }

  /**
   * More writes than the store keeps contents of. A store that keeps none, or all, may take any
   * number that it does in good time.
   */
  protected int writesPastWhatIsKept() {
    return 200;
  }

  /** What others do while a writer sleeps. */
  protected interface Meanwhile {
    void happen() throws StoreException;
  }

  /**
   * A write by somebody who falls asleep after it has been decided on, as late as the store allows,
   * and wakes up when the others are done. Where nothing can come between a write and its effect,
   * that is before the write.
   */
  protected WriteResult writeAsleep(
      VersionedStore sleeper, Version seen, String next, Meanwhile meanwhile)
      throws StoreException, InterruptedException, ExecutionException, TimeoutException {
    meanwhile.happen();
    return sleeper.write(seen, next, "asleep");
  }

  private VersionedStore document() {
    return open().document(DOCUMENT);
  }

  @Test
  void aDocumentThatDoesNotExistIsReadAsAbsent() throws StoreException {
    assertThat(document().read()).isEqualTo(Snapshot.ABSENT);
    assertThat(document().earlier(10)).isEmpty();
  }

  @Test
  void createsADocument() throws StoreException {
    Version version = written(document(), Version.ABSENT, "one");

    assertThat(version.isAbsent()).isFalse();
    assertThat(document().read()).isEqualTo(Snapshot.of(version, "one"));
  }

  @Test
  void updatesADocument() throws StoreException {
    Version one = written(document(), Version.ABSENT, "one");
    Version two = written(document(), one, "two");

    assertThat(two).isNotEqualTo(one);
    assertThat(document().read()).isEqualTo(Snapshot.of(two, "two"));
  }

  @Test
  void writingWhatIsThereAlreadyChangesNothing() throws StoreException {
    Version one = written(document(), Version.ABSENT, "one");
    Version two = written(document(), one, "two");

    written(document(), two, "two");

    assertThat(document().read().content()).contains("two");
    assertThat(document().earlier(1)).containsExactly("one");
  }

  @Test
  void aWriteAgainstAnOldVersionIsLost() throws StoreException {
    Version one = written(document(), Version.ABSENT, "one");
    Version two = written(document(), one, "two");

    assertThat(document().write(one, "three", "late")).isEqualTo(new Lost());
    assertThat(document().read()).isEqualTo(Snapshot.of(two, "two"));
  }

  @Test
  void aWriteAgainstAForeignVersionIsLost() throws StoreException {
    Version one = written(document(), Version.ABSENT, "one");

    assertThat(document().write(new Version("no such version"), "two", "")).isEqualTo(new Lost());
    assertThat(document().read()).isEqualTo(Snapshot.of(one, "one"));
  }

  @Test
  void creatingWhatExistsIsLost() throws StoreException {
    Version one = written(document(), Version.ABSENT, "one");

    assertThat(document().write(Version.ABSENT, "two", "again")).isEqualTo(new Lost());
    assertThat(document().read()).isEqualTo(Snapshot.of(one, "one"));
  }

  @Test
  void updatingWhatDoesNotExistIsLost() throws StoreException {
    Version one = written(open().document("another"), Version.ABSENT, "one");

    assertThat(document().write(one, "two", "too early")).isEqualTo(new Lost());
    assertThat(document().read()).isEqualTo(Snapshot.ABSENT);
  }

  @Test
  void twoHandlesSeeTheSameDocument() throws StoreException {
    VersionedStore first = document();
    VersionedStore second = document();
    Version one = written(first, Version.ABSENT, "one");
    assertThat(second.read()).isEqualTo(Snapshot.of(one, "one"));

    Version two = written(second, one, "two");

    assertThat(first.read()).isEqualTo(Snapshot.of(two, "two"));
    assertThat(first.write(one, "three", "late")).isEqualTo(new Lost());
  }

  @Test
  void documentsAreIndependent() throws StoreException {
    StoreSpace space = open();
    VersionedStore queue = space.document("queue");
    VersionedStore slot = space.document("queue-1");
    Version one = written(queue, Version.ABSENT, "one");
    assertThat(slot.read()).isEqualTo(Snapshot.ABSENT);

    Version other = written(slot, Version.ABSENT, "other");
    Version two = written(queue, one, "two");

    assertThat(slot.read()).isEqualTo(Snapshot.of(other, "other"));
    assertThat(slot.earlier(10)).isEmpty();
    assertThat(queue.read()).isEqualTo(Snapshot.of(two, "two"));
  }

  @Test
  void ofManyWritesAgainstOneVersionExactlyOneWins() throws Exception {
    for (int round = 0; round < 5; round++) {
      Version before = document().read().version();
      List<Callable<String>> writers = new ArrayList<>();
      CyclicBarrier start = new CyclicBarrier(THREADS);
      for (int thread = 0; thread < THREADS; thread++) {
        String next = "round " + round + " by " + thread;
        VersionedStore store = document();
        writers.add(
            () -> {
              start.await(30, TimeUnit.SECONDS);
              return store.write(before, next, next) instanceof Written ? next : "";
            });
      }

      List<String> winners = allOf(writers).stream().filter(next -> !next.isEmpty()).toList();

      assertThat(winners).hasSize(1);
      assertThat(document().read().content()).isEqualTo(winners.stream().findFirst());
    }
  }

  @Test
  void incrementsOfManyThreadsAddUpAndEachVersionIsReplacedOnce() throws Exception {
    written(document(), Version.ABSENT, "0");
    Map<Version, String> replacedBy = new ConcurrentHashMap<>();
    List<Callable<Integer>> writers = new ArrayList<>();
    for (int thread = 0; thread < THREADS; thread++) {
      VersionedStore store = document();
      String name = "thread " + thread;
      writers.add(
          () -> {
            int wins = 0;
            while (wins < winsPerThread()) {
              Snapshot seen = store.read();
              String next = Integer.toString(Integer.parseInt(seen.content().orElseThrow()) + 1);
              WriteResult result = store.write(seen.version(), next, name);
              if (result instanceof Written) {
                wins++;
                assertThat(replacedBy.putIfAbsent(seen.version(), name)).isNull();
              } else {
                assertThat(result).isEqualTo(new Lost());
              }
            }
            return wins;
          });
    }

    int wins = allOf(writers).stream().mapToInt(Integer::intValue).sum();

    assertThat(wins).isEqualTo(THREADS * winsPerThread());
    assertThat(document().read().content()).contains(Integer.toString(wins));
  }

  /** However long ago a writer looked, nothing that the others wrote since is undone. */
  @ParameterizedTest
  @ValueSource(ints = {0, 3})
  void aWriterThatSleptPastWhatIsKeptHasNotWon(int before) throws StoreException {
    writeOn(before);
    VersionedStore sleeper = document();
    Version seen = sleeper.read().version();
    Version last = writeOn(writesPastWhatIsKept());

    WriteResult result = sleeper.write(seen, "of yesterday", "late");

    assertNotWritten(result, last);
    assertThat(sleeper.write(seen, "of yesterday", "again")).isNotInstanceOf(Written.class);
    assertNotWritten(result, last);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 3})
  void aWriterThatSleptInTheMiddleOfItsWriteHasNotWon(int before) throws Exception {
    writeOn(before);
    VersionedStore sleeper = document();
    Version seen = sleeper.read().version();
    Version[] last = new Version[1];

    WriteResult result =
        writeAsleep(sleeper, seen, "of yesterday", () -> last[0] = writeOn(writesPastWhatIsKept()));

    assertNotWritten(result, last[0]);
  }

  /** Each content but once: a store may tell versions apart by their contents. */
  private Version writeOn(int times) throws StoreException {
    VersionedStore store = document();
    Snapshot now = store.read();
    Version version = now.version();
    int number = Integer.parseInt(now.content().orElse("0"));
    for (int i = 0; i < times; i++) {
      version = written(store, version, Integer.toString(++number));
    }
    return version;
  }

  private void assertNotWritten(WriteResult result, Version last) throws StoreException {
    assertThat(result).isNotInstanceOf(Written.class);
    assertThat(document().read().version()).isEqualTo(last);
    assertThat(document().earlier(1000)).doesNotContain("of yesterday");
  }

  @Test
  void takesADocumentOfTheGreatestLength() throws StoreException {
    String longest = "x".repeat(open().traits().maxLength());

    Version version = written(document(), Version.ABSENT, longest);

    assertThat(document().read()).isEqualTo(Snapshot.of(version, longest));
  }

  @Test
  void refusesALongerDocumentAndKeepsTheOneThatIsThere() throws StoreException {
    Version one = written(document(), Version.ABSENT, "one");
    int tooLong = open().traits().maxLength() + 1;

    assertThatThrownBy(() -> document().write(one, "x".repeat(tooLong), "too long"))
        .isInstanceOfSatisfying(
            StoreException.class, e -> assertThat(e.isRetryable()).as("retryable").isFalse())
        .hasMessageContaining(Integer.toString(tooLong))
        .hasMessageContaining(Integer.toString(tooLong - 1));
    assertThat(document().read()).isEqualTo(Snapshot.of(one, "one"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "line\nline\r\nline\rlast",
        "\n",
        " leading and trailing \t",
        "grün, 漢字, \u05d0\u05d1\u05d2",
        "pairs \ud83d\ude80\ud83c\udff4\udb40\udc67 end",
        "right to left \u202e\u200f marks \u2066x\u2069",
        "nul \u0000 and bell \u0007 and \u0085 and \u2028",
        "\ufeffwith a byte order mark",
        "a\u0308 is not \u00e4",
        "${HOME} %s \\n </script> `|` {\"a\":null}"
      })
  void keepsTextExactly(String content) throws StoreException {
    Version version = written(document(), Version.ABSENT, content);

    assertThat(document().read()).isEqualTo(Snapshot.of(version, content));
  }

  @Test
  void neverChangesHalfOfASurrogatePairSilently() throws StoreException {
    String half = "cut \ud83d off";
    try {
      written(document(), Version.ABSENT, half);
    } catch (IllegalArgumentException e) {
      assertThat(e).hasMessageContaining("4");
      assertThat(document().read()).isEqualTo(Snapshot.ABSENT);
      return;
    }
    assertThat(document().read().content()).contains(half);
  }

  @Test
  void refusesAnEmptyDocument() throws StoreException {
    Version one = written(document(), Version.ABSENT, "one");

    assertThatThrownBy(() -> document().write(one, "", "emptied"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("empty");
    assertThat(document().read()).isEqualTo(Snapshot.of(one, "one"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "two\nlines\r\n\n", "\u0000", "-m --amend", "\"quotes\" and 'more' $(x)"})
  void noMessageDoesHarm(String message) throws StoreException {
    assertThat(document().write(Version.ABSENT, "one", message)).isInstanceOf(Written.class);
    assertThat(document().read().content()).contains("one");
  }

  @Test
  void aVeryLongMessageDoesNoHarm() throws StoreException {
    noMessageDoesHarm("long ".repeat(100_000));
  }

  @Test
  void nullsAreRefused() throws StoreException {
    VersionedStore store = document();
    assertThatThrownBy(() -> store.write(null, "one", "")).isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> store.write(Version.ABSENT, null, ""))
        .isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> store.write(Version.ABSENT, "one", null))
        .isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> open().document(null)).isInstanceOf(NullPointerException.class);
    assertThat(store.read()).isEqualTo(Snapshot.ABSENT);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", "UPPER", "a.b", "../up", "a/b", "a\\b", "ä", "a\n", "a*", "~"})
  void namesWithOtherCharactersAreRefused(String name) {
    assertThatThrownBy(() -> open().document(name))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(name);
  }

  @Test
  void earlierContentsComeLatestFirstAndWithoutThePresentOne() throws StoreException {
    Version version = Version.ABSENT;
    List<String> all = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      version = written(document(), version, "content " + i);
      all.add(0, "content " + i);
    }

    List<String> earlier = document().earlier(100);

    assertThat(earlier).isNotEmpty().isEqualTo(all.subList(1, 1 + earlier.size()));
    assertThat(document().earlier(1)).containsExactly("content 10");
    assertThat(document().earlier(0)).isEmpty();
    assertThatThrownBy(() -> document().earlier(-1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("-1");
  }

  /** Whoever recovers from what was read must not go on from what came before something else. */
  @Test
  void nothingIsSaidOfWhatCameBeforeAContentThatIsNotTheLatest() throws StoreException {
    Version one = written(document(), Version.ABSENT, "one");
    Snapshot old = document().read();
    written(document(), one, "two");

    for (Snapshot notTheLatest : List.of(old, Snapshot.ABSENT)) {
      assertThatThrownBy(() -> document().earlier(notTheLatest, 3))
          .isInstanceOfSatisfying(
              StoreException.class, e -> assertThat(e.isRetryable()).as("retryable").isTrue());
    }
    assertThat(document().earlier(document().read(), 3)).containsExactly("one");
  }

  @Test
  void whatIsPresentAgainIsNotAmongTheEarlier() throws StoreException {
    Version one = written(document(), Version.ABSENT, "one");
    Version two = written(document(), one, "two");
    written(document(), two, "one");

    assertThat(document().earlier(100)).first().isEqualTo("two");
    assertThat(document().earlier(100)).doesNotContain("one");
  }

  @Test
  void settingAsideSaysWhereAndLeavesTheDocument() throws StoreException {
    Version one = written(document(), Version.ABSENT, "broken");

    String where = document().setAside(document().read());

    assertThat(where).isNotBlank();
    assertThat(document().read()).isEqualTo(Snapshot.of(one, "broken"));
    written(document(), one, "repaired");
    assertThat(document().read().content()).contains("repaired");
  }

  @Test
  void contentsThatDifferAreSetAsideApart() throws StoreException {
    Version one = written(document(), Version.ABSENT, "broken");
    String first = document().setAside(document().read());
    written(document(), one, "broken too");

    assertThat(document().setAside(document().read())).isNotEqualTo(first);
  }

  @Test
  void aContentThatIsThereNoMoreCanStillBeSetAside() throws StoreException {
    Version one = written(document(), Version.ABSENT, "broken");
    Snapshot broken = document().read();
    Version two = written(document(), one, "repaired");

    assertThat(document().setAside(broken)).isNotBlank();
    assertThat(document().read()).isEqualTo(Snapshot.of(two, "repaired"));
  }

  @Test
  void nothingCannotBeSetAside() {
    assertThatThrownBy(() -> document().setAside(Snapshot.ABSENT))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void holdsAtLeastAHundredTickets() {
    assertThat(open().traits().ticketCapacity()).isGreaterThanOrEqualTo(100);
  }

  private static Version written(VersionedStore store, Version expected, String next)
      throws StoreException {
    WriteResult result = store.write(expected, next, "test");
    assertThat(result).isInstanceOf(Written.class);
    return ((Written) result).version();
  }

  private static <T> List<T> allOf(List<Callable<T>> tasks)
      throws InterruptedException, ExecutionException, TimeoutException {
    // Against a store that hangs; how fast it is depends on the machine.
    return Concurrently.allOf(Duration.ofMinutes(5), tasks);
  }
}
