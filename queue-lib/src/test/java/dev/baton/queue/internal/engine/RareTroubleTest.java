package dev.baton.queue.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.core.Extra;
import dev.baton.core.FakeTasks.Running;
import dev.baton.queue.Acquisition;
import dev.baton.queue.Grant;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.Request;
import dev.baton.queue.Rules;
import dev.baton.queue.RunRef;
import dev.baton.queue.RunStatus;
import dev.baton.queue.internal.codec.DocumentCodec;
import dev.baton.queue.internal.engine.OddStores.Lie;
import dev.baton.store.StoreException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What seldom happens, and must not cost a promise either. */
class RareTroubleTest extends ClientsOfOneQueue {
  private RunStatus.Answer job = RunStatus.Answer.RUNNING;

  @Override
  RunStatus statusOfJobs() {
    return run -> job;
  }

  private Running<Acquisition> wait(OddStores by, Request request) {
    return wait(by, request, statusOfJobs());
  }

  private Running<Acquisition> wait(OddStores by, Request request, RunStatus status) {
    Running<Acquisition> waiting = wait(open(by, world, status), request);
    world.advance(Duration.ofSeconds(1));
    return waiting;
  }

  private Grant acquire(String who) {
    return grantOf(wait(another(), Request.of(who, who)));
  }

  // ---- somebody puts an earlier version of the queue back

  @Test
  void noTokenComesAgainFromAnEarlierVersion() throws StoreException {
    create(Rules.DEFAULT);
    Set<Long> given = new HashSet<>();
    String earlier = "";
    for (int i = 0; i < 8; i++) {
      earlier = i == 3 ? stores.content("queue") : earlier;
      build(given);
    }
    stores.overwrite("queue", earlier);
    for (int i = 0; i < 8; i++) {
      assertThat(build(given).state()).as("build %d after it", i).isEqualTo(Grant.State.RELEASED);
    }
    assertThat(given).hasSize(16);
  }

  private Grant build(Set<Long> tokens) {
    Grant grant = acquire("builder");
    tokens.add(grant.fencingToken());
    world.advance(Duration.ofMinutes(3));
    tasks.now(() -> grant.release(""));
    return grant;
  }

  /** Nothing tells the new one of the old one, but a script that compares tokens. */
  @Test
  void theOneThatBuildsBesideAnEarlierVersionHasTheOlderToken() throws StoreException {
    create(Rules.DEFAULT);
    String earlier = stores.content("queue");
    world.advance(Duration.ofHours(1));
    Grant old = acquire("old");
    world.advance(Duration.ofMinutes(10));
    stores.overwrite("queue", earlier);
    Grant next = acquire("new");

    assertThat(next.fencingToken()).isGreaterThan(old.fencingToken());
    world.advance(Duration.ofMinutes(5));
    assertThat(old.state()).isEqualTo(Grant.State.LOST);
    assertThat(next.state()).isEqualTo(Grant.State.HELD);
  }

  // ---- a service that does not answer says nothing

  @Test
  void aRunningJobIsNotRobbedWhileItsStatusCannotBeAskedFor() {
    create(Rules.DEFAULT);
    Grant grant = grantOf(wait(another(), jobsBuild()));
    world.advance(Duration.ofHours(6).plusMinutes(20));
    job = RunStatus.Answer.UNREACHABLE;
    Running<Acquisition> waiting = wait(another(), Request.of("next", "next"));
    world.advance(Duration.ofHours(2));
    assertThat(waiting.isDone()).isFalse();
    assertThat(grant.state()).isEqualTo(Grant.State.HELD);

    job = RunStatus.Answer.UNKNOWN;
    world.advance(Duration.ofHours(5));
    assertThat(waiting.isDone()).as("not allowed to see it, watched for the longest hold").isTrue();
  }

  private static Request jobsBuild() {
    return Request.of("octo/app", "build").livingBy(new RunRef("octo/app", 7, 1, 3, "build"));
  }

  /** Running, but for these looks. */
  private RunStatus runningBut(List<RunStatus.Answer> looks, RunStatus.Answer odd, int... numbers) {
    return run -> {
      boolean isOdd = Arrays.stream(numbers).anyMatch(n -> n == looks.size());
      looks.add(isOdd ? odd : RunStatus.Answer.RUNNING);
      return looks.get(looks.size() - 1);
    };
  }

  /** Looks come every five minutes, so that the last one is longer ago than the longest hold. */
  @ParameterizedTest
  @EnumSource(names = {"UNKNOWN", "UNREACHABLE"})
  void oddAnswersDoNotRobAJobThatIsSeenRunningBetweenThem(RunStatus.Answer odd) throws Exception {
    create(Rules.DEFAULT.withMaxHold(Duration.ofMinutes(4)));
    wait(another(), jobsBuild());
    List<RunStatus.Answer> looks = new ArrayList<>();
    Running<Acquisition> next =
        wait(another(), Request.of("next", "next"), runningBut(looks, odd, 7, 9, 10, 12, 14, 15));
    world.advance(Duration.ofHours(2));
    assertThat(looks).hasSizeGreaterThan(16);
    assertThat(next.isDone()).as("robbed: %s", document().history()).isFalse();
  }

