package dev.baton.gradle.engine;

import dev.baton.client.queue.OpenQueue;
import dev.baton.client.queue.Place;
import dev.baton.core.Durations;
import dev.baton.queue.Estimates;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.QueueException;
import dev.baton.queue.RunStatus;
import dev.baton.queue.Ticket;
import dev.baton.queue.TicketState;
import dev.baton.queue.internal.protocol.Protocol;
import dev.baton.queue.text.Turns;
import java.nio.file.Files;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Looks for what a build can see to be wrong with a queue; {@code baton doctor} sees more. */
final class Doctor {

  private static final Duration LONG_OFFER = Duration.ofMinutes(5);

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

  private final Instant now;
  private final List<Finding> findings = new ArrayList<>();

  Doctor(Instant now) {
    this.now = now;
  }

  List<Finding> findings() {
    return List.copyOf(findings);
  }

  boolean healthy() {
    return findings.stream().noneMatch(f -> f.grade() == Grade.PROBLEM);
  }

  void examine(OpenQueue open) throws QueueException, InterruptedException {
    QueueDocument d = open.quick().status();
    ok("the store answers: " + open.place().shown());
    ok("the document is in order: " + QueueDocument.FORMAT + ", version " + d.version());
    if (!Protocol.ABILITIES.containsAll(d.requires())) {
      problem("the queue requires " + d.requires(), "use a newer version of the plugin");
    }
    if (open.place() instanceof Place.Directory directory) {
      if (Files.isWritable(directory.path())) {
        ok("this user may write " + directory.path());
      } else {
        problem("this user may not write " + directory.path(), "give it the right to");
      }
    }
    d.paused()
        .ifPresent(p -> warn("paused by " + p.by() + " for " + since(p.since()), "`baton resume`"));
    if (d.quarantine() > 0) {
      warn(
          "the document was damaged and put together again",
          "wait: " + Turns.untilReopened(d, Durations.shown(d.rules().lease())));
    }
    if (open.github().isPresent() && open.space().settling().isEmpty() && d.board() == 0) {
      warn("the queue has no board", "`baton doctor --repair` makes one");
    }
    int stuck = 0;
    for (Ticket t : d.tickets()) {
      stuck += isStuck(open, d, t) ? 1 : 0;
    }
    if (stuck == 0) {
      ok(d.tickets().size() + " ticket(s), none of them stuck");
    }
  }

  private boolean isStuck(OpenQueue open, QueueDocument d, Ticket t) {
    String name = "ticket " + t.number() + " (" + t.title() + ", " + t.owner() + ")";
    Duration since = Duration.between(t.since(), now);
    RunStatus.Answer job = t.run().map(open.runStatus()::of).orElse(RunStatus.Answer.UNKNOWN);
    if (job == RunStatus.Answer.ENDED) {
      return warn(name + " is of a job that has ended", "`baton clean`");
    }
    if (t.state() == TicketState.AWAY) {
      return warn(
          name + " did not answer for " + Durations.shown(since),
          "it is removed after " + Durations.shown(d.rules().maxAway()));
    }
    if (t.state() == TicketState.OFFERED && since.compareTo(LONG_OFFER) > 0) {
      return warn(
          name + " has been asked for " + Durations.shown(since),
          "the next in line passes it over");
    }
    boolean slow =
        t.state() == TicketState.BUILDING
            && since.compareTo(Duration.ofMinutes(10)) > 0
            && Estimates.usual(d, t.title())
                .filter(usual -> since.compareTo(usual.multipliedBy(3)) > 0)
                .isPresent();
    return slow
        && warn(
            name
                + " builds for "
                + Durations.shown(since)
                + Estimates.overdue(d, t.number(), now)
                    .map(by -> ", " + Durations.shown(by) + " overdue")
                    .orElse(""),
            "look at it; if it hangs, `gradle batonUnlock --ticket "
                + t.number()
                + " --reason \"…\"`");
  }

  private String since(Instant then) {
    return Durations.shown(Duration.between(then, now));
  }

  private void ok(String what) {
    findings.add(new Finding(Grade.OK, what, ""));
  }

  private boolean warn(String what, String next) {
    return findings.add(new Finding(Grade.WARN, what, next));
  }

  void problem(String what, String next) {
    findings.add(new Finding(Grade.PROBLEM, what, next));
  }

  String text() {
    return findings.stream()
        .map(
            f ->
                String.format(Locale.ROOT, "%-9s", f.grade().name().toLowerCase(Locale.ROOT))
                    + f.what()
                    + (f.next().isEmpty() ? "" : " -> " + f.next()))
        .collect(Collectors.joining("\n"));
  }
}
