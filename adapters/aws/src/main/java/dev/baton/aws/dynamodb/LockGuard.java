package dev.baton.aws.dynamodb;

import dev.baton.core.DocumentException;
import dev.baton.queue.BeatDocument;
import dev.baton.queue.Liveness;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.Slot;
import dev.baton.queue.Ticket;
import dev.baton.queue.operation.Queues;
import dev.baton.state.LockKey;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.function.LongSupplier;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.ConditionCheck;
import software.amazon.awssdk.services.dynamodb.model.Delete;
import software.amazon.awssdk.services.dynamodb.model.Put;
import software.amazon.awssdk.services.dynamodb.model.ReturnValuesOnConditionCheckFailure;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;
import software.amazon.awssdk.services.dynamodb.model.Update;

/**
 * Keeps a lock item in step with a queue, so that programs that know the item alone and those that
 * stand in line exclude each other.
 *
 * <ol>
 *   <li>The item is there for as long as a slot of the queue is not free. It changes in the
 *       transaction in which the queue changes: it is put by the write that gives the lock away,
 *       put anew by the one that hands it on, and deleted by the one that frees the last slot. A
 *       further slot is given away on condition that the item is there and of this queue.
 *   <li>A heartbeat of the queue renews it in the same transaction. A workflow job has no
 *       heartbeat: its item expires after the longest time that the queue lets it hold the lock,
 *       and the heartbeat of a build in another slot does not shorten that.
 *   <li>Each turn has a lock id of its own, made from the queue and the fencing token. So an item
 *       tells by itself whether it is of this queue.
 *   <li>An item of somebody else is left alone, whatever it says about its expiry, until it was
 *       watched unchanged for its whole lifetime on the monotonic clock of this machine. Then the
 *       next turn replaces it, on condition that it still is unchanged. An item that does not say
 *       when it expires never is. No other clock is part of this.
 *   <li>Where an item of a turn is gone or another's, the item was removed by force: the holder's
 *       next heartbeat, or proof, is blocked.
 * </ol>
 *
 * <p>Safe for use by several threads.
 */
final class LockGuard {

  /** What goes with the write of a document. */
  sealed interface Plan {
    /** Nothing. */
    record Alone() implements Plan {}

    /** A change of the lock item, or a condition on it. */
    record Together(TransactWriteItem item) implements Plan {}

    /** The document must not be written. */
    record Blocked(String by) implements Plan {}

    /** What was seen of the item does not fit the document: it has to be looked at again. */
    record Look() implements Plan {}
  }

  private static final Plan ALONE = new Plan.Alone();
  private static final String REMOVED = "a person or program that removed the lock item";
  private static final String QUEUE = "baton_queue";
  private static final String TOKEN = "baton_token";

  /** The holder of the first slot that is not free. */
  private record Turn(Slot slot, Optional<Ticket> ticket) {}

  /** Since when an item was seen to be as it is. */
  private record Watch(LockItem item, long since) {}

  private final String table;
  private final String lockKey;
  private final String queue;
  private final Duration ttl;
  private final Clock clock;
  private final LongSupplier nanos;
  private Optional<LockItem> there = Optional.empty();
  private Watch watch;

  LockGuard(
      String table, LockKey key, String queue, Duration ttl, Clock clock, LongSupplier nanos) {
    this.table = Objects.requireNonNull(table, "table");
    this.lockKey = key.text();
    this.queue = Objects.requireNonNull(queue, "queue");
    this.ttl = Objects.requireNonNull(ttl, "ttl");
    this.clock = Objects.requireNonNull(clock, "clock");
    this.nanos = Objects.requireNonNull(nanos, "nanos");
  }

  String lockKey() {
    return lockKey;
  }

  // ---- looking

  /** What a plan has made of the item. */
  synchronized void did(TransactWriteItem item) {
    if (item.put() != null) {
      saw(Optional.of(LockItem.of(item.put().item())));
    } else if (item.delete() != null) {
      saw(Optional.empty());
    }
  }

  /** The item as it was just read. */
  synchronized void saw(Optional<LockItem> item) {
    there = item;
    if (item.isEmpty() || isOurs(item.get())) {
      watch = null;
    } else if (watch == null || !isSame(watch.item(), item.get())) {
      watch = new Watch(item.get(), nanos.getAsLong());
    }
  }

  private static boolean isSame(LockItem one, LockItem other) {
    return one.lockId().equals(other.lockId())
        && one.lastHeartbeat().equals(other.lastHeartbeat())
        && one.expiresAt().equals(other.expiresAt());
  }

  /** Who holds the lock outside of this queue. */
  synchronized Optional<String> outsider() {
    return there.filter(item -> !isOurs(item) && !isWatchedOut(item)).map(LockItem::holder);
  }

  private boolean isOurs(LockItem item) {
    String token = item.metadata().getOrDefault(TOKEN, "");
    return queue.equals(item.metadata().get(QUEUE))
        && token.matches("\\d{1,18}")
        && item.lockId().equals(lockId(Long.parseLong(token)));
  }

