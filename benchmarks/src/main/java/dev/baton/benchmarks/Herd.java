package dev.baton.benchmarks;

import dev.baton.githubsim.Staleness;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * What becomes of N workflow jobs that ask for the lock within the same second, under GitHub's
 * limits and on a virtual clock: whether all get in line, what each is charged, and how close the
 * line comes to builds without a gap.
 */
public final class Herd {
  private static final List<Integer> SIZES = List.of(1, 10, 30, 50, 100, 200);
  private static final String HEAD =
      "jobs crowd     | in line  after s | failed | charged  reads writes paints status others"
          + " |  409  403 | drain | hand-off p50   p90    max";
  private static final Set<String> KNOWN =
      Set.of("queue read", "queue write", "board paint", "run status");

  /**
   * What to play.
   *
   * @param stale how old a read may be
   */
  private record Plan(long seed, List<Integer> sizes, List<HerdRun.Crowd> crowds, Duration stale) {

    /** From words such as {@code n=100}. */
    static Plan of(String... words) {
      Plan plan = new Plan(1, SIZES, List.of(HerdRun.Crowd.values()), Duration.ZERO);
      for (String word : words) {
        plan = plan.with(word);
      }
      return plan;
    }

    private Plan with(String word) {
      String value = word.substring(word.indexOf('=') + 1);
      return switch (word.substring(0, Math.max(0, word.indexOf('=')))) {
        case "n" -> new Plan(seed, List.of(Integer.parseInt(value)), crowds, stale);
        case "seed" -> new Plan(Long.parseLong(value), sizes, crowds, stale);
        case "crowd" ->
            new Plan(
                seed, sizes, List.of(HerdRun.Crowd.valueOf(value.toUpperCase(Locale.ROOT))), stale);
        case "stale" -> new Plan(seed, sizes, crowds, Duration.ofSeconds(Integer.parseInt(value)));
        default ->
            throw new IllegalArgumentException(
                "not n=, seed=, crowd=matrix, crowd=strangers or stale=SECONDS: " + word);
      };
    }

    @Override
    public String toString() {
      return "seed "
          + seed
          + (stale.isZero() ? "" : ", reads up to " + stale.toSeconds() + " s old");
    }
  }

  private Herd() {}

  public static void main(String[] args) {
    System.exit(run(Plan.of(args)) ? 0 : 1);
  }

  private static boolean run(Plan plan) {
    System.out.printf(
        Locale.ROOT,
        "N jobs ask for one lock in the same second, on virtual time; %s%n"
            + "round trips %d ms to read, %d ms to write; builds log-normal, p50 %d s, p95 %d s;"
            + " %.0f %% cancelled while they wait%n",
        plan,
        HerdRun.READ.toMillis(),
        HerdRun.WRITE.toMillis(),
        HerdRun.MEDIAN_BUILD.toSeconds(),
        3 * HerdRun.MEDIAN_BUILD.toSeconds(),
        100 * HerdRun.CANCELLED);
    boolean missed = false;
    List<String> rows = new ArrayList<>();
    List<String> last = new ArrayList<>();
    for (int n : plan.sizes()) {
      for (HerdRun.Crowd crowd : plan.crowds()) {
        long began = System.nanoTime();
        HerdRun.Figures figures =
            HerdRun.play(crowd, n, plan.seed(), new Staleness(Duration.ZERO, plan.stale()));
        Table table = new Table();
        say(table, crowd, figures, (System.nanoTime() - began) / 1e9);
        System.out.print(table.text());
        missed |= table.isMissed();
        rows.add(row(crowd, figures));
        if (n == 100 || plan.sizes().size() == 1) {
          // The crowd that the goals are for comes last.
          last.add(0, summary(crowd, figures));
        }
      }
    }
    System.out.printf("%n%s%n", HEAD);
    rows.forEach(System.out::println);
    System.out.println();
    last.forEach(System.out::println);
    return !missed;
  }

