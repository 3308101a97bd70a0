package dev.baton.cloud.aliyun;

import dev.baton.store.StoreException;
import dev.baton.vm.Operation;
import dev.baton.vm.VmException;
import dev.baton.vm.crash.KillSwitch;
import dev.baton.vm.provider.ProviderException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Kills every operation at every moment, on Alibaba Cloud and OSS as their own clients see them,
 * and looks what is left when somebody else comes by: he runs the operation again, or sweeps; then
 * the VM is taken down, and nothing at all may be left. No time goes by but what is waited for, so
 * every moment of the rehearsal comes again; one that does not is told and makes it fail.
 */
public final class AliyunCrashTest {
  private static final int SHOWN = 10;

  private AliyunCrashTest() {}

  /** What it came to. */
  record Total(int points, int orphans, int stuck, int missed) {
    static final Total NOTHING = new Total(0, 0, 0, 0);

    String line() {
      return "kill points: "
          + points
          + ", orphans: "
          + orphans
          + ", stuck: "
          + stuck
          + (missed == 0 ? "" : ", moments that did not come again: " + missed);
    }

    Total plus(Total other) {
      return new Total(
          points + other.points,
          orphans + other.orphans,
          stuck + other.stuck,
          missed + other.missed);
    }
  }

  private enum Then {
    RUN_AGAIN,
    SWEEP
  }

  public static void main(String[] args) {
    int stride = args.length > 0 ? Integer.parseInt(args[0]) : 1;
    boolean verbose = List.of(args).contains("verbose");
    Total total;
    try (Fakes fakes = new Fakes()) {
      total = run(fakes, true, stride, 0, System.out, verbose);
    }
    System.out.println(total.line());
    boolean enough = total.points() >= 200 / stride && total.missed() == 0;
    // Idle connections of the clients would keep the process for minutes.
    System.exit(enough && total.orphans() == 0 && total.stuck() == 0 ? 0 : 1);
  }

  /**
   * @param writeAhead false: intents are not written, and orphans are to be expected
   * @param stride 1: every moment; n: every nth
   * @param first where to begin, less than the stride
   */
  static Total run(
      Fakes fakes, boolean writeAhead, int stride, int first, PrintStream out, boolean verbose) {
    Total total = Total.NOTHING;
    for (CrashScenario scenario : CrashScenario.ALL) {
      total = total.plus(run(fakes, scenario, writeAhead, stride, first, out, verbose));
    }
    return total;
  }

  static Total run(
      Fakes fakes,
      CrashScenario scenario,
      boolean writeAhead,
      int stride,
      int first,
      PrintStream out,
      boolean verbose) {
    List<KillSwitch.Point> points = rehearse(fakes, scenario, writeAhead);
    List<String> complaints = new ArrayList<>();
    Total total = Total.NOTHING;
    for (int i = first; i < points.size(); i += stride) {
      if (verbose) {
        out.println("  " + scenario.name() + ": " + points.get(i).where());
      }
      int orphans = 0;
      int stuck = 0;
      int missed = 0;
      for (Then then : Then.values()) {
        Outcome outcome = kill(fakes, scenario, writeAhead, i, points.get(i), then);
        missed += outcome.missed().isPresent() ? 1 : 0;
        outcome.missed().ifPresent(complaints::add);
        orphans += outcome.orphans().size();
        stuck += outcome.trouble().isPresent() ? 1 : 0;
        if (!outcome.orphans().isEmpty() || outcome.trouble().isPresent()) {
          complaints.add(
              points.get(i).where()
                  + ", "
                  + then.name().toLowerCase(Locale.ROOT).replace('_', ' ')
                  + ": orphans "
                  + outcome.orphans()
                  + outcome.trouble().map(t -> ", stuck: " + t).orElse(""));
        }
      }
      total = total.plus(new Total(missed == 0 ? 1 : 0, orphans, stuck, missed));
    }
    out.printf(
        Locale.ROOT,
        "%-48s %4d of %d kill points%n",
        scenario.name(),
        total.points(),
        points.size());
    complaints.stream().limit(SHOWN).forEach(c -> out.println("  " + c));
    return total;
  }

  /** Once without a kill: how many moments there are. */
  static List<KillSwitch.Point> rehearse(Fakes fakes, CrashScenario scenario, boolean writeAhead) {
    try (CrashScene scene = new CrashScene(fakes, writeAhead)) {
      scenario.prepare().run(scene);
      scene.kills.arm(-1);
      scenario.act().run(scene.victim);
      List<KillSwitch.Point> points = scene.kills.points();
      scene.kills.disarm();
      scene.letTheLeaseRunOut();
      scene.otherVm().takeDown(CrashScene.OPTIONS);
      return points;
    } catch (VmException | ProviderException | StoreException | InterruptedException e) {
      throw new IllegalStateException(scenario.name() + " fails without any kill", e);
    }
  }

  /**
   * What was left.
   *
   * @param missed that moment was not the one of the rehearsal, or did not come at all
   */
  private record Outcome(List<String> orphans, Optional<String> trouble, Optional<String> missed) {}

  /** Files of the history have the time in their names. */
  private static String timeless(KillSwitch.Point point) {
    return point.where().replaceAll("[0-9]", "#");
  }

  private static Outcome kill(
      Fakes fakes,
      CrashScenario scenario,
      boolean writeAhead,
      int point,
      KillSwitch.Point rehearsed,
      Then then) {
    List<String> orphans = new ArrayList<>();
    try (CrashScene scene = new CrashScene(fakes, writeAhead)) {
      scenario.prepare().run(scene);
      scene.kills.arm(point);
      try {
        scenario.act().run(scene.victim);
        scene.kills.disarm();
        int came = scene.kills.points().size();
        scene.otherVm().takeDown(CrashScene.OPTIONS);
        return new Outcome(
            orphans,
            Optional.empty(),
            Optional.of(rehearsed.where() + ": over after " + came + " moments, not " + point));
      } catch (KillSwitch.Killed e) {
        scene.kills.disarm();
      }
      KillSwitch.Point killed = scene.kills.points().get(point);
      Optional<String> missed =
          timeless(killed).equals(timeless(rehearsed))
              ? Optional.empty()
              : Optional.of(rehearsed.where() + ": was " + killed.where() + " this time");
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
      orphans.addAll(scene.orphans(then == Then.SWEEP));
      scene.otherVm().takeDown(CrashScene.OPTIONS);
      scene.letDeletionsFinish();
      scene.otherVm().status();
      troubles.addAll(scene.troubles());
      orphans.addAll(scene.everything());
      return new Outcome(
          orphans,
          troubles.isEmpty() ? Optional.empty() : Optional.of(String.join("; ", troubles)),
          missed);
    } catch (VmException
        | ProviderException
        | StoreException
        | InterruptedException
        | RuntimeException e) {
      return new Outcome(orphans, Optional.of(e.toString()), Optional.empty());
    }
  }
}
