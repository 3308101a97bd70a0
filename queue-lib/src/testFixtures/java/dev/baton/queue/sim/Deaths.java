package dev.baton.queue.sim;

import dev.baton.queue.Estimates;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.Slot;
import dev.baton.queue.Ticket;
import dev.baton.queue.TicketState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * A host goes down, and with it the holder and any number of the first in line. The next of those
 * who live must have the lock soon, and none of them may be passed over.
 *
 * <p>The time is that of one death and not of each: a lease and a half, the grace time, and some
 * polls and requests. Where turns are shorter than a lease, everybody may look away for as long as
 * its turn is away by the pace of the queue, so that is the time if it is longer.
 */
final class Deaths {
  private static final int POLLS = 4;
  private static final int REQUESTS = 12;

  /** Somebody who waits or builds, with how far away its turn was at its last look. */
  private static final class Life {
    private final Process process;
    private Duration away = Duration.ZERO;

    Life(Process process) {
      this.process = process;
    }
  }

  /** The next living one in line, and how long ago the deaths were. */
  private record Heir(long ticket, String name, int deaths, long since, long turnSince) {}

  private final Simulation sim;
  private final Map<String, Life> lives = new HashMap<>();
  private Heir heir;
  private long turn;
  private long turnSince;

  Deaths(Simulation sim) {
    this.sim = sim;
  }

  void begin() {
    if (sim.profile.kind == Profile.Kind.DEATHS) {
      sim.scheduler.after(Simulation.BEGINNING.toNanos(), this::later);
    }
  }

  void lives(String nonce, Process p) {
    lives.put(nonce, new Life(p));
  }

  /** Somebody in line has looked. */
  void waits(String nonce, long ticket, Instant now) {
    lives.get(nonce).away =
        sim.checker.last().flatMap(d -> Estimates.pace(d, ticket, now)).orElse(Duration.ZERO);
  }

  Optional<Process> processOf(String nonce) {
    return Optional.ofNullable(lives.get(nonce)).map(life -> life.process);
  }

  /** How many stand before a process in line; 0 for one that is not in line. */
  int placeOf(Process p) {
    List<Ticket> line = sim.checker.last().map(QueueDocument::line).orElse(List.of());
    for (int i = 0; i < line.size(); i++) {
      Life life = lives.get(line.get(i).nonce());
      if (life != null && life.process == p) {
        return i;
      }
    }
    return 0;
  }

  private void later() {
    sim.scheduler.after(
        sim.chance.nanos(sim.profile.lease, sim.profile.lease.multipliedBy(3)),
        () -> {
          if (!sim.isCalm() && !strike()) {
            later();
          }
        });
  }

  private boolean isAlive(Ticket t) {
    Life life = lives.get(t.nonce());
    return life != null && !life.process.isDead();
  }

  /** Whether there was a holder to kill and somebody to be left. */
  boolean strike() {
    QueueDocument d = sim.checker.last().orElseThrow();
    Optional<Ticket> holder =
        d.tickets().stream().filter(t -> t.token() > 0).filter(this::isAlive).findFirst();
    List<Ticket> line = d.line().stream().filter(this::isAlive).toList();
    if (holder.isEmpty() || line.isEmpty()) {
      return false;
    }
    int inLine = sim.chance.between(0, line.size() - 1);
    List<Ticket> victims = new ArrayList<>(line.subList(0, inLine));
    victims.add(holder.get());
    Ticket next = line.get(inLine);
    heir = new Heir(next.number(), next.owner(), victims.size(), sim.scheduler.now(), turnSince);
    sim.log("host", "goes down with", victims.stream().map(Ticket::number).toList(), null);
    victims.forEach(t -> lives.get(t.nonce()).process.die());
    Heir expected = heir;
    Duration bound = bound(lives.get(next.nonce()).away);
    sim.scheduler.after(bound.toNanos(), () -> tooLate(expected, bound));
    return true;
  }

  private Duration bound(Duration away) {
    Profile f = sim.profile;
    Duration bound =
        f.lease
            .multipliedBy(3)
            .dividedBy(2)
            .plus(f.grace)
            .plus(f.poll.multipliedBy(POLLS))
            .plus(f.store.usualDelay().multipliedBy(REQUESTS))
            .plus(f.store.stale() > 0 ? f.store.staleness() : Duration.ZERO);
    return f.brisk && away.compareTo(bound) > 0 ? away : bound;
  }

  private void tooLate(Heir expected, Duration bound) {
    if (heir == expected) {
      sim.violate(
          Check.HEIR_TOO_LATE,
          String.format(
              Locale.ROOT,
              "ticket %d of %s waits for the lock %.1f s after %d deaths %.1f s into a turn, lease"
                  + " %d s, grace %.1f s",
              expected.ticket(),
              expected.name(),
              bound.toNanos() / 1e9,
              expected.deaths(),
              (expected.since() - expected.turnSince()) / 1e9,
              sim.profile.lease.toSeconds(),
              sim.profile.grace.toNanos() / 1e9));
    }
  }

  /** Looks at each version of the queue. */
  void written(QueueDocument old, QueueDocument next) {
    if (sim.profile.kind != Profile.Kind.DEATHS) {
      return;
    }
    for (Ticket t : next.tickets()) {
      boolean wasHere =
          old.ticket(t.number()).filter(o -> o.state() != TicketState.AWAY).isPresent();
      if (t.state() == TicketState.AWAY && wasHere && isAlive(t)) {
        sim.violate(
            Check.LIVING_PASSED_OVER,
            "ticket " + t.number() + " of " + t.owner() + " is alive, passed over");
      }
    }
    long token = next.slots().get(0).token();
    if (token != turn && next.slots().get(0).state() == Slot.State.BUILDING) {
      turn = token;
      turnSince = sim.scheduler.now();
    }
    next.slots().stream()
        .filter(s -> s.state() == Slot.State.BUILDING)
        .map(s -> next.ticket(s.ticket()).orElseThrow())
        .filter(this::isAlive)
        .findFirst()
        .ifPresent(this::goesOn);
  }

  private void goesOn(Ticket holder) {
    if (heir == null) {
      return;
    }
    if (holder.number() != heir.ticket()) {
      sim.violate(
          Check.WRONG_HEIR, "ticket " + holder.number() + " came before ticket " + heir.ticket());
    }
    sim.log(
        holder.owner(),
        "goes on after deaths, seconds:",
        (sim.scheduler.now() - heir.since()) / 1_000_000_000L,
        heir.deaths());
    heir = null;
    later();
  }
}
