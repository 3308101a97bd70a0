package dev.baton.client.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.client.queue.Inherited;
import dev.baton.client.queue.InheritedLocks;
import dev.baton.client.queue.Place;
import dev.baton.core.FakeTasks;
import dev.baton.core.FakeWorld;
import dev.baton.core.Problem;
import dev.baton.core.Problem.Kind;
import dev.baton.core.SystemWorld;
import dev.baton.core.World;
import dev.baton.queue.BuildResult;
import dev.baton.queue.Release;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which locks a build takes, when and in which order, on queues that note it down. */
class LockSetTest {

  private final List<String> events = new ArrayList<>();
  private final Map<String, FakeLock> given = new LinkedHashMap<>();
  private final List<String> said = new CopyOnWriteArrayList<>();
  private final List<String> errors = new CopyOnWriteArrayList<>();
  private final List<String> losses = new CopyOnWriteArrayList<>();
  private World world = new SystemWorld();
  private Path processTable = MarkedProcesses.TABLE;
  private Duration leaseLeft = Duration.ofSeconds(30);
  private Optional<Problem> problem = Optional.empty();
  private boolean inherited;
  private CountDownLatch mayGive = new CountDownLatch(0);
  private CountDownLatch mayLog = new CountDownLatch(0);
  private CountDownLatch mayFetch = new CountDownLatch(0);
  private CountDownLatch fetching = new CountDownLatch(0);

  private final class FakeLock implements BuildLock {
    private final String queue;
    private final long token = 41 + given.size();
    private Consumer<String> onReason = r -> {};
    private Consumer<Aftermath> onWho = w -> {};
    private boolean lost;
    private Release released = Release.GIVEN_BACK;
    private Runnable beforeRelease = () -> {};

    FakeLock(String queue) {
      this.queue = queue;
    }

    void lose(String who) {
      lose();
      onWho.accept(new Aftermath(Optional.empty(), who));
    }

    void lose() {
      lost = true;
      onReason.accept("it was taken away");
    }

    @Override
    public Inherited id() {
      return new Inherited(7, token);
    }

    @Override
    public boolean isInherited() {
      return inherited;
    }

    @Override
    public LockSite site() {
      Place place = new Place.Directory(Path.of("/fake"), queue);
      return new LockSite(place, InheritedLocks.none(), Map.of());
    }

    @Override
    public Duration leaseLeft() {
      return leaseLeft;
    }

    @Override
    public boolean isLost() {
      return lost;
    }

    @Override
    public void onLost(Consumer<String> reason, Consumer<Aftermath> who) {
      onReason = reason;
      onWho = who;
    }

    @Override
    public Release release(BuildResult result) {
      beforeRelease.run();
      synchronized (events) {
        events.add("release " + queue + " " + result.ending());
      }
      if (released == Release.NOT_HELD) {
        onWho.accept(new BuildLock.Aftermath(Optional.empty(), "ticket 8 has it now"));
      }
      return released;
    }
  }

  /**
   * @param fetches whether jars are fetched for it
   */
  private final class FakeQueue implements LockQueue {
    private final String name;
    private final String settings;
    private boolean proceeds;
    private boolean fetches;

    FakeQueue(String name, String settings) {
      this.name = name;
      this.settings = settings;
    }

    @Override
    public boolean equals(Object o) {
      return o instanceof FakeQueue q && q.name.equals(name) && q.settings.equals(settings);
    }

    @Override
    public int hashCode() {
      return name.hashCode();
    }

    @Override
    public String identity() {
      if (fetches) {
        fetching.countDown();
        await(mayFetch);
      }
      return name;
    }

    @Override
    public String shown() {
      return "the default store#" + name;
    }

    @Override
    public Optional<String> withoutLock() {
      return proceeds ? Optional.of("Going on without the lock.") : Optional.empty();
    }

    @Override
    public BuildLock take(Optional<Duration> atMost, Consumer<String> say)
        throws InterruptedException {
      synchronized (events) {
        events.add("take " + name + atMost.map(t -> " within " + t).orElse(""));
      }
      if (mayGive.getCount() > 0) {
        say.accept("waiting");
      }
      mayGive.await();
      if (problem.isPresent()) {
        throw new LockFailure(problem.get());
      }
      FakeLock lock = new FakeLock(name);
      given.put(name, lock);
      return lock;
    }

