package dev.baton.gradle.engine;

import dev.baton.client.queue.OpenQueue;
import dev.baton.client.text.LogText;
import dev.baton.gradle.internal.bridge.Engine;
import dev.baton.queue.Grant;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.QueueException;
import dev.baton.queue.Release;
import dev.baton.queue.Slot;
import dev.baton.queue.Ticket;
import dev.baton.queue.TicketState;
import dev.baton.queue.text.Turns;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;

/** A lock that this build waited for. */
final class HeldLock implements LockSite.Sited {

  private final Grant grant;
  private final OpenQueue open;
  private final LockSite site;
  private volatile Consumer<String> whoTold = who -> {};

  HeldLock(Grant grant, OpenQueue open, LockSite site) {
    this.grant = grant;
    this.open = open;
    this.site = site;
  }

  @Override
  public long ticket() {
    return grant.ticket();
  }

  @Override
  public long fencingToken() {
    return grant.fencingToken();
  }

  @Override
  public boolean isInherited() {
    return false;
  }

  @Override
  public LockSite site() {
    return site;
  }

  @Override
  public Duration leaseLeft() {
    return grant.leaseLeft();
  }

  @Override
  public boolean isLost() {
    return grant.state() == Grant.State.LOST;
  }

  @Override
  public void onLost(Consumer<String> reason, Consumer<String> who) {
    whoTold = who;
    grant.onLost(
        why -> {
          reason.accept(LogText.of(why));
          // On a thread of its own: the store may take its time.
          Thread asking =
              new Thread(() -> who.accept(LogText.of(who(HeldLock::holderOf))), "baton-asks-who");
          asking.setDaemon(true);
          asking.start();
        });
  }

  private String howLost(QueueDocument d) {
    return Turns.howLost(d, ticket(), fencingToken()) + "; " + holderOf(d);
  }

  private String who(Function<QueueDocument, String> words) {
    try {
      return words.apply(open.quick().status());
    } catch (QueueException e) {
      return "who has it now cannot be seen: " + e.getMessage();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return "who has it now could not be asked";
    }
  }

  @Override
  public Engine.Released release(String note) {
    Leases.remove(this);
    ClassLoader before = OwnLoader.enter();
    try {
      Release release = grant.release(note);
      if (release == Release.NOT_HELD) {
        whoTold.accept(LogText.of(who(this::howLost)));
      }
      return switch (release) {
        case GIVEN_BACK -> Engine.Released.GIVEN_BACK;
        case NOT_HELD -> Engine.Released.NOT_HELD;
        case UNKNOWN -> Engine.Released.UNKNOWN;
      };
    } finally {
      open.close();
      OwnLoader.leave(before);
    }
  }

  /** Who has the lock, for people. */
  static String holderOf(QueueDocument d) {
    List<Ticket> holders =
        d.slots().stream()
            .filter(s -> !s.isFree() && s.state() != Slot.State.REVOKED)
            .flatMap(s -> d.ticket(s.ticket()).stream())
            .toList();
    if (holders.isEmpty()) {
      return "nobody has it now";
    }
    return holders.stream()
            .map(
                t ->
                    "ticket "
                        + t.number()
                        + " ("
                        + t.title()
                        + ", "
                        + t.owner()
                        + (t.state() == TicketState.OFFERED ? ", asked" : "")
                        + ")")
            .collect(Collectors.joining(" and "))
        + (holders.size() == 1 ? " has it now" : " have it now");
  }
}
