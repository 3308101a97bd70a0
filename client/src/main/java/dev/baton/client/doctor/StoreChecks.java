package dev.baton.client.doctor;

import dev.baton.client.doctor.Finding.Check;
import dev.baton.client.queue.HeartbeatAges;
import dev.baton.client.queue.OpenQueue;
import dev.baton.client.queue.Place;
import dev.baton.client.queue.Probes;
import dev.baton.core.Durations;
import dev.baton.core.Problem;
import dev.baton.core.probe.ProbeOutcome;
import dev.baton.core.probe.Verdict;
import dev.baton.queue.BoardSite;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.QueueException;
import dev.baton.queue.operation.Heartbeat;
import dev.baton.queue.operation.Queues;
import dev.baton.store.StoreException;
import java.nio.file.Files;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What a store and its service show to be wrong. Nothing is written. */
final class StoreChecks {

  /** After so many intervals without it, compaction does not work. */
  private static final int LONG_HISTORY = 4;

  private final OpenQueue open;
  private final QueueDocument document;
  private final Instant now;
  private final Wording wording;

  StoreChecks(OpenQueue open, QueueDocument document, Instant now, Wording wording) {
    this.open = open;
    this.document = document;
    this.now = now;
    this.wording = wording;
  }

  /**
   * Whether this user may write.
   *
   * @param tried whether a write has shown that
   */
  List<Finding> permission(boolean tried) {
    if (open.place() instanceof Place.Directory directory) {
      return List.of(
          Files.isWritable(directory.path())
              ? Finding.ok(Check.PERMISSION, "this user may write " + directory.path())
              : Finding.problem(
                  Check.PERMISSION,
                  "this user may not write " + directory.path(),
                  "give it the right to"));
    }
    return tried
        ? List.of()
        : List.of(
            Finding.ok(
                Check.PERMISSION,
                "whether the "
                    + (open.github().isPresent() ? "token" : "key")
                    + " may write is not tried; "
                    + wording.repair()
                    + " does"));
  }

  List<Finding> heartbeats() throws StoreException, QueueException, InterruptedException {
    if (open.space().settling().isPresent()) {
      return List.of();
    }
    List<Finding> found = new ArrayList<>();
    for (Heartbeat beat : Queues.heartbeats(open.space(), document)) {
      broken(beat).ifPresent(found::add);
    }
    boolean complete = found.isEmpty();
    HeartbeatAges.stale(open.space(), document, now)
        .forEach(
            (ticket, age) ->
                found.add(
                    Finding.warn(
                        Check.HEARTBEAT,
                        "ticket "
                            + ticket
                            + " builds, last heartbeat "
                            + Durations.shown(age)
                            + " ago",
                        "after "
                            + Durations.shown(document.rules().lease())
                            + " without one the lock passes on to the next in line")));
    if (complete) {
      found.add(
          Finding.ok(
              Check.HEARTBEAT,
              document.rules().slots() == 1
                  ? "the slot has its heartbeat"
                  : "each of " + document.rules().slots() + " slots has its heartbeat"));
    }
    return found;
  }

  private Optional<Finding> broken(Heartbeat beat) throws QueueException, InterruptedException {
    String name = "the heartbeat of slot " + beat.slot();
    if (beat instanceof Heartbeat.Missing) {
      return Optional.of(
          Finding.problem(Check.HEARTBEAT, name + " is missing", command("doctor --repair"))
              .andRepairable());
    }
    // The queue was read first, and may have gone on since.
    if (beat instanceof Heartbeat.Readable readable
        && document.isBehind(readable.document())
        && open.quick().status().isBehind(readable.document())) {
      return Optional.of(
          Finding.problem(
                  Check.HEARTBEAT,
                  name + " knows a token that the queue has yet to give out",
                  command("doctor --repair"))
              .andRepairable());
    }
    return beat instanceof Heartbeat.Unreadable unreadable
        ? Optional.of(
            Finding.warn(
                Check.HEARTBEAT, name + ": " + unreadable.why(), "the next beat replaces it"))
        : Optional.empty();
  }

  List<Finding> compaction() {
    int interval = open.space().compactionInterval();
    if (interval == 0) {
      return List.of();
    }
    try {
      long longest = open.space().document("queue").length().orElse(0L);
      for (int slot = 0; slot < document.rules().slots(); slot++) {
        longest = Math.max(longest, open.space().document("beat-" + slot).length().orElse(0L));
      }
      return List.of(
          longest > (long) LONG_HISTORY * interval
              ? Finding.warn(
                  Check.COMPACTION,
                  "a branch of the queue has "
                      + longest
                      + " commits: GitHub refuses to compact it, or nobody has tried yet",
                  "allow force pushes to baton/** and baton-side/**, or keep all commits and let"
                      + " clones grow")
              : Finding.ok(
                  Check.COMPACTION,
                  "the longest branch of the queue has "
                      + longest
                      + (longest == 1 ? " commit" : " commits")));
    } catch (StoreException e) {
      return List.of(
          Finding.warn(
              Check.COMPACTION,
              e.getMessage(),
              "builds are not affected; without compaction clones grow"));
    }
  }

  List<Finding> board() {
    if (open.github().isEmpty() || open.space().settling().isPresent()) {
      return List.of();
    }
    if (document.board() == 0) {
      return List.of(
          Finding.warn(
                  Check.BOARD, "the queue has no board", command("doctor --repair") + " makes one")
              .andRepairable());
    }
    String name = "the board, issue " + document.board() + ",";
    try {
      return List.of(seen(name, open.github().get().boardSite().look(document.board())));
    } catch (StoreException e) {
      Problem why = wording.explain(e);
      return List.of(
          Finding.warn(Check.BOARD, name + " cannot be seen: " + why.what(), why.next()));
    }
  }

  private Finding seen(String name, BoardSite.Sight sight) {
    if (sight instanceof BoardSite.Sight.Gone gone) {
      return Finding.warn(
              Check.BOARD,
              name + " is gone: " + gone.why(),
              command("doctor --repair") + " makes another")
          .andRepairable();
    }
    boolean current = sight instanceof BoardSite.Sight.Shows s && s.version() >= document.version();
    return Finding.ok(
        Check.BOARD,
        name + (current ? " shows the queue" : " is there; the next change repaints it"));
  }

  /** The part of `baton probe` that takes two more reads and writes nothing. */
  List<Finding> service() throws InterruptedException {
    List<Finding> found = new ArrayList<>();
    List<ProbeOutcome> seen = Probes.glance(open);
    for (ProbeOutcome o : seen) {
      if (o.verdict() == Verdict.BROKEN) {
        found.add(
            Finding.warn(
                Check.SERVICE,
                "not as assumed: " + o.assumption().assumed() + " Seen: " + o.seen(),
                o.means() + " " + command("probe") + " tells more"));
      }
    }
    if (!seen.isEmpty() && seen.stream().allMatch(o -> o.verdict() == Verdict.HELD)) {
      found.add(
          Finding.ok(
              Check.SERVICE, "GitHub shows its limits, and looking at an unchanged queue is free"));
    }
    return found;
  }

  private String command(String command) {
    return "`" + open.place().command(command, "") + "`";
  }
}
