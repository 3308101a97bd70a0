package dev.baton.maven.internal;

import dev.baton.plugin.bridge.EndedBy;
import dev.baton.plugin.bridge.Engine;
import dev.baton.plugin.bridge.EngineFailure;
import dev.baton.plugin.bridge.GuardLocks;
import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.stream.Collectors;
import org.apache.maven.MavenExecutionException;
import org.apache.maven.execution.MavenExecutionRequest;
import org.apache.maven.execution.MavenSession;
import org.apache.maven.execution.MojoExecutionEvent;
import org.apache.maven.plugin.MojoExecution;
import org.apache.maven.plugin.MojoExecutionException;
import org.apache.maven.project.MavenProject;
import org.slf4j.Logger;

/**
 * The guarded executions of one build, and the locks that they run under. Safe for use by several
 * threads.
 *
 * <ol>
 *   <li>What can be told to be wrong from the POMs alone is told before anything runs.
 *   <li>The locks of an execution are taken right before it starts. When the first one is about to,
 *       all that are still to come in the reactor are listed ({@link ReactorPlan}): a lock is given
 *       back after the last of them that needs it.
 *   <li>An execution whose lock was lost is interrupted, and fails even if it did not notice. One
 *       that goes on all the same has its process ended before the lease is over ({@link
 *       Deadline}).
 *   <li>When the process is ended from outside, guarded executions are interrupted and waited for
 *       before a lock is given back; the lock of one that goes on is left to its lease.
 * </ol>
 */
public final class GuardedBuild {

  /** How long the end of the process waits for what runs under a lock. */
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final MavenSession session;
  private final MavenParts parts;
  private final Logger log;
  private final ProjectSettings settings;
  private final Engines engines;
  private final Adapters adapters;
  private final GuardCheck check;
  private final Thread hook = new Thread(this::stop, "baton-shutdown");

  /** By thread: what it executes, the innermost first. */
  private final Map<Thread, Deque<Running>> running = new ConcurrentHashMap<>();

  private ReactorPlan plan;
  private GuardLocks locks;
  private boolean stopping;

  private static final class Running {
    private final String work;
    private final MavenProject project;
    private final MojoExecution execution;

    Running(String work, MavenProject project, MojoExecution execution) {
      this.work = work;
      this.project = project;
      this.execution = execution;
    }
  }

  /**
   * @throws MavenExecutionException when the configuration can never work
   */
  public GuardedBuild(MavenSession session, MavenParts parts, Logger log)
      throws MavenExecutionException {
    this.session = session;
    this.parts = parts;
    this.log = log;
    try {
      this.settings = new ProjectSettings(session);
      this.engines = new Engines(session, parts, log, this::lost);
      this.adapters = new Adapters(session, parts);
      this.check = new GuardCheck(session, parts, log);
      check.check(settings);
      refuseOldJava();
      prepare();
    } catch (BadConfiguration e) {
      throw failure(Sentences.of(e));
    }
  }

  private MavenExecutionException failure(String text) {
    MavenProject top = session.getTopLevelProject();
    return new MavenExecutionException(text, top == null ? null : top.getFile());
  }

  /** At once if something guarded is to come: not after an hour of building. */
  private void refuseOldJava() {
    if (!Engines.isSupported() && !planned().isEmpty()) {
      throw Engines.oldJava();
    }
  }

  /** While Maven does what comes before the first guarded execution. */
  private void prepare() {
    if (Engines.isSupported() && new Outlook(session, settings).isGuarded()) {
      HeadStart.inBackground(() -> engines.engine().prepare());
    }
  }

  private List<Map<String, String>> queues(MavenProject project, MojoExecution execution) {
    PomSettings own = settings.of(project);
    Collection<Map<String, String>> queues = new LinkedHashSet<>();
    if (RunGoal.is(execution)) {
      MavenSession ofProject = session.clone();
      ofProject.setCurrentProject(project);
      queues.add(RunGoal.queue(ofProject, execution));
    }
    for (Guard guard : own.guards()) {
      if (guard.covers(execution)) {
        queues.addAll(own.queues(guard));
      }
    }
    return located(project, queues);
  }

  private List<Map<String, String>> allQueues(MavenProject project) {
    PomSettings own = settings.of(project);
    Collection<Map<String, String>> queues = new LinkedHashSet<>();
    own.guards().forEach(guard -> queues.addAll(own.queues(guard)));
    return located(project, queues);
  }

  private List<Map<String, String>> located(
      MavenProject project, Collection<Map<String, String>> queues) {
    return queues.stream()
        .map(queue -> adapters.located(queue, settings.of(project).adapters(), project))
        .collect(Collectors.toList());
  }

