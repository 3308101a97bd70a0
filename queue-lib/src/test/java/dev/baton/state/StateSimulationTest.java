package dev.baton.state;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.core.FakeWorld;
import dev.baton.core.Problem.Kind;
import dev.baton.state.internal.StateCodec;
import dev.baton.state.operation.DeploymentStates;
import dev.baton.state.operation.DeploymentStates.Loaded;
import dev.baton.store.Snapshot;
import dev.baton.store.StoreException;
import dev.baton.store.Version;
import dev.baton.store.WriteResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Deployers that load, work and save under two locks of one deployment, while answers are lost,
 * writes come late or twice, and a holder is overtaken between any two of its steps. Promise S1 is
 * judged by what was really applied, and each check of a save has a mutant that breaks it.
 */
class StateSimulationTest {

  private static final int SEEDS = 400;
  private static final int STEPS = 14;
  private static final StateKey KEY = new StateKey("shop", "production");
  private static final LockKey STACK = KEY.lock();
  private static final LockKey SERVICE = new LockKey(KEY, LockLevel.SERVICE, "api");
  private static final String STATE = KEY.directory() + "/state.json";

  /** What a save would be without one of its checks. */
  private enum Mutant {
    NONE(Set.of()),
    /** The state is replaced whatever is there. */
    NO_COMPARE_AND_SET(Set.of("an acknowledged save is lost")),
    /** The lock is believed without a proof. */
    NO_PROOF(Set.of("saved without a live lock")),
    /** The lock is believed, and so are tokens that are older than those in the state. */
    NO_PROOF_AND_NO_FENCE(Set.of("an older token wrote after a newer one had claimed")),
    /** An unknown outcome counts as written. */
    UNKNOWN_IS_WRITTEN(Set.of("an acknowledged save is lost")),
    /** An unknown outcome counts as refused. */
    UNKNOWN_IS_LOST(Set.of("what was refused was applied")),
    /** A copy in the history replaces another one of the same name. */
    NAMES_MEET(Set.of("the history lacks an acknowledged save"));

    final Set<String> caught;

    Mutant(Set<String> caught) {
      this.caught = caught;
    }
  }

  private static final class Simulation {
    final Random random;
    final Mutant mutant;
    final FakeWorld world = new FakeWorld();
    final FakeLocks locks = new FakeLocks();
    final Space space = new Space();
    final DeploymentStates states = DeploymentStates.in(space, world);
    final Map<LockKey, FakeLocks.Held> holders = new HashMap<>();
    final Map<LockKey, Long> claimed = new HashMap<>();
    final Set<String> acknowledged = new HashSet<>();
    final Set<String> violations = new HashSet<>();
    final Map<String, Boolean> liveWhenApplied = new LinkedHashMap<>();
    final List<Supplier<Boolean>> late = new ArrayList<>();
    int depth;
    int deployments;

    Simulation(long seed, Mutant mutant) {
      this.random = new Random(seed);
      this.mutant = mutant;
    }

    Set<String> run() throws InterruptedException {
      for (int i = 0; i < STEPS; i++) {
        deploy(random.nextInt(4) == 0 ? SERVICE : STACK);
        if (random.nextBoolean()) {
          world.advance(Duration.ofSeconds(1));
        }
      }
      lateWrites();
      finish();
      return violations;
    }

    /** Some go on with a lock that they had, also one that they have lost. */
    void deploy(LockKey key) throws InterruptedException {
      FakeLocks.Held old = holders.get(key);
      FakeLocks.Held held = old != null && random.nextInt(3) > 0 ? old : take(key);
      String id = "d" + ++deployments;
      try {
        Loaded loaded = random.nextInt(4) == 0 ? states.load(KEY) : claim(held);
        between();
        Map<String, Object> resources = new TreeMap<>(loaded.state().resources());
        resources.put(id, Map.of("token", held.token(), "key", held.key().text()));
        states.save(
            loaded.state().withResources(resources), loaded.version(), Optional.empty(), held);
        acknowledged.add(id);
        if (!liveWhenApplied.getOrDefault(id, true)) {
          violations.add("saved without a live lock");
        }
        claimed.merge(held.key(), held.token(), Math::max);
      } catch (StateException e) {
        if (e.problem().kind() == Kind.REFUSED && liveWhenApplied.containsKey(id)) {
          violations.add("what was refused was applied");
        }
      }
    }

