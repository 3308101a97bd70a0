package dev.baton.queue.github;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.core.FakeTasks;
import dev.baton.core.FakeTasks.Running;
import dev.baton.core.FakeWorld;
import dev.baton.githubsim.Fault;
import dev.baton.githubsim.GitHubSim;
import dev.baton.githubsim.Limits;
import dev.baton.githubsim.SimRepository;
import dev.baton.githubsim.SimSettings;
import dev.baton.githubsim.Token;
import dev.baton.queue.Acquisition;
import dev.baton.queue.BuildQueue;
import dev.baton.queue.EngineSettings;
import dev.baton.queue.Entry;
import dev.baton.queue.Grant;
import dev.baton.queue.HistoryEntry;
import dev.baton.queue.Liveness;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.QueueException;
import dev.baton.queue.Release;
import dev.baton.queue.Request;
import dev.baton.queue.Rules;
import dev.baton.queue.RunRef;
import dev.baton.queue.internal.codec.DocumentCodec;
import dev.baton.store.StoreException;
import dev.baton.store.VersionedStore;
import dev.baton.store.WriteResult;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Every kind of odd answer at every single request of a few small builds: one of them costs time at
 * most. {@code check} plays a share of them, {@code :queue-lib:oddAnswers} all.
 */
class EveryOddAnswerTest {

  /** One in so many is played. */
  private static final int SHARE = Integer.getInteger("oddAnswersShare", 251);

  private static final String BROKEN = "not a queue any more";

  private static final Map<String, Fault> ODD = new LinkedHashMap<>();

  private static void odd(int status, String said) {
    for (boolean applied : new boolean[] {false, true}) {
      ODD.put(
          status + " " + said + (applied ? ", applied" : ""),
          said.isEmpty() || !Character.isLetter(said.charAt(0)) && said.charAt(0) != '"'
              ? new Fault.Odd(status, said, applied)
              : Fault.Odd.saying(status, said, applied));
    }
  }

  static {
    odd(200, "");
    odd(200, "{}");
    odd(200, "[]");
    odd(200, "{\"type\":\"file\",\"encoding\":\"base64\",\"content\":\"eyJmb");
    odd(200, "<html>sign in</html>");
    odd(204, "");
    odd(301, "Moved Permanently");
    odd(304, "");
    odd(307, "");
    odd(400, "Bad Request");
    odd(401, "Bad credentials");
    odd(403, "Forbidden");
    odd(403, "Resource not accessible by integration");
    odd(403, "<html>blocked</html>");
    odd(403, "Repository was archived so is read-only.");
    odd(404, "Not Found");
    odd(408, "");
    odd(409, "Conflicto");
    odd(409, "Git Repository is empty.");
    odd(409, "queue.json does not match 1234567890123456789012345678901234567890");
    odd(409, "is at 1234567890123456789012345678901234567890 but expected 12345");
    odd(410, "Gone");
    odd(422, "Validation Failed");
    odd(422, "Reference already exists");
    odd(422, "Invalid request.\n\n\"sha\" wasn't supplied.");
    odd(429, "slow down");
    odd(451, "Unavailable");
    odd(500, "");
    odd(502, "<html>502</html>");
    odd(503, "{}");
    ODD.put("reset before", new Fault.DroppedBefore());
    ODD.put("reset after", new Fault.DroppedAfter());
    ODD.put("a limit", new Fault.Limited(403, Optional.empty()));
    ODD.put("a limit of a minute", new Fault.Limited(403, Optional.of(Duration.ofMinutes(1))));
    ODD.put("a limit of an hour", new Fault.Limited(429, Optional.of(Duration.ofHours(1))));
  }

  private volatile Instant serverTime = Instant.parse("2026-03-05T10:00:00Z");
  private final GitHubSim sim =
      GitHubSim.start(SimSettings.defaults().withLimits(Limits.none()).withClock(() -> serverTime));
  private int cases;

  @AfterEach
  void close() {
    sim.close();
  }

  /** A repository of its own, with as many clients as it takes. */
  private final class Case implements AutoCloseable {
    final FakeWorld world = new FakeWorld();
    final FakeTasks tasks = new FakeTasks(world);
    final int number;
    final String name;
    final SimRepository repository;
    final List<BuildQueue> opened = new ArrayList<>();
    final List<GitHubSpace> spaces = new ArrayList<>();
    final AtomicInteger asked = new AtomicInteger();
    final List<String> requests = new ArrayList<>();

    Case() {
      number = cases++;
      name = "octo/app-" + number;
      repository = sim.addRepository(name, true);
      for (String who : List.of("ann", "bob", "cid", "dan")) {
        sim.addToken(Token.classic(who + "-" + number, secretOf(who), name));
      }
    }

    private String secretOf(String who) {
      return Desk.SECRET + "-" + number + "-" + who;
    }

