package dev.baton.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.baton.core.Extra;
import dev.baton.core.FakeWorld;
import dev.baton.core.Problem;
import dev.baton.core.Problem.Kind;
import dev.baton.core.json.JsonFile;
import dev.baton.core.json.PlainJson;
import dev.baton.state.operation.DeploymentStates;
import dev.baton.state.operation.DeploymentStates.Loaded;
import dev.baton.state.operation.DeploymentStates.Saved;
import dev.baton.store.StoreException;
import dev.baton.store.Version;
import dev.baton.store.WriteResult;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DeploymentStatesTest {

  private static final StateKey KEY = new StateKey("user-platform", "production");
  private static final String STATE = "stacks/user-platform/production/state.json";

  private final FakeWorld world = new FakeWorld();
  private final MemoryStateSpace space = new MemoryStateSpace();
  private final FakeLocks locks = new FakeLocks();
  private final DeploymentStates states = DeploymentStates.in(space, world);

  private Saved save(LiveLock lock, String value) throws Exception {
    Loaded loaded = states.claim(KEY, lock);
    return save(lock, loaded, value);
  }

  private Saved save(LiveLock lock, Loaded loaded, String value) throws Exception {
    return states.save(
        loaded.state().withResources(Map.of("api", Map.of("image", value))),
        loaded.version(),
        Optional.empty(),
        lock);
  }

  private String image() throws Exception {
    return ((Map<?, ?>) states.load(KEY).state().resources().get("api")).get("image").toString();
  }

  private static Problem problem(ThrowingCallable call) {
    StateException e = catchThrowableOfType(StateException.class, call);
    assertThat(e).isNotNull();
    return e.problem();
  }

  // ---- the journey

  @Test
  void aStateIsLoadedChangedAndSaved() throws Exception {
    FakeLocks.Held lock = locks.take(KEY.lock());
    Loaded loaded = states.claim(KEY, lock);
    assertThat(loaded.state().lock().id()).contains("101:1");
    assertThat(space.paths()).contains(STATE, STATE + ".lock");
    Deployment deployment =
        new Deployment(
            "dep-1",
            world.now(),
            Optional.of("run-1"),
            Optional.of("a1b2"),
            Optional.of("v1"),
            Optional.of("success"),
            Optional.of(Duration.ofSeconds(342)),
            Optional.of(new Deployment.Changes(1, 0, 0, Extra.NONE)),
            Extra.NONE);
    Saved saved =
        states.save(
            loaded
                .state()
                .withResources(Map.of("user-service/api", Map.of("kind", "MicroService")))
                .withOutputs(Map.of("url", "https://api.example")),
            loaded.version(),
            Optional.of(deployment),
            lock);
    assertThat(saved.notes()).isEmpty();
    assertThat(space.paths())
        .containsExactly(
            "stacks/user-platform/production/history/" + saved.snapshot() + ".json", STATE);
    DeploymentState now = states.load(KEY).state();
    assertThat(now).isEqualTo(saved.loaded().state());
    assertThat(now.metadata().deploymentId()).contains("dep-1");
    assertThat(now.metadata().lastUpdatedBy()).contains("run-1");
    assertThat(now.history()).containsExactly(deployment);
    assertThat(now.lock().isLocked()).isFalse();
    assertThat(now.fencing().of(KEY.lock()).orElseThrow().token()).isEqualTo(1);
    assertThat(states.keys()).containsExactly(KEY);
    assertThat(states.snapshots(KEY)).containsExactly(saved.snapshot());
    assertThat(states.snapshot(KEY, saved.snapshot())).isEqualTo(now);
  }

  @Test
  void whatIsShownComesBackAndCanBeSaved() throws Exception {
    FakeLocks.Held lock = locks.take(KEY.lock());
    Loaded shown = states.claim(KEY, lock);
    String text = JsonFile.of(shown.json()).replace("\"outputs\": {}", "\"outputs\": {\"a\": 1}");
    Loaded changed = DeploymentStates.parse(KEY, text);
    assertThat(changed.version()).isEqualTo(shown.version());
    states.save(changed.state(), changed.version(), Optional.empty(), lock);
    assertThat(states.load(KEY).state().outputs()).isEqualTo(Map.of("a", 1L));
    assertThat(space.get(STATE).content().orElseThrow()).doesNotContain("loaded_version");
    assertThat(problem(() -> DeploymentStates.parse(new StateKey("a", "b"), text)).kind())
        .isEqualTo(Kind.USAGE);
  }

  // ---- S1

  @Test
  void withoutALiveLockNothingIsSaved() throws Exception {
    FakeLocks.Held old = locks.take(KEY.lock());
    save(old, "v1");
    Loaded loaded = states.load(KEY);
    locks.take(KEY.lock());
    assertThat(problem(() -> save(old, loaded, "v2")).kind()).isEqualTo(Kind.LOST);
    assertThat(image()).isEqualTo("v1");
  }

  @Test
  void anOlderTokenIsRefusedEvenIfItsHolderBelievesThatItHolds() throws Exception {
    FakeLocks.Held old = locks.take(KEY.lock()).lying(true);
    save(old, "v1");
    FakeLocks.Held next = locks.take(KEY.lock());
    states.claim(KEY, next);
    Problem problem = problem(() -> save(old, states.load(KEY), "v2"));
    assertThat(problem.kind()).isEqualTo(Kind.LOST);
    assertThat(problem.what()).contains("token 2 has worked on this state");
    assertThat(image()).isEqualTo("v1");
  }

  @Test
  void aHolderThatWasPausedBeforeItsWriteIsKeptOutByTheClaimOfTheNext() throws Exception {
    FakeLocks.Held old = locks.take(KEY.lock());
    Loaded loaded = save(old, "v1").loaded();
    int[] proofs = {0};
    old.onVerify(() -> proofs[0]++);
    MemoryStateSpace pausing =
        new MemoryStateSpace() {
          @Override
          public WriteResult put(String path, Version expected, String content, Purpose purpose)
              throws StoreException {
            if (path.equals(STATE) && proofs[0] == 1) {
              proofs[0]++;
              try {
                states.claim(KEY, locks.take(KEY.lock()));
              } catch (StateException | InterruptedException e) {
                throw new IllegalStateException(e);
              }
            }
            return space.put(path, expected, content, purpose);
          }

          @Override
          public dev.baton.store.Snapshot get(String path) throws StoreException {
            return space.get(path);
          }

          @Override
          public List<String> list(String directory) {
            return space.list(directory);
          }
        };
    Problem problem =
        problem(
            () ->
                DeploymentStates.in(pausing, world)
                    .save(
                        loaded.state().withResources(Map.of("api", Map.of("image", "late"))),
                        loaded.version(),
                        Optional.empty(),
                        old));
    assertThat(proofs[0]).isEqualTo(2);
    assertThat(problem.kind()).isEqualTo(Kind.REFUSED);
    assertThat(image()).isEqualTo("v1");
  }

  @Test
  void aLockThatIsLostDuringTheWriteIsNoSuccess() throws Exception {
    FakeLocks.Held lock = locks.take(KEY.lock());
    Loaded loaded = save(lock, "v1").loaded();
    int[] proofs = {0};
    lock.onVerify(
        () -> {
          if (++proofs[0] == 2) {
            locks.take(KEY.lock());
          }
        });
    Problem problem = problem(() -> save(lock, loaded, "v2"));
    assertThat(problem.kind()).isEqualTo(Kind.LOST);
    assertThat(problem.what()).startsWith("the state was written, and meanwhile the lock");
  }

  @Test
  void aStateThatHasChangedSinceIsNotOverwritten() throws Exception {
    FakeLocks.Held lock = locks.take(KEY.lock());
    Loaded loaded = states.claim(KEY, lock);
    LockKey service = new LockKey(KEY, LockLevel.SERVICE, "user-service");
    save(locks.take(service), loaded, "by a service");
    Problem problem = problem(() -> save(lock, loaded, "v2"));
    assertThat(problem.kind()).isEqualTo(Kind.REFUSED);
    assertThat(problem.what()).contains("has changed since it was loaded, last by run-2");
    assertThat(image()).isEqualTo("by a service");
  }

  @Test
  void theLockOfAnotherDeploymentOrQueueIsNotOne() throws Exception {
    save(locks.take(KEY.lock()), "v1");
    Loaded loaded = states.load(KEY);
    LiveLock other = locks.take(new StateKey("user-platform", "staging").lock());
    assertThat(problem(() -> save(other, loaded, "v2")).kind()).isEqualTo(Kind.NOT_HOLDER);
    FakeLocks.Held elsewhere = locks.take(KEY.lock()).of("file:/other#queue", false);
    Problem problem = problem(() -> save(elsewhere, loaded, "v2"));
    assertThat(problem.kind()).isEqualTo(Kind.REFUSED);
    assertThat(problem.what()).contains("file:/other#queue").contains("two queues");
    save(elsewhere.of("file:/other#queue", true), loaded, "v2");
    assertThat(image()).isEqualTo("v2");
  }

  @Test
  void whatCouldNotBeReadAgainIsNotWritten() throws Exception {
    FakeLocks.Held lock = locks.take(KEY.lock());
    Loaded loaded = save(lock, "v1").loaded();
    Object deep = "x";
    for (int i = 0; i < 40; i++) {
      deep = List.of(deep);
    }
    for (Object value : List.of("x".repeat(2_000_001), "\ud800", deep)) {
      Problem problem =
          problem(
              () ->
                  states.save(
                      loaded.state().withOutputs(Map.of("a", value)),
                      loaded.version(),
                      Optional.empty(),
                      lock));
      assertThat(problem.kind()).isEqualTo(Kind.USAGE);
      assertThat(problem.what()).startsWith("nothing was saved, as it could not be read again: ");
    }
    assertThat(states.load(KEY).version()).isEqualTo(loaded.version());
  }

  // ---- outcomes that are unknown

  @ParameterizedTest
  @CsvSource({"true, false", "false, false", "true, true", "false, true"})
  void anUnknownOutcomeIsResolvedByReadingBack(boolean applied, boolean always) throws Throwable {
    FakeLocks.Held lock = locks.take(KEY.lock());
    Loaded loaded = save(lock, "v1").loaded();
    int[] unknown = {0};
    MemoryStateSpace doubtful =
        new MemoryStateSpace() {
          @Override
          public WriteResult put(String path, Version expected, String content, Purpose purpose)
              throws StoreException {
            if (path.equals(STATE) && (always || unknown[0] == 0)) {
              unknown[0]++;
              if (applied) {
                space.put(path, expected, content, purpose);
              }
              return new WriteResult.Unknown("reset");
            }
            return space.put(path, expected, content, purpose);
          }

          @Override
          public dev.baton.store.Snapshot get(String path) throws StoreException {
            return space.get(path);
          }

          @Override
          public List<String> list(String directory) {
            return space.list(directory);
          }
        };
    DeploymentStates behind = DeploymentStates.in(doubtful, world);
    ThrowingCallable saving =
        () ->
            behind.save(
                loaded.state().withResources(Map.of("api", Map.of("image", "v2"))),
                loaded.version(),
                Optional.empty(),
                lock);
    if (!applied && always) {
      assertThat(problem(saving).kind()).isEqualTo(Kind.UNREACHABLE);
      assertThat(unknown[0]).isEqualTo(3);
    } else {
      saving.call();
      assertThat(image()).isEqualTo("v2");
      assertThat(unknown[0]).isEqualTo(1);
    }
  }

  // ---- history

  @Test
  void twoSavesInOneSecondHaveNamesOfTheirOwn() throws Exception {
    FakeLocks.Held lock = locks.take(KEY.lock());
    SnapshotName first = save(lock, "v1").snapshot();
    SnapshotName second = save(lock, "v2").snapshot();
    SnapshotName third = states.backup(KEY);
    assertThat(second).isEqualTo(first.next());
    assertThat(third).isEqualTo(second.next());
    assertThat(states.snapshots(KEY)).containsExactly(third, second, first);
    assertThat(SnapshotName.parse(second.text())).contains(second);
    assertThat(states.snapshotAt(KEY, world.now())).isEqualTo(third);
  }

  @Test
  void aCopyThatCouldNotBeWrittenIsWrittenByTheNextSave() throws Exception {
    boolean[] broken = {true};
    MemoryStateSpace failing =
        new MemoryStateSpace() {
          @Override
          public WriteResult put(String path, Version expected, String content, Purpose purpose)
              throws StoreException {
            if (broken[0] && purpose == Purpose.HISTORY) {
              throw StoreException.passing("the disk is full", null);
            }
            return super.put(path, expected, content, purpose);
          }
        };
    DeploymentStates there = DeploymentStates.in(failing, world);
    FakeLocks.Held lock = locks.take(KEY.lock());
    Loaded loaded = there.claim(KEY, lock);
    Saved first =
        there.save(
            loaded.state().withOutputs(Map.of("v", 1L)), loaded.version(), Optional.empty(), lock);
    assertThat(first.notes()).extracting(Problem::what).containsExactly("the disk is full");
    assertThat(there.snapshots(KEY)).isEmpty();
    broken[0] = false;
    Saved second =
        there.save(
            first.loaded().state().withOutputs(Map.of("v", 2L)),
            first.loaded().version(),
            Optional.empty(),
            lock);
    assertThat(there.snapshots(KEY)).containsExactly(second.snapshot(), first.snapshot());
    assertThat(there.snapshot(KEY, first.snapshot()).outputs()).isEqualTo(Map.of("v", 1L));
  }

  @Test
  void anEarlierStateIsRestoredByTime() throws Exception {
    FakeLocks.Held lock = locks.take(KEY.lock());
    save(lock, "v1");
    Instant then = world.now().plusSeconds(30);
    world.advance(Duration.ofMinutes(1));
    save(lock, "v2");
    world.advance(Duration.ofMinutes(1));
    Saved restored = states.restore(KEY, states.snapshotAt(KEY, then), lock);
    assertThat(image()).isEqualTo("v1");
    assertThat(restored.loaded().state().history().get(0).status()).contains("restored");
    assertThat(states.snapshots(KEY)).hasSize(3);
    assertThat(problem(() -> states.snapshotAt(KEY, then.minus(Duration.ofHours(1)))).what())
        .contains("there is no state of user-platform/production from");
  }

  // ---- damage

  @Test
  void aWrongChecksumIsOneProblemAndRestoringGetsOverIt() throws Exception {
    FakeLocks.Held lock = locks.take(KEY.lock());
    Saved saved = save(lock, "v1");
    String good = space.get(STATE).content().orElseThrow();
    space.overwrite(STATE, good.replace("\"v1\"", "\"v6\""));
    Problem problem = problem(() -> states.load(KEY));
    assertThat(problem.kind()).isEqualTo(Kind.UNREADABLE);
    assertThat(problem.what()).contains("the checksum of its resources is wrong");
    assertThat(problem.next()).contains("baton state restore");
    assertThat(problem(() -> states.claim(KEY, lock)).kind()).isEqualTo(Kind.UNREADABLE);
    states.restore(KEY, saved.snapshot(), lock);
    assertThat(image()).isEqualTo("v1");
    assertThat(space.paths()).anyMatch(path -> path.startsWith(STATE + ".broken-"));
  }

  @ParameterizedTest
  @CsvSource({
    "'', the document",
    "'{', not JSON",
    "'[]', not a JSON object",
    "'{\"format_version\": \"deployer-state-v2\"}', its format is \"deployer-state-v2\"",
    "'{\"format_version\": \"deployer-state-v1\"}', metadata is missing",
    "'{\"version\": \"1\"}', it has no format_version",
  })
  void whatIsNoStateIsSaidToBeNone(String text, String what) throws Exception {
    FakeLocks.Held lock = locks.take(KEY.lock());
    Saved saved = save(lock, "v1");
    space.overwrite(STATE, text.isEmpty() ? " " : text);
    assertThat(problem(() -> states.load(KEY)).what()).contains(what);
    if (!text.contains("v2")) {
      states.restore(KEY, saved.snapshot(), lock);
      assertThat(image()).isEqualTo("v1");
      // The fence has survived in the history.
      FakeLocks.Held older = new FakeLocks().take(KEY.lock()).lying(true);
      locks.take(KEY.lock());
      save(locks.take(KEY.lock()), "v2");
      assertThat(problem(() -> save(older, "v3")).kind()).isEqualTo(Kind.LOST);
    }
  }

  // ---- others

  /**
   * A state that another program has written, with fields that are ours and fields that are not.
   */
  private static String foreign(String image) {
    return """
    {
      "version": "1.0.0",
      "format_version": "deployer-state-v1",
      "metadata": {"stack": "user-platform", "environment": "production",
        "last_updated": "2024-01-15T14:20:00Z", "last_updated_by": "github-actions-run-12345",
        "deployment_id": "dep-abc", "git_commit": "a1b2", "git_branch": "main", "team": "core"},
      "lock": {"locked": false, "lock_id": null, "locked_by": null, "locked_at": null,
        "expires_at": null, "region": "eu"},
      "resources": {"api": {"kind": "MicroService", "image": "IMAGE", "port": 5432,
        "ratio": 0.50, "dependencies": [], "health": {"status": "healthy"}}},
      "outputs": {"url": "https://api.example"},
      "deployment_history": [{"deployment_id": "dep-abc", "timestamp": "2024-01-15T14:20:00Z",
        "triggered_by": "x", "git_commit": "a1b2", "version": "v1", "status": "success",
        "duration_seconds": 342, "resources_changed": {"created": 0, "updated": 3, "deleted": 0,
        "kept": 1}, "note": "n"}],
      "checksums": {"resources": "sha256:abc123...", "outputs": "sha256:def456..."},
      "plan": {"steps": [1, 2.5, null]}
    }
    """
        .replace("IMAGE", image);
  }

  @Test
  void aStateOfAnotherProgramIsTakenOverWithAllItsFields() throws Exception {
    space.overwrite(STATE, foreign("v1"));
    Loaded loaded = states.load(KEY);
    assertThat(loaded.state().verified()).isFalse();
    FakeLocks.Held lock = locks.take(KEY.lock());
    Loaded claimed = states.claim(KEY, lock);
    states.save(claimed.state(), claimed.version(), Optional.empty(), lock);
    Map<String, Object> now = PlainJson.object(space.get(STATE).content().orElseThrow());
    Map<String, Object> before = PlainJson.object(foreign("v1"));
    for (String field : List.of("version", "resources", "outputs", "deployment_history", "plan")) {
      assertThat(now.get(field)).as(field).isEqualTo(before.get(field));
    }
    assertThat(((Map<?, ?>) now.get("metadata")).get("team")).isEqualTo("core");
    assertThat(((Map<?, ?>) now.get("lock")).get("region")).isEqualTo("eu");
    assertThat(states.load(KEY).state().verified()).isTrue();
    // The text of the other program is in the history, as it was.
    SnapshotName oldest = states.snapshots(KEY).get(states.snapshots(KEY).size() - 1);
    assertThat(space.get("stacks/user-platform/production/history/" + oldest + ".json").content())
        .contains(foreign("v1"));
  }

  @Test
  void whatAnotherProgramWritesOverIsKeptInTheHistory() throws Exception {
    FakeLocks.Held lock = locks.take(KEY.lock());
    Loaded ours = save(lock, "v1").loaded();
    space.overwrite(STATE, foreign("v7"));
    assertThat(problem(() -> save(lock, ours, "v2")).kind()).isEqualTo(Kind.REFUSED);
    save(lock, "v8");
    assertThat(states.snapshots(KEY))
        .anySatisfy(
            name -> assertThat(states.snapshot(KEY, name).resources().toString()).contains("v7"));
  }

  @Test
  void keysOfOthersStay() throws Exception {
    space.overwrite("stacks/user-platform/production/pulumi/.pulumi/stacks/p.json", "{}");
    space.overwrite("locks/user-platform-production.lock", "x");
    space.overwrite("stacks/user-platform/production/history/notes.json", "x");
    FakeLocks.Held lock = locks.take(KEY.lock());
    save(lock, "v1");
    save(lock, "v2");
    assertThat(space.get("locks/user-platform-production.lock").content()).contains("x");
    assertThat(space.get("stacks/user-platform/production/history/notes.json").content())
        .contains("x");
    assertThat(space.paths())
        .contains("stacks/user-platform/production/pulumi/.pulumi/stacks/p.json");
    assertThat(states.snapshots(KEY)).hasSize(2);
  }
}