    @Override
    public String create() {
      events.add("create " + name);
      problem = Optional.empty();
      return "created";
    }
  }

  private LockSet locks(Map<String, List<FakeQueue>> guards) {
    return locks(guards, List.of());
  }

  private LockSet locks(Map<String, List<FakeQueue>> guards, List<FakeQueue> created) {
    return new LockSet(
        world,
        guards,
        created,
        new LockSet.Listener() {
          @Override
          public void say(String line) {
            said.add(line);
          }

          @Override
          public void warn(Problem problem) {
            errors.add(problem.text());
          }

          @Override
          public void fail(Problem problem) {
            await(mayLog);
            errors.add(problem.text());
          }

          @Override
          public void lost(String work, String reason, Duration left) {
            losses.add(work + ": " + reason + ", " + left);
          }

          @Override
          public void whoHasIt(String work, String who) {
            losses.add(work + ": " + who);
          }
        });
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(20, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private FakeQueue queue(String name) {
    return new FakeQueue(name, "");
  }

  private StopPlan processes() {
    return StopPlan.ofMarkedProcesses(processTable, "");
  }

  @Test
  void tasksShareALockThatIsGivenBackAfterTheLast() {
    LockSet locks = locks(Map.of(":a", List.of(queue("q")), ":b", List.of(queue("q"))));
    assertThat(locks.enter(":a", StopPlan.byInterrupt(), List.of(queue("q"))))
        .containsEntry("BATON_QUEUE", "q");
    assertThat(locks.lock(queue("q")).orElseThrow().id().token()).isEqualTo(41);
    locks.leave(":a");
    locks.finished(":a", false);
    locks.enter(":b", StopPlan.byInterrupt(), List.of(queue("q")));
    locks.leave(":b");
    assertThat(events).containsExactly("take q");

    locks.finished(":b", false);
    assertThat(locks.close()).isEmpty();

    assertThat(events).containsExactly("take q", "release q SUCCEEDED");
    assertThat(locks.lock(queue("q"))).isEmpty();
  }

  @Test
  void aTaskThatDoesNotExecuteCountsAsDone() {
    LockSet locks = locks(Map.of(":a", List.of(queue("q")), ":b", List.of(queue("q"))));
    locks.finished(":b", false);
    locks.enter(":a", StopPlan.byInterrupt(), List.of(queue("q")));
    locks.finished(":a", true);
    assertThat(locks.close()).isEmpty();

    assertThat(events).containsExactly("take q", "release q FAILED");
  }

  @Test
  void whatNobodyNeedsIsNotTaken() {
    LockSet locks = locks(Map.of(":a", List.of(queue("q"))));
    locks.finished(":a", false);
    locks.close();

    assertThat(events).isEmpty();
  }

  /** The rule that keeps two builds from waiting for each other. */
  @Test
  void earlierLocksThatWillBeNeededAreTakenFirstAndLaterOnesAreNot() {
    LockSet locks =
        locks(
            Map.of(
                ":first", List.of(queue("m")),
                ":second", List.of(queue("a")),
                ":third", List.of(queue("z")),
                ":upToDate", List.of(queue("b"))));
    locks.finished(":upToDate", false);

    locks.enter(":first", StopPlan.byInterrupt(), List.of(queue("m")));
    assertThat(events).containsExactly("take a", "take m");
    locks.enter(":second", StopPlan.byInterrupt(), List.of(queue("a")));
    locks.enter(":third", StopPlan.byInterrupt(), List.of(queue("z")));
    assertThat(events).containsExactly("take a", "take m", "take z");

    locks.close();
    assertThat(events.subList(3, 6))
        .containsExactly("release z SUCCEEDED", "release m SUCCEEDED", "release a SUCCEEDED");
  }

  @Test
  void whoComesOutOfOrderDoesNotWait() {
    LockSet locks = locks(Map.of());
    locks.enter(":known", StopPlan.byInterrupt(), List.of(queue("m")));

    locks.enter(":unforeseen", StopPlan.byInterrupt(), List.of(queue("a")));

    assertThat(events).containsExactly("take m", "take a within PT0S");
    locks.close();
  }

  @Test
  void aLostLockStopsItsTasksAndLetsNoOtherIn() throws Exception {
    LockSet locks = locks(Map.of(":a", List.of(queue("q")), ":b", List.of(queue("q"))));
    locks.enter(":a", StopPlan.byInterrupt(), List.of(queue("q")));

    given.get("q").lose("ticket 8 (ann) has it now");

    assertThat(Thread.interrupted()).as("told by an interrupt").isTrue();
    assertThatThrownBy(() -> locks.leave(":a"))
        .isInstanceOf(LockFailure.class)
        .hasMessageContaining("was lost while guarded work ran: it was taken away")
        .hasMessageContaining("ticket 8 (ann) has it now");
    assertThatThrownBy(() -> locks.enter(":b", StopPlan.byInterrupt(), List.of(queue("q"))))
        .isInstanceOf(LockFailure.class)
        .hasMessageContaining("ticket 8 (ann) has it now");
    locks.close();
    assertThat(errors).hasSize(1);
  }

  @Test
  void howALockWasLostIsSaidOnce() {
    LockSet locks = locks(Map.of());
    locks.enter(":a", StopPlan.byInterrupt(), List.of(queue("q")));
    given.get("q").lose();
    given
        .get("q")
        .onWho
        .accept(
            new BuildLock.Aftermath(
                Optional.of("ann took the lock away (\"hangs\")"), "nobody has it now"));
    assertThat(Thread.interrupted()).isTrue();
    assertThatThrownBy(() -> locks.leave(":a"))
        .hasMessage(
            "the lock of the default store#q (ticket 7) was lost while guarded work ran: ann took"
                + " the lock away (\"hangs\"); nobody has it now. Do not publish what this build"
                + " made; run it again.");
    locks.close();
  }

  /** As where the terminal is held with Ctrl-S. */
  @Test
  void aLogThatHangsDoesNotKeepALostLockFromStoppingItsTasks() throws Exception {
    mayLog = new CountDownLatch(1);
    LockSet locks = locks(Map.of());
    FutureTask<Boolean> task = startWork(locks);

    Thread losing = new Thread(() -> given.get("q").lose("nobody has it now"));
    losing.start();

    assertThat(task.get(60, TimeUnit.SECONDS)).as("interrupted").isTrue();
    assertThat(errors).isEmpty();
    mayLog.countDown();
    losing.join();
    assertThat(errors).hasSize(1);
    locks.close();
  }

  /** Two threads need the jars of another task's queue, and their repository does not answer. */
  @Test
  void jarsThatAreFetchedDoNotKeepALostLockFromStoppingItsTasks() throws Exception {
    mayFetch = new CountDownLatch(1);
    fetching = new CountDownLatch(2);
    FakeQueue elsewhere = queue("z");
    elsewhere.fetches = true;
    LockSet locks = locks(Map.of(":over", List.of(queue("q"))));
    FutureTask<Boolean> task = startWork(locks);
    Thread other =
        new Thread(() -> locks.enter(":other", StopPlan.byInterrupt(), List.of(elsewhere)));
    other.start();
    while (fetching.getCount() > 1) {
      Thread.onSpinWait();
    }
    Thread finishing = new Thread(() -> locks.finished(":over", false));
    finishing.start();
    await(fetching);

    Thread losing = new Thread(() -> given.get("q").lose("nobody has it now"));
    losing.start();

    assertThat(task.get(60, TimeUnit.SECONDS)).as("interrupted").isTrue();
    mayFetch.countDown();
    losing.join();
    finishing.join();
    other.join();
    locks.close();
  }

  /**
   * A task that works under the queue {@code q}.
   *
   * @return whether it is interrupted
   */
  private FutureTask<Boolean> startWork(LockSet locks) {
    CountDownLatch entered = new CountDownLatch(1);
    FutureTask<Boolean> work =
        new FutureTask<>(
            () -> {
              locks.enter(":task", StopPlan.byInterrupt(), List.of(queue("q")));
              entered.countDown();
              try {
                return new CountDownLatch(1).await(15, TimeUnit.SECONDS);
              } catch (InterruptedException e) {
                return true;
              }
            });
    new Thread(work).start();
    await(entered);
    return work;
  }

  @Test
  void aLossThatNoTaskReportsIsReportedAtTheEnd() {
    LockSet locks = locks(Map.of(":a", List.of(queue("q"))));
    locks.enter(":a", StopPlan.byInterrupt(), List.of(queue("q")));
    given.get("q").lose("nobody has it now");
    Thread.interrupted();
    locks.finished(":a", true);

    locks.close();

    assertThat(errors).hasSize(2);
    assertThat(errors.get(1)).contains("nobody has it now. Do not publish");
  }

  @Test
  void aLossThatOnlyTheReleaseTellsFailsTheBuild() {
    LockSet locks = locks(Map.of(":a", List.of(queue("q"))));
    locks.enter(":a", StopPlan.byInterrupt(), List.of(queue("q")));
    locks.leave(":a");
    given.get("q").released = Release.NOT_HELD;
    locks.finished(":a", false);

    assertThat(locks.close())
        .singleElement()
        .satisfies(
            loss ->
                assertThat(loss.text())
                    .contains("(ticket 7) was lost while guarded work ran")
                    .contains("ticket 8 has it now. Do not publish what this build made"));
    assertThat(locks.close()).as("once").isEmpty();
    assertThat(errors).isEmpty();
  }

  @Test
  void aLockThatCannotBeGivenBackIsAWarning() {
    LockSet locks = locks(Map.of(":a", List.of(queue("q"))));
    locks.enter(":a", StopPlan.byInterrupt(), List.of(queue("q")));
    locks.leave(":a");
    given.get("q").released = Release.UNKNOWN;
    locks.finished(":a", false);

    locks.close();

    assertThat(errors).hasSize(1);
    assertThat(errors.get(0)).contains("could not be given back; it ends with its lease");
  }

  @Test
  void othersGoOnUnderALockThatIsThereWhileOneWaits() throws Exception {
    LockSet locks = locks(Map.of(":a", List.of(queue("a")), ":z", List.of(queue("z"))));
    locks.enter(":a", StopPlan.byInterrupt(), List.of(queue("a")));
    mayGive = new CountDownLatch(1);
    FutureTask<Map<String, String>> waiting =
        new FutureTask<>(() -> locks.enter(":z", StopPlan.byInterrupt(), List.of(queue("z"))));
    Thread thread = new Thread(waiting);
    thread.start();
    while (!eventsNow().contains("take z")) {
      Thread.onSpinWait();
    }

    assertThat(locks.enter(":a2", StopPlan.byInterrupt(), List.of(queue("a"))))
        .containsEntry("BATON_QUEUE", "a");

    mayGive.countDown();
    assertThat(waiting.get(60, TimeUnit.SECONDS)).containsEntry("BATON_QUEUE", "z");
    locks.close();
  }

  private List<String> eventsNow() {
    synchronized (events) {
      return List.copyOf(events);
    }
  }

  @Test
  void anInterruptedWaitFailsAndTheNextMayTry() throws Exception {
    LockSet locks = locks(Map.of());
    mayGive = new CountDownLatch(1);
    FutureTask<Map<String, String>> waiting =
        new FutureTask<>(() -> locks.enter(":a", StopPlan.byInterrupt(), List.of(queue("q"))));
    Thread thread = new Thread(waiting);
    thread.start();
    while (!eventsNow().contains("take q")) {
      Thread.onSpinWait();
    }
    thread.interrupt();
    assertThatThrownBy(() -> waiting.get(60, TimeUnit.SECONDS))
        .isInstanceOf(ExecutionException.class)
        .hasMessageContaining("stopped waiting; the ticket has left the line");

    mayGive.countDown();
    assertThat(locks.enter(":a", StopPlan.byInterrupt(), List.of(queue("q")))).isNotEmpty();
    locks.close();
  }

  @Test
  void aTurnThatDoesNotComeInTimeFailsUnlessTheBuildFileSaysOtherwise() {
    problem = Optional.of(new Problem(Kind.TIMED_OUT, "the turn did not come", "Wait longer."));
    LockSet locks = locks(Map.of());
    assertThatThrownBy(() -> locks.enter(":a", StopPlan.byInterrupt(), List.of(queue("q"))))
        .isInstanceOf(LockFailure.class)
        .hasMessage("the turn did not come. Wait longer.");

    FakeQueue proceeding = queue("q");
    proceeding.proceeds = true;
    assertThat(locks.enter(":a", StopPlan.byInterrupt(), List.of(proceeding))).isEmpty();
    assertThat(errors).hasSize(1);
    assertThat(errors.get(0)).contains("Going on without the lock");
    locks.close();
    assertThat(events).noneMatch(e -> e.startsWith("release"));
  }

  @Test
  void aTaskThatNeedsTwoQueuesTellsItsProcessesOfBoth() {
    LockSet locks = locks(Map.of());
    assertThat(locks.enter(":a", StopPlan.byInterrupt(), List.of(queue("q"), queue("p"))))
        .containsEntry("BATON_QUEUE", "q")
        .containsEntry("BATON_FENCING_TOKEN", "42")
        .containsEntry("BATON_LOCKS", "7:41:file%3A%2Ffake%23p,7:42:file%3A%2Ffake%23q");
    locks.close();
  }

  @Test
  void aQueueThatATaskOfTheBuildCreatesIsCreatedByTheFirst() {
    problem = Optional.of(new Problem(Kind.NOT_INITIALISED, "there is no queue", "Create it."));
    LockSet others = locks(Map.of(), List.of(queue("other")));
    assertThatThrownBy(() -> others.enter(":a", StopPlan.byInterrupt(), List.of(queue("q"))))
        .hasMessage("there is no queue. Create it.");

    LockSet locks = locks(Map.of(), List.of(queue("other"), new FakeQueue("q", "title t")));
    locks.enter(":a", StopPlan.byInterrupt(), List.of(queue("q")));
    assertThat(events).containsExactly("take q", "take q", "create q", "take q");
    locks.close();
  }

  /** A child of this process, as a guarded task would start it. */
  private static Process child(Map<String, String> environment, String... command)
      throws IOException {
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().putAll(environment);
    return builder.start();
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void aLostLockEndsTheMarkedProcessesAndNoOthers() throws Exception {
    LockSet locks = locks(Map.of());
    Map<String, String> guarded = locks.enter(":a", processes(), List.of(queue("q")));
    Process mine = child(guarded, "sleep", "300");
    Process nested =
        child(Map.of("BATON_GUARD", guarded.get("BATON_GUARD") + ",x"), "sleep", "300");
    Process others = child(Map.of("BATON_GUARD", "another"), "sleep", "300");
    try {
      given.get("q").lose("nobody has it now");

      assertThat(mine.waitFor(60, TimeUnit.SECONDS)).isTrue();
      assertThat(nested.waitFor(60, TimeUnit.SECONDS)).isTrue();
      locks.finished(":a", true);
      locks.close();
      assertThat(others.isAlive()).isTrue();
      assertThat(Thread.interrupted()).as("Gradle sees the process end").isFalse();
    } finally {
      others.destroyForcibly();
    }
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void aProcessThatDoesNotEndIsEndedWithinTheLease() throws Exception {
    leaseLeft = Duration.ofMillis(600);
    LockSet locks = locks(Map.of());
    Map<String, String> guarded = locks.enter(":a", processes(), List.of(queue("q")));
    Process stubborn =
        child(guarded, "sh", "-c", "trap '' TERM; echo up; while :; do sleep 0.1; done");
    assertThat(stubborn.getInputStream().read()).isEqualTo('u');

    given.get("q").lose("nobody has it now");

    assertThat(stubborn.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(stubborn.exitValue()).as("by force").isEqualTo(128 + 9);
    locks.finished(":a", true);
    locks.close();
  }

  @Test
  void kindnessEndsBeforeTheLease() {
    assertThat(GuardedWork.grace(Duration.ofMinutes(1))).isEqualTo(Duration.ofSeconds(10));
    assertThat(GuardedWork.grace(Duration.ofSeconds(3))).isEqualTo(Duration.ofMillis(1500));
    assertThat(GuardedWork.grace(Duration.ZERO)).isZero();
  }

  @Test
  void whereProcessesCannotBeToldTheTaskIsInterruptedAndThatIsSaid() throws Exception {
    processTable = Path.of("no", "such", "directory");
    LockSet locks = locks(Map.of());
    Map<String, String> guarded = locks.enter(":a", processes(), List.of(queue("q")));
    Process mine = child(guarded, "sleep", "300");
    try {
      given.get("q").lose("nobody has it now");

      assertThat(Thread.interrupted()).as("told by an interrupt").isTrue();
      assertThat(errors.get(0)).contains("cannot be told from others on this system");
      locks.finished(":a", true);
      locks.close();
      assertThat(mine.isAlive()).isTrue();
    } finally {
      mine.destroyForcibly();
    }
  }

  /** Ends only by force. */
  private Process stubborn(Map<String, String> guarded) throws Exception {
    Process process =
        child(guarded, "sh", "-c", "trap '' TERM; echo up; while :; do sleep 0.1; done");
    assertThat(process.getInputStream().read()).isEqualTo('u');
    return process;
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @EnabledOnOs(OS.LINUX)
  void noLockOfAFailedTaskIsGivenBackWhileItsProcessRuns(boolean oneIsLost) throws Exception {
    leaseLeft = Duration.ofSeconds(2);
    LockSet locks = locks(Map.of(":a", List.of(queue("p"), queue("q"))));
    Process stubborn = stubborn(locks.enter(":a", processes(), List.of(queue("p"), queue("q"))));
    // Looked at right before the lock is given back.
    List<Boolean> atWork = new CopyOnWriteArrayList<>();
    given.get("q").beforeRelease = () -> atWork.add(stubborn.isAlive());
    try {
      if (oneIsLost) {
        given.get("p").lose("somebody");
      }
      locks.finished(":a", true);
      locks.close();
      assertThat(atWork).containsExactly(false);
    } finally {
      stubborn.destroyForcibly();
    }
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void aLossThatIsNoticedAtTheEndOfATaskEndsWhatItLeft() throws Exception {
    LockSet locks = locks(Map.of(":a", List.of(queue("q"))));
    Process left = child(locks.enter(":a", processes(), List.of(queue("q"))), "sleep", "300");
    try {
      given.get("q").lost = true; // noticed by nobody yet
      given.get("q").onWho.accept(new BuildLock.Aftermath(Optional.empty(), "nobody has it now"));
      assertThatThrownBy(() -> locks.leave(":a")).isInstanceOf(LockFailure.class);
      assertThat(Thread.interrupted()).isFalse();
      locks.finished(":a", true);
      locks.close();
      assertThat(left.isAlive()).isFalse();
    } finally {
      left.destroyForcibly();
    }
  }

  @Test
  void aLossIsToldPerPieceOfWorkReasonFirst() {
    LockSet locks = locks(Map.of());
    locks.enter(":a", StopPlan.byInterrupt(), List.of(queue("q")));
    locks.enter(":other", StopPlan.byInterrupt(), List.of(queue("z")));

    given.get("q").lose();
    assertThat(losses).containsExactly(":a: it was taken away, PT30S");
    given.get("q").onWho.accept(new BuildLock.Aftermath(Optional.empty(), "ticket 8 has it now"));

    assertThat(losses).containsExactly(":a: it was taken away, PT30S", ":a: ticket 8 has it now");
    assertThat(Thread.interrupted()).isTrue();
    locks.close();
  }

  /** The store may not answer: the build does not wait for it for long. */
  @Test
  void whoHasTheLockIsWaitedForForAMoment() {
    FakeWorld time = new FakeWorld();
    FakeTasks tasks = new FakeTasks(time);
    world = time;
    LockSet locks = locks(Map.of());
    FakeTasks.Running<Map<String, String>> work =
        tasks.later(
            () -> {
              locks.enter(":a", StopPlan.byInterrupt(), List.of(queue("q")));
              given.get("q").lose();
              Thread.interrupted();
              locks.leave(":a");
              return Map.of();
            });
    time.advance(LockSet.PATIENCE.minusMillis(1));
    assertThat(work.isDone()).isFalse();
    time.advance(Duration.ofMillis(1));
    assertThat(work.failure())
        .isInstanceOf(LockFailure.class)
        .hasMessage(
            "the lock of the default store#q (ticket 7) was lost while guarded work ran: it was"
                + " taken away. Do not publish what this build made; run it again.");

    FakeTasks.Running<Map<String, String>> next =
        tasks.later(() -> locks.enter(":b", StopPlan.byInterrupt(), List.of(queue("q"))));
    given.get("q").onWho.accept(new BuildLock.Aftermath(Optional.empty(), "ticket 8 has it now"));
    time.settle();
    assertThat(next.failure()).hasMessageContaining("taken away; ticket 8 has it now. Do not");
  }

  @Test
  void theLockOfAnOuterProcessIsUsedAndHasNoLeaseHere() {
    inherited = true;
    LockSet locks = locks(Map.of());
    locks.enter(":a", StopPlan.byInterrupt(), List.of(queue("q")));
    assertThat(said).containsExactly("Going on under the lock of ticket 7.");
    assertThat(locks.leaseLeft(":a")).isZero();
    locks.close();
  }

  @Test
  void theShortestLeaseCounts() {
    LockSet locks = locks(Map.of());
    locks.enter(":a", StopPlan.byInterrupt(), List.of(queue("q"), queue("p")));
    assertThat(locks.leaseLeft(":a")).isEqualTo(Duration.ofSeconds(30));
    assertThat(locks.leaseLeft(":unknown")).isZero();
    locks.leave(":a");
    assertThat(locks.leaseLeft(":a")).isZero();
    locks.close();
  }

  /** As its shutdown hook does it. */
  @Test
  void aProcessThatIsEndedLeavesTheLineFirst() throws Exception {
    LockSet locks = locks(Map.of());
    mayGive = new CountDownLatch(1);
    FutureTask<Map<String, String>> waiting =
        new FutureTask<>(() -> locks.enter(":a", StopPlan.byInterrupt(), List.of(queue("q"))));
    new Thread(waiting).start();
    while (!eventsNow().contains("take q")) {
      Thread.onSpinWait();
    }

    locks.stopWaiting();

    assertThatThrownBy(() -> waiting.get(60, TimeUnit.SECONDS))
        .hasMessageContaining("stopped waiting; the ticket has left the line");
    mayGive.countDown();
    assertThatThrownBy(() -> locks.enter(":b", StopPlan.byInterrupt(), List.of(queue("q"))))
        .hasMessage("the build is being stopped");
    assertThat(locks.close()).isEmpty();
  }

  /** A process that notes down how it is ended, and does not end. */
  private static ProcessHandle endless(List<String> told, World time) {
    return (ProcessHandle)
        Proxy.newProxyInstance(
            LockSetTest.class.getClassLoader(),
            new Class<?>[] {ProcessHandle.class},
            (self, method, arguments) -> {
              switch (method.getName()) {
                case "hashCode":
                  return 1;
                case "equals":
                  return self == arguments[0];
                default:
                  told.add(method.getName() + " " + Duration.ofNanos(time.nanos()).toSeconds());
                  return true;
              }
            });
  }

  @Test
  void kindlyFirstThenByForceAndNotForEver() {
    FakeWorld time = new FakeWorld();
    List<String> told = new ArrayList<>();
    ProcessHandle process = endless(told, time);
    WorkProcesses processes =
        new WorkProcesses() {
          @Override
          public Map<String, String> environment() {
            return Map.of();
          }

          @Override
          public boolean canBeTold() {
            return true;
          }

          @Override
          public Set<ProcessHandle> running() {
            return Set.of(process);
          }
        };
    GuardedWork work = new GuardedWork(time, new StopPlan(Optional.of(processes), false));

    work.stop(Duration.ofSeconds(30));
    time.advance(Duration.ofMinutes(5));

    assertThat(time.living()).isEmpty();
    assertThat(told.get(0)).isEqualTo("destroy 0");
    assertThat(told.subList(1, told.size())).allMatch(t -> t.startsWith("destroyForcibly "));
    assertThat(told.get(1)).as("after ten seconds").isEqualTo("destroyForcibly 10");
    assertThat(told.get(told.size() - 1)).as("ten after the lease").endsWith(" 39");
    assertThat(Thread.interrupted()).as("its thread sees the process end").isFalse();
  }

  /** As in Maven, whose plugins start processes from its own. */
  @Test
  void theChildrenOfThisProcessAreEndedThatWereStartedSince() throws Exception {
    Process before = child(Map.of(), "sleep", "300");
    LockSet locks = locks(Map.of());
    locks.enter(":a", StopPlan.ofChildProcesses(), List.of(queue("q")));
    Process mine = child(Map.of(), "sh", "-c", "sleep 300 & echo up; wait");
    assertThat(mine.getInputStream().read()).isEqualTo('u');
    ProcessHandle grandchild = mine.children().findFirst().orElseThrow();
    try {
      given.get("q").lose("nobody has it now");

      assertThat(Thread.interrupted()).as("and the thread is interrupted").isTrue();
      assertThat(mine.waitFor(60, TimeUnit.SECONDS)).isTrue();
      grandchild.onExit().get(60, TimeUnit.SECONDS);
      locks.finished(":a", true);
      locks.close();
      assertThat(before.isAlive()).isTrue();
    } finally {
      before.destroyForcibly();
      mine.destroyForcibly();
      grandchild.destroyForcibly();
    }
  }

  /** A shell ends when it is asked to; what it has started may need to be killed. */
  @Test
  void aProcessWhoseParentHasEndedMeanwhileIsEndedToo() throws Exception {
    LockSet locks = locks(Map.of());
    locks.enter(":a", StopPlan.ofChildProcesses(), List.of(queue("q")));
    String deaf = "trap '' TERM; echo up; while :; do sleep 1; done";
    Process mine = child(Map.of(), "sh", "-c", "sh -c \"$0\" & wait", deaf);
    assertThat(mine.getInputStream().read()).isEqualTo('u');
    ProcessHandle grandchild = mine.children().findFirst().orElseThrow();
    try {
      given.get("q").lose("nobody has it now");

      assertThat(Thread.interrupted()).as("and the thread is interrupted").isTrue();
      assertThat(mine.waitFor(60, TimeUnit.SECONDS)).isTrue();
      grandchild.onExit().get(60, TimeUnit.SECONDS);
      locks.finished(":a", true);
      locks.close();
    } finally {
      mine.destroyForcibly();
      grandchild.destroyForcibly();
    }
  }

  /**
   * What a goal of Maven has started is ended by its thread, and leaves its own children behind.
   */
  @Test
  void processesAreLookedForBeforeTheThreadIsInterrupted() throws Exception {
    Process left = child(Map.of(), "sleep", "300");
    Thread worker = Thread.currentThread();
    AtomicBoolean gone = new AtomicBoolean();
    WorkProcesses processes =
        new WorkProcesses() {
          @Override
          public Map<String, String> environment() {
            return Map.of();
          }

          @Override
          public boolean canBeTold() {
            return true;
          }

          @Override
          public Set<ProcessHandle> running() {
            if (worker.isInterrupted()) {
              gone.set(true);
            }
            return gone.get() ? Set.of() : Set.of(left.toHandle());
          }
        };
    GuardedWork work =
        new GuardedWork(new SystemWorld(), new StopPlan(Optional.of(processes), true));
    try {
      work.stop(Duration.ofSeconds(30));
      assertThat(processes.running()).as("from now on").isEmpty();
      assertThat(Thread.interrupted()).isTrue();
      assertThat(left.waitFor(60, TimeUnit.SECONDS)).isTrue();
    } finally {
      work.end();
      left.destroyForcibly();
    }
  }
}
