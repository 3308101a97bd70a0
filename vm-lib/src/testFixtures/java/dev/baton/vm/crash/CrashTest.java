package dev.baton.vm.crash;

import dev.baton.store.StoreException;
import dev.baton.vm.Operation;
import dev.baton.vm.VmException;
import dev.baton.vm.spi.ProviderException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Kills every operation at every moment, on any cloud, and looks what is left when somebody else
 * comes by:
 *
 * <ol>
 *   <li>he runs the same operation again: the VM must be where that leads, and the cloud must have
 *       nothing that is not recorded;
 *   <li>or he sweeps instead: again nothing may be left that is not recorded;
 *   <li>then the VM is taken down, and nothing at all may be left.
 * </ol>
 *
 * <p>Nothing may delete a suspended VM meanwhile, and whatever rests must have the end that it
 * should.
 *
 * <p>No time goes by but what is waited for, so every moment of the rehearsal comes again; one that
 * does not is told and makes it fail.
 */
public final class CrashTest {

  private static final int SHOWN = 20;
  private static final int ENOUGH = 200;

  private final Supplier<? extends LifecycleScene> scenes;
  private final boolean writeAhead;
  private final PrintStream out;
  private final boolean verbose;

  /**
   * @param scenes opens one, with nothing in it; the one before is closed
   * @param writeAhead false: intents are not written, and orphans are to be expected
   * @param verbose whether each moment is told
   */
  public CrashTest(
      Supplier<? extends LifecycleScene> scenes,
      boolean writeAhead,
      PrintStream out,
      boolean verbose) {
    this.scenes = scenes;
    this.writeAhead = writeAhead;
    this.out = out;
    this.verbose = verbose;
  }

  /**
   * What it came to.
   *
   * @param missed moments of a rehearsal that did not come again
   */
  public record Total(int points, int orphans, int stuck, int missed) {
    private static final Total NOTHING = new Total(0, 0, 0, 0);

    public String line() {
      return "kill points: "
          + points
          + ", orphans: "
          + orphans
          + ", stuck: "
          + stuck
          + (missed == 0 ? "" : ", moments that did not come again: " + missed);
    }

    /** Whether nothing went wrong at as many moments as there must be, at least. */
    public boolean isGood(int stride) {
      return points >= ENOUGH / stride && orphans == 0 && stuck == 0 && missed == 0;
    }

    private Total plus(Total other) {
      return new Total(
          points + other.points,
          orphans + other.orphans,
          stuck + other.stuck,
          missed + other.missed);
    }
  }

  /** What is done after somebody was killed. */
  private enum Then {
    RUN_AGAIN,
    SWEEP;

    private String words() {
      return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
  }

  public static void main(String[] args) {
    boolean verbose = List.of(args).contains("verbose");
    CrashTest test = new CrashTest(SimulatedScene::inMemory, true, System.out, verbose);
    Total total = test.run(Scenario.ALL, 1, 0).plus(test.run(Scenario.MORE, 1, 0));
    System.out.println(total.line());
    if (!total.isGood(1)) {
      System.exit(1);
    }
  }

  /**
   * @param stride 1: every moment; n: every nth
   * @param first where to begin; where there are fewer moments, around from the first again
   */
  public Total run(List<Scenario> scenarios, int stride, int first) {
    Total total = Total.NOTHING;
    for (Scenario scenario : scenarios) {
      total = total.plus(run(scenario, stride, first));
    }
    return total;
  }

  private Total run(Scenario scenario, int stride, int first) {
    List<KillSwitch.Point> points = rehearse(scenario);
    Map<KillSwitch.At, Integer> kinds = new EnumMap<>(KillSwitch.At.class);
    List<String> complaints = new ArrayList<>();
    Total total = Total.NOTHING;
    for (int i = first % points.size(); i < points.size(); i += stride) {
      KillSwitch.Point point = points.get(i);
      if (verbose) {
        out.println("  " + scenario.name() + ": " + point.where());
      }
      int orphans = 0;
      int stuck = 0;
      int missed = 0;
      for (Then then : Then.values()) {
        Outcome outcome = kill(scenario, i, point, then);
        orphans += outcome.orphans().size();
        stuck += outcome.trouble().isPresent() ? 1 : 0;
        missed += outcome.missed().isPresent() ? 1 : 0;
        outcome
            .complaint()
            .ifPresent(c -> complaints.add(point.where() + ", " + then.words() + ": " + c));
      }
      if (missed == 0) {
        kinds.merge(point.at(), 1, Integer::sum);
      }
      total = total.plus(new Total(missed == 0 ? 1 : 0, orphans, stuck, missed));
    }
    out.printf(
        Locale.ROOT,
        "%-48s %4d%s kill points (%d at store writes, %d at copies, %d at provider calls)%n",
        scenario.name(),
        total.points(),
        total.points() == points.size() ? "" : " of " + points.size(),
        kinds.getOrDefault(KillSwitch.At.STORE_WRITE, 0),
        kinds.getOrDefault(KillSwitch.At.COPY, 0),
        kinds.getOrDefault(KillSwitch.At.PROVIDER_CALL, 0));
    complaints.stream().limit(SHOWN).forEach(c -> out.println("  " + c));
    return total;
  }

