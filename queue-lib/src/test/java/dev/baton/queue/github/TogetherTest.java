package dev.baton.queue.github;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.core.Extra;
import dev.baton.core.FakeTasks;
import dev.baton.githubsim.Fault;
import dev.baton.githubsim.FaultRate;
import dev.baton.githubsim.SimRepository;
import dev.baton.queue.Acquisition;
import dev.baton.queue.BuildQueue;
import dev.baton.queue.EngineSettings;
import dev.baton.queue.Grant;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.Release;
import dev.baton.queue.Request;
import dev.baton.queue.Rules;
import dev.baton.queue.RunRef;
import dev.baton.queue.Ticket;
import dev.baton.queue.internal.board.Board;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Several clients, their board and what people do to it, on one GitHub and in virtual time. */
class TogetherTest {
  private static final Duration MAX_HOLD = Duration.ofMinutes(40);
  private static final Rules RULES =
      new Rules(
          1,
          Rules.DEFAULT.lease(),
          Rules.DEFAULT.beat(),
          Rules.DEFAULT.grace(),
          Rules.DEFAULT.maxAway(),
          MAX_HOLD,
          Extra.NONE);

  private final Desk desk = new Desk();
  private final FakeTasks tasks = new FakeTasks(desk.world);
  private final List<BuildQueue> opened = new ArrayList<>();

  @AfterEach
  void close() {
    for (int round = 0; round < 2; round++) {
      for (BuildQueue queue : opened) {
        tasks.later(
            () -> {
              queue.close();
              return true;
            });
      }
      desk.pass(Duration.ofHours(1));
    }
    assertThat(desk.world.living()).isEmpty();
    desk.close();
  }

  // ---- making a queue

  @Test
  void twoWhoMakeAQueueAtOnceMakeOneBranchOneDocumentAndOneIssue() {
    var one = tasks.later(() -> open().create(Rules.DEFAULT));
    var two = tasks.later(() -> open().create(Rules.DEFAULT));
    desk.pass(Duration.ofMinutes(2));
    assertThat(List.of(one.get(), two.get())).containsExactlyInAnyOrder(true, false);
    assertThat(status().board()).isEqualTo(1);
    assertThat(desk.repository.issueBody(2)).isEmpty();
    assertThat(desk.repository.head("baton/build")).isPresent();
    assertThat(tasks.now(() -> open().create(Rules.DEFAULT))).as("and again").isFalse();
    assertThat(desk.repository.issueBody(2)).isEmpty();
  }

  @Test
  void aQueueWhoseBoardIsRefusedIsNotMade() {
    int notes = desk.repository.openIssue("my notes", "my own notes", "ann");
    refuses(namingIssue(77, false), "is not there");
    refuses(namingIssue(notes, true), "has a text that Baton has not written");
    desk.repository.issuesEnabled(false);
    refuses(open(), "issues are disabled");

    assertThat(desk.repository.head("baton/build")).isEmpty();
    assertThat(desk.repository.head("baton-side/build/beat-0")).isEmpty();
    assertThat(desk.repository.issueBody(notes)).contains("my own notes");
  }

  private void refuses(BuildQueue queue, String because) {
    var init = tasks.later(() -> queue.create(Rules.DEFAULT));
    desk.pass(Duration.ofMinutes(2));
    assertThat(init.failure()).isNotNull().hasMessageContaining(because);
  }

  private BuildQueue namingIssue(long issue, boolean cautious) {
    GitHubPlace place = desk.place();
    BuildQueue queue =
        desk.open(
                Desk.SECRET,
                new GitHubPlace(
                    place.api(),
                    place.repository(),
                    place.queue(),
                    GitHubPlace.Mode.GIT,
                    issue,
                    cautious))
            .queue(EngineSettings.DEFAULT);
    opened.add(queue);
    return queue;
  }

  // ---- the board

  @Test
  void aDeletedBoardIsMadeAnew() {
    create();
    desk.repository.deleteIssue(1);
    Grant grant = acquire(open(), Request.of("ann", "app"));
    desk.pass(Duration.ofMinutes(1));
    assertThat(status().board()).isEqualTo(2);
    assertShown(2);
    release(grant);
  }

  @Test
  void aBoardThatWasMovedAwayIsMadeAnew() {
    create();
    desk.repository.moveIssue(1, "https://github.com/octo/attic/issues/9");
    Grant grant = acquire(open(), Request.of("ann", "app"));
    desk.pass(Duration.ofMinutes(1));
    assertThat(status().board()).isEqualTo(2);
    assertShown(2);
    release(grant);
  }

