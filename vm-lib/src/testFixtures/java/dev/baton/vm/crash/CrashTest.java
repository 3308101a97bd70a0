package dev.baton.vm.crash;

import dev.baton.store.StoreException;
import dev.baton.vm.Operation;
import dev.baton.vm.VmException;
import dev.baton.vm.provider.ProviderException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Kills every operation at every moment, and looks what is left when somebody else comes by:
 *
 * <ol>
 *   <li>he runs the same operation again: the VM must be where that leads, and the cloud must have
 *       nothing that is not recorded;
 *   <li>or he sweeps instead: again nothing may be left that is not recorded;
 *   <li>then the VM is taken down, and nothing at all may be left.
 * </ol>
 */
public final class CrashTest {

  private static final int SHOWN = 20;

  private CrashTest() {}

  /** What it came to. */
  public record Total(int points, int orphans, int stuck) {

    public String line() {
      return "kill points: " + points + ", orphans: " + orphans + ", stuck: " + stuck;
    }

    Total plus(Total other) {
      return new Total(points + other.points, orphans + other.orphans, stuck + other.stuck);
    }
  }

  /** What is done after somebody was killed. */
  private enum Then {
    RUN_AGAIN,
    SWEEP
  }

  public static void main(String[] args) {
    boolean verbose = List.of(args).contains("verbose");
    Total total = run(true, 1, System.out, verbose);
    System.out.println(total.line());
    if (total.points() < 200 || total.orphans() > 0 || total.stuck() > 0) {
      System.exit(1);
    }
  }

  /**
   * @param writeAhead false: intents are not written, and orphans are to be expected
   * @param stride 1: every moment; n: every nth
   */
  public static Total run(boolean writeAhead, int stride, PrintStream out, boolean verbose) {
    Total total = new Total(0, 0, 0);
    for (Scenario scenario : Scenario.ALL) {
      total = total.plus(run(scenario, writeAhead, stride, out, verbose));
    }
    return total;
  }

  private static Total run(
      Scenario scenario, boolean writeAhead, int stride, PrintStream out, boolean verbose) {
    List<KillSwitch.Point> points = rehearse(scenario, writeAhead);
    Map<KillSwitch.At, Integer> kinds = new EnumMap<>(KillSwitch.At.class);
    List<String> complaints = new ArrayList<>();
    int orphans = 0;
    int stuck = 0;
    int tried = 0;
    for (int i = 0; i < points.size(); i += stride) {
      tried++;
      kinds.merge(points.get(i).at(), 1, Integer::sum);
      if (verbose) {
        out.println("  " + scenario.name() + ": " + points.get(i).where());
      }
      for (Then then : Then.values()) {
        Outcome outcome = kill(scenario, writeAhead, i, then);
        orphans += outcome.orphans();
        stuck += outcome.trouble().isPresent() ? 1 : 0;
        if (outcome.orphans() > 0 || outcome.trouble().isPresent()) {
          complaints.add(
              points.get(i).where()
                  + ", "
                  + then.name().toLowerCase(Locale.ROOT).replace('_', ' ')
                  + ": "
                  + outcome.orphans()
                  + " orphans"
                  + outcome.trouble().map(t -> ", stuck: " + t).orElse(""));
        }
      }
    }
    out.printf(
        Locale.ROOT,
        "%-48s %4d kill points (%d at store writes, %d at copies, %d at provider calls)%n",
        scenario.name(),
        tried,
        kinds.getOrDefault(KillSwitch.At.STORE_WRITE, 0),
        kinds.getOrDefault(KillSwitch.At.COPY, 0),
        kinds.getOrDefault(KillSwitch.At.PROVIDER_CALL, 0));
    complaints.stream().limit(SHOWN).forEach(c -> out.println("  " + c));
    return new Total(tried, orphans, stuck);
  }

  /** Once without a kill: how many moments there are. */
  private static List<KillSwitch.Point> rehearse(Scenario scenario, boolean writeAhead) {
    try {
      Scene scene = new Scene(writeAhead);
      scenario.prepare().run(scene);
      scene.kills.arm(-1);
      scenario.act().run(scene.victim);
      return scene.kills.points();
    } catch (VmException | ProviderException | StoreException | InterruptedException e) {
      throw new IllegalStateException(scenario.name() + " fails without any kill", e);
    }
  }

  private record Outcome(int orphans, Optional<String> trouble) {}

  private static Outcome kill(Scenario scenario, boolean writeAhead, int point, Then then) {
    int orphans = 0;
    try {
      Scene scene = new Scene(writeAhead);
      scenario.prepare().run(scene);
      scene.kills.arm(point);
      try {
        scenario.act().run(scene.victim);
        return new Outcome(0, Optional.of("nobody was killed"));
      } catch (KillSwitch.Killed e) {
        scene.kills.disarm();
      }
      scene.letTheLeaseRunOut();
      List<String> troubles = new ArrayList<>();
      if (then == Then.RUN_AGAIN) {
        // Only abandon is not allowed where it leads to.
        if (scenario.operation() != Operation.ABANDON
            || !scene.journal().status().equals(scenario.end())) {
          scenario.act().run(scene.other);
        }
        scene.otherVm().status();
        var status = scene.journal().status();
        if (!status.equals(scenario.end())) {
          troubles.add("it is " + status + " and should be " + scenario.end());
        }
        troubles.addAll(scene.troubles());
      } else {
        scene.sweep();
      }
      troubles.addAll(scene.wrongEnds());
      scene.letDeletionsFinish();
      orphans += then == Then.RUN_AGAIN ? scene.orphans().size() : unclaimed(scene);
      scene.otherVm().takeDown(Scene.OPTIONS);
      scene.letDeletionsFinish();
      scene.otherVm().status();
      troubles.addAll(scene.troubles());
      orphans += scene.cloud.everything().size();
      return new Outcome(
          orphans,
          troubles.isEmpty() ? Optional.empty() : Optional.of(String.join("; ", troubles)));
    } catch (VmException
        | ProviderException
        | StoreException
        | InterruptedException
        | RuntimeException e) {
      return new Outcome(orphans, Optional.of(e.toString()));
    }
  }

  /** After a sweep an intent that will be taken up again is as good as a record. */
  private static int unclaimed(Scene scene) throws StoreException, ProviderException {
    var intents = scene.journal().intents();
    int unclaimed = 0;
    for (var found : scene.cloud.everything()) {
      boolean intended =
          intents.stream().anyMatch(i -> found.token().equals(Optional.of(i.token())));
      if (!scene.journal().records(found.kind(), found.id()) && !intended) {
        unclaimed++;
      }
    }
    return unclaimed;
  }
}
