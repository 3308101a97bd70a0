package dev.baton.alibaba.oss;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.store.Snapshot;
import dev.baton.store.StoreException;
import dev.baton.store.Version;
import dev.baton.store.VersionedStore;
import dev.baton.store.WriteResult;
import dev.baton.store.WriteResult.Lost;
import dev.baton.store.WriteResult.Unknown;
import dev.baton.store.WriteResult.Written;
import dev.baton.testing.service.Fault;
import dev.baton.testing.service.Gate;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OssDocumentTest {
  private final Desk desk = new Desk();

  @AfterEach
  void close() {
    desk.close();
  }

  /** Writes on, one after the other, from what is there. */
  private void write(int times) throws StoreException {
    VersionedStore store = desk.document();
    Version version = store.read().version();
    long number = desk.numbers("queue").stream().findFirst().orElse(0L);
    for (int i = 0; i < times; i++) {
      version = Desk.written(store, version, "content " + ++number);
    }
  }

  private static <T> FutureTask<T> inBackground(Callable<T> work) {
    FutureTask<T> task = new FutureTask<>(work);
    new Thread(task, "background").start();
    return task;
  }

  // ---- what it costs

  @Test
  void aWriteAfterAReadTakesThreeRequestsAndAnUnchangedReadOne() throws StoreException {
    write(3);
    VersionedStore store = desk.document();
    store.read();
    desk.oss.forget();

    Snapshot seen = store.read();
    assertThat(desk.oss.counts()).isEqualTo(Map.of("ListObjectsV2", 1L));
    Desk.written(store, seen.version(), "next");
    assertThat(desk.oss.counts()).isEqualTo(Map.of("ListObjectsV2", 2L, "PutObject", 1L));
    store.read();
    assertThat(desk.oss.counts()).isEqualTo(Map.of("ListObjectsV2", 3L, "PutObject", 1L));
  }

  @Test
  void theBucketIsLookedAtOnce() throws StoreException {
    write(5);

    assertThat(desk.oss.counts()).containsEntry("GetBucketVersioning", 1L);
  }

  @Test
  void aReadTakesTwoRequestsHoweverManyObjectsThereAre() throws StoreException {
    desk.oss.deny("DeleteMultipleObjects");
    write(130);
    assertThat(desk.numbers("queue")).hasSize(130);
    VersionedStore store = desk.document();
    desk.open().requireUsable();
    desk.oss.forget();

    assertThat(store.read().content()).contains("content 130");

    assertThat(desk.oss.counts())
        .isEqualTo(Map.of("GetBucketVersioning", 1L, "ListObjectsV2", 1L, "GetObject", 1L));
  }

  // ---- pruning

  @Test
  void oldObjectsAreDeletedAndEnoughOfThemStay() throws StoreException {
    for (int i = 0; i < 5; i++) {
      write(50);

      List<Long> numbers = desk.numbers("queue");
      long newest = numbers.get(0);
      assertThat(numbers).hasSizeLessThanOrEqualTo(OssDocument.KEPT + OssDocument.PRUNED_EVERY);
      assertThat(numbers)
          .startsWith(
              LongStream.range(0, Math.min(newest, OssDocument.KEPT))
                  .mapToObj(n -> newest - n)
                  .toArray(Long[]::new));
    }
    assertThat(desk.document().earlier(100)).hasSize(OssDocument.KEPT - 1);
    assertThat(desk.document().earlier(2)).containsExactly("content 249", "content 248");
  }

  /** In a crowd, somebody always has written before one has looked. */
  @Test
  void oldObjectsAreDeletedAlsoWhereOthersHaveWrittenSince() throws Exception {
    write(95);
    VersionedStore slow = desk.document();
    Version seen = slow.read().version();
    Gate gate = desk.oss.holdNext(c -> c.kind().equals("ListObjectsV2"));
    FutureTask<WriteResult> writing = inBackground(() -> slow.write(seen, "content 96", "slow"));
    gate.awaitArrival();
    write(3);
    assertThat(desk.numbers("queue")).hasSize(99);
    gate.open();

    assertThat(writing.get(60, TimeUnit.SECONDS)).isInstanceOf(Written.class);
    assertThat(desk.numbers("queue"))
        .containsExactlyElementsOf(
            LongStream.range(0, OssDocument.KEPT).mapToObj(n -> 99 - n).toList());
  }

  @Test
  void deletingCostsTwoRequestsEveryThirtyTwoWrites() throws StoreException {
    write(OssDocument.KEPT);
    desk.oss.forget();

    write(10 * OssDocument.PRUNED_EVERY);

    assertThat(desk.oss.counts()).containsEntry("DeleteMultipleObjects", 10L);
    assertThat(desk.oss.counts()).containsEntry("PutObject", 320L);
    // One by the first read, one after each write, and one before each deletion.
    assertThat(desk.oss.counts()).containsEntry("ListObjectsV2", 1L + 320L + 10L);
  }

  @ParameterizedTest
  @ValueSource(strings = {"DeleteMultipleObjects", "ListObjectsV2"})
  void aWriteDoesNotFailBecauseOldObjectsCannotBeDeleted(String kind) throws StoreException {
    write(95);
    desk.oss.failNext(
        1,
        c ->
            c.kind().equals(kind)
                && (c.parameters().containsKey("start-after") || kind.startsWith("D")),
        new Fault.Failed(500, "InternalError", false));

    write(1);
    assertThat(desk.numbers("queue")).hasSize(96);

    write(32);
    assertThat(desk.numbers("queue")).hasSize(OssDocument.KEPT);
  }

  // ---- a writer that sleeps

  /**
   * One that is stopped between its read and its create, while others write and delete far beyond
   * what is kept: the number that it creates is free again.
   */
  @ParameterizedTest
  @ValueSource(ints = {0, 3, 70})
  void aWriterThatSleptPastWhatIsKeptNeverBelievesThatItWon(int before) throws Exception {
    write(before);
    VersionedStore sleeper = desk.document();
    Version seen = sleeper.read().version();
    Gate gate = desk.oss.holdNext(c -> c.kind().equals("PutObject"));
    FutureTask<WriteResult> asleep =
        inBackground(() -> sleeper.write(seen, "of yesterday", "asleep"));
    gate.awaitArrival();

    write(300);
    assertThat(desk.numbers("queue")).doesNotContain(before + 1L);
    List<String> keysThen = desk.oss.keys(Desk.BUCKET);
    gate.open();

    assertThat(asleep.get(60, TimeUnit.SECONDS)).isInstanceOf(Unknown.class);
    assertThat(desk.document().read().content()).contains("content " + (before + 300));
    assertThat(desk.document().earlier(100)).doesNotContain("of yesterday");
    assertThat(desk.oss.keys(Desk.BUCKET)).as("nothing is left behind").isEqualTo(keysThen);
    assertThat(sleeper.read().content()).contains("content " + (before + 300));
    assertThat(sleeper.write(seen, "of yesterday", "again")).isEqualTo(new Lost());
  }

  /**
   * A reader stops between its list and its get. Meanwhile what it wants is deleted, and a writer
   * that had slept for just as long creates that number again.
   */
  @Test
  void aReaderNeverSeesWhatASleeperWroteToANumberThatWasFreeAgain() throws Exception {
    write(3);
    VersionedStore sleeper = desk.document();
    Version seen = sleeper.read().version();
    Gate putting = desk.oss.holdNext(c -> c.kind().equals("PutObject"));
    FutureTask<WriteResult> asleep =
        inBackground(() -> sleeper.write(seen, "of yesterday", "asleep"));
    putting.awaitArrival();
    write(1);
    VersionedStore reader = desk.document();
    Gate getting = desk.oss.holdNext(c -> c.kind().equals("GetObject"));
    FutureTask<Snapshot> reading = inBackground(reader::read);
    getting.awaitArrival();
    write(300);
    assertThat(desk.numbers("queue")).doesNotContain(4L);
    Gate listing = desk.oss.holdNext(c -> c.kind().equals("ListObjectsV2"));
    putting.open();
    listing.awaitArrival();
    assertThat(desk.numbers("queue")).contains(4L);
    getting.open();

    assertThat(reading.get(60, TimeUnit.SECONDS).content()).contains("content 304");

    listing.open();
    assertThat(asleep.get(60, TimeUnit.SECONDS)).isInstanceOf(Unknown.class);
  }

  @Test
  void whatASleeperLeavesBehindWhenItIsKilledIsNeverSeenAndDeletedSoon() throws Exception {
    write(3);
    VersionedStore sleeper = desk.document();
    Version seen = sleeper.read().version();
    Gate gate = desk.oss.holdNext(c -> c.kind().equals("PutObject"));
    // The connection breaks after the create, as if the process had been killed.
    desk.oss.failNext(
        1,
        c -> c.kind().equals("PutObject") && c.resource().endsWith("-4.json"),
        new Fault.Dropped(true));
    FutureTask<WriteResult> asleep =
        inBackground(() -> sleeper.write(seen, "of yesterday", "asleep"));
    gate.awaitArrival();
    // Put by another hand, because the fault above waits for this very number.
    desk.oss.put(Desk.BUCKET, Desk.key("queue", 4), "content 4");
    write(200);
    assertThat(desk.numbers("queue")).doesNotContain(4L);
    gate.open();

    assertThat(asleep.get(60, TimeUnit.SECONDS)).isInstanceOf(Unknown.class);
    assertThat(desk.numbers("queue")).contains(4L);
    assertThat(desk.document().read().content()).contains("content 204");
    assertThat(desk.document().earlier(100)).doesNotContain("of yesterday");
    write(32);
    assertThat(desk.numbers("queue")).doesNotContain(4L);
  }

  @Test
  void aWinnerWhoseListIsLateButWithinWhatIsKeptHasWon() throws Exception {
    write(3);
    VersionedStore slow = desk.document();
    Version seen = slow.read().version();
    Gate gate = desk.oss.holdNext(c -> c.kind().equals("ListObjectsV2"));
    FutureTask<WriteResult> writing = inBackground(() -> slow.write(seen, "content 4", "slow"));
    gate.awaitArrival();

    write(OssDocument.KEPT - 1);
    gate.open();

    assertThat(writing.get(60, TimeUnit.SECONDS)).isInstanceOf(Written.class);
  }

  @Test
  void aWinnerThatLooksTooLateCannotTell() throws Exception {
    write(3);
    VersionedStore slow = desk.document();
    Version seen = slow.read().version();
    Gate gate = desk.oss.holdNext(c -> c.kind().equals("ListObjectsV2"));
    FutureTask<WriteResult> writing = inBackground(() -> slow.write(seen, "content 4", "slow"));
    gate.awaitArrival();

    write(OssDocument.KEPT);
    gate.open();

    assertThat(writing.get(60, TimeUnit.SECONDS)).isInstanceOf(Unknown.class);
  }

  @Test
  void whoHasNotLookedForALongTimeLooksBeforeItWrites() throws StoreException {
    write(3);
    VersionedStore store = desk.document();
    Version seen = store.read().version();
    write(200);
    desk.nanos.addAndGet(Duration.ofMinutes(6).toNanos());
    desk.oss.forget();

    assertThat(store.write(seen, "late", "")).isEqualTo(new Lost());

    assertThat(desk.oss.counts()).doesNotContainKey("PutObject");
  }

  @Test
  void whoNeverLookedDoesNotCreateADocumentAnew() throws StoreException {
    write(200);
    desk.oss.forget();

    assertThat(desk.document().write(Version.ABSENT, "new", "")).isEqualTo(new Lost());

    assertThat(desk.oss.counts()).doesNotContainKey("PutObject");
  }

  // ---- lost answers

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void anAnswerThatGotLostIsUnknownAndNothingIsSentTwice(boolean done) throws StoreException {
    write(3);
    VersionedStore store = desk.document();
    Version seen = store.read().version();
    for (Fault fault :
        List.of(
            new Fault.Dropped(done),
            new Fault.Failed(500, "InternalError", done),
            new Fault.Failed(503, "ServiceUnavailable", done),
            new Fault.Failed(500, "SomethingNew", done),
            new Fault.Failed(504, "", done),
            new Fault.BadGateway(done))) {
      desk.oss.failNext(1, c -> c.kind().equals("PutObject"), fault);
      desk.oss.forget();
      String next = "by " + fault;

      assertThat(store.write(seen, next, "")).as(next).isInstanceOf(Unknown.class);

      assertThat(desk.oss.counts()).as(next).containsEntry("PutObject", 1L);
      Snapshot now = store.read();
      assertThat(now.content().equals(java.util.Optional.of(next))).as(next).isEqualTo(done);
      seen = now.version();
    }
  }

  @Test
  void aWriteThatIsSentTwiceOnTheWayHasWon() throws StoreException {
    VersionedStore store = desk.document();
    Version version = store.read().version();
    for (int i = 0; i < 3; i++) {
      desk.oss.failNext(1, c -> c.kind().equals("PutObject"), new Fault.Doubled());

      version = Desk.written(store, version, "content " + i);

      assertThat(store.read().version()).isEqualTo(version);
    }
    assertThat(desk.numbers("queue")).containsExactly(3L, 2L, 1L);
  }

  /** It had won, but so long ago that its object is deleted when it looks whose that is. */
  @Test
  void aWriteThatIsSentTwiceAndLookedForTooLateIsUnknown() throws Exception {
    write(3);
    VersionedStore slow = desk.document();
    Version seen = slow.read().version();
    desk.oss.failNext(1, c -> c.kind().equals("PutObject"), new Fault.Doubled());
    Gate gate = desk.oss.holdNext(c -> c.kind().equals("GetObject"));
    FutureTask<WriteResult> writing = inBackground(() -> slow.write(seen, "content 4", "slow"));
    gate.awaitArrival();
    assertThat(desk.oss.text(Desk.BUCKET, Desk.key("queue", 4))).contains("content 4");

    write(200);
    assertThat(desk.numbers("queue")).doesNotContain(4L);
    gate.open();

    assertThat(writing.get(60, TimeUnit.SECONDS)).isInstanceOf(Unknown.class);
    assertThat(slow.read().content()).contains("content 204");
  }

  @Test
  void theSameContentByAnotherWriterIsLost() throws StoreException {
    write(3);
    VersionedStore mine = desk.document();
    VersionedStore others = desk.document();
    Version seen = mine.read().version();
    others.read();
    Version written = Desk.written(others, seen, "same");
    desk.oss.forget();

    assertThat(mine.write(seen, "same", "")).isEqualTo(new Lost());
    assertThat(mine.read()).isEqualTo(Snapshot.of(written, "same"));

    assertThat(desk.oss.counts())
        .isEqualTo(Map.of("PutObject", 1L, "GetObject", 1L, "ListObjectsV2", 1L));
  }

  @Test
  void whoCannotSeeByWhomItExistsCannotTell() throws StoreException {
    write(3);
    VersionedStore first = desk.document();
    VersionedStore second = desk.document();
    Version seen = first.read().version();
    second.read();
    write(1);
    desk.oss.failNext(2, c -> c.kind().equals("GetObject"), new Fault.Dropped(false));
    assertThat(first.write(seen, "late", "")).isEqualTo(new Lost());

    desk.oss.failNext(3, c -> c.kind().equals("GetObject"), new Fault.Dropped(false));
    assertThat(second.write(seen, "late", "")).isInstanceOf(Unknown.class);
    assertThat(second.read().content()).contains("content 4");
  }

  @Test
  void aWriteThatCannotBeVerifiedIsUnknown() throws StoreException {
    write(3);
    VersionedStore store = desk.document();
    Version seen = store.read().version();
    desk.oss.failNext(3, c -> c.kind().equals("ListObjectsV2"), new Fault.Dropped(false));

    assertThat(store.write(seen, "next", "")).isInstanceOf(Unknown.class);

    assertThat(store.read().content()).contains("next");
  }

  @Test
  void oneFailedListIsAskedForAgain() throws StoreException {
    write(3);
    VersionedStore store = desk.document();
    Version seen = store.read().version();
    desk.oss.failNext(
        2, c -> c.kind().equals("ListObjectsV2"), new Fault.Failed(500, "InternalError", false));

    Desk.written(store, seen, "next");
  }

  @Test
  void listsThatAreLateCostTimeButNothingElse() throws StoreException {
    write(3);
    VersionedStore store = desk.document();
    Version seen = store.read().version();
    desk.oss.listDelay(Duration.ofHours(1));

    assertThat(store.write(seen, "next", "")).isInstanceOf(Unknown.class);
    assertThat(desk.document().write(seen, "other", "")).isNotInstanceOf(Written.class);

    desk.oss.listDelay(Duration.ZERO);
    assertThat(store.read().content()).contains("next");
  }

  @Test
  void aRefusalWithACodeThatNobodyKnowsIsAnException() throws StoreException {
    write(3);
    VersionedStore store = desk.document();
    Version seen = store.read().version();
    desk.oss.failNext(
        100, c -> c.kind().equals("PutObject"), new Fault.Failed(403, "SomethingNew", false));

    assertThatThrownBy(() -> desk.patiently(() -> store.write(seen, "next", "")))
        .isInstanceOfSatisfying(StoreException.class, e -> assertThat(e.isRetryable()).isFalse())
        .hasMessageContaining("SomethingNew");
  }

  @Test
  void whatWasSurelyNotWrittenIsAnException() throws StoreException {
    write(3);
    VersionedStore store = desk.document();
    Version seen = store.read().version();
    desk.oss.failNext(
        1, c -> c.kind().equals("PutObject"), Fault.throttled("TotalQpsLimitExceeded"));

    assertThatThrownBy(() -> store.write(seen, "next", ""))
        .isInstanceOfSatisfying(
            StoreException.class,
            e -> {
              assertThat(e.isRetryable()).isTrue();
              assertThat(e.retryAfter()).contains(Duration.ofSeconds(5));
            })
        .hasMessageContaining("fewer requests");
    assertThat(store.read().content()).contains("content 3");
  }

  // ---- what people do to a bucket

  @ParameterizedTest
  @ValueSource(strings = {"Enabled", "Suspended"})
  void aBucketThatKeepsVersionsIsRefused(String status) {
    desk.oss.versioning(Desk.BUCKET, status);

    for (Callable<?> use :
        List.<Callable<?>>of(
            () -> desk.document().read(),
            () -> desk.document().write(Version.ABSENT, "one", ""),
            () -> desk.document().earlier(1),
            () -> desk.document().setAside(Snapshot.of(new Version("x"), "y")))) {
      assertThatThrownBy(use::call)
          .isInstanceOfSatisfying(StoreException.class, e -> assertThat(e.isRetryable()).isFalse())
          .hasMessageContaining(Desk.BUCKET)
          .hasMessageContaining(status)
          .hasMessageContaining("use a bucket whose versioning was never enabled");
    }
    assertThat(desk.oss.keys(Desk.BUCKET)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"Enabled", "Suspended"})
  void versioningThatIsSwitchedOnLaterIsNoticedByTheNextWrite(String status) throws StoreException {
    write(3);
    VersionedStore store = desk.document();
    Version seen = store.read().version();
    desk.oss.versioning(Desk.BUCKET, status);

    assertThatThrownBy(() -> store.write(seen, "next", ""))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("switched on while it was in use");
  }

  @Test
  void otherObjectsInTheFolderAreNotLookedAt() throws StoreException {
    write(3);
    for (String other :
        List.of("", "0-readme.txt", "0000000000-1.json", "0000000000-9999999999.json", "z")) {
      desk.oss.put(Desk.BUCKET, "ci/build/queue/" + other, "other");
    }
    desk.oss.put(Desk.BUCKET, "ci/build/queue-2/9999999998-1.json", "another document");

    assertThat(desk.document().read().content()).contains("content 3");
    assertThat(desk.document().earlier(9)).containsExactly("content 2", "content 1");
    VersionedStore store = desk.document();
    Version version = store.read().version();
    for (int i = 0; i < 200; i++) {
      version = Desk.written(store, version, "more " + i);
    }
    assertThat(desk.oss.text(Desk.BUCKET, "ci/build/queue/z")).contains("other");
    assertThat(desk.oss.text(Desk.BUCKET, "ci/build/queue/0-readme.txt")).contains("other");
  }

  @Test
  void namesThatNoXmlCanHaveDoNoHarm() throws StoreException {
    write(3);
    desk.oss.put(Desk.BUCKET, "ci/build/queue/0\u0001\u000b & +%41", "other");

    VersionedStore store = desk.document();
    Snapshot seen = store.read();
    assertThat(seen.content()).contains("content 3");
    Desk.written(store, seen.version(), "content 4");
    assertThat(store.earlier(1)).containsExactly("content 3");
  }

  @Test
  void aPageThatIsEmptyIsNotTheEndOfAList() throws StoreException {
    write(3);
    VersionedStore store = desk.document();
    desk.oss.emptyPages(3);
    Version seen = store.read().version();
    assertThat(store.read().content()).contains("content 3");

    desk.oss.emptyPages(3);
    Desk.written(store, seen, "content 4");
    desk.oss.emptyPages(3);
    assertThat(desk.document().earlier(9)).hasSize(3);
  }

  @Test
  void aListThatShowsNothingForEverIsGivenUp() throws StoreException {
    write(3);
    desk.oss.emptyPages(Integer.MAX_VALUE);

    assertThatThrownBy(() -> desk.document().read())
        .isInstanceOfSatisfying(StoreException.class, e -> assertThat(e.isRetryable()).isTrue())
        .hasMessageContaining("shows nothing");
  }

  @Test
  void anArchivedObjectIsToldOf() throws StoreException {
    write(3);
    desk.oss.failNext(
        1, c -> c.kind().equals("GetObject"), new Fault.Failed(403, "InvalidObjectState", false));

    assertThatThrownBy(() -> desk.document().read())
        .isInstanceOfSatisfying(StoreException.class, e -> assertThat(e.isRetryable()).isFalse())
        .hasMessageContaining("it is archived")
        .hasMessageContaining("Restore it");
  }

  @Test
  void anEditOfTheNewestObjectByHandIsSeen() throws StoreException {
    write(3);
    VersionedStore store = desk.document();
    Version seen = store.read().version();
    desk.oss.put(Desk.BUCKET, Desk.key("queue", 3), "edited");

    assertThat(store.read().content()).contains("edited");
    assertThat(store.write(seen, "next", "")).isEqualTo(new Lost());
  }

  @Test
  void aDocumentThatIsDeletedWhileItIsWrittenIsToldOf() throws StoreException {
    write(3);
    VersionedStore store = desk.document();
    Version seen = store.read().version();
    for (long n = 1; n <= 3; n++) {
      desk.oss.delete(Desk.BUCKET, Desk.key("queue", n));
    }

    assertThatThrownBy(() -> store.write(seen, "next", ""))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("was deleted by somebody")
        .hasMessageContaining("only while nobody uses it");
  }

  @Test
  void aNewestObjectThatIsDeletedBetweenListAndGetIsLookedForAgain() throws Exception {
    write(3);
    Gate gate = desk.oss.holdNext(c -> c.kind().equals("GetObject"));
    FutureTask<Snapshot> reading = inBackground(() -> desk.document().read());
    gate.awaitArrival();

    write(200);
    gate.open();

    assertThat(reading.get(60, TimeUnit.SECONDS).content()).contains("content 203");
  }

  // ---- setting aside

  @Test
  void theLastFiveThatWereSetAsideStay() throws StoreException {
    VersionedStore store = desk.document();
    String where = "";
    for (int i = 0; i < 8; i++) {
      where = store.setAside(Snapshot.of(new Version("x"), "broken " + i));
      desk.oss.advance(Duration.ofMinutes(1));
    }

    List<String> kept = desk.oss.keys(Desk.BUCKET);
    assertThat(kept).hasSize(5).allMatch(k -> k.startsWith("ci/build/queue.broken/"));
    assertThat(kept.stream().map(k -> desk.oss.text(Desk.BUCKET, k).orElseThrow()))
        .containsExactlyInAnyOrder("broken 3", "broken 4", "broken 5", "broken 6", "broken 7");
    assertThat(where).startsWith("oss://team-builds/ci/build/queue.broken/");
    assertThat(store.setAside(Snapshot.of(new Version("x"), "broken 7"))).isEqualTo(where);
  }
}