  private static void say(Table table, HerdRun.Crowd crowd, HerdRun.Figures f, double real) {
    table.say("%n%d jobs, %s (%.0f s of real time)", f.jobs(), crowd, real);
    table.say(
        "  in line %d, all after %.1f s%s; cancelled %d; failed %d%s",
        f.inLine(),
        f.allInLine(),
        isTimed(crowd, f) ? ": " + table.atMost(120, f.allInLine(), " s") : "",
        f.cancelled(),
        f.failed(),
        hasGoals(f) ? ": " + table.atMost(0, f.failed(), "") : "");
    f.failures().forEach((why, times) -> table.say("    failed %d x %s", times, why));
    f.leftBehind().forEach((why, times) -> table.say("    left behind %d x %s", times, why));
    table.say("  charged per job %.2f%s", f.chargedPerJob(), chargedGoal(table, crowd, f));
    table.say(
        "    queue reads %.2f, writes %.2f, paints %.2f, run status %.2f, others %.2f%s; free %.2f",
        perJob(f, "queue read"),
        perJob(f, "queue write"),
        perJob(f, "board paint"),
        perJob(f, "run status"),
        sum(others(f)) / f.jobs(),
        others(f).isEmpty() ? "" : " (" + Traffic.shown(others(f), f.jobs()) + ")",
        sum(f.free()) / f.jobs());
    table.say("  409s %d; 403s and 429s %d", f.conflicts(), f.refused());
    table.say(
        "  drain %.0f s, %.3f of ideal (%.0f s)%s",
        f.drain(),
        f.drain() / f.ideal(),
        f.ideal(),
        isTimed(crowd, f) ? ": " + table.atMost(1.1, f.drain() / f.ideal(), "") : "");
    table.say(
        "  hand-off p50 %s, p90 %s, max %s s%s; build's end to the write that gives back: p50 %s,"
            + " p90 %s, max %s s",
        shown(f.handOffs(), 0.5),
        shown(f.handOffs(), 0.9),
        shown(f.handOffs(), 1),
        isTimed(crowd, f) ? ": p90 " + table.atMost(10, percentile(f.handOffs(), 0.9), " s") : "",
        shown(f.releases(), 0.5),
        shown(f.releases(), 0.9),
        shown(f.releases(), 1));
    table.say(
        "  two at once %d: %s; passed over while they looked away %d",
        f.overlaps(), table.atMost(0, f.overlaps(), ""), f.outOfTurn());
  }

  private static String row(HerdRun.Crowd crowd, HerdRun.Figures f) {
    return String.format(
        Locale.ROOT,
        "%4d %-9s | %7d %8.1f | %6d | %7.2f %6.2f %6.2f %6.2f %6.2f %6.2f | %4d %4d | %5.2f"
            + " | %12s %5s %6s",
        f.jobs(),
        crowd,
        f.inLine(),
        f.allInLine(),
        f.failed(),
        f.chargedPerJob(),
        perJob(f, "queue read"),
        perJob(f, "queue write"),
        perJob(f, "board paint"),
        perJob(f, "run status"),
        sum(others(f)) / f.jobs(),
        f.conflicts(),
        f.refused(),
        f.drain() / f.ideal(),
        shown(f.handOffs(), 0.5),
        shown(f.handOffs(), 0.9),
        shown(f.handOffs(), 1));
  }

  private static boolean hasGoals(HerdRun.Figures f) {
    return f.jobs() == 100 || f.jobs() == 200;
  }

  /** Jobs that know nothing of each other all get their turn; how fast is up to the limits. */
  private static boolean isTimed(HerdRun.Crowd crowd, HerdRun.Figures f) {
    return crowd == HerdRun.Crowd.MATRIX && f.jobs() == 100;
  }

  private static String chargedGoal(Table table, HerdRun.Crowd crowd, HerdRun.Figures f) {
    return crowd == HerdRun.Crowd.MATRIX && hasGoals(f)
        ? ": " + table.atMost(f.jobs() == 100 ? 12 : 14, f.chargedPerJob(), "")
        : "";
  }

  private static double perJob(HerdRun.Figures f, String kind) {
    return f.charged().getOrDefault(kind, 0L) / (double) f.jobs();
  }

  private static Map<String, Long> others(HerdRun.Figures f) {
    Map<String, Long> rest = new TreeMap<>(f.charged());
    rest.keySet().removeAll(KNOWN);
    return rest;
  }

  private static double sum(Map<String, Long> counts) {
    return counts.values().stream().mapToLong(Long::longValue).sum();
  }

  /** Without hand-offs nobody had to wait for one. */
  private static double percentile(List<Duration> times, double share) {
    return times.isEmpty() ? 0 : Table.percentile(times, share);
  }

  private static String shown(List<Duration> times, double share) {
    return times.isEmpty()
        ? "-"
        : String.format(Locale.ROOT, "%.1f", Table.percentile(times, share));
  }

  private static String summary(HerdRun.Crowd crowd, HerdRun.Figures f) {
    return String.format(
        Locale.ROOT,
        "%s of %d: in line %d, failed %d, charged per job %.1f, drain %.2f of ideal, hand-off p90"
            + " %.1f s",
        crowd == HerdRun.Crowd.MATRIX ? "herd" : crowd,
        f.jobs(),
        f.inLine(),
        f.failed(),
        f.chargedPerJob(),
        f.drain() / f.ideal(),
        percentile(f.handOffs(), 0.9));
  }
}
