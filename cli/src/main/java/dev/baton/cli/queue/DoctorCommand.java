package dev.baton.cli.queue;

import dev.baton.cli.terminal.CliException;
import dev.baton.cli.terminal.ExitCode;
import dev.baton.cli.terminal.Failures;
import dev.baton.cli.terminal.Json;
import dev.baton.cli.terminal.Paint;
import dev.baton.client.queue.HeartbeatAges;
import dev.baton.client.queue.OpenQueue;
import dev.baton.client.queue.Place;
import dev.baton.client.queue.Probes;
import dev.baton.core.DocumentException;
import dev.baton.core.Durations;
import dev.baton.core.probe.ProbeOutcome;
import dev.baton.core.probe.Verdict;
import dev.baton.queue.BoardSite;
import dev.baton.queue.Estimates;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.QueueException;
import dev.baton.queue.Rules;
import dev.baton.queue.RunStatus;
import dev.baton.queue.Ticket;
import dev.baton.queue.TicketState;
import dev.baton.queue.internal.codec.DocumentCodec;
import dev.baton.queue.internal.protocol.Protocol;
import dev.baton.queue.internal.protocol.Turns;
import dev.baton.store.StoreException;
import java.nio.file.Files;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Looks for what is wrong with a queue. */
@Command(
    name = "doctor",
    description = "Look for what is wrong with the queue, and say what to do.",
    footer = {
      "  baton doctor",
      "  baton doctor --repair       does what is safe",
    })
public final class DoctorCommand extends QueueCommand {

  private static final Duration LONG_ISSUE_LOCK = Duration.ofMinutes(3);
  private static final Duration LONG_OFFER = Duration.ofMinutes(5);

  /** After so many intervals without it, compaction does not work. */
  private static final int LONG_HISTORY = 4;

  /** How bad it is. */
  enum Grade {
    OK,
    WARN,
    PROBLEM
  }

  /**
   * One thing that was looked at.
   *
   * @param next what to do; empty when nothing is to be done
   */
  record Finding(Grade grade, String what, String next) {}

  @Option(names = "--repair", description = "make what is missing, take out what has ended")
  boolean repair;

  private final List<Finding> findings = new ArrayList<>();

  @Override
  public int on(OpenQueue open) throws QueueException, StoreException, InterruptedException {
    if (repair) {
      repair(open);
    }
    Optional<QueueDocument> document = document(open);
    if (document.isPresent()) {
      QueueDocument d = document.get();
      writable(open);
      state(d);
      heartbeats(open, d);
      history(open, d);
      board(open, d);
      service(open);
      line(open, d);
    }
    report();
    return findings.stream().anyMatch(f -> f.grade() == Grade.PROBLEM)
        ? ExitCode.FAILED.code
        : ExitCode.OK.code;
  }

  private void repair(OpenQueue open) throws QueueException, InterruptedException {
    Rules rules;
    try {
      if (open.quick().repair()) {
        ok("repaired: the document could not be read, and its last good version takes its place");
      }
      rules = open.quick().status().rules();
    } catch (QueueException.NotInitialised e) {
      // A queue that is not there is not made by a repair: it may be the wrong place.
      return;
    }
    open.quick().create(rules);
    List<Ticket> cleaned = open.quick().clean();
    ok(
        "repaired: heartbeats and board are there, "
            + cleaned.size()
            + " ticket(s) of ended jobs taken out");
  }

  private Optional<QueueDocument> document(OpenQueue open)
      throws QueueException, InterruptedException {
    try {
      QueueDocument d = open.quick().status();
      ok("the store answers: " + open.place().shown());
      ok("the document is in order: " + QueueDocument.FORMAT + ", version " + d.version());
      if (!Protocol.ABILITIES.containsAll(d.requires())) {
        problem("the queue requires " + d.requires(), "use a newer version of baton");
      }
      return Optional.of(d);
    } catch (QueueException.NotInitialised e) {
      ok("the store answers: " + open.place().shown());
      problem("there is no queue", "create it with " + baton.command("init"));
    } catch (QueueException | DocumentException e) {
      CliException why = Failures.explain(e, baton::command);
      problem(why.what(), why.next());
    }
    return Optional.empty();
  }

