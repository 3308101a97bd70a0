package dev.baton.client.state;

import dev.baton.client.queue.HeartbeatAges;
import dev.baton.client.queue.OpenQueue;
import dev.baton.client.report.TextStyle;
import dev.baton.client.text.JsonOutput;
import dev.baton.client.text.LocalTimes;
import dev.baton.core.Durations;
import dev.baton.core.Problem.Kind;
import dev.baton.queue.Liveness;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.QueueException;
import dev.baton.queue.Slot;
import dev.baton.queue.Ticket;
import dev.baton.state.LockKey;
import dev.baton.state.LockLevel;
import dev.baton.state.LockSection;
import dev.baton.store.StoreException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * One lock of a deployment, and who has it.
 *
 * @param waiting how many are in line
 */
public record LockStatus(LockKey key, List<Holder> holders, int waiting) {

  /**
   * Somebody who has the lock.
   *
   * @param heartbeat how old it is; empty where there is none, or nobody can tell
   * @param stale whether the heartbeat has stopped
   */
  public record Holder(
      long ticket,
      long token,
      String by,
      String title,
      Instant since,
      boolean beats,
      Optional<Duration> heartbeat,
      boolean stale) {

    /** What `baton unlock` compares. */
    public String id() {
      return LockSection.idOf(ticket, token);
    }
  }

  public LockStatus {
    holders = List.copyOf(holders);
  }

  /** As it is now. A lock that nobody has ever taken is free. */
  public static LockStatus of(LockKey key, OpenQueue open, Instant now)
      throws QueueException, StoreException, InterruptedException {
    QueueDocument d;
    try {
      d = open.quick().status();
    } catch (QueueException e) {
      if (e.problem().kind() == Kind.NOT_INITIALISED) {
        return new LockStatus(key, List.of(), 0);
      }
      throw e;
    }
    Map<Long, Duration> ages = HeartbeatAges.of(open.space(), d, now);
    List<Holder> holders = new ArrayList<>();
    for (Slot slot : d.slots()) {
      if (!slot.isFree()) {
        d.ticket(slot.ticket()).ifPresent(t -> holders.add(holder(t, slot, d, ages)));
      }
    }
    return new LockStatus(key, holders, d.line().size());
  }

  private static Holder holder(Ticket t, Slot slot, QueueDocument d, Map<Long, Duration> ages) {
    Optional<Duration> age = Optional.ofNullable(ages.get(t.number()));
    return new Holder(
        t.number(),
        slot.token(),
        t.owner(),
        t.title(),
        t.since(),
        t.liveness() == Liveness.BEAT,
        age,
        age.filter(a -> HeartbeatAges.isStale(a, d)).isPresent());
  }

  public boolean isLocked() {
    return !holders.isEmpty();
  }

  // ---- for people

  public String text(TextStyle style, Instant now) {
    StringBuilder text = new StringBuilder("Lock Status:");
    line(text, "Stack", key.state().stack());
    line(text, "Environment", key.state().environment());
    if (key.level() != LockLevel.STACK) {
      line(text, key.level() == LockLevel.SERVICE ? "Service" : "Component", key.part());
    }
    line(text, "Locked", isLocked() ? "Yes" : "No");
    for (Holder holder : holders) {
      line(text, "Locked by", holder.by());
      line(text, "Lock id", holder.id());
      line(text, "Locked at", at(holder.since(), now));
      line(text, "Last heartbeat", heartbeat(holder, now));
      line(
          text,
          "Status",
          holder.stale()
              ? style.bad(
                  "⚠ STALE (no heartbeat for " + Durations.shown(holder.heartbeat().get()) + ")")
              : style.good("✓ held"));
    }
    if (waiting > 0) {
      line(text, "Waiting", Integer.toString(waiting));
    }
    return text.toString();
  }

  private static String heartbeat(Holder holder, Instant now) {
    if (!holder.beats()) {
      return "none: it ends with its workflow job";
    }
    return holder
        .heartbeat()
        .map(age -> at(now.minus(age), now))
        .orElse("this store does not say when");
  }

  private static String at(Instant time, Instant now) {
    Duration ago = Duration.between(time, now);
    return LocalTimes.dateAndSeconds(time)
        + (ago.isNegative() ? "" : " (" + Durations.shown(ago) + " ago)");
  }

  private static void line(StringBuilder text, String name, String value) {
    text.append("\n  ").append(name).append(": ").append(value);
  }

  // ---- for programs

  public Map<String, Object> json() {
    return JsonOutput.object(
        "lockKey", key.text(),
        "stack", key.state().stack(),
        "environment", key.state().environment(),
        "level", key.level().id(),
        "part", key.named(),
        "queue", key.queueName(),
        "locked", isLocked(),
        "waiting", waiting,
        "holders", holders.stream().map(LockStatus::json).collect(Collectors.toList()));
  }

  private static Map<String, Object> json(Holder holder) {
    return JsonOutput.object(
        "lockId", holder.id(),
        "ticket", holder.ticket(),
        "token", holder.token(),
        "lockedBy", holder.by(),
        "title", holder.title(),
        "lockedAt", holder.since().toString(),
        "heartbeatAgeSeconds", holder.heartbeat().map(Duration::toSeconds),
        "isStale", holder.stale());
  }
}
