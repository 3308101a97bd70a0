package dev.baton.queue.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.core.FakeTasks;
import dev.baton.core.FakeWorld;
import dev.baton.queue.Acquisition;
import dev.baton.queue.BoardSite;
import dev.baton.queue.BoardSite.Sight;
import dev.baton.queue.BuildQueue;
import dev.baton.queue.EngineSettings;
import dev.baton.queue.Grant;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.Release;
import dev.baton.queue.Request;
import dev.baton.queue.Rules;
import dev.baton.queue.RunRef;
import dev.baton.queue.RunStatus;
import dev.baton.store.MemoryStores;
import dev.baton.store.Snapshot;
import dev.baton.store.StoreException;
import dev.baton.store.StoreSpace;
import dev.baton.store.Version;
import dev.baton.store.VersionedStore;
import dev.baton.store.WriteResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The board follows the queue, whatever happens to it, and the queue never waits for it. */
class BoardKeeperTest {

  private final FakeWorld world = new FakeWorld();
  private final FakeTasks tasks = new FakeTasks(world);
  private final Slow stores = new Slow();
  private final Site site = new Site();
  private final List<BuildQueue> opened = new ArrayList<>();
  private final List<FakeTasks.Running<Acquisition>> waiting = new ArrayList<>();
  private int jobs;

  @BeforeEach
  void create() {
    BuildQueue queue = open();
    assertThat(tasks.now(() -> queue.create(Rules.DEFAULT))).isTrue();
    world.advance(Duration.ofSeconds(30));
    site.forget();
  }

  @AfterEach
  void leaveNoThreadBehind() {
    site.down = null;
    site.slow = Duration.ZERO;
    stores.restrained = Slow.NEVER;
    waiting.forEach(task -> world.interrupt(task.name()));
    for (int round = 0; round < 2; round++) {
      opened.forEach(queue -> tasks.later(() -> closed(queue)));
      world.advance(Duration.ofHours(1));
    }
    assertThat(world.living()).isEmpty();
  }

  @Test
  void creatingTwiceMakesOneBoard() {
    assertThat(site.made).isEqualTo(1);
    assertThat(status().board()).isEqualTo(1);
    assertThat(tasks.now(() -> open().create(Rules.DEFAULT))).isFalse();
    assertThat(site.made).isEqualTo(1);
  }

  @Test
  void twoWhoCreateAtOnceMakeOneBoard() {
    Slow fresh = new Slow();
    Site one = new Site();
    var a = tasks.later(() -> open(fresh, one).create(Rules.DEFAULT));
    var b = tasks.later(() -> open(fresh, one).create(Rules.DEFAULT));
    world.advance(Duration.ofMinutes(1));
    assertThat(List.of(a.get(), b.get())).containsExactlyInAnyOrder(true, false);
    assertThat(one.made).isEqualTo(1);
  }

  @Test
  void whoeverMadeABoardAndDiedKeepsNobodyOutForLong() {
    Slow fresh = new Slow();
    Site dying = new Site();
    dying.down = new StoreException("the process is gone before it can say anything", null);
    var first = tasks.later(() -> open(fresh, dying).create(Rules.DEFAULT));
    world.advance(Duration.ofSeconds(10));
    assertThat(first.failure()).hasMessageContaining("gone before");
    var second = tasks.later(() -> open(fresh, site).create(Rules.DEFAULT));
    world.advance(Duration.ofMinutes(3));
    assertThat(second.get()).isFalse();
  }

  @Test
  void theWriterPaintsItsVersionAndWritesCloseTogetherArePaintedOnce() {
    BuildQueue queue = open();
    Grant grant = acquire(queue);
    world.advance(Duration.ofSeconds(20));
    assertThat(site.paintings).containsExactly(status().version());
    tasks.now(() -> queue.pause("ann", "deploy"));
    tasks.now(() -> queue.resume("ann"));
    tasks.now(() -> queue.pause("ann", "again"));
    world.advance(Duration.ofSeconds(20));
    assertThat(site.paintings).as("join, and the three together").hasSize(2);
    assertThat(site.shown).isEqualTo(status().version());
    tasks.now(() -> grant.release("ok"));
  }