    BuildQueue open(String who) {
      String secret = secretOf(who);
      GitHubSpace space =
          GitHubSpace.open(
              GitHubPlace.parse("github:" + name, URI.create(sim.baseUrl())),
              GitHubConnection.builder().token(() -> secret).build(),
              world);
      spaces.add(space);
      BuildQueue queue = space.queue(EngineSettings.DEFAULT);
      opened.add(queue);
      return queue;
    }

    /** From here on, the request of this number is answered so. */
    void order(int number, Fault fault) {
      asked.set(0);
      sim.failNext(
          1,
          r -> {
            if (!(r.path() + "/").startsWith("/repos/" + name + "/")) {
              return false;
            }
            synchronized (requests) {
              requests.add(r.client() + " " + r.method() + " " + r.path() + r.query());
            }
            return asked.incrementAndGet() >= number;
          },
          fault);
    }

    void pass(Duration time) {
      until(time, () -> false);
    }

    boolean until(Duration atMost, BooleanSupplier done) {
      Duration step = Duration.ofSeconds(1);
      for (Duration t = Duration.ZERO; t.compareTo(atMost) < 0; t = t.plus(step)) {
        if (done.getAsBoolean()) {
          return true;
        }
        serverTime = serverTime.plus(step);
        world.advance(step);
      }
      return done.getAsBoolean();
    }

    <T> T done(Running<T> running, Duration within) {
      assertThat(until(within, running::isDone)).as(running.name() + " is done in time").isTrue();
      return running.get();
    }

    QueueDocument document() {
      return DocumentCodec.decode(repository.fileText("queue.json", "baton/build").orElseThrow());
    }

    void breakQueue() {
      VersionedStore queue = spaces.get(0).document("queue");
      try {
        WriteResult result = queue.write(queue.read().version(), BROKEN, "by hand");
        assertThat(result).isInstanceOf(WriteResult.Written.class);
      } catch (StoreException e) {
        throw new AssertionError(e);
      }
    }

    boolean isBroken() {
      return repository.fileText("queue.json", "baton/build").equals(Optional.of(BROKEN));
    }

    Running<Acquisition> acquire(String who) {
      BuildQueue queue = open(who);
      return tasks.later(() -> queue.acquire(Request.of(who, "app"), p -> {}));
    }

    @Override
    public void close() {
      for (BuildQueue queue : opened) {
        tasks.later(
            () -> {
              queue.close();
              return true;
            });
      }
      until(Duration.ofHours(3), () -> world.living().isEmpty());
      assertThat(world.living()).as("threads").isEmpty();
      spaces.forEach(GitHubSpace::close);
    }
  }

  private interface Play {
    void play(Case c, int number, Fault fault);
  }

  /** Plays it once for each odd answer and request. */
  private void everywhere(Play play) {
    List<Integer> requests = worthwhile(play);
    List<String> wrong = new ArrayList<>();
    int turn = 0;
    for (Map.Entry<String, Fault> odd : ODD.entrySet()) {
      for (int number : requests) {
        if (turn++ % SHARE == 0) {
          play(play, number, odd).ifPresent(wrong::add);
        }
      }
    }
    assertThat(wrong).isEmpty();
  }

  /** Of reads that are repeated until something is written, the first two and the last one. */
  private List<Integer> worthwhile(Play play) {
    Case c = new Case();
    play.play(c, 1_000_000, new Fault.DroppedBefore());
    List<Integer> chosen = new ArrayList<>();
    Map<String, Integer> seen = new HashMap<>();
    for (int i = 0; i < c.requests.size(); i++) {
      String line = c.requests.get(i);
      if (!line.contains(" GET ")) {
        seen.clear();
      }
      boolean last = i + 1 == c.requests.size() || !c.requests.get(i + 1).contains(" GET ");
      if (seen.merge(line, 1, Integer::sum) <= 2 || last) {
        chosen.add(i + 1);
      }
    }
    c.close();
    return chosen;
  }

  private Optional<String> play(Play play, int number, Map.Entry<String, Fault> odd) {
    Case c = new Case();
    String what = odd.getKey() + " at request " + number;
    try {
      play.play(c, number, odd.getValue());
      c.close();
      return Optional.empty();
    } catch (AssertionError | RuntimeException e) {
      String at;
      synchronized (c.requests) {
        at = c.requests.size() >= number ? c.requests.get(number - 1) : "?";
      }
      Throwable cause = e.getCause() == null ? e : e.getCause();
      return Optional.of(what + " (" + at + "): " + cause);
    }
  }

  private static final Duration SOON = Duration.ofMinutes(6);
  private static final Duration A_LIMIT = Duration.ofMinutes(70);

  private static Duration within(Fault fault) {
    return fault instanceof Fault.Limited ? A_LIMIT : SOON;
  }

  private static boolean mayRefuse(Fault fault) {
    return fault instanceof Fault.Limited;
  }

