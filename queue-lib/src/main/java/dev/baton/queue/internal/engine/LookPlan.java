package dev.baton.queue.internal.engine;

import dev.baton.queue.Rules;
import java.time.Duration;
import java.util.Optional;

/**
 * How long somebody in line may look away from the queue. A look costs something only if the queue
 * has changed since the last one.
 *
 * <ol>
 *   <li>The next in line looks at every poll interval.
 *   <li>In a brisk queue, where turns are shorter than a lease, every look finds a change. The
 *       others look when their turn could have come near: after a share of their remaining time
 *       that is the greater the more builds it is the sum of. So each takes a number of looks that
 *       grows with the logarithm of its place. Where builds have heartbeats, it looks once a lease
 *       earlier and several times in the last lease: the one that holds the lock by then may die
 *       together with everybody ahead, and has to be watched for a lease.
 *   <li>In a slow queue most looks are free. The others look once a lease, from the 11th place on
 *       every twenty minutes, and those who may soon be the next several times within the grace
 *       time. A heartbeat that stops wakes them earlier.
 *   <li>Where nothing is known about the length of builds, they look after half of the time that
 *       they have waited.
 * </ol>
 */
final class LookPlan {

  /** Two or three builds tell little about when the next one ends. */
  private static final double DOUBT = 0.9;

  private static final double LEAST_SHARE = 0.6;

  /** How many places are so near the front that an offer may come at any time. */
  static final int SOON_NEXT = 3;

  private static final int NEAR = 10;

  /** A long line must not use up the requests of an hour by looks that find newcomers. */
  private static final Duration LONGEST = Duration.ofMinutes(20);

  /** An estimate from a wrong clock may be any number of years. */
  private static final Duration BELIEVED = Duration.ofHours(12);

  private LookPlan() {}

  /**
   * What is known about a wait.
   *
   * @param place how many in line come first
   * @param offered whether somebody has not answered an offer yet: if nobody does, those behind
   *     have to see to it
   * @param asked whether those in line are asked to show themselves, and this one may be the next
   * @param beats whether builds have heartbeats, so that their deaths are noticed by watching them
   * @param eta when the turn can be expected
   * @param known how many builds that estimate is made from
   */
  record Standing(
      int place,
      boolean offered,
      boolean asked,
      boolean beats,
      Optional<Duration> eta,
      int known,
      Duration waited) {

    /** Whether a turn that begins now has ended long before this one. */
    boolean isFar(Rules rules) {
      return isBrisk(rules)
          && eta.filter(e -> e.compareTo(rules.lease().multipliedBy(3)) > 0).isPresent();
    }

    boolean isBrisk(Rules rules) {
      return LookPlan.isBrisk(rules, eta.map(e -> e.dividedBy(place + 1L)));
    }
  }

  /**
   * Whether turns are so short that each look finds another one, and nobody wonders about it.
   *
   * @param turn how long one takes, if that is known
   */
  static boolean isBrisk(Rules rules, Optional<Duration> turn) {
    return turn.filter(t -> t.compareTo(rules.lease()) < 0).isPresent();
  }

  /**
   * @param staleness how old a look may be
   * @param random from 0 to 1
   */
  static Duration pause(
      Duration pollInterval, Duration staleness, Rules rules, Standing standing, double random) {
    Duration pause = base(pollInterval, staleness, rules, standing);
    return Duration.ofNanos((long) (pause.toNanos() * (0.8 + 0.4 * random)));
  }

  private static Duration base(
      Duration pollInterval, Duration staleness, Rules rules, Standing standing) {
    int place = standing.place();
    if (place == 0) {
      return pollInterval;
    }
    Duration least = pollInterval.multipliedBy(1L + Math.min(place, SOON_NEXT));
    Duration often = longer(pollInterval, rules.grace().dividedBy(3));
    if (standing.asked()) {
      return often;
    }
    if (standing.isBrisk(rules)) {
      Duration eta = shorter(standing.eta().orElseThrow(), BELIEVED);
      Duration share = shareOf(eta, standing);
      if (standing.beats()) {
        share = shorter(share, inTimeToWatch(eta, pollInterval, staleness, rules));
      }
      if (place < SOON_NEXT) {
        share = shorter(share, longestAway(rules));
      }
      // A pause may turn out longer by a fifth, and must still end before the offer is over.
      Duration seesTheOffer = rules.grace().multipliedBy(2).dividedBy(3);
      return longer(least, standing.offered() ? shorter(share, seesTheOffer) : share);
    }
    // Whoever may soon be the next must see an offer in time, with room for two lost looks; so must
    // everybody who sees one that may never be answered.
    Duration cap = place < SOON_NEXT || standing.offered() ? often : rarely(rules, place);
    Duration wanted =
        standing
            .eta()
            .map(e -> e.dividedBy(2))
            .orElseGet(
                () ->
                    longer(pollInterval.multipliedBy(2L * place), standing.waited().dividedBy(2)));
    return shorter(longer(least, wanted), cap);
  }

  /**
   * When a death has to be noticed so that the lock passes on by the time that was expected, or
   * within a lease and a half, whichever is later.
   */
  private static Duration inTimeToWatch(
      Duration eta, Duration pollInterval, Duration staleness, Rules rules) {
    Duration lease = rules.lease();
    Duration takes = Watchman.fromSightToEnd(rules, pollInterval, staleness);
    // The look that comes right after a death may be too old to show it.
    Duration promised = lease.multipliedBy(3).dividedBy(2).minus(staleness);
    Duration latest = longer(eta, promised).minus(takes);
    // A pause may turn out longer by a fifth.
    return longer(lease.dividedBy(8), latest.multipliedBy(5).dividedBy(6));
  }

  /** How long somebody who knows nothing about its turn may be away. */
  static Duration unknownPause(int place) {
    return place < NEAR ? Duration.ZERO : LONGEST;
  }

  private static Duration rarely(Rules rules, int place) {
    return place < NEAR ? rules.lease() : longer(rules.lease(), LONGEST);
  }

  /**
   * How much longer than the grace time an offer may stay open because its owner looks rarely.
   *
   * @param usual how long a turn takes, if that is known
   */
  static Duration rareLook(Rules rules, Optional<Duration> usual) {
    return isBrisk(rules, usual) ? shorter(usual.orElseThrow(), longestAway(rules)) : Duration.ZERO;
  }

  /** By those who may soon be the next in a brisk queue. */
  private static Duration longestAway(Rules rules) {
    return rules.lease().dividedBy(4);
  }

  /**
   * The times of several builds even each other out: a sum of n varies by the square root of n
   * times what one does. An estimate from few builds is wrong by as much.
   */
  private static Duration shareOf(Duration eta, Standing standing) {
    double doubt = Math.sqrt(1.0 / (standing.place() + 1) + 1.0 / Math.max(1, standing.known()));
    double share = Math.max(LEAST_SHARE, 1 - DOUBT * doubt);
    return Duration.ofNanos((long) (eta.toNanos() * share));
  }

  private static Duration longer(Duration a, Duration b) {
    return a.compareTo(b) >= 0 ? a : b;
  }

  private static Duration shorter(Duration a, Duration b) {
    return a.compareTo(b) <= 0 ? a : b;
  }
}