  @Test
  void closingPaintsAtOnceWhatIsStillToBePainted() {
    BuildQueue queue = open();
    Grant grant = acquire(queue);
    tasks.now(() -> grant.release("ok"));
    assertThat(site.paintings).isEmpty();
    tasks.now(() -> closed(queue));
    assertThat(site.paintings).containsExactly(status().version());
  }

  @Test
  void whoSeesThatAnotherHasWrittenSinceLeavesThePaintingToIt() {
    BuildQueue first = open();
    BuildQueue second = open();
    tasks.now(() -> first.pause("ann", "deploy"));
    tasks.now(() -> second.resume("bob"));
    world.advance(Duration.ofSeconds(30));
    assertThat(site.paintings).containsExactly(status().version());
  }

  @Test
  void theNextInLineHealsWhatSomebodyEdited() {
    acquire(open());
    var waiting = wait(open(), Request.of("bob", "app"));
    world.advance(Duration.ofMinutes(2));
    site.shown = Site.EDITED;
    int before = site.paintings.size();
    world.advance(Duration.ofMinutes(6));
    assertThat(site.shown).isEqualTo(status().version());
    assertThat(site.paintings).hasSize(before + 1);
    assertThat(waiting.isDone()).isFalse();
  }

  /** The next look would come five minutes later. */
  @Test
  void aLookThatMeetsALimitIsRepeatedSoonAfterIt() {
    acquire(open());
    wait(open(), Request.of("bob", "app"));
    world.advance(Duration.ofMinutes(2));
    site.shown = Site.EDITED;
    site.down = StoreException.busy("slow down", Duration.ofSeconds(50));
    site.looks = 0;
    while (site.looks == 0) {
      world.advance(Duration.ofSeconds(1));
    }
    world.advance(Duration.ofSeconds(49));
    assertThat(site.looks).as("during the limit").isEqualTo(1);
    site.down = null;
    world.advance(Duration.ofSeconds(30));
    assertThat(site.shown).isEqualTo(status().version());
  }

  @Test
  void looksThatGoOnToMeetALimitStayRare() {
    acquire(open());
    wait(open(), Request.of("bob", "app"));
    world.advance(Duration.ofMinutes(2));
    site.down = StoreException.busy("slow down", Duration.ofSeconds(11));
    site.looks = 0;
    world.advance(Duration.ofMinutes(60));
    assertThat(site.looks).isBetween(10, 75);
  }

  @Test
  void aPaintingThatCameTooLateIsPaintedOver() {
    acquire(open());
    wait(open(), Request.of("bob", "app"));
    world.advance(Duration.ofSeconds(20));
    // Somebody's painting of an earlier version was under way all that time.
    site.shown = 1;
    world.advance(Duration.ofMinutes(2));
    assertThat(site.shown).isEqualTo(status().version());
  }

  // ---- giving back and leaving

  @Test
  void aReleaseAfterAShortBuildTakesOneWriteAndOnePaintingAndGoes() {
    BuildQueue main = open();
    Grant grant = acquire(main, job());
    tasks.now(() -> closed(main));
    world.advance(Duration.ofSeconds(5));
    site.forget();
    stores.reads = 0;
    stores.writes = 0;
    BuildQueue post = open();
    tasks.now(() -> post.release(grant.ticket(), grant.fencingToken(), ""));
    tasks.now(() -> closed(post));
    assertThat(stores.writes).isEqualTo(1);
    assertThat(stores.reads).as("before the write, and after the painting").isEqualTo(2);
    assertThat(site.looks).isZero();
    assertThat(site.paintings).containsExactly(status().version());
  }

  @Test
  void aReleaseIsPaintedByTheNextHolderIfSomebodyWaits() {
    BuildQueue queue = open();
    Grant grant = acquire(queue);
    var next = wait(open(), Request.of("bob", "app"));
    world.advance(Duration.ofMinutes(2));
    site.forget();
    tasks.now(() -> grant.release("ok"));
    tasks.now(() -> closed(queue));
    assertThat(site.tries).as("by the one who goes").isZero();
    world.advance(Duration.ofSeconds(10));
    assertThat(next.get()).isInstanceOf(Acquisition.Acquired.class);
    assertThat(site.paintings).containsExactly(status().version());
  }