  @Test
  void aLockedBoardIsPainted() {
    create();
    desk.repository.lockIssue(1);
    Grant grant = acquire(open(), Request.of("ann", "app"));
    desk.pass(Duration.ofMinutes(1));
    assertShown(1);
    release(grant);
  }

  @Test
  void whatAPersonWritesIsPaintedOverWhileSomebodyWaits() {
    create();
    Grant grant = acquire(open(), Request.of("ann", "app"));
    tasks.later(() -> open().acquire(Request.of("bob", "app"), p -> {}));
    desk.pass(Duration.ofMinutes(2));
    desk.repository.editIssue(1, "I think the queue is broken", "eve");
    desk.pass(Duration.ofMinutes(6));
    assertShown(1);
    release(grant);
  }

  @Test
  void aLongLineStillFitsIntoAnIssue() {
    create();
    BuildQueue queue = open();
    for (int i = 0; i < 150; i++) {
      Request request =
          Request.of("|".repeat(Ticket.MAX_OWNER), "@".repeat(Ticket.MAX_TITLE))
              .livingBy(new RunRef("octo/app", 1_000 + i, 1, 0, "build"));
      tasks.now(() -> queue.join(request.entry()));
    }
    tasks.now(() -> queue.pause("ann", "deploy"));
    desk.pass(Duration.ofMinutes(1));
    assertThat(desk.repository.issueBody(1).orElseThrow().length())
        .isGreaterThan(20_000)
        .isLessThanOrEqualTo(Board.MAX_BODY);
    assertShown(1);
  }

  // ---- workflow jobs

  @Test
  void aJobThatStillRunsIsNeverRobbed() {
    create();
    SimRepository.RunView run = desk.repository.startRun("build", "ann", "build");
    acquire(open(), Request.of("job", "app").livingBy(ref(Desk.REPOSITORY, run)));
    var waiting = tasks.later(() -> open().acquire(Request.of("bob", "app"), p -> {}));
    desk.pass(MAX_HOLD.multipliedBy(2));
    assertThat(waiting.isDone()).as("longer than max-hold").isFalse();
    desk.repository.cancelRun(run.id());
    desk.pass(Duration.ofMinutes(6));
    assertThat(waiting.get()).isInstanceOf(Acquisition.Acquired.class);
    assertThat(status().history()).anyMatch(h -> h.note().equals("its job ended"));
  }

  static Stream<Arguments> answersWithoutAStatus() {
    return Stream.of(
            new Fault.Unavailable(502, false),
            Fault.Odd.saying(401, "Bad credentials", false),
            Fault.Odd.saying(403, "Forbidden", false),
            Fault.Odd.saying(404, "Not Found", false),
            new Fault.Odd(200, "{}", false),
            new Fault.Limited(403, Optional.of(Duration.ofMinutes(1))))
        .flatMap(fault -> Stream.of(Arguments.of(fault, false), Arguments.of(fault, true)));
  }

  /** One answer without a status says nothing about how long nobody could see it. */
  @ParameterizedTest
  @MethodSource("answersWithoutAStatus")
  void aJobThatRunsForLongerThanMaxHoldIsNotRobbedForOneOddAnswer(Fault fault, boolean newcomer) {
    create();
    SimRepository.RunView run = desk.repository.startRun("build", "ann", "build");
    acquire(open(), Request.of("job", "app").livingBy(ref(Desk.REPOSITORY, run)));
    var early = tasks.later(() -> open().acquire(Request.of("bob", "app"), p -> {}));
    if (newcomer) {
      desk.world.interrupt(early.name());
    }
    desk.pass(MAX_HOLD.plusMinutes(20));
    desk.sim.failNext(1, r -> r.path().contains("/actions/runs/"), fault);
    var waiting =
        newcomer ? tasks.later(() -> open().acquire(Request.of("cid", "app"), p -> {})) : early;
    desk.pass(Duration.ofMinutes(12));
    assertThat(waiting.isDone()).as("robbed").isFalse();
    desk.repository.cancelRun(run.id());
    desk.pass(Duration.ofMinutes(6));
    assertThat(waiting.get()).isInstanceOf(Acquisition.Acquired.class);
  }