    private Loaded claim(FakeLocks.Held held) throws StateException, InterruptedException {
      Loaded loaded = states.claim(KEY, held);
      claimed.merge(held.key(), held.token(), Math::max);
      return loaded;
    }

    private FakeLocks.Held take(LockKey key) {
      boolean believes = mutant == Mutant.NO_PROOF || mutant == Mutant.NO_PROOF_AND_NO_FENCE;
      FakeLocks.Held held = locks.take(key).lying(believes).onVerify(this::between);
      holders.put(key, held);
      return held;
    }

    /** Anything may happen between two steps of a holder: another one may come and go. */
    private void between() {
      lateWrites();
      if (depth < 2 && random.nextInt(8) == 0) {
        depth++;
        try {
          deploy(random.nextInt(3) == 0 ? SERVICE : STACK);
        } catch (InterruptedException e) {
          throw new IllegalStateException(e);
        } finally {
          depth--;
        }
      }
    }

    private void lateWrites() {
      List<Supplier<Boolean>> now = List.copyOf(late);
      late.clear();
      for (Supplier<Boolean> write : now) {
        if (random.nextInt(3) == 0) {
          late.add(write);
        } else {
          write.get();
        }
      }
    }

    private void finish() throws InterruptedException {
      space.calm = true;
      try {
        Loaded last = states.claim(KEY, locks.take(STACK));
        if (!last.state().resources().keySet().containsAll(acknowledged)) {
          violations.add("an acknowledged save is lost");
        }
        Set<String> kept = new HashSet<>();
        for (SnapshotName name : states.snapshots(KEY)) {
          Map<String, Object> resources = states.snapshot(KEY, name).resources();
          deployments(resources).ifPresent(kept::add);
        }
        for (String id : acknowledged) {
          if (!kept.contains(space.newestIn.get(id))) {
            violations.add("the history lacks an acknowledged save");
          }
        }
      } catch (StateException e) {
        violations.add("the state cannot be read: " + e.getMessage());
      }
    }

    private static Optional<String> deployments(Map<String, Object> resources) {
      return resources.isEmpty() ? Optional.empty() : Optional.of(resources.keySet().toString());
    }

    /** A store that loses answers, and applies writes late or twice. */
    private final class Space extends MemoryStateSpace {
      boolean calm;

      /** All that the state had when a deployment became part of it. */
      final Map<String, String> newestIn = new HashMap<>();

      @Override
      public Snapshot get(String path) throws StoreException {
        step();
        Snapshot there = super.get(path);
        return mutant == Mutant.NO_PROOF_AND_NO_FENCE && !calm ? withoutFence(there) : there;
      }

      /** The same version, with tokens that are older than all. */
      private Snapshot withoutFence(Snapshot there) {
        return there
            .content()
            .map(
                c ->
                    Snapshot.of(
                        there.version(),
                        c.replaceAll(
                            "\"ticket\":\\d+,\"token\":\\d+,\"queue\"",
                            "\"ticket\":101,\"token\":1,\"queue\"")))
            .orElse(there);
      }