  @Test
  void whoGoesDoesNotPaintWhatIsOverByThen() {
    BuildQueue queue = open();
    Grant grant = acquire(queue, job());
    wait(open(), job());
    tasks.now(() -> grant.release("ok"));
    tasks.now(() -> closed(queue));
    assertThat(site.paintings).containsExactly(status().version());
  }

  @Test
  void theLastOneOutLeavesATrueBoardThoughAnotherPaintsLate() {
    BuildQueue queue = open();
    Grant grant = acquire(queue);
    world.advance(Duration.ofMinutes(5));
    site.forget();
    BuildQueue other = open();
    tasks.now(() -> other.pause("ann", "deploy"));
    site.slow = Duration.ofSeconds(5);
    tasks.later(() -> closed(other));
    site.slow = Duration.ZERO;
    tasks.now(() -> grant.release("ok"));
    tasks.now(() -> closed(queue));
    assertThat(site.shown).as("painted and gone").isEqualTo(status().version());
    world.advance(Duration.ofSeconds(6));
    long last = status().version();
    assertThat(site.paintings).containsExactly(last, last - 1, last);
  }

  @Test
  void aPaintingOfTheLastOneOutThatComesLateIsMadeGood() {
    BuildQueue queue = open();
    Grant grant = acquire(queue);
    world.advance(Duration.ofMinutes(5));
    tasks.now(() -> grant.release("ok"));
    site.slow = Duration.ofSeconds(5);
    tasks.later(() -> closed(queue));
    site.slow = Duration.ZERO;
    BuildQueue next = open();
    acquire(next, job());
    tasks.now(() -> closed(next));
    world.advance(Duration.ofSeconds(6));
    assertThat(site.shown).as("of the one who builds").isEqualTo(status().version());
  }

  @Test
  void whoLeavesOnlyAHolderBehindPaintsThat() {
    acquire(open(), job());
    BuildQueue queue = open();
    var waiting = wait(queue, Request.of("bob", "app"));
    world.advance(Duration.ofMinutes(2));
    site.forget();
    world.interrupt(waiting.name());
    world.settle();
    tasks.now(() -> closed(queue));
    assertThat(status().line()).isEmpty();
    assertThat(site.paintings).containsExactly(status().version());
  }

  // ---- crowds

  @Test
  void aCrowdIsPaintedByTheFirstInLineAndNotByEverybodyInIt() {
    acquire(open(), job());
    world.advance(Duration.ofSeconds(20));
    site.forget();
    for (int i = 0; i < 20; i++) {
      wait(open(), job());
      world.advance(Duration.ofSeconds(3));
    }
    world.advance(Duration.ofSeconds(15));
    assertThat(status().line()).hasSize(20);
    assertThat(site.shown).isEqualTo(status().version());
    assertThat(site.paintings).as("the first three, then every ten seconds").hasSizeBetween(6, 10);
  }

  @Test
  void theBoardFollowsACrowdThatNeverStopsComing() {
    acquire(open(), job());
    BuildQueue first = open();
    wait(first, job());
    for (int i = 0; i < 120; i++) {
      tasks.now(() -> open().join(job().entry()));
      world.advance(Duration.ofMillis(400));
      // Two a second, and the first in line looks every two seconds.
      assertThat(status().version() - site.shown).as("behind").isLessThan(2 * 14);
    }
  }

  @Test
  void whoWroteLastLooksAfterTheBoardBehindOnesThatAreGone() {
    acquire(open(), job());
    BuildQueue gone = open();
    for (int i = 0; i < BoardDuty.FRONT; i++) {
      tasks.now(() -> gone.join(job().entry()));
    }
    tasks.now(() -> closed(gone));
    wait(open(), job());
    world.advance(Duration.ofSeconds(30));
    assertThat(site.shown).isLessThan(status().version());
    world.advance(Duration.ofMinutes(30));
    assertThat(site.shown).isEqualTo(status().version());
  }