  private String lockId(long token) {
    String name = "baton/" + lockKey + "/" + queue + "/" + token;
    return UUID.nameUUIDFromBytes(name.getBytes(StandardCharsets.UTF_8)).toString();
  }

  private boolean isWatchedOut(LockItem item) {
    return watch != null
        && isSame(watch.item(), item)
        && item.lifetime()
            .filter(life -> nanos.getAsLong() - watch.since() > life.toNanos())
            .isPresent();
  }

  // ---- the queue

  /**
   * @param before what the queue document said; empty when there was none
   * @param fresh the item was looked at after that
   */
  synchronized Plan forQueue(Optional<String> before, String next, boolean fresh) {
    Plan plan = forQueue(before, next);
    boolean held = before.flatMap(LockGuard::readable).flatMap(LockGuard::turn).isPresent();
    boolean odd = held && there.filter(this::isOurs).isEmpty();
    return !fresh && (odd || plan instanceof Plan.Blocked) ? new Plan.Look() : plan;
  }

  private Plan forQueue(Optional<String> before, String next) {
    Optional<QueueDocument> was = before.flatMap(LockGuard::readable);
    Optional<QueueDocument> will = readable(next);
    if (will.isEmpty()) {
      return ALONE;
    }
    Optional<Turn> old = was.flatMap(LockGuard::turn);
    Optional<Turn> turn = turn(will.get());
    if (turn.isEmpty()) {
      return there.filter(this::isOurs).<Plan>map(this::delete).orElse(ALONE);
    }
    Turn first = turn.get();
    boolean sameTurn = old.filter(o -> o.slot().token() == first.slot().token()).isPresent();
    if (givesAway(was, will.get())) {
      boolean alreadyHeld = sameTurn && old.get().slot().state() == first.slot().state();
      // For a job it has to last for longer from now on.
      return alreadyHeld && !isForAJob(will.get()) && there.filter(this::isOurs).isPresent()
          ? unchanged(there.get().lockId())
          : give(first, will.get());
    }
    if (!sameTurn) {
      // A further slot is the first one now. Where its lock was taken away, it gets none by that.
      return there.filter(this::isOurs).map(item -> give(first, will.get())).orElse(ALONE);
    }
    if (letsAJobHoldForLonger(was.get(), will.get())) {
      return there.filter(this::isOurs).map(item -> give(first, will.get())).orElse(ALONE);
    }
    return isProof(was.get(), will.get()) ? prove(first) : ALONE;
  }

  /** Whether somebody gets, or confirms, a slot by this, be it the first or a further one. */
  private static boolean givesAway(Optional<QueueDocument> was, QueueDocument will) {
    return will.slots().stream()
        .filter(s -> s.state() == Slot.State.OFFERED || s.state() == Slot.State.BUILDING)
        .anyMatch(
            s ->
                was.stream()
                    .flatMap(d -> d.slots().stream())
                    .noneMatch(o -> o.token() == s.token() && o.state() == s.state()));
  }

  private static Optional<QueueDocument> readable(String text) {
    try {
      return Optional.of(Queues.document(text));
    } catch (DocumentException e) {
      // Damage gives nobody a lock.
      return Optional.empty();
    }
  }

  private static Optional<Turn> turn(QueueDocument d) {
    return d.slots().stream()
        .filter(s -> !s.isFree())
        .findFirst()
        .map(s -> new Turn(s, d.ticket(s.ticket())));
  }

  /** Whether nothing but its version changes. */
  private static boolean isProof(QueueDocument was, QueueDocument will) {
    return was.slots().equals(will.slots())
        && was.tickets().equals(will.tickets())
        && was.paused().equals(will.paused())
        && was.rules().equals(will.rules())
        && was.watched().equals(will.watched())
        && was.history().equals(will.history());
  }

  private Plan give(Turn turn, QueueDocument d) {
    LockItem item = item(turn, d);
    if (there.isEmpty()) {
      return together(item, "attribute_not_exists(lockKey)", Map.of());
    }
    LockItem other = there.get();
    if (isOurs(other)) {
      return together(item, "lockId = :id", Map.of(":id", AttributeValue.fromS(other.lockId())));
    }
    if (!isWatchedOut(other)) {
      return new Plan.Blocked(other.holder());
    }
    Map<String, AttributeValue> values = new LinkedHashMap<>();
    values.put(":id", AttributeValue.fromS(other.lockId()));
    values.put(":expires", LockItem.seconds(other.expiresAt().orElseThrow()));
    String beat = "attribute_not_exists(lastHeartbeat)";
    if (other.lastHeartbeat().isPresent()) {
      values.put(":beat", LockItem.seconds(other.lastHeartbeat().get()));
      beat = "lastHeartbeat = :beat";
    }
    return together(item, "lockId = :id AND expiresAt = :expires AND " + beat, values);
  }