  /** It looks every 50 minutes. */
  @Test
  void anOddAnswerToTheTenthInLineDoesNotRobAJob() throws Exception {
    create(Rules.DEFAULT.withMaxHold(Duration.ofMinutes(45)));
    wait(another(), jobsBuild());
    for (int i = 0; i < 10; i++) {
      wait(another(), Request.of("w" + i, "w" + i));
    }
    List<RunStatus.Answer> looks = new ArrayList<>();
    RunStatus status = runningBut(looks, RunStatus.Answer.UNREACHABLE, 2);
    wait(another(), Request.of("tenth", "tenth"), status);
    world.advance(Duration.ofHours(6));
    assertThat(looks).hasSizeGreaterThan(2);
    assertThat(document().ticket(1)).as("robbed: %s", document().history()).isPresent();
  }

  /** Its two halves of an outage, hours apart, are no outage of hours. */
  @Test
  void oddAnswersBeforeAndAfterALongStopDoNotRobAJob() throws Exception {
    create(Rules.DEFAULT);
    wait(another(), jobsBuild());
    List<RunStatus.Answer> looks = new ArrayList<>();
    RunStatus status = runningBut(looks, RunStatus.Answer.UNREACHABLE, 1, 2, 3, 4);
    OddStores stopped = another();
    Running<Acquisition> next = wait(stopped, Request.of("next", "next"), status);
    world.advance(Duration.ofMinutes(11));
    stopped.hang("queue", Duration.ofHours(7));
    world.advance(Duration.ofMinutes(1));
    stopped.hang("queue", Duration.ZERO);
    world.advance(Duration.ofHours(8));
    assertThat(looks).hasSizeGreaterThan(4);
    assertThat(next.isDone()).as("robbed: %s", document().history()).isFalse();
  }

  /** A job that nobody may see any more is freed all the same. */
  @ParameterizedTest
  @EnumSource(names = {"UNKNOWN", "UNREACHABLE"})
  void aJobThatIsNotSeenAnyMoreIsFreedAfterTheLongestHold(RunStatus.Answer nothing) {
    create(Rules.DEFAULT.withMaxHold(Duration.ofMinutes(45)));
    wait(another(), jobsBuild());
    Running<Acquisition> next = wait(another(), Request.of("next", "next"));
    world.advance(Duration.ofHours(1));
    assertThat(next.isDone()).isFalse();
    job = nothing;
    world.advance(Duration.ofMinutes(44));
    assertThat(next.isDone()).isFalse();
    world.advance(Duration.ofMinutes(12));
    assertThat(next.isDone()).isTrue();
  }

  // ---- a lease that is half over when it begins

  @Test
  void aSlowConfirmationCostsNoLock() {
    create(
        new Rules(
            1,
            Duration.ofMinutes(3),
            Duration.ofSeconds(90),
            Duration.ofSeconds(30),
            Duration.ofMinutes(90),
            Duration.ofMinutes(360),
            Extra.NONE));
    OddStores slow = another();
    slow.hang("queue", Duration.ofSeconds(40));
    slow.lie("queue", Lie.UNKNOWN, 1);
    Running<Acquisition> waiting = wait(slow, Request.of("slow", "slow"));
    world.advance(Duration.ofSeconds(130));
    Grant grant = grantOf(waiting);
    slow.hang("queue", Duration.ZERO);
    AtomicReference<String> lost = new AtomicReference<>();
    grant.onLost(lost::set);
    world.advance(Duration.ofMinutes(10));
    assertThat(lost).hasNullValue();
    assertThat(grant.state()).isEqualTo(Grant.State.HELD);
  }

  // ---- a queue that wants newer clients

  @Test
  void whoIsRefusedWhileItWaitsLeavesTheLine() throws StoreException {
    create(Rules.DEFAULT);
    Grant held = acquire("first");
    Running<Acquisition> waiting = wait(another(), Request.of("next", "next"));
    world.advance(Duration.ofMinutes(1));
    String now = stores.content("queue");
    stores.overwrite(
        "queue",
        now.replaceFirst("\"requires\": \\[]", "\"requires\": [\"x\"]")
            .replaceFirst("\"version\": \\d+", "\"version\": 900"));
    tasks.now(() -> held.release(""));
    world.advance(Duration.ofMinutes(5));
    assertThat(waiting.get()).isInstanceOf(Acquisition.Refused.class);
    QueueDocument d = DocumentCodec.decode(stores.content("queue"));
    assertThat(d.requires()).containsExactly("x");
    assertThat(d.tickets()).isEmpty();
  }
}
