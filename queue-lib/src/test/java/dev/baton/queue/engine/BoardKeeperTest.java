package dev.baton.queue.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.queue.Acquisition;
import dev.baton.queue.BuildQueue;
import dev.baton.queue.Grant;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.Request;
import dev.baton.queue.Rules;
import dev.baton.queue.engine.BoardSite.Sight;
import dev.baton.store.MemoryStores;
import dev.baton.store.StoreException;
import dev.baton.store.StoreSpace;
import dev.baton.store.VersionedStore;
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

  @BeforeEach
  void create() {
    BuildQueue queue = open();
    assertThat(tasks.now(() -> queue.create(Rules.DEFAULT))).isTrue();
    world.advance(Duration.ofSeconds(30));
    site.paintings.clear();
    site.tries = 0;
  }

  @AfterEach
  void leaveNoThreadBehind() {
    site.down = null;
    // Whoever waits gets the lock when the others have given it back, and gives it back then.
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
    var waiting = tasks.later(() -> open().acquire(Request.of("bob", "app"), p -> {}));
    world.advance(Duration.ofMinutes(2));
    site.shown = Site.EDITED;
    int before = site.paintings.size();
    world.advance(Duration.ofMinutes(6));
    assertThat(site.shown).isEqualTo(status().version());
    assertThat(site.paintings).hasSize(before + 1);
    assertThat(waiting.isDone()).isFalse();
  }

  @Test
  void aPaintingThatCameTooLateIsPaintedOver() {
    acquire(open());
    tasks.later(() -> open().acquire(Request.of("bob", "app"), p -> {}));
    world.advance(Duration.ofSeconds(20));
    // Somebody's painting of an earlier version was under way all that time.
    site.shown = 1;
    world.advance(Duration.ofMinutes(2));
    assertThat(site.shown).isEqualTo(status().version());
  }

  @Test
  void theLastOneOutLooksOnceMoreIfOthersHaveJustWritten() {
    BuildQueue queue = open();
    Grant grant = acquire(queue);
    world.advance(Duration.ofMinutes(5));
    tasks.now(() -> open().pause("ann", "deploy"));
    tasks.now(() -> grant.release("ok"));
    site.lateAfterNext = 1;
    world.advance(Duration.ofMinutes(1));
    assertThat(site.shown).isEqualTo(status().version());
    assertThat(site.looks).isPositive();
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
    assertThat(tasks.now(() -> grant.release("ok"))).isTrue();
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
  void aLimitIsObeyedBeforePaintingAgain() {
    site.down = StoreException.busy("slow down", Duration.ofMinutes(2));
    acquire(open());
    world.advance(Duration.ofSeconds(90));
    assertThat(site.tries).isEqualTo(1);
    site.down = null;
    world.advance(Duration.ofMinutes(2));
    assertThat(site.shown).isEqualTo(status().version());
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
    Acquisition result = tasks.now(() -> queue.acquire(Request.of("ann", "app"), p -> {}));
    return ((Acquisition.Acquired) result).grant();
  }

  private QueueDocument status() {
    return tasks.now(
        () -> QueueEngine.open(stores, world, EngineSettings.DEFAULT, RunStatus.BLIND).status());
  }

  /** Memory that nobody looks at a hundred times a second. */
  private static final class Slow implements StoreSpace {
    private final MemoryStores memory = new MemoryStores();

    @Override
    public VersionedStore document(String name) {
      return memory.document(name);
    }

    @Override
    public Traits traits() {
      return new Traits("test", "the test", 20, 1_000_000, Duration.ofSeconds(2), Duration.ZERO);
    }
  }

  private static final class Site implements BoardSite {
    static final long EDITED = -1;

    private final List<Long> paintings = new ArrayList<>();
    private int made;
    private int looks;
    private int tries;
    private long gone;
    private long shown;
    private long lateAfterNext;
    private StoreException down;

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
      paintings.add(document.version());
      shown = lateAfterNext > 0 ? lateAfterNext : document.version();
      lateAfterNext = 0;
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

    private void check() throws StoreException {
      if (down != null) {
        throw down;
      }
    }
  }
}