  private synchronized ReactorPlan planned() {
    if (plan == null) {
      plan = ReactorPlan.of(session, parts.lifecycleExecutor(), this::queues, this::allQueues);
    }
    return plan;
  }

  private synchronized GuardLocks locks() {
    if (locks == null) {
      goOnUnlessStopping();
      Engine engine = engines.engine();
      locks = engine.locks(planned().known(), created());
      Runtime.getRuntime().addShutdownHook(hook);
    }
    return locks;
  }

  private synchronized void goOnUnlessStopping() {
    if (stopping) {
      throw new EngineFailure("FAILED", "the build is being stopped", "", null);
    }
  }

  /** Those that a goal of this build creates. */
  private Collection<Map<String, String>> created() {
    String name = session.getUserProperties().getProperty(PomSettings.PREFIX + "queueName", "");
    return session.getGoals().stream().anyMatch(RunGoal::isInit)
        ? located(
            session.getTopLevelProject(),
            Collections.singleton(settings.of(session.getTopLevelProject()).queue(name)))
        : Collections.emptyList();
  }

  // ---- executions

  /** Waits until the execution has the locks that it needs, if it is a guarded one. */
  public void before(MojoExecutionEvent event) throws MojoExecutionException {
    MojoExecution execution = event.getExecution();
    try {
      check.recheck();
      List<Map<String, String>> queues = queues(event.getProject(), execution);
      if (!queues.isEmpty()) {
        enter(event, queues);
      }
    } catch (BadConfiguration e) {
      throw new MojoExecutionException(Sentences.of(e));
    } catch (EngineFailure e) {
      throw failure(e);
    }
  }

  /** Without a cause, whose words Maven would add to these. */
  private MojoExecutionException failure(EngineFailure e) {
    log.debug("Baton: The execution fails.", e);
    return new MojoExecutionException(Sentences.of(e));
  }

  private void enter(MojoExecutionEvent event, List<Map<String, String>> queues) {
    if (!Engines.isSupported()) {
      throw Engines.oldJava();
    }
    GuardLocks all = locks();
    MojoExecution execution = event.getExecution();
    String work = planned().begins(event.getProject(), execution);
    // Before it has the lock: one that nobody knows of would not be waited for.
    running
        .computeIfAbsent(Thread.currentThread(), t -> new ConcurrentLinkedDeque<>())
        .push(new Running(work, event.getProject(), execution));
    Map<String, String> environment;
    boolean entered = false;
    try {
      environment = all.enter(work, endedBy(), queues);
      goOnUnlessStopping();
      entered = true;
    } finally {
      if (!entered) {
        pop(execution);
        all.finished(work, true);
      }
    }
    tell(event.getProject(), all, queues.get(0));
    ChildEnvironment.add(event.getMojo(), environment);
    synchronized (running) {
      OuterMaven.tell(environment, isParallel(), log);
    }
  }

  /** For scripts that take properties of the project. */
  private static void tell(MavenProject project, GuardLocks locks, Map<String, String> queue) {
    locks
        .fencingToken(queue)
        .ifPresent(
            token ->
                project.getProperties().setProperty(PomSettings.PREFIX + "fencingToken", token));
  }

  /** The execution has done its part. */
  public void after(MojoExecutionEvent event) throws MojoExecutionException {
    Running done = pop(event.getExecution());
    if (done == null) {
      return;
    }
    GuardLocks all = locks();
    try {
      all.leave(done.work);
    } catch (EngineFailure e) {
      heedNoInterrupt();
      all.finished(done.work, true);
      throw failure(e);
    }
    all.finished(done.work, false);
    List<EngineFailure> losses = giveBackAfterTheLast();
    if (!losses.isEmpty()) {
      throw failure(losses.get(0));
    }
  }

  /**
   * Only giving back may tell that a lock was lost: told here, Maven says of the build what became
   * of it. In a parallel build that waits for the end, as others may be about to begin.
   */
  private List<EngineFailure> giveBackAfterTheLast() {
    GuardLocks all;
    synchronized (this) {
      if (isParallel() || !plan.isEmpty() || !running.isEmpty()) {
        return Collections.emptyList();
      }
      all = locks;
      locks = null;
    }
    removeHook();
    return giveBack(all);
  }

  /** The execution has failed. */
  public void failed(MojoExecutionEvent event) {
    Running failed = pop(event.getExecution());
    if (failed != null) {
      heedNoInterrupt();
      locks().finished(failed.work, true);
    }
  }

