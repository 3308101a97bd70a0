package dev.baton.queue;

import dev.baton.core.Checks;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * How the waiting goes.
 *
 * @param ticket one's own; 0 before the store has taken the join
 * @param position from 1 for the next to get its turn; 0 before the store has taken the join
 * @param building those that have the lock
 * @param ahead those who come first, in their order
 * @param waited so far
 * @param eta how long it will still take, as far as past builds tell; with {@code overdue} set, it
 *     takes at least that long
 * @param paused set when a maintainer has paused the queue
 * @param trouble set while the store cannot be asked: why, and for how long at least
 * @param silence set while a build that has the lock shows no heartbeat
 * @param overdue set while the turn depends on a build that takes longer than usual
 * @param board the number of the issue in which people see the queue; 0 when there is none
 */
public record WaitProgress(
    long ticket,
    int position,
    List<Ticket> building,
    List<Ticket> ahead,
    Duration waited,
    Optional<Duration> eta,
    Optional<Pause> paused,
    Optional<String> trouble,
    Optional<Silence> silence,
    Optional<Overdue> overdue,
    long board) {

  /**
   * A build whose heartbeat stays the same.
   *
   * @param lasts for how long this client has seen the same heartbeat; more than two beats
   * @param lease after how long the lock passes on
   */
  public record Silence(Ticket build, Duration lasts, Duration lease) {}

  /**
   * A build that takes longer than usual.
   *
   * @param by how much longer
   */
  public record Overdue(Ticket build, Duration by) {}

  public WaitProgress {
    building = List.copyOf(building);
    ahead = List.copyOf(ahead);
    Checks.notNegative("board", board);
  }

  /** A wait in a queue that people see nowhere. */
  public WaitProgress(
      long ticket,
      int position,
      List<Ticket> building,
      List<Ticket> ahead,
      Duration waited,
      Optional<Duration> eta,
      Optional<Pause> paused,
      Optional<String> trouble,
      Optional<Silence> silence,
      Optional<Overdue> overdue) {
    this(ticket, position, building, ahead, waited, eta, paused, trouble, silence, overdue, 0);
  }
}
