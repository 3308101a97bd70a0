package dev.baton.queue.internal.engine;

import dev.baton.core.Failure;
import dev.baton.core.Problem;
import dev.baton.core.World;
import dev.baton.queue.Acquisition;
import dev.baton.queue.Entry;
import dev.baton.queue.HistoryEntry;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.Request;
import dev.baton.queue.Ticket;
import dev.baton.queue.WaitProgress;
import dev.baton.queue.event.LockEvent;
import dev.baton.queue.event.LockEvent.Type;
import dev.baton.queue.event.LockListener;
import dev.baton.queue.internal.protocol.Command;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells a {@link LockListener} what one client does with locks. It looks on: nothing that the
 * engine does depends on it, and what the listener throws stays here.
 *
 * <p>The listener is called by a task of its own, in the order of the events. It runs while there
 * is something to tell. While the listener hangs, events wait, and those that come when too many do
 * are dropped.
 */
final class LockWitness {

  private static final Logger LOG = LoggerFactory.getLogger("dev.baton.queue");

  /** So many events wait for a listener that is slow. */
  private static final int MOST_WAITING = 1_000;

  /** For how long the end of a turn, or of its client, waits for what has yet to be told. */
  private static final Duration LAST_WORDS = Duration.ofSeconds(2);

  private final World world;
  private final Deque<LockEvent> waiting = new ArrayDeque<>();
  private final List<World.Signal> settling = new ArrayList<>();
  private boolean telling;
  private volatile Thread teller;
  private volatile LockListener listener = LockListener.NONE;
  private volatile boolean failed;
  private volatile long lastReleased;

  LockWitness(World world) {
    this.world = world;
  }

  void listen(LockListener other) {
    listener = other;
  }

  private void tell(
      Type type,
      long ticket,
      long token,
      String holder,
      String title,
      Optional<Duration> lasted,
      Optional<String> by,
      String why) {
    if (listener == LockListener.NONE) {
      return;
    }
    try {
      add(new LockEvent(type, world.now(), ticket, token, holder, title, lasted, by, why));
    } catch (RuntimeException | Error e) {
      // A thread that cannot be started: the lock goes on.
      warnOnce("what happens to locks cannot be reported", e);
    }
  }

  private synchronized void add(LockEvent event) {
    if (waiting.size() >= MOST_WAITING) {
      warnOnce("what happens to locks is reported too slowly; some of it is left out", null);
      return;
    }
    waiting.add(event);
    if (!telling) {
      world.start("baton-listener", this::tellAll);
      telling = true;
    }
  }

  private void tellAll() {
    teller = Thread.currentThread();
    Optional<LockEvent> event = next();
    while (event.isPresent()) {
      try {
        listener.on(event.get());
      } catch (RuntimeException | Error e) {
        // Also a class that is missing: the lock goes on.
        warnOnce("what happens to locks cannot be reported", e);
      }
      event = next();
    }
  }

  private synchronized Optional<LockEvent> next() {
    Optional<LockEvent> event = Optional.ofNullable(waiting.poll());
    if (event.isEmpty()) {
      telling = false;
      settling.forEach(World.Signal::raise);
      settling.clear();
    }
    return event;
  }

  private void warnOnce(String what, Throwable cause) {
    if (!failed) {
      failed = true;
      LOG.warn(what, cause);
    }
  }