      @Override
      public WriteResult put(String path, Version expected, String content, Purpose purpose)
          throws StoreException {
        step();
        if (calm) {
          return apply(path, expected, content, purpose);
        }
        return switch (random.nextInt(12)) {
          case 0 -> {
            apply(path, expected, content, purpose);
            yield unknown();
          }
          case 1 -> {
            later(path, expected, content, purpose);
            yield unknown();
          }
          case 2 -> {
            later(path, expected, content, purpose); // It comes twice.
            yield apply(path, expected, content, purpose);
          }
          case 3 -> throw StoreException.passing("the connection was refused", null);
          default -> apply(path, expected, content, purpose);
        };
      }

      private void step() {
        if (!calm) {
          between();
        }
      }

      private WriteResult unknown() {
        return switch (mutant) {
          case UNKNOWN_IS_WRITTEN -> new WriteResult.Written(new Version("guessed"));
          case UNKNOWN_IS_LOST -> new WriteResult.Lost();
          default -> new WriteResult.Unknown("the answer was lost");
        };
      }

      private void later(String path, Version expected, String content, Purpose purpose) {
        late.add(
            () -> {
              try {
                return apply(path, expected, content, purpose) instanceof WriteResult.Written;
              } catch (StoreException e) {
                throw new IllegalStateException(e);
              }
            });
      }

      private WriteResult apply(String path, Version expected, String content, Purpose purpose)
          throws StoreException {
        Version base = expected;
        boolean blind =
            mutant == Mutant.NO_COMPARE_AND_SET && path.equals(STATE)
                || mutant == Mutant.NAMES_MEET && purpose == Purpose.HISTORY;
        if (blind) {
          base = super.get(path).version();
        }
        String name = path;
        if (mutant == Mutant.NAMES_MEET && purpose == Purpose.HISTORY) {
          name = path.replaceFirst("(\\d{4}(?:-\\d\\d){5})-\\d+\\.json$", "$1.json");
          base = super.get(name).version();
        }
        Map<String, Object> before = resources(super.get(STATE));
        WriteResult result = super.put(name, base, content, purpose);
        if (result instanceof WriteResult.Written && path.equals(STATE)) {
          wasApplied(before, resources(super.get(STATE)));
        }
        return result;
      }

      private Map<String, Object> resources(Snapshot state) {
        return state.content().map(c -> StateCodec.read(c).resources()).orElse(Map.of());
      }

      private void wasApplied(Map<String, Object> before, Map<String, Object> after) {
        for (String id : after.keySet()) {
          if (before.containsKey(id)) {
            continue;
          }
          Map<?, ?> said = (Map<?, ?>) after.get(id);
          LockKey key = LockKey.parse((String) said.get("key"));
          long token = (Long) said.get("token");
          liveWhenApplied.put(id, locks.isLive(key, token));
          newestIn.put(id, after.keySet().toString());
          if (token < claimed.getOrDefault(key, 0L)) {
            violations.add("an older token wrote after a newer one had claimed");
          }
        }
      }
    }
  }

  @Test
  void aStateIsOnlyEverSavedUnderALiveLockByTheNewestToken() throws InterruptedException {
    int saved = 0;
    int tried = 0;
    for (long seed = 0; seed < SEEDS; seed++) {
      Simulation simulation = new Simulation(seed, Mutant.NONE);
      assertThat(simulation.run()).as("seed %d", seed).isEmpty();
      saved += simulation.acknowledged.size();
      tried += simulation.deployments;
    }
    // Else it would prove nothing.
    assertThat(saved).isGreaterThan(SEEDS * 3);
    assertThat(tried - saved).isGreaterThan(SEEDS);
  }

  @ParameterizedTest
  @EnumSource(value = Mutant.class, mode = EnumSource.Mode.EXCLUDE, names = "NONE")
  void aSaveWithoutOneOfItsChecksIsFoundOut(Mutant mutant) throws InterruptedException {
    Set<String> found = new HashSet<>();
    for (long seed = 0; seed < SEEDS && !found.containsAll(mutant.caught); seed++) {
      found.addAll(new Simulation(seed, mutant).run());
    }
    assertThat(found).containsAll(mutant.caught);
  }
}
