package dev.baton.gradle.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.gradle.internal.bridge.Address;
import dev.baton.gradle.internal.bridge.Engine;
import dev.baton.gradle.internal.bridge.EngineFailure;
import dev.baton.gradle.internal.bridge.Wish;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.gradle.api.GradleException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which locks a build takes, when and in which order, on an engine that notes it down. */
class LocksTest {

  private final List<String> events = new ArrayList<>();
  private final Map<String, FakeLock> given = new LinkedHashMap<>();
  private final FakeEngine engine = new FakeEngine();
  private final List<String> errors = new ArrayList<>();
  private Path processTable = TaskProcesses.TABLE;
  private Duration leaseLeft = Duration.ofSeconds(30);
  private CountDownLatch mayLog = new CountDownLatch(0);
  private CountDownLatch mayFetch = new CountDownLatch(0);
  private CountDownLatch fetching = new CountDownLatch(0);

  private final class FakeLock implements Engine.Lock {
    private final String queue;
    private Consumer<String> onReason = r -> {};
    private Consumer<String> onWho = w -> {};
    private boolean lost;
    private Engine.Released released = Engine.Released.GIVEN_BACK;
    private Runnable beforeRelease = () -> {};

    FakeLock(String queue) {
      this.queue = queue;
    }

    void lose(String who) {
      lost = true;
      onReason.accept("it was taken away");
      onWho.accept(who);
    }

    @Override
    public long ticket() {
      return 7;
    }

    @Override
    public long fencingToken() {
      return 40 + given.size();
    }

    @Override
    public boolean isInherited() {
      return false;
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
    public void onLost(Consumer<String> reason, Consumer<String> who) {
      onReason = reason;
      onWho = who;
    }

    @Override
    public Engine.Released release(String note) {
      beforeRelease.run();
      synchronized (events) {
        events.add("release " + queue + " " + note);
      }
      if (released == Engine.Released.NOT_HELD) {
        onWho.accept("ticket 8 has it now");
      }
      return released;
    }
  }

  private final class FakeEngine implements Engine {
    private Optional<EngineFailure> problem = Optional.empty();
    private CountDownLatch mayGive = new CountDownLatch(0);
    private boolean remote;

    @Override
    public String identity(Address address) {
      return address.settings().get("queue");
    }

    @Override
    public boolean isRemote(Address address) {
      return remote;
    }

    @Override
    public Lock take(Address address, Wish wish, Consumer<String> say) throws InterruptedException {
      String queue = identity(address);
      synchronized (events) {
        events.add("take " + queue + wish.waitTimeout().map(t -> " within " + t).orElse(""));
      }
      mayGive.await();
      if (problem.isPresent()) {
        throw problem.get();
      }
      FakeLock lock = new FakeLock(queue);
      given.put(queue, lock);
      return lock;
    }

    @Override
    public Map<String, String> environment(List<Lock> locks) {
      return Map.of(
          "BATON_QUEUE",
          locks.stream().map(l -> ((FakeLock) l).queue).collect(Collectors.joining("+")));
    }

    @Override
    public String create(Address address) {
      events.add("create " + identity(address));
      problem = Optional.empty();
      return "created";
    }

    @Override
    public String status(Address address, boolean json) {
      throw new UnsupportedOperationException();
    }

    @Override
    public String history(Address address, int limit, boolean json) {
      throw new UnsupportedOperationException();
    }

    @Override
    public Report doctor(Address address, boolean json) {
      throw new UnsupportedOperationException();
    }

    @Override
    public String unlock(Address address, long ticket, long token, String reason, boolean now) {
      throw new UnsupportedOperationException();
    }
  }

  private Locks locks(Map<String, List<QueueSpec>> guards) {
    return locks(guards, List.of());
  }

