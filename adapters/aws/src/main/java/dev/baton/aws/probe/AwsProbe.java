package dev.baton.aws.probe;

import dev.baton.aws.account.AwsFailure;
import dev.baton.aws.account.AwsTrouble;
import dev.baton.core.probe.Assumption;
import dev.baton.core.probe.Findings;
import dev.baton.core.probe.Observation;
import dev.baton.core.probe.Probe;
import dev.baton.core.probe.ProbeClock;
import dev.baton.core.probe.ProbePlan;
import dev.baton.core.probe.ProbeReport;
import dev.baton.core.probe.ProbeStopped;
import dev.baton.core.probe.Race;
import dev.baton.core.probe.RequestMeter;
import dev.baton.core.probe.Verdict;
import dev.baton.store.StoreException;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;

/**
 * How every probe of a service of AWS goes.
 *
 * <ol>
 *   <li>Before anything is written it looks whether the place is there and what it will write can
 *       be removed; otherwise nothing is written.
 *   <li>All assumptions are tried on scratch things.
 *   <li>Whatever happens, these are removed, with requests that are kept back for that.
 *   <li>Then what killed probes have left is removed, where it can be found.
 * </ol>
 */
public abstract class AwsProbe implements Probe {
  protected static final int RACERS = 4;

  /** A probe that began longer ago is not under way any more. */
  protected static final Duration LONGEST_PROBE = Duration.ofHours(1);

  /** The client waits no longer for the next byte. */
  private static final Duration LONGEST_REQUEST = Duration.ofSeconds(20);

  private final int keptBack;
  private final Assumption quick;
  private final ProbeClock clock;
  private final InstantSource wall;

  /**
   * @param keptBack as many requests, of those in the plan, remove what was made
   * @param quick that answers come in time
   */
  protected AwsProbe(int keptBack, Assumption quick, ProbeClock clock, InstantSource wall) {
    this.keptBack = keptBack;
    this.quick = Objects.requireNonNull(quick, "quick");
    this.clock = Objects.requireNonNull(clock, "clock");
    this.wall = Objects.requireNonNull(wall, "wall");
  }

  /** The name of the service, for people. */
  protected abstract String service();

  /** A run of it. */
  protected abstract Trial trial(Run run);

  /** What is tried, and how it is removed. */
  protected interface Trial extends AutoCloseable {

    /**
     * @return whether something may be written; if not, the findings say why
     * @throws StoreException when there is nothing to probe
     */
    boolean look() throws StoreException, InterruptedException;

    void tryAll() throws InterruptedException;

    /** Says what could not be removed, a line each. */
    List<String> remove();

    /** Says what was removed that killed probes have left, a line each. */
    List<String> removeOthers();

    @Override
    void close();
  }

  @Override
  public final ProbeReport run(Watcher watcher) throws StoreException, InterruptedException {
    ProbePlan plan = plan();
    RequestMeter meter = new RequestMeter(plan.mostRequests(), keptBack);
    ProbeSession session = new ProbeSession(meter, clock, watcher);
    Run run = new Run(session, new Findings(plan.assumptions(), clock), wall.instant());
    List<String> cleaned = new ArrayList<>();
    List<String> left = new ArrayList<>();
    try (Trial trial = trial(run)) {
      boolean writable = trial.look();
      try {
        if (writable) {
          trial.tryAll();
        }
      } finally {
        session.clean();
        boolean interrupted = Thread.interrupted();
        if (writable) {
          left.addAll(trial.remove());
          cleaned.addAll(trial.removeOthers());
        }
        if (interrupted) {
          Thread.currentThread().interrupt();
        }
      }
    }
    noteTimes(run.findings(), meter);
    return new ProbeReport(
        run.findings().outcomes(), meter.operations(), meter.sent(), cleaned, left);
  }

  private void noteTimes(Findings findings, RequestMeter meter) {
    meter.operations().stream()
        .max(Comparator.comparing(ProbeReport.Operation::slowest))
        .ifPresent(
            o ->
                findings.note(
                    quick,
                    Observation.of(
                        o.slowest().compareTo(LONGEST_REQUEST) <= 0,
                        "the slowest answer took "
                            + o.slowest().toMillis()
                            + " ms ("
                            + o.name()
                            + ")")));
  }

  /** Tries something. */
  protected interface Attempt {
    Observation look() throws IOException, AwsFailure, InterruptedException;
  }

  /** What the trials of one run have in common. */
  protected final class Run {
    private final ProbeSession session;
    private final Findings findings;
    private final Instant start;
    private final String name;

    private Run(ProbeSession session, Findings findings, Instant start) {
      this.session = session;
      this.findings = findings;
      this.start = start;
      this.name =
          String.format(
              Locale.ROOT,
              "probe-%010d-%s",
              start.getEpochSecond(),
              UUID.randomUUID().toString().substring(0, 8));
    }

    public ProbeSession session() {
      return session;
    }

    public Findings findings() {
      return findings;
    }

    public Instant start() {
      return start;
    }

    /** Of no other run, such as {@code probe-1790000000-0123abcd}. */
    public String name() {
      return name;
    }

    public long nanos() {
      return clock.nanos();
    }

    /**
     * @return whether it held
     */
    public boolean check(Assumption assumption, String remedy, Attempt attempt)
        throws InterruptedException {
      return findings.check(
          assumption,
          () -> {
            try {
              return attempt.look();
            } catch (AwsFailure e) {
              return judged(e, remedy);
            }
          });
    }

    private Observation judged(AwsFailure e, String remedy) throws ProbeStopped {
      if (e.kind() == AwsFailure.Kind.BUSY) {
        session.stop("not tried: " + service() + " asks for fewer requests (" + e.code() + ")");
      }
      if (e.kind() != AwsFailure.Kind.REFUSED) {
        return Observation.unknown(e.trace());
      }
      return AwsTrouble.isDenied(e)
          ? Observation.notAllowed(e.code(), remedy)
          : Observation.broken(e.trace());
    }

    /** Gives all that is left the same verdict, because nothing could be written. */
    public void giveUp(Assumption first, List<Assumption> all, String why, String remedy) {
      boolean denied = findings.outcomeOf(first).filter(Verdict.NOT_ALLOWED::equals).isPresent();
      findings.others(
          all.stream().filter(a -> !a.equals(quick)).toList(),
          denied ? Observation.notAllowed(why, remedy) : Observation.unknown(why));
    }

    /** Several requests at the same moment; what each came to. */
    public <T> List<T> race(List<Callable<T>> racers)
        throws IOException, AwsFailure, InterruptedException {
      try {
        return Race.run(racers);
      } catch (ExecutionException e) {
        if (e.getCause() instanceof Error error) {
          throw error;
        } else if (e.getCause() instanceof AwsFailure failure) {
          throw failure;
        } else if (e.getCause() instanceof IOException failure) {
          throw failure;
        }
        throw new IOException(String.valueOf(e.getCause().getMessage()), e);
      }
    }
  }
}