  private void writable(OpenQueue open) {
    if (open.place() instanceof Place.Directory directory) {
      if (Files.isWritable(directory.path())) {
        ok("this user may write " + directory.path());
      } else {
        problem("this user may not write " + directory.path(), "give it the right to");
      }
    } else if (!repair) {
      ok(
          "whether the "
              + (open.github().isPresent() ? "token" : "key")
              + " may write is not tried; --repair does");
    }
  }

  private void state(QueueDocument d) {
    Instant now = baton.shell().clock().instant();
    d.issueLock()
        .ifPresent(
            lock -> {
              Duration held = Duration.between(lock.since(), now);
              if (held.compareTo(LONG_ISSUE_LOCK) > 0) {
                warn(
                    "the issue lock is held by " + lock.by() + " for " + Durations.shown(held),
                    "the next change breaks it; " + baton.command("clean") + " is one");
              }
            });
    d.paused()
        .ifPresent(
            p ->
                warn(
                    "paused by "
                        + p.by()
                        + " for "
                        + Durations.shown(Duration.between(p.since(), now)),
                    "go on with " + baton.command("resume")));
    if (d.quarantine() > 0) {
      warn(
          "the document was damaged and put together again",
          "wait: " + Turns.untilReopened(d, Durations.shown(d.rules().lease())));
    }
  }

  private void heartbeats(OpenQueue open, QueueDocument d) throws StoreException {
    if (open.space().settling().isPresent()) {
      return;
    }
    for (int slot = 0; slot < d.rules().slots(); slot++) {
      String name = "beat-" + slot;
      try {
        Optional<String> text = open.space().document(name).read().content();
        if (text.isEmpty()) {
          problem(
              "the heartbeat of slot " + slot + " is missing", baton.command("doctor --repair"));
        } else {
          DocumentCodec.decodeBeat(text.get());
        }
      } catch (DocumentException e) {
        warn("the heartbeat of slot " + slot + ": " + e.getMessage(), "the next beat replaces it");
      }
    }
    HeartbeatAges.stale(open.space(), d, baton.shell().clock().instant())
        .forEach(
            (ticket, age) ->
                warn(
                    "ticket " + ticket + " builds, last heartbeat " + Durations.shown(age) + " ago",
                    "after "
                        + Durations.shown(d.rules().lease())
                        + " without one the lock passes on to the next in line"));
    if (findings.stream().noneMatch(f -> f.what().startsWith("the heartbeat"))) {
      ok("a heartbeat for each of " + d.rules().slots() + " slot(s)");
    }
  }

  private void history(OpenQueue open, QueueDocument d) {
    int interval = open.space().compactionInterval();
    if (interval == 0) {
      return;
    }
    try {
      long longest = open.space().document("queue").length().orElse(0L);
      for (int slot = 0; slot < d.rules().slots(); slot++) {
        longest = Math.max(longest, open.space().document("beat-" + slot).length().orElse(0L));
      }
      if (longest > (long) LONG_HISTORY * interval) {
        warn(
            "a branch of the queue has "
                + longest
                + " commits: GitHub refuses to compact it, or nobody has tried yet",
            "allow force pushes to baton/** and baton-side/**, or keep all commits and let clones"
                + " grow");
      } else {
        ok("the longest branch of the queue has " + longest + " commit(s)");
      }
    } catch (StoreException e) {
      warn(e.getMessage(), "builds are not affected; without compaction clones grow");
    }
  }

  private void board(OpenQueue open, QueueDocument d) {
    if (open.github().isEmpty() || open.space().settling().isPresent()) {
      return;
    }
    if (d.board() == 0) {
      warn("the queue has no board", baton.command("doctor --repair") + " makes one");
      return;
    }
    String name = "the board, issue " + d.board() + ",";
    try {
      BoardSite.Sight sight = open.github().get().boardSite().look(d.board());
      if (sight instanceof BoardSite.Sight.Gone gone) {
        warn(name + " is gone: " + gone.why(), baton.command("doctor --repair") + " makes another");
      } else if (sight instanceof BoardSite.Sight.Shows s && s.version() >= d.version()) {
        ok(name + " shows the queue");
      } else {
        ok(name + " is there; the next change paints it anew");
      }
    } catch (StoreException e) {
      CliException why = Failures.explain(e, baton::command);
      warn(name + " cannot be seen: " + why.what(), why.next());
    }
  }