  private Locks locks(Map<String, List<QueueSpec>> guards, List<QueueSpec> created) {
    return new Locks(
        guards,
        created,
        new Locks.Surroundings() {
          @Override
          public Engine engine() {
            return engine;
          }

          @Override
          public void allowRemote() {
            synchronized (events) {
              events.add("remote");
            }
            fetching.countDown();
            await(mayFetch);
          }

          @Override
          public Address address(QueueSpec spec) {
            return spec.address(Map.of(), name -> Optional.empty());
          }

          @Override
          public void say(String line) {}

          @Override
          public String variable(String name) {
            return "";
          }

          @Override
          public Path processTable() {
            return processTable;
          }

          @Override
          public void warn(String line) {
            errors.add(line);
          }

          @Override
          public void fail(String line) {
            await(mayLog);
            errors.add(line);
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

  private static QueueSpec queue(String name, String... more) {
    Map<String, String> texts = new LinkedHashMap<>(Map.of("queue", name));
    for (int i = 0; i < more.length; i += 2) {
      texts.put(more[i], more[i + 1]);
    }
    return new QueueSpec(texts);
  }

  private static void waitForReleases(Locks locks) {
    locks.close();
  }

  @Test
  void tasksShareALockThatIsGivenBackAfterTheLast() {
    Locks locks = locks(Map.of(":a", List.of(queue("q")), ":b", List.of(queue("q"))));
    assertThat(locks.enter(":a", false, List.of(queue("q")))).isEqualTo(Map.of("BATON_QUEUE", "q"));
    assertThat(locks.fencingToken(queue("q"))).isEqualTo("41");
    locks.leave(":a");
    locks.finished(":a", false);
    locks.enter(":b", false, List.of(queue("q")));
    locks.leave(":b");
    assertThat(events).containsExactly("take q");

    locks.finished(":b", false);
    waitForReleases(locks);

    assertThat(events).containsExactly("take q", "release q done");
    assertThatThrownBy(() -> locks.fencingToken(queue("q")))
        .isInstanceOf(GradleException.class)
        .hasMessageContaining("There is no fencing token");
  }

  @Test
  void aTaskThatDoesNotExecuteCountsAsDone() {
    Locks locks = locks(Map.of(":a", List.of(queue("q")), ":b", List.of(queue("q"))));
    locks.finished(":b", false);
    locks.enter(":a", false, List.of(queue("q")));
    locks.finished(":a", true);
    waitForReleases(locks);

    assertThat(events).containsExactly("take q", "release q failed");
  }

  @Test
  void whatNobodyNeedsIsNotTaken() {
    Locks locks = locks(Map.of(":a", List.of(queue("q"))));
    locks.finished(":a", false);
    locks.close();

    assertThat(events).isEmpty();
  }

  /** The rule that keeps two builds from waiting for each other. */
  @Test
  void earlierLocksThatWillBeNeededAreTakenFirstAndLaterOnesAreNot() {
    Locks locks =
        locks(
            Map.of(
                ":first", List.of(queue("m")),
                ":second", List.of(queue("a")),
                ":third", List.of(queue("z")),
                ":upToDate", List.of(queue("b"))));
    locks.finished(":upToDate", false);

    locks.enter(":first", false, List.of(queue("m")));
    assertThat(events).containsExactly("take a", "take m");
    locks.enter(":second", false, List.of(queue("a")));
    locks.enter(":third", false, List.of(queue("z")));
    assertThat(events).containsExactly("take a", "take m", "take z");

    locks.close();
    assertThat(events.subList(3, 6))
        .containsExactly("release z done", "release m done", "release a done");
  }

  @Test
  void whoComesOutOfOrderDoesNotWait() {
    Locks locks = locks(Map.of());
    locks.enter(":known", false, List.of(queue("m")));

    locks.enter(":unforeseen", false, List.of(queue("a")));

    assertThat(events).containsExactly("take m", "take a within PT0S");
    locks.close();
  }

  @Test
  void aLostLockStopsItsTasksAndLetsNoOtherIn() throws Exception {
    Locks locks = locks(Map.of(":a", List.of(queue("q")), ":b", List.of(queue("q"))));
    locks.enter(":a", false, List.of(queue("q")));

    given.get("q").lose("ticket 8 (ann) has it now");

    assertThat(Thread.interrupted()).as("told by an interrupt").isTrue();
    assertThatThrownBy(() -> locks.leave(":a"))
        .isInstanceOf(GradleException.class)
        .hasMessageContaining("was lost while guarded work ran: it was taken away")
        .hasMessageContaining("ticket 8 (ann) has it now");
    assertThatThrownBy(() -> locks.enter(":b", false, List.of(queue("q"))))
        .isInstanceOf(GradleException.class)
        .hasMessageContaining("ticket 8 (ann) has it now");
    locks.close();
    assertThat(errors).hasSize(1);
  }

  /** As where the terminal is held with Ctrl-S. */
  @Test
  void aLogThatHangsDoesNotKeepALostLockFromStoppingItsTasks() throws Exception {
    mayLog = new CountDownLatch(1);
    Locks locks = locks(Map.of());
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
    QueueSpec elsewhere = queue("z", ExtensionJars.ELSEWHERE, "true");
    Locks locks = locks(Map.of(":over", List.of(queue("q"))));
    FutureTask<Boolean> task = startWork(locks);
    Thread other = new Thread(() -> locks.enter(":other", false, List.of(elsewhere)));
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
  private static FutureTask<Boolean> startWork(Locks locks) {
    CountDownLatch entered = new CountDownLatch(1);
    FutureTask<Boolean> work =
        new FutureTask<>(
            () -> {
              locks.enter(":task", false, List.of(queue("q")));
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
    Locks locks = locks(Map.of(":a", List.of(queue("q"))));
    locks.enter(":a", false, List.of(queue("q")));
    given.get("q").lose("nobody has it now");
    Thread.interrupted();
    locks.finished(":a", true);

    locks.close();

    assertThat(errors).hasSize(2);
    assertThat(errors.get(1)).contains("nobody has it now. Do not publish");
  }

  @Test
  void aLossThatOnlyTheReleaseTellsFailsTheBuild() {
    Locks locks = locks(Map.of(":a", List.of(queue("q"))));
    locks.enter(":a", false, List.of(queue("q")));
    locks.leave(":a");
    given.get("q").released = Engine.Released.NOT_HELD;
    locks.finished(":a", false);

    assertThatThrownBy(locks::close)
        .isInstanceOf(GradleException.class)
        .hasMessageContaining("(ticket 7) was lost while guarded work ran")
        .hasMessageContaining("ticket 8 has it now. Do not publish what this build made");
    assertThat(errors).isEmpty();
  }

  @Test
  void aLockThatCannotBeGivenBackIsAWarning() {
    Locks locks = locks(Map.of(":a", List.of(queue("q"))));
    locks.enter(":a", false, List.of(queue("q")));
    locks.leave(":a");
    given.get("q").released = Engine.Released.UNKNOWN;
    locks.finished(":a", false);

    locks.close();

    assertThat(errors).hasSize(1);
    assertThat(errors.get(0)).contains("could not be given back; it ends with its lease");
  }

  @Test
  void othersGoOnUnderALockThatIsThereWhileOneWaits() throws Exception {
    Locks locks = locks(Map.of(":a", List.of(queue("a")), ":z", List.of(queue("z"))));
    locks.enter(":a", false, List.of(queue("a")));
    engine.mayGive = new CountDownLatch(1);
    FutureTask<Map<String, String>> waiting =
        new FutureTask<>(() -> locks.enter(":z", false, List.of(queue("z"))));
    Thread thread = new Thread(waiting);
    thread.start();
    while (!eventsNow().contains("take z")) {
      Thread.onSpinWait();
    }

    assertThat(locks.enter(":a2", false, List.of(queue("a"))))
        .isEqualTo(Map.of("BATON_QUEUE", "a"));

    engine.mayGive.countDown();
    assertThat(waiting.get(60, TimeUnit.SECONDS)).isEqualTo(Map.of("BATON_QUEUE", "z"));
    locks.close();
  }

  private List<String> eventsNow() {
    synchronized (events) {
      return List.copyOf(events);
    }
  }

  @Test
  void anInterruptedWaitFailsAndTheNextMayTry() throws Exception {
    Locks locks = locks(Map.of());
    engine.mayGive = new CountDownLatch(1);
    FutureTask<Map<String, String>> waiting =
        new FutureTask<>(() -> locks.enter(":a", false, List.of(queue("q"))));
    Thread thread = new Thread(waiting);
    thread.start();
    while (!eventsNow().contains("take q")) {
      Thread.onSpinWait();
    }
    thread.interrupt();
    assertThatThrownBy(() -> waiting.get(60, TimeUnit.SECONDS))
        .isInstanceOf(ExecutionException.class)
        .hasMessageContaining("Stopped waiting; the ticket has left the line.");

    engine.mayGive.countDown();
    assertThat(locks.enter(":a", false, List.of(queue("q")))).isNotEmpty();
    locks.close();
  }

  @Test
  void aTurnThatDoesNotComeInTimeFailsUnlessTheBuildFileSaysOtherwise() {
    engine.problem =
        Optional.of(
            new EngineFailure(
                EngineFailure.Kind.TIMED_OUT, "the turn did not come", "Wait longer.", null));
    Locks locks = locks(Map.of());
    assertThatThrownBy(() -> locks.enter(":a", false, List.of(queue("q"))))
        .isInstanceOf(GradleException.class)
        .hasMessage("Baton: The turn did not come. Wait longer.");

    assertThat(locks.enter(":a", false, List.of(queue("q", "on-timeout", "PROCEED")))).isEmpty();
    assertThat(errors).hasSize(1);
    assertThat(errors.get(0)).contains("Going on without the lock");
    locks.close();
    assertThat(events).noneMatch(e -> e.startsWith("release"));
  }

  @Test
  void offlineIsForQueuesOnThisMachine() {
    Locks locks = locks(Map.of());
    locks.enter(":a", false, List.of(queue("here", "offline", "true")));
    engine.remote = true;

    assertThatThrownBy(() -> locks.enter(":b", false, List.of(queue("there", "offline", "true"))))
        .hasMessageContaining("cannot be reached with --offline");
    locks.enter(":b", false, List.of(queue("there")));
    assertThat(events).containsExactly("take here", "remote", "take there");
    locks.close();
  }

  @Test
  void aTaskThatNeedsTwoQueuesTellsItsProcessesOfBoth() {
    Locks locks = locks(Map.of());
    assertThat(locks.enter(":a", false, List.of(queue("q"), queue("p"))))
        .isEqualTo(Map.of("BATON_QUEUE", "q+p"));
    locks.close();
  }

  @Test
  void aQueueThatATaskOfTheBuildCreatesIsCreatedByTheFirst() {
    engine.problem =
        Optional.of(
            new EngineFailure(
                EngineFailure.Kind.NO_QUEUE, "there is no queue", "Create it.", null));
    Locks others = locks(Map.of(), List.of(queue("other")));
    assertThatThrownBy(() -> others.enter(":a", false, List.of(queue("q"))))
        .hasMessage("Baton: There is no queue. Create it.");

    Locks locks = locks(Map.of(), List.of(queue("other"), queue("q", "title", "t")));
    locks.enter(":a", false, List.of(queue("q")));
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
    Locks locks = locks(Map.of());
    Map<String, String> guarded = locks.enter(":a", true, List.of(queue("q")));
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
    Locks locks = locks(Map.of());
    Map<String, String> guarded = locks.enter(":a", true, List.of(queue("q")));
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
    Locks locks = locks(Map.of());
    Map<String, String> guarded = locks.enter(":a", true, List.of(queue("q")));
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
    Locks locks = locks(Map.of(":a", List.of(queue("p"), queue("q"))));
    Process stubborn = stubborn(locks.enter(":a", true, List.of(queue("p"), queue("q"))));
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
    Locks locks = locks(Map.of(":a", List.of(queue("q"))));
    Process left = child(locks.enter(":a", true, List.of(queue("q"))), "sleep", "300");
    try {
      given.get("q").lost = true; // noticed by nobody yet
      assertThatThrownBy(() -> locks.leave(":a")).isInstanceOf(GradleException.class);
      assertThat(Thread.interrupted()).isFalse();
      locks.finished(":a", true);
      locks.close();
      assertThat(left.isAlive()).isFalse();
    } finally {
      left.destroyForcibly();
    }
  }
}