  /** Once without a kill: how many moments there are. */
  public List<KillSwitch.Point> rehearse(Scenario scenario) {
    try (LifecycleScene scene = scenes.get()) {
      Clients clients = new Clients(scene, writeAhead);
      scenario.prepare().run(clients);
      clients.kills.arm(-1);
      scenario.act().run(clients.watchedVms("victim"), scene);
      return clients.kills.points();
    } catch (VmException | ProviderException | StoreException | InterruptedException e) {
      throw new IllegalStateException(scenario.name() + " fails without any kill", e);
    }
  }

  /**
   * What was left.
   *
   * @param missed that moment was not the one of the rehearsal, or did not come at all
   */
  private record Outcome(List<String> orphans, Optional<String> trouble, Optional<String> missed) {

    private Optional<String> complaint() {
      List<String> parts = new ArrayList<>();
      missed.ifPresent(parts::add);
      if (!orphans.isEmpty()) {
        parts.add("orphans " + orphans);
      }
      trouble.ifPresent(t -> parts.add("stuck: " + t));
      return parts.isEmpty() ? Optional.empty() : Optional.of(String.join(", ", parts));
    }
  }

  private Outcome kill(Scenario scenario, int index, KillSwitch.Point rehearsed, Then then) {
    List<String> orphans = new ArrayList<>();
    List<String> troubles = new ArrayList<>();
    Optional<String> missed = Optional.empty();
    try (LifecycleScene scene = scenes.get()) {
      Clients clients = new Clients(scene, writeAhead);
      scenario.prepare().run(clients);
      missed = killAt(scenario, clients, index, rehearsed);
      troubles.addAll(clients.deadlyEnds());
      clients.letTheLeaseRunOut();
      if (then == Then.RUN_AGAIN) {
        // Only abandon is not allowed where it leads to.
        if (scenario.operation() != Operation.ABANDON
            || !clients.journal().status().equals(scenario.end())) {
          scenario.act().run(clients.vms("other"), scene);
        }
        clients.vm("other").status();
        var status = clients.journal().status();
        if (!status.equals(scenario.end())) {
          troubles.add("it is " + status + " and should be " + scenario.end());
        }
        troubles.addAll(clients.troubles());
      } else {
        clients.sweep();
      }
      troubles.addAll(clients.wrongEnds());
      clients.letDeletionsFinish();
      orphans.addAll(clients.orphans(then == Then.SWEEP));
      clients.takeDownAll();
      clients.letDeletionsFinish();
      clients.vm("other").status();
      troubles.addAll(clients.troubles());
      scene.things().forEach(thing -> orphans.add(thing.toString()));
    } catch (VmException
        | ProviderException
        | StoreException
        | InterruptedException
        | RuntimeException e) {
      troubles.add(e.toString());
    }
    Optional<String> trouble =
        troubles.isEmpty() ? Optional.empty() : Optional.of(String.join("; ", troubles));
    return new Outcome(orphans, trouble, missed);
  }

  /**
   * @return what came instead of that moment, if not that moment
   */
  private static Optional<String> killAt(
      Scenario scenario, Clients clients, int index, KillSwitch.Point rehearsed)
      throws VmException, InterruptedException {
    clients.kills.arm(index);
    try {
      scenario.act().run(clients.watchedVms("victim"), clients.scene);
    } catch (KillSwitch.Killed e) {
      clients.kills.disarm();
      KillSwitch.Point killed = clients.kills.points().get(index);
      return timeless(killed).equals(timeless(rehearsed))
          ? Optional.empty()
          : Optional.of("was " + killed.where() + " this time");
    }
    clients.kills.disarm();
    return Optional.of(
        "was over after " + clients.kills.points().size() + " moments, not " + index);
  }

  /** Files of the history have the time in their names, and ids may be random. */
  private static String timeless(KillSwitch.Point point) {
    return point.where().replaceAll("-[0-9a-f]{12}", "-#").replaceAll("[0-9]", "#");
  }
}