  @Test
  void aPaintingThatHangsKeepsNobodyFromItsTurn() {
    Grant grant = acquire(open());
    var next = wait(open(), Request.of("bob", "app"));
    world.advance(Duration.ofMinutes(2));
    site.shown = Site.EDITED;
    site.slow = Duration.ofMinutes(2);
    int tries = site.tries;
    for (int i = 0; site.tries == tries && i < 10; i++) {
      world.advance(Duration.ofMinutes(1));
    }
    assertThat(site.tries).as("it is being painted").isGreaterThan(tries);
    tasks.now(() -> grant.release("ok"));
    world.advance(Duration.ofSeconds(5));
    assertThat(next.isDone()).isTrue();
  }

  @Test
  void whoIsAloneDoesNotLookAtItsOwnPainting() {
    BuildQueue queue = open();
    Grant grant = acquire(queue);
    world.advance(Duration.ofMinutes(70));
    site.looks = 0;
    tasks.now(() -> grant.release("ok"));
    world.advance(Duration.ofMinutes(1));
    assertThat(site.shown).isEqualTo(status().version());
    assertThat(site.looks).isZero();
  }

  @Test
  void aDeletedBoardIsReplacedByOneNewOne() {
    site.gone = 1;
    Grant grant = acquire(open());
    world.advance(Duration.ofMinutes(1));
    assertThat(site.made).isEqualTo(2);
    assertThat(status().board()).isEqualTo(2);
    assertThat(status().issueLock()).isEmpty();
    world.advance(Duration.ofMinutes(1));
    assertThat(site.shown).isEqualTo(status().version());
    tasks.now(() -> grant.release("ok"));
  }

  @Test
  void aBoardThatCannotBePaintedHoldsUpNobody() {
    site.down = StoreException.passing("server error", null);
    BuildQueue queue = open();
    Grant grant = acquire(queue);
    assertThat(tasks.now(() -> grant.release("ok"))).isEqualTo(Release.GIVEN_BACK);
    site.down = null;
    world.advance(Duration.ofMinutes(1));
    assertThat(site.shown).as("tried again").isEqualTo(status().version());
  }

  @Test
  void aBoardThatMayNotBePaintedIsTriedOnceOnly() {
    site.down = new StoreException("no permission: add issues: write", null);
    BuildQueue queue = open();
    Grant grant = acquire(queue);
    world.advance(Duration.ofMinutes(1));
    int tries = site.tries;
    tasks.now(() -> grant.release("ok"));
    world.advance(Duration.ofMinutes(1));
    assertThat(site.tries).isEqualTo(tries);
  }

  @Test
  void aPaintingThatMeetsALimitIsLeftToTheNext() {
    site.down = StoreException.busy("slow down", Duration.ofMinutes(2));
    acquire(open(), job());
    world.advance(Duration.ofSeconds(90));
    assertThat(site.tries).isEqualTo(1);
    site.down = null;
    world.advance(Duration.ofMinutes(2));
    assertThat(site.tries).isEqualTo(1);
    tasks.now(() -> open().pause("ann", "deploy"));
    world.advance(Duration.ofSeconds(2));
    assertThat(site.shown).isEqualTo(status().version());
  }

  @Test
  void whenRequestsRunShortPaintingsAreFurtherApart() {
    stores.restrained = 1;
    acquire(open(), job());
    world.advance(Duration.ofSeconds(5));
    wait(open(), job());
    wait(open(), job());
    world.advance(Duration.ofSeconds(55));
    assertThat(site.paintings).as("of the grant, while nobody waited").hasSize(1);
    world.advance(Duration.ofSeconds(10));
    assertThat(site.shown).isEqualTo(status().version());
    assertThat(site.paintings).hasSize(2);
  }

  @Test
  void whenRequestsAreNearlyUsedUpOnlyAnEmptyQueueIsPainted() {
    stores.restrained = 0;
    BuildQueue queue = open();
    Grant grant = acquire(queue);
    var next = wait(open(), Request.of("bob", "app"));
    world.advance(Duration.ofMinutes(10));
    assertThat(site.tries).isZero();
    world.interrupt(next.name());
    world.advance(Duration.ofSeconds(10));
    tasks.now(() -> grant.release("ok"));
    tasks.now(() -> closed(queue));
    assertThat(site.paintings).containsExactly(status().version());
  }

