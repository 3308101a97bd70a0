package dev.baton.gradle.engine;

import dev.baton.client.queue.OpenQueue;
import dev.baton.client.text.LogText;
import dev.baton.queue.Grant;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.QueueException;
import dev.baton.queue.Slot;
import dev.baton.queue.Ticket;
import dev.baton.queue.TicketState;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** A lock that this build waited for. */
final class HeldLock implements LockSite.Sited {

  private final Grant grant;
  private final OpenQueue open;
  private final LockSite site;

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
    grant.onLost(
        why -> {
          reason.accept(LogText.of(why));
          // On a thread of its own: the store may take its time.
          Thread asking = new Thread(() -> who.accept(LogText.of(who())), "baton-asks-who");
          asking.setDaemon(true);
          asking.start();
        });
  }

  private String who() {
    try {
      return holderOf(open.quick().status());
    } catch (QueueException e) {
      return "who has it now cannot be seen: " + e.getMessage();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return "who has it now could not be asked";
    }
  }

  @Override
  public boolean release(String note) {
    Leases.remove(this);
    ClassLoader before = OwnLoader.enter();
    try {
      return grant.release(note);
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