  /** The part of `baton probe` that takes two more reads and writes nothing. */
  private void service(OpenQueue open) throws InterruptedException {
    List<ProbeOutcome> seen = Probes.glance(open);
    List<ProbeOutcome> broken = seen.stream().filter(o -> o.verdict() == Verdict.BROKEN).toList();
    for (ProbeOutcome o : broken) {
      warn(
          "not as assumed: " + o.assumption().assumed() + " Seen: " + o.seen(),
          o.means() + " " + baton.command("probe") + " tells more");
    }
    if (!seen.isEmpty() && seen.stream().allMatch(o -> o.verdict() == Verdict.HELD)) {
      ok("GitHub shows its limits, and looking at an unchanged queue is free");
    }
  }

  private void line(OpenQueue open, QueueDocument d) {
    Instant now = baton.shell().clock().instant();
    boolean quiet = true;
    for (Ticket t : d.tickets()) {
      String name = "ticket " + t.number() + " (" + t.title() + ", " + t.owner() + ")";
      Duration since = Duration.between(t.since(), now);
      RunStatus.Answer job = t.run().map(open.runStatus()::of).orElse(RunStatus.Answer.UNKNOWN);
      if (job == RunStatus.Answer.ENDED) {
        quiet = false;
        warn(name + " is of a job that has ended", baton.command("clean"));
      } else if (t.state() == TicketState.AWAY) {
        quiet = false;
        warn(
            name + " did not answer for " + Durations.shown(since),
            "it is removed after "
                + Durations.shown(d.rules().maxAway())
                + ", or "
                + baton.command("drop " + t.number()));
      } else if (t.state() == TicketState.OFFERED && since.compareTo(LONG_OFFER) > 0) {
        quiet = false;
        warn(
            name + " has been asked for " + Durations.shown(since),
            "the next in line passes it over; if nobody is, "
                + baton.command("drop " + t.number()));
      } else if (t.state() == TicketState.BUILDING) {
        Optional<Duration> usual = Estimates.usual(d, t.title());
        if (usual.filter(u -> since.compareTo(u.multipliedBy(3)) > 0).isPresent()
            && since.compareTo(Duration.ofMinutes(10)) > 0) {
          quiet = false;
          warn(
              name + overdue(usual.get(), since),
              "look at it; if it hangs, `"
                  + baton.command(
                      "unlock",
                      "--force --ticket "
                          + t.number()
                          + " --token "
                          + t.token()
                          + " --reason \"…\"")
                  + "`");
        } else if (Estimates.overdue(d, t.number(), now).isPresent()) {
          // Every other build takes longer than the median: nothing to warn of yet.
          ok(name + overdue(usual.orElseThrow(), since));
        }
      }
    }
    if (quiet) {
      ok(d.tickets().size() + " ticket(s), none of them stuck");
    }
  }

  private static String overdue(Duration usual, Duration since) {
    return " is "
        + Durations.shown(since.minus(usual))
        + " overdue: builds for "
        + Durations.shown(since)
        + ", usually "
        + Durations.shown(usual);
  }

  private void ok(String what) {
    findings.add(new Finding(Grade.OK, what, ""));
  }

  private void warn(String what, String next) {
    findings.add(new Finding(Grade.WARN, what, next));
  }

  private void problem(String what, String next) {
    findings.add(new Finding(Grade.PROBLEM, what, next));
  }

  private void report() {
    Paint paint = baton.paint();
    baton.result(
        Json.object(
            "findings",
            findings.stream()
                .map(
                    f ->
                        Json.object(
                            "grade", f.grade().name().toLowerCase(Locale.ROOT),
                            "what", f.what(),
                            "next", f.next().isEmpty() ? Optional.empty() : Optional.of(f.next())))
                .toList()),
        findings.stream()
            .map(
                f ->
                    grade(paint, f.grade())
                        + f.what()
                        + (f.next().isEmpty() ? "" : " -> " + f.next()))
            .collect(Collectors.joining("\n")));
  }

  private static String grade(Paint paint, Grade grade) {
    return switch (grade) {
      case OK -> paint.good("ok       ");
      case WARN -> paint.warn("warn     ");
      case PROBLEM -> paint.bad("problem  ");
    };
  }
}