  // ---- support

  private BuildQueue open() {
    return open(stores, site);
  }

  private BuildQueue open(StoreSpace space, BoardSite where) {
    BuildQueue queue =
        QueueEngine.open(space, world, EngineSettings.DEFAULT, RunStatus.BLIND, where);
    opened.add(queue);
    return queue;
  }

  private static boolean closed(BuildQueue queue) {
    queue.close();
    return true;
  }

  private Grant acquire(BuildQueue queue) {
    return acquire(queue, Request.of("ann", "app"));
  }

  private Grant acquire(BuildQueue queue, Request request) {
    Acquisition result = tasks.now(() -> queue.acquire(request, p -> {}));
    return ((Acquisition.Acquired) result).grant();
  }

  private FakeTasks.Running<Acquisition> wait(BuildQueue queue, Request request) {
    FakeTasks.Running<Acquisition> started = tasks.later(() -> queue.acquire(request, p -> {}));
    waiting.add(started);
    return started;
  }

  /** A workflow job, whose ticket outlives its process. */
  private Request job() {
    return Request.of("job " + ++jobs, "app")
        .livingBy(new RunRef("octo/app", jobs, 1, jobs, "build"));
  }

  private QueueDocument status() {
    return tasks.now(
        () -> QueueEngine.open(stores, world, EngineSettings.DEFAULT, RunStatus.BLIND).status());
  }

  /** Memory that nobody looks at a hundred times a second, and that counts. */
  private static final class Slow implements StoreSpace {
    private static final int NEVER = -1;

    private final MemoryStores memory = new MemoryStores();
    private int restrained = NEVER;
    private int reads;
    private int writes;

    @Override
    public VersionedStore document(String name) {
      VersionedStore inner = memory.document(name);
      return new VersionedStore() {
        @Override
        public Snapshot read() throws StoreException {
          reads++;
          return inner.read();
        }

        @Override
        public WriteResult write(Version expected, String next, String message)
            throws StoreException {
          writes++;
          return inner.write(expected, next, message);
        }

        @Override
        public List<String> earlier(Snapshot present, int limit) throws StoreException {
          return inner.earlier(present, limit);
        }

        @Override
        public String setAside(Snapshot broken) throws StoreException {
          return inner.setAside(broken);
        }
      };
    }

    @Override
    public Duration restraint(int place) {
      return restrained != NEVER && place >= restrained ? Duration.ofSeconds(2) : Duration.ZERO;
    }

    @Override
    public Traits traits() {
      return new Traits("test", "the test", 200, 1_000_000, Duration.ofSeconds(2), Duration.ZERO);
    }
  }

  private final class Site implements BoardSite {
    static final long EDITED = -1;

    private final List<Long> paintings = new ArrayList<>();
    private int made;
    private int looks;
    private int tries;
    private long gone;
    private long shown;
    private Duration slow = Duration.ZERO;
    private StoreException down;

    void forget() {
      paintings.clear();
      tries = 0;
      looks = 0;
    }

    @Override
    public long open(QueueDocument document, String json) throws StoreException {
      check();
      shown = document.version();
      return ++made;
    }

    @Override
    public Sight paint(long number, QueueDocument document, String json) throws StoreException {
      tries++;
      check();
      if (number == gone) {
        return new Sight.Gone("deleted");
      }
      assertThat(json).contains("\"version\": " + document.version());
      arrive();
      paintings.add(document.version());
      shown = document.version();
      return new Sight.Shows(document.version());
    }

    @Override
    public Sight look(long number) throws StoreException {
      looks++;
      check();
      if (number == gone) {
        return new Sight.Gone("deleted");
      }
      return shown == EDITED ? new Sight.Other() : new Sight.Shows(shown);
    }

    private void arrive() throws StoreException {
      try {
        world.newSignal().await(slow);
      } catch (InterruptedException e) {
        throw StoreException.passing("interrupted", e);
      }
    }

    private void check() throws StoreException {
      if (down != null) {
        throw down;
      }
    }
  }
}