  private LockItem item(Turn turn, QueueDocument d) {
    Instant now = clock.instant();
    String owner = turn.ticket().map(Ticket::owner).orElse("ticket " + turn.slot().ticket());
    Duration life = life(d);
    Map<String, String> metadata = new LinkedHashMap<>();
    metadata.put("user", owner);
    turn.ticket()
        .ifPresent(
            t -> {
              metadata.put("title", t.title());
              t.run()
                  .ifPresent(
                      run -> {
                        metadata.put("ci_system", "github-actions");
                        metadata.put("ci_run_id", Long.toString(run.runId()));
                      });
            });
    metadata.put(QUEUE, queue);
    metadata.put(TOKEN, Long.toString(turn.slot().token()));
    return new LockItem(
        lockKey,
        lockId(turn.slot().token()),
        owner,
        Optional.of(now),
        Optional.of(now.plus(life)),
        Optional.of(now),
        metadata);
  }

  /** A workflow job has no heartbeat, whichever slot it is in. */
  private static boolean isForAJob(QueueDocument d) {
    return d.slots().stream()
        .filter(s -> !s.isFree())
        .flatMap(s -> d.ticket(s.ticket()).stream())
        .anyMatch(t -> t.liveness() == Liveness.RUN);
  }

  private static boolean letsAJobHoldForLonger(QueueDocument was, QueueDocument will) {
    return isForAJob(will) && will.rules().maxHold().compareTo(was.rules().maxHold()) > 0;
  }

  private Duration life(QueueDocument d) {
    Duration longest = d.rules().maxHold();
    return isForAJob(d) && longest.compareTo(ttl) > 0 ? longest : ttl;
  }

  private Plan together(LockItem item, String condition, Map<String, AttributeValue> values) {
    Put.Builder put =
        Put.builder()
            .tableName(table)
            .item(item.item())
            .conditionExpression(condition)
            .returnValuesOnConditionCheckFailure(ReturnValuesOnConditionCheckFailure.ALL_OLD);
    if (!values.isEmpty()) {
      put.expressionAttributeValues(values);
    }
    return new Plan.Together(TransactWriteItem.builder().put(put.build()).build());
  }

  private Plan delete(LockItem item) {
    return new Plan.Together(
        TransactWriteItem.builder()
            .delete(
                Delete.builder()
                    .tableName(table)
                    .key(LockTable.key(lockKey))
                    .conditionExpression("lockId = :id")
                    .expressionAttributeValues(Map.of(":id", AttributeValue.fromS(item.lockId())))
                    .returnValuesOnConditionCheckFailure(
                        ReturnValuesOnConditionCheckFailure.ALL_OLD)
                    .build())
            .build());
  }

  private Plan prove(Turn turn) {
    return lost().orElseGet(() -> unchanged(lockId(turn.slot().token())));
  }

  private Plan unchanged(String lockId) {
    return new Plan.Together(
        TransactWriteItem.builder()
            .conditionCheck(
                ConditionCheck.builder()
                    .tableName(table)
                    .key(LockTable.key(lockKey))
                    .conditionExpression("lockId = :id")
                    .expressionAttributeValues(Map.of(":id", AttributeValue.fromS(lockId)))
                    .returnValuesOnConditionCheckFailure(
                        ReturnValuesOnConditionCheckFailure.ALL_OLD)
                    .build())
            .build());
  }

  private Optional<Plan> lost() {
    if (there.isEmpty()) {
      return Optional.of(new Plan.Blocked(REMOVED));
    }
    return there.filter(item -> !isOurs(item)).map(item -> new Plan.Blocked(item.holder()));
  }

  // ---- heartbeats

  /**
   * A beat of any slot renews the item, which stands for all of them.
   *
   * @param fresh the item was looked at just now
   */
  synchronized Plan forBeat(String next, boolean fresh) {
    Plan plan = forBeat(next);
    return !fresh && plan instanceof Plan.Blocked ? new Plan.Look() : plan;
  }

  private Plan forBeat(String next) {
    BeatDocument beat;
    try {
      beat = Queues.beat(next);
    } catch (DocumentException e) {
      return ALONE;
    }
    if (beat.token() == 0 || beat.killed() >= beat.token()) {
      return ALONE;
    }
    Optional<Plan> lost = lost();
    if (lost.isPresent()) {
      return lost.get();
    }
    Instant now = clock.instant();
    Instant expires = now.plus(ttl);
    Map<String, AttributeValue> values = new LinkedHashMap<>();
    values.put(":id", AttributeValue.fromS(there.orElseThrow().lockId()));
    values.put(":now", LockItem.seconds(now));
    String set = "SET lastHeartbeat = :now";
    String condition = "lockId = :id";
    if (there.get().expiresAt().filter(at -> at.isAfter(expires)).isEmpty()) {
      // A workflow job in another slot, which does not beat, may need it for longer.
      values.put(":expires", LockItem.seconds(expires));
      set += ", expiresAt = :expires";
      condition += " AND (attribute_not_exists(expiresAt) OR expiresAt <= :expires)";
    }
    return new Plan.Together(
        TransactWriteItem.builder()
            .update(
                Update.builder()
                    .tableName(table)
                    .key(LockTable.key(lockKey))
                    .updateExpression(set)
                    .conditionExpression(condition)
                    .expressionAttributeValues(values)
                    .returnValuesOnConditionCheckFailure(
                        ReturnValuesOnConditionCheckFailure.ALL_OLD)
                    .build())
            .build());
  }
}
