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
import java.util.Optional;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells a {@link LockListener} what one client does with locks. It looks on: nothing that the
 * engine does depends on it, and what the listener throws stays here.
 */
final class LockWitness {

  private static final Logger LOG = LoggerFactory.getLogger("dev.baton.queue");

  private final World world;
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
      listener.on(new LockEvent(type, world.now(), ticket, token, holder, title, lasted, by, why));
    } catch (RuntimeException | Error e) {
      // Also a class that is missing, or a thread that cannot be started: the lock goes on.
      if (!failed) {
        failed = true;
        LOG.warn("what happens to locks cannot be reported", e);
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