  private void create(Case c, Fault fault) {
    BuildQueue queue = c.open("ann");
    for (int tries = 0; tries < 3; tries++) {
      Running<Boolean> create = c.tasks.later(() -> queue.create(Rules.DEFAULT));
      c.until(Duration.ofMinutes(10), create::isDone);
      assertThat(create.isDone()).as("created in time").isTrue();
      if (create.failure() instanceof QueueException.Unavailable && mayRefuse(fault)) {
        c.pass(A_LIMIT);
        continue;
      }
      boolean created = create.get();
      assertThat(created || tries > 0 || fault instanceof Fault.Odd o && o.applied())
          .as("says that it has created the queue")
          .isTrue();
      return;
    }
    throw new AssertionError("never created");
  }

  private void build(Case c, String who, Running<Acquisition> wait, Duration length, Fault fault) {
    Grant grant = ((Acquisition.Acquired) c.done(wait, within(fault))).grant();
    List<String> lost = new ArrayList<>();
    grant.onLost(lost::add);
    c.pass(length);
    assertThat(lost).as("lost by " + who).isEmpty();
    assertThat(grant.state()).as("state of " + who).isEqualTo(Grant.State.HELD);
    assertThat(c.document().tickets()).filteredOn(t -> t.token() > 0).hasSize(1);
    Running<Release> release = c.tasks.later(() -> grant.release(""));
    assertThat(c.done(release, Duration.ofMinutes(3)))
        .as("released by " + who)
        .isEqualTo(Release.GIVEN_BACK);
  }

  @Test
  void aCreation() {
    everywhere(
        (c, number, fault) -> {
          c.order(number, fault);
          create(c, fault);
          assertThat(c.document().board()).isEqualTo(1);
          assertThat(c.repository.issueBody(2)).as("one board").isEmpty();
          assertThat(c.document().nextToken())
              .as("no later than the later one of the two clocks")
              .isLessThanOrEqualTo(serverTime.toEpochMilli() + 2000);
        });
  }

  @Test
  void twoBuilds() {
    everywhere(
        (c, number, fault) -> {
          create(c, fault);
          c.order(number, fault);
          Running<Acquisition> ann = c.acquire("ann");
          c.until(within(fault), ann::isDone);
          Running<Acquisition> bob = c.acquire("bob");
          c.pass(Duration.ofSeconds(1));
          build(c, "ann", ann, Duration.ofMinutes(3), fault);
          build(c, "bob", bob, Duration.ofMinutes(3), fault);
          assertThat(c.document().tickets()).isEmpty();
          assertThat(c.document().history())
              .filteredOn(h -> h.event() != HistoryEntry.Event.RELEASED)
              .isEmpty();
        });
  }

  @Test
  void aDeadHolder() {
    everywhere(
        (c, number, fault) -> {
          create(c, fault);
          BuildQueue dans = c.open("dan");
          c.done(
              c.tasks.later(
                  () ->
                      dans.join(
                          new Entry(
                              Request.newNonce(),
                              "dan",
                              "app",
                              Liveness.BEAT,
                              Optional.empty(),
                              0))),
              SOON);
          c.order(number, fault);
          Running<Acquisition> ann = c.acquire("ann");
          c.pass(Duration.ofSeconds(5));
          Running<Acquisition> bob = c.acquire("bob");
          Duration bound =
              Rules.DEFAULT.lease().multipliedBy(3).dividedBy(2).plus(Rules.DEFAULT.grace());
          boolean limited = fault instanceof Fault.Limited;
          c.until(limited ? A_LIMIT : bound.plusSeconds(60), () -> ann.isDone() || bob.isDone());
          if (limited && bob.isDone()) {
            build(c, "bob", bob, Duration.ofMinutes(2), fault);
            build(c, "ann", ann, Duration.ofMinutes(2), fault);
          } else {
            assertThat(ann.isDone()).isTrue();
            build(c, "ann", ann, Duration.ofMinutes(2), fault);
            build(c, "bob", bob, Duration.ofMinutes(2), fault);
            assertThat(c.document().history())
                .filteredOn(h -> h.event() == HistoryEntry.Event.PASSED_OVER)
                .isEmpty();
          }
        });
  }

  @Test
  void aRecovery() {
    everywhere(
        (c, number, fault) -> {
          create(c, fault);
          long run = c.repository.startRun("build", "dan", "job").id();
          BuildQueue dans = c.open("dan");
          RunRef ref = new RunRef(c.name, run, 1, 0, "");
          Running<Acquisition> dan =
              c.tasks.later(() -> dans.acquire(Request.of("dan", "app").livingBy(ref), p -> {}));
          c.done(dan, SOON);
          c.pass(Duration.ofSeconds(30));
          c.breakQueue();
          c.order(number, fault);
          Running<Acquisition> ann = c.acquire("ann");
          c.until(within(fault), () -> !c.isBroken());
          c.pass(Duration.ofMinutes(1));
          assertThat(c.document().tickets())
              .as("tickets")
              .extracting(t -> t.owner())
              .contains("dan");
          assertThat(c.document().slots().get(0).isFree()).isFalse();
          c.repository.finishRun(run, "success");
          c.until(Duration.ofMinutes(30), ann::isDone);
          build(c, "ann", ann, Duration.ofMinutes(2), fault);
        });
  }
}