  /** Waits until the listener has been told of all, but not for long. */
  void settle() {
    World.Signal done = world.newSignal();
    synchronized (this) {
      // A listener that gives back a lock cannot have been told of it yet.
      if (!telling || Thread.currentThread() == teller) {
        return;
      }
      settling.add(done);
    }
    // Whoever was interrupted waits all the same, and stays interrupted.
    boolean interrupted = Thread.interrupted();
    try {
      done.await(LAST_WORDS);
    } catch (InterruptedException e) {
      interrupted = true;
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  // ---- waiting

  private Optional<Duration> since(long start) {
    return Optional.of(Duration.ofNanos(world.nanos() - start));
  }

  void acquired(Request request, long start, Acquisition result) {
    if (result instanceof Acquisition.Acquired a) {
      Entry e = request.entry();
      tell(
          Type.ACQUIRED,
          a.grant().ticket(),
          a.grant().fencingToken(),
          e.owner(),
          e.title(),
          since(start),
          Optional.empty(),
          "");
    } else if (result instanceof Acquisition.TimedOut t) {
      missed(request, start, t.ticket(), "timed out");
    } else if (result instanceof Acquisition.StillInLine s) {
      missed(request, start, s.ticket(), "timed out; the ticket stays in line");
    } else if (result instanceof Acquisition.Removed r) {
      String why = r.entry().map(HistoryEntry::note).filter(n -> !n.isEmpty()).orElse("");
      missed(request, start, r.ticket(), "removed" + (why.isEmpty() ? "" : ": " + why));
    } else if (result instanceof Acquisition.NotInLine n) {
      missed(request, start, 0, n.problem().what());
    } else if (result instanceof Acquisition.Refused r) {
      missed(request, start, 0, r.problem().what());
    }
  }

  void notAcquired(Request request, long start, Throwable e) {
    Problem.Kind kind = Failure.kindOf(e, Problem.Kind.UNEXPECTED);
    missed(request, start, 0, e instanceof Failure f ? f.what() : kind.name());
  }

  /** Interrupted, or the store failed for too long. */
  void gaveUp(Request request, long start) {
    missed(request, start, 0, "gave up before it was its turn");
  }

  private void missed(Request request, long start, long ticket, String why) {
    Entry e = request.entry();
    tell(Type.NOT_ACQUIRED, ticket, 0, e.owner(), e.title(), since(start), Optional.empty(), why);
  }

  /** The same progress, of which each silence of a heartbeat is told once. */
  Consumer<WaitProgress> watching(Consumer<WaitProgress> progress) {
    long[] silent = {0};
    return now -> {
      now.silence()
          .filter(s -> s.build().token() != silent[0])
          .ifPresent(
              s -> {
                silent[0] = s.build().token();
                Ticket t = s.build();
                tell(
                    Type.STALE,
                    t.number(),
                    t.token(),
                    t.owner(),
                    t.title(),
                    Optional.of(s.lasts()),
                    Optional.empty(),
                    "");
              });
      progress.accept(now);
    };
  }

  // ---- what was written

  /** After a write of this client. */
  void wrote(Command command, QueueDocument d) {
    if (command instanceof Command.Release r) {
      released(d, r.ticket(), r.token());
    } else if (command instanceof Command.ForceUnlock f) {
      ended(Type.FORCE_UNLOCKED, d, f.ticket(), f.token(), Optional.of(f.who()), f.why());
    } else if (command instanceof Command.Reap r) {
      ended(Type.REAPED, d, r.ticket(), r.token(), Optional.empty(), r.why());
    }
  }

  /** Once for each turn, however often its release was sent. */
  void released(QueueDocument d, long ticket, long token) {
    if (token != lastReleased) {
      lastReleased = token;
      ended(Type.RELEASED, d, ticket, token, Optional.empty(), "");
    }
  }

  private void ended(
      Type type, QueueDocument d, long ticket, long token, Optional<String> by, String why) {
    Optional<HistoryEntry> end = d.endOf(ticket, token);
    Optional<Ticket> held = d.ticket(ticket);
    tell(
        type,
        ticket,
        token,
        by.isPresent()
            ? held.map(Ticket::owner).orElse("")
            : end.map(HistoryEntry::who).or(() -> held.map(Ticket::owner)).orElse(""),
        end.map(HistoryEntry::title).or(() -> held.map(Ticket::title)).orElse(""),
        end.flatMap(HistoryEntry::built),
        by,
        why);
  }

  // ---- a lock that is held

  /** The eyes of a grant. */
  OfGrant of(Entry entry, long ticket, long token) {
    return new OfGrant(entry, ticket, token, world.nanos());
  }

  /** Tells of one grant. */
  final class OfGrant {
    private final Entry entry;
    private final long ticket;
    private final long token;
    private final long start;

    private OfGrant(Entry entry, long ticket, long token, long start) {
      this.entry = entry;
      this.ticket = ticket;
      this.token = token;
      this.start = start;
    }

    void beat(boolean renewed) {
      about(renewed ? Type.HEARTBEAT : Type.HEARTBEAT_FAILED, Optional.empty(), "");
    }

    void lost(String why) {
      about(Type.LOST, since(start), why);
    }

    private void about(Type type, Optional<Duration> lasted, String why) {
      tell(type, ticket, token, entry.owner(), entry.title(), lasted, Optional.empty(), why);
    }
  }
}