  private Running pop(MojoExecution execution) {
    Deque<Running> mine = running.get(Thread.currentThread());
    if (mine == null || mine.isEmpty() || mine.peek().execution != execution) {
      return null;
    }
    Running top = mine.pop();
    if (mine.isEmpty()) {
      running.remove(Thread.currentThread());
    }
    untell();
    return top;
  }

  /**
   * The project is done, or has failed: then nothing more of it comes. Maven says nothing of an
   * execution that failed in the common way, so what is left of the project's is over too.
   */
  public void projectEnds(MavenProject project, boolean hasFailed) {
    for (Map.Entry<Thread, Deque<Running>> entry : running.entrySet()) {
      Running innermost = entry.getValue().peek();
      if (innermost != null && innermost.project.equals(project)) {
        running.remove(entry.getKey());
        heedNoInterrupt();
        untell();
        entry.getValue().forEach(one -> locks().finished(one.work, true));
      }
    }
    ReactorPlan known;
    GuardLocks all;
    synchronized (this) {
      known = plan;
      all = locks;
    }
    if (known != null) {
      List<String> gone = known.ends(project, hasFailed);
      if (all != null) {
        gone.forEach(work -> all.finished(work, false));
      }
    }
  }

  private void untell() {
    synchronized (running) {
      if (running.isEmpty()) {
        OuterMaven.untell(log);
      }
    }
  }

  /**
   * What executions of other modules start cannot be told from what this one starts: where those go
   * on after a failure, their processes are left alone.
   */
  private EndedBy endedBy() {
    boolean othersGoOn =
        isParallel()
            && !MavenExecutionRequest.REACTOR_FAIL_FAST.equals(session.getReactorFailureBehavior());
    return othersGoOn ? EndedBy.INTERRUPT : EndedBy.CHILD_PROCESSES;
  }

  private boolean isParallel() {
    return session.getRequest().getDegreeOfConcurrency() > 1;
  }

  /** That was for the execution, which has ended; Maven goes on to use the thread. */
  private static void heedNoInterrupt() {
    Thread.interrupted();
  }

  private void lost(String work, Duration leaseLeft) {
    Deadline.set(leaseLeft, () -> isRunning(work), log);
  }

  private boolean isRunning(String work) {
    return running.values().stream().flatMap(Deque::stream).anyMatch(one -> one.work.equals(work));
  }

  // ---- the end

  /** Gives everything back. */
  public void close() throws MavenExecutionException {
    GuardLocks all;
    synchronized (this) {
      all = locks;
    }
    if (all == null) {
      return;
    }
    removeHook();
    endTheRest(all);
    List<EngineFailure> losses = giveBack(all);
    if (!losses.isEmpty()) {
      throw failure(Sentences.of(losses.get(0)));
    }
  }

  /** Maven 4's concurrent builder says nothing of a project that has failed. */
  private void endTheRest(GuardLocks all) {
    List<Running> rest =
        running.values().stream().flatMap(Deque::stream).collect(Collectors.toList());
    running.clear();
    untell();
    rest.forEach(one -> all.finished(one.work, true));
  }

  /** At most one does it, and the other waits for that: the process ends when both are done. */
  private List<EngineFailure> giveBack(GuardLocks all) {
    synchronized (hook) {
      return all.close();
    }
  }

  private void removeHook() {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The process is being ended, and the hook runs.
      Thread.yield();
    }
  }

  /** The process is being ended: what is given back may be taken at once, so work ends first. */
  private void stop() {
    GuardLocks all;
    synchronized (this) {
      stopping = true;
      all = locks;
    }
    running.keySet().forEach(Thread::interrupt);
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (!running.isEmpty() && System.nanoTime() < end) {
      try {
        Thread.sleep(20);
      } catch (InterruptedException e) {
        return;
      }
    }
    OuterMaven.untell(log);
    if (running.isEmpty()) {
      if (all != null) {
        giveBack(all);
      }
    } else {
      log.error(
          Sentences.joined(
              "guarded work goes on until Maven has ended",
              "So its lock is not given back: it passes on when its lease is over."));
    }
  }

  /** Goals of the plugin itself meet a copy of the extension that guards nothing. */
  public static boolean isOwn(MojoExecution execution) {
    return ProjectSettings.GROUP.equals(execution.getGroupId())
        && ProjectSettings.ARTIFACT.equals(execution.getArtifactId());
  }

  /** What other copies of this class may know about it, in types of the JDK. */
  public static Map<String, String> notice() {
    Map<String, String> notice = new HashMap<>();
    notice.put("version", Engines.version());
    return notice;
  }
}
