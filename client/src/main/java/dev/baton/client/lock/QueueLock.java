package dev.baton.client.lock;

import dev.baton.client.problem.Vocabulary;
import dev.baton.client.queue.Inherited;
import dev.baton.client.queue.LockAttempt;
import dev.baton.client.queue.OpenQueue;
import dev.baton.client.queue.WaitAddresses;
import dev.baton.client.queue.WaitLines;
import dev.baton.client.settings.Host;
import dev.baton.queue.BuildResult;
import dev.baton.queue.Grant;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.QueueException;
import dev.baton.queue.Release;
import dev.baton.queue.Request;
import dev.baton.queue.Rules;
import dev.baton.queue.text.Turns;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The lock of an open queue: one that this process waited for, or one that an outer process holds,
 * renews and gives back. It closes the queue when it is given back.
 */
public final class QueueLock implements BuildLock {

  private final Inherited id;

  /** Empty: an outer process has it. */
  private final Optional<Grant> grant;

  private final OpenQueue open;
  private final LockSite site;
  private volatile Consumer<Aftermath> told = after -> {};

  private QueueLock(Inherited id, Optional<Grant> grant, OpenQueue open, LockSite site) {
    this.id = id;
    this.grant = grant;
    this.open = open;
    this.site = site;
  }

  /**
   * Waits for the lock of a queue, or proves the one that this process was started under.
   *
   * @param open closed by {@link #release}; it stays open when this fails
   * @param say told a line now and then while it waits
   * @throws LockFailure when it is not acquired, in the words of the front end
   */
  public static QueueLock take(
      OpenQueue open,
      Host host,
      LockSite site,
      Request request,
      Vocabulary words,
      Consumer<String> say)
      throws QueueException, InterruptedException {
    // A store that does not answer is told within seconds, before the patience of a build.
    Duration lease = open.glance(host).map(QueueDocument::rules).orElse(Rules.DEFAULT).lease();
    Optional<Inherited> outer = OuterLock.proven(open, host);
    QueueLock lock =
        outer.isPresent()
            ? new QueueLock(outer.get(), Optional.empty(), open, site)
            : acquired(open, site, request, words, say);
    Leases.add(lock, lease);
    return lock;
  }

  private static QueueLock acquired(
      OpenQueue open, LockSite site, Request request, Vocabulary words, Consumer<String> say)
      throws QueueException, InterruptedException {
    WaitLines lines = new WaitLines();
    WaitAddresses addresses = WaitAddresses.of(open);
    LockAttempt attempt =
        LockAttempt.make(
            open,
            request,
            progress -> {
              lines.plain(progress, Duration.ZERO, Instant.now()).ifPresent(say);
              addresses.news(progress).ifPresent(say);
            });
    if (attempt instanceof LockAttempt.Granted granted) {
      Grant grant = granted.grant();
      return new QueueLock(
          new Inherited(grant.ticket(), grant.fencingToken()), Optional.of(grant), open, site);
    }
    if (attempt instanceof LockAttempt.Covered own) {
      return new QueueLock(own.lock(), Optional.empty(), open, site);
    }
    throw new LockFailure(
        NotAcquired.problem(((LockAttempt.Missed) attempt).answer(), request.waitTimeout(), words));
  }

  @Override
  public Inherited id() {
    return id;
  }

  @Override
  public boolean isInherited() {
    return grant.isEmpty();
  }

  @Override
  public LockSite site() {
    return site;
  }

  @Override
  public Duration leaseLeft() {
    return grant.map(Grant::leaseLeft).orElse(Duration.ZERO);
  }

  @Override
  public boolean isLost() {
    return grant.filter(g -> g.state() == Grant.State.LOST).isPresent();
  }

  @Override
  public void onLost(Consumer<String> reason, Consumer<Aftermath> after) {
    told = after;
    // That of an outer process has its watcher there; that of a workflow job has no lease to end.
    grant.ifPresent(
        g ->
            g.onLost(
                why -> {
                  reason.accept(why);
                  // On a thread of its own: the store may take its time.
                  Thread asking = new Thread(() -> after.accept(aftermath()), "baton-asks-who");
                  asking.setDaemon(true);
                  asking.start();
                }));
  }

  /** Who took it away, where the history tells, and who has it now. */
  private Aftermath aftermath() {
    try {
      QueueDocument d = open.quick().status();
      return new Aftermath(d.endOf(id.ticket(), id.token()).map(Turns::howLost), Holders.shown(d));
    } catch (QueueException e) {
      return unknown("who has it now cannot be seen: " + e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return unknown("it was not possible to ask who has it now");
    }
  }

  private static Aftermath unknown(String why) {
    return new Aftermath(Optional.empty(), why);
  }

  @Override
  public Release release(BuildResult result) {
    Leases.remove(this);
    try {
      Release release = grant.map(g -> g.release(result, "")).orElse(Release.GIVEN_BACK);
      if (release == Release.NOT_HELD) {
        told.accept(aftermath());
      }
      return release;
    } finally {
      open.close();
    }
  }
}