  @Test
  void aJobThatCouldBeSeenAndNoLongerCanHoldsForAnotherMaxHold() {
    create();
    SimRepository.RunView run = desk.repository.startRun("build", "ann", "build");
    acquire(open(), Request.of("job", "app").livingBy(ref(Desk.REPOSITORY, run)));
    var waiting = tasks.later(() -> open().acquire(Request.of("bob", "app"), p -> {}));
    desk.pass(MAX_HOLD.plusMinutes(20));
    desk.sim.failNext(
        10_000, r -> r.path().contains("/actions/runs"), new Fault.Unavailable(502, false));
    desk.pass(MAX_HOLD.minusMinutes(6));
    assertThat(waiting.isDone()).isFalse();
    desk.pass(Duration.ofMinutes(12));
    assertThat(waiting.get()).isInstanceOf(Acquisition.Acquired.class);
  }

  @Test
  void aJobOfAnotherRepositoryWhoseStatusNobodyMaySeeHoldsUntilMaxHold() {
    create();
    SimRepository other = desk.sim.addRepository("octo/secret", true);
    SimRepository.RunView run = other.startRun("build", "ann", "build");
    acquire(open(), Request.of("job", "app").livingBy(ref("octo/secret", run)));
    other.cancelRun(run.id());
    var waiting = tasks.later(() -> open().acquire(Request.of("bob", "app"), p -> {}));
    desk.pass(MAX_HOLD);
    assertThat(waiting.isDone()).isFalse();
    desk.pass(Duration.ofMinutes(25));
    assertThat(waiting.get()).isInstanceOf(Acquisition.Acquired.class);
  }

  @Test
  void aReRunTakesItsOldPlace() {
    create();
    SimRepository.RunView run = desk.repository.startRun("build", "ann", "build");
    Grant grant = acquire(open(), Request.of("ann", "app"));
    BuildQueue queue = open();
    Ticket old = join(queue, Request.of("job", "app").livingBy(ref(Desk.REPOSITORY, run)));
    Ticket behind = join(queue, Request.of("bob", "docs"));
    desk.repository.cancelRun(run.id());
    SimRepository.RunView again = desk.repository.rerun(run.id());
    Ticket now = join(queue, Request.of("job", "app").livingBy(ref(Desk.REPOSITORY, again)));
    assertThat(status().line())
        .extracting(Ticket::number)
        .containsExactly(now.number(), behind.number())
        .doesNotContain(old.number());
    release(grant);
  }

  // ---- limits

  @Test
  void aSecondaryLimitOfTwoMinutesTakesNobodysLock() {
    create();
    Grant grant = acquire(open(), Request.of("ann", "app"));
    desk.pass(Duration.ofMinutes(10));
    desk.sim.faultRates(new FaultRate(new Fault.Limited(403, Optional.empty()), 1));
    desk.pass(Duration.ofMinutes(2));
    assertThat(grant.state()).isEqualTo(Grant.State.HELD);
    desk.sim.faultRates();
    desk.pass(Duration.ofMinutes(10));
    assertThat(grant.state()).isEqualTo(Grant.State.HELD);
    release(grant);
  }

  // ---- support

  private BuildQueue open() {
    BuildQueue queue = desk.open().queue(EngineSettings.DEFAULT);
    opened.add(queue);
    return queue;
  }

  private void create() {
    BuildQueue queue = open();
    assertThat(tasks.now(() -> queue.create(RULES))).isTrue();
    desk.pass(Duration.ofSeconds(30));
  }

  private Grant acquire(BuildQueue queue, Request request) {
    return ((Acquisition.Acquired) tasks.now(() -> queue.acquire(request, p -> {}))).grant();
  }

  private Ticket join(BuildQueue queue, Request request) {
    return tasks.now(() -> queue.join(request.entry()));
  }

  private void release(Grant grant) {
    assertThat(tasks.now(() -> grant.release("ok"))).isEqualTo(Release.GIVEN_BACK);
  }

  private QueueDocument status() {
    return tasks.now(() -> desk.open().queue(EngineSettings.DEFAULT).status());
  }

  private void assertShown(int issue) {
    String body = desk.repository.issueBody(issue).orElseThrow();
    assertThat(Board.isIntact(body)).isTrue();
    assertThat(Board.mark(body).orElseThrow().version()).isEqualTo(status().version());
  }

  private static RunRef ref(String repository, SimRepository.RunView run) {
    return new RunRef(repository, run.id(), run.attempt(), 0, "build");
  }
}
