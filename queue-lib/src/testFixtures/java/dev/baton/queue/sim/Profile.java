package dev.baton.queue.sim;

import dev.baton.store.StoreSpace;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;

/** What can go wrong in a run, drawn from its seed. */
final class Profile {

  /** Kinds of runs; each seed gets one unless it is named. */
  enum Kind {
    /** Nothing fails but clients. */
    CALM,
    /** The store fails in all of its ways. */
    ROUGH,
    /** Answers get lost, reads are old and whole machines lose the network, with short leases. */
    ISOLATED,
    /** Machines sleep, stand still and have wrong clocks; the store is a little rough. */
    CLOCKS,
    /** Maintainers interfere all the time. */
    MAINTAINERS,
    /** Workflow jobs, re-runs, lost runners. */
    JOBS,
    /** Documents are broken, versions are lost. */
    BROKEN,
    /** Calls get no answer for up to two minutes, and cannot be called off. */
    HANGS,
    /** A limit is used up, and the store asks everybody to come back in twenty minutes. */
    LIMITED,
    /** Nothing is wrong but a single answer now and then, which is false. */
    ODD,
    /**
     * The queue's branch is deleted and made once more, while its heartbeats survive; in some runs
     * it is broken now and then, and recovered, before that.
     */
    DELETED,
    /** The holder and the first in line die in the same moment; nothing else is wrong. */
    DEATHS,
    /** Many come in the same moment, and the store takes only so many writes a minute. */
    HERD,
    /**
     * Like odd, but below the real store of GitHub: single answers over HTTP that are false, broken
     * or in words that nobody knows.
     */
    GITHUB,
    /** No compare-and-set: the last writer wins, as in the body of an issue. Workflow jobs only. */
    ISSUE,
    /** People edit and delete the board, and paintings of it get lost or arrive late. */
    BOARD,
    /** Builds within builds, two queues at once, several engines in a process. */
    FRONTS,
    /**
     * Old contents are let go all the time, while the store fails in all of its ways and clients
     * write, die and sleep.
     */
    COMPACTS,
    /**
     * Workflow jobs that end while they are in line, and are run again when their turn comes.
     * Requests for that get lost, jobs start late or die before they join.
     */
    PARKING,
    /** All at once. */
    EVERYTHING;

    static Kind named(String name) {
      return valueOf(name.toUpperCase(Locale.ROOT));
    }
  }

  /** How a store treats one request. */
  record StoreFaults(
      double readFails,
      double writeFails,
      double busy,
      double answerLost,
      double requestLost,
      double late,
      double duplicated,
      Duration usualDelay,
      Duration greatestDelay,
      Duration staleness,
      double stale,
      double hangs,
      boolean odd) {

    StoreFaults calm() {
      return new StoreFaults(
          0, 0, 0, 0, 0, 0, 0, usualDelay, usualDelay.multipliedBy(2), staleness, stale, 0, false);
    }
  }

  final Kind kind;
  final boolean remote;
  final StoreSpace.Traits traits;
  final StoreFaults store;

  /** How slow a store without compare-and-set may be; empty for one that has it. */
  final Optional<StoreSpace.Settling> settling;

  /** How late a write can be applied after its client gave up waiting for an answer. */
  final Duration latest;

  final Duration lease;
  final Duration poll;
  final Duration grace;
  final int slots;
  final int clients;
  final int maintainers;
  final double crash;
  final double crashAtWrite;
  final double stop;
  final double sleep;
  final double cutOff;
  final double wallJump;
  final double interrupt;
  final double timeout;

  /** Almost nobody waits for as long as a lease. */
  final boolean hurried;

  final double jobs;
  final double blind;
  final double corrupt;
  final double loseVersions;
  final double corruptBeat;
  final double limited;
  final double deleted;
  final boolean wrongClocks;

  /** The real store of GitHub is used. */
  final boolean github;

  /** How many builders with builds within builds there are. */
  final int fronts;

  /** People see the queue in an issue. */
  final boolean board;

  /** How often they write into it. */
  final double boardEdits;

  /** Turns are shorter than a lease. */
  final boolean brisk;

  /** How many of the jobs that wait park. */
  final double parks;

  /** How many writes of all the store takes in a minute; 0 for any number. */
  final int writesPerMinute;

  /** After how many versions of a document old contents are let go; 0 for never. */
  final int compaction;

  /** How many times the operations of other runs it takes to see something. */
  final int effort;

  Profile(Kind kind, Chance c) {
    this.kind = kind;
    boolean everything = kind == Kind.EVERYTHING;
    boolean isolated = kind == Kind.ISOLATED;
    github = kind == Kind.GITHUB;
    boolean odd = kind == Kind.ODD || github;
    boolean hangs = kind == Kind.HANGS || everything && c.hits(0.5);
    // Where one thing is looked at, nothing else takes a lock away or stops a wait.
    boolean deaths = kind == Kind.DEATHS;
    boolean herd = kind == Kind.HERD;
    boolean issue = kind == Kind.ISSUE;
    boolean fronts = kind == Kind.FRONTS;
    boolean alone = isAlone();
    boolean quiet =
        kind == Kind.CALM || fronts || odd || kind == Kind.LIMITED || kind == Kind.DELETED || alone;
    boolean compacts = kind == Kind.COMPACTS;
    remote =
        isolated
            || hangs
            || odd
            || herd
            || issue
            || compacts
            || kind == Kind.BOARD
            || kind == Kind.LIMITED
            || kind == Kind.PARKING
            || c.hits(0.7);
    poll = remote ? Duration.ofMillis(2_500) : Duration.ofMillis(250);
    settling =
        issue
            ? Optional.of(
                new StoreSpace.Settling(
                    Duration.ofSeconds(c.between(2, 15)), Duration.ofSeconds(c.between(3, 12))))
            : Optional.empty();
    Duration staleness =
        settling
            .map(StoreSpace.Settling::staleness)
            .orElse(remote ? Duration.ofSeconds(15) : Duration.ZERO);
    traits =
        new StoreSpace.Traits(
            issue ? "issue" : remote ? "git" : "file",
            "the simulation",
            issue ? 40 : 300,
            issue ? 40_000 : c.hits(0.5) ? 20_000 : 1_000_000,
            poll,
            staleness);
    boolean rough = kind == Kind.ROUGH || compacts || everything;
    double trouble = quiet ? 0 : rough ? c.between(0.2, 1.5) : c.hits(0.7) ? c.between(0, 0.4) : 0;
    store =
        new StoreFaults(
            0.05 * trouble,
            0.04 * trouble,
            0.01 * trouble,
            isolated ? 0.3 : 0.06 * trouble,
            0.05 * trouble,
            issue ? 0 : 0.05 * trouble,
            0.05 * trouble,
            remote ? Duration.ofMillis(400) : Duration.ofMillis(5),
            deaths ? Duration.ofMillis(800) : Duration.ofSeconds(remote ? 20 : 1),
            staleness,
            deaths && c.hits(0.5) ? 0 : isolated || issue ? 0.7 : 0.3,
            hangs ? 0.03 : 0,
            odd || everything && c.hits(0.3));
    latest = remote ? Duration.ofMinutes(4) : Duration.ofSeconds(20);
    lease =
        remote
            ? Duration.ofSeconds(c.between(odd || herd ? 150 : 45, isolated ? 70 : 300))
            : Duration.ofSeconds(c.between(5, 60));
    grace =
        settling
            .map(s -> s.lease().multipliedBy(4))
            .orElse(poll.multipliedBy(3).plus(staleness).plus(Duration.ofSeconds(remote ? 5 : 1)));
    slots = alone || fronts || c.hits(0.6) ? 1 : c.between(2, 4);
    clients =
        herd ? c.between(40, 60) : deaths ? c.between(4, 14) : c.between(2, c.hits(0.2) ? 20 : 9);
    maintainers =
        kind == Kind.MAINTAINERS ? c.between(1, 3) : everything ? 1 : !quiet && c.hits(0.2) ? 1 : 0;
    double harm = quiet ? 0.5 : c.between(0.2, 1.5);
    crash = deaths ? 0 : 0.12 * harm;
    crashAtWrite = quiet ? 0 : 0.004 * harm;
    boolean clocks = kind == Kind.CLOCKS || everything;
    stop = quiet ? 0 : clocks ? 0.25 * harm : 0.05 * harm;
    sleep = quiet ? 0 : clocks || issue ? 0.2 * harm : 0.03 * harm;
    cutOff = quiet ? 0 : isolated ? 0.9 : hangs ? 0.6 : rough || clocks ? 0.25 * harm : 0.08 * harm;
    wallJump = quiet ? 0 : clocks ? 0.3 * harm : 0.05 * harm;
    wrongClocks = kind != Kind.CALM;
    interrupt = deaths ? 0 : herd ? 0.1 : 0.04 * harm;
    // With the lease, so that it needs no draw of its own and other runs stay as they are.
    hurried =
        (kind == Kind.CALM || kind == Kind.HANGS || clocks || kind == Kind.ROUGH)
            && lease.toSeconds() % 5 == 0;
    timeout = alone ? 0 : hurried ? 0.9 : 0.1 * harm;
    jobs =
        alone
            ? 0
            : issue
                ? 1
                : kind == Kind.JOBS || kind == Kind.PARKING
                    ? c.between(0.4, 1.0)
                    : everything ? 0.3 : c.hits(0.3) ? 0.2 : 0;
    blind = c.hits(0.3) ? 0.3 : 0;
    boolean broken = kind == Kind.BROKEN || everything && c.hits(0.5);
    // A recovery skips tokens: a queue that is deleted soon after it must not go back behind them.
    boolean recovers = kind == Kind.DELETED && c.hits(0.5);
    corrupt = broken || recovers ? c.between(0.5, 2.0) : 0;
    loseVersions = broken && c.hits(0.5) ? 0.5 : 0;
    corruptBeat = broken ? c.between(0.3, 1.0) : 0;
    limited = kind == Kind.LIMITED ? 0.3 : everything && c.hits(0.3) ? 0.1 : 0;
    deleted = kind == Kind.DELETED ? c.between(0.5, 2.0) : 0;
    this.fronts = fronts ? c.between(2, 5) : 0;
    boolean shown = kind == Kind.BOARD;
    board = shown || remote && !issue && !deaths && c.hits(everything || herd ? 0.5 : 0.15);
    boardEdits = shown ? c.between(0.3, 2.0) : board ? 0.3 : 0;
    brisk = herd || (deaths || shown) && c.hits(0.4);
    writesPerMinute = herd ? c.between(20, 80) : 0;
    compaction = compacts || everything && remote && c.hits(0.5) ? c.between(5, 16) : 0;
    effort = deaths ? 4 : 1;
    parks = kind == Kind.PARKING ? c.between(0.3, 1.0) : 0;
  }

  /** A single false answer now and then is all that is wrong with the store. */
  boolean hasOnlyOddAnswers() {
    return kind == Kind.ODD || kind == Kind.GITHUB;
  }

  /** Nothing is wrong with anybody but what the kind of run is about. */
  boolean isAlone() {
    return kind == Kind.DEATHS || kind == Kind.HERD;
  }

  Duration longestWait() {
    return hurried ? lease : lease.multipliedBy(2);
  }

  Duration shortestBuild() {
    boolean slow = kind == Kind.DEATHS && !brisk;
    return slow ? lease.multipliedBy(11).dividedBy(10) : Duration.ZERO;
  }

  Duration longestBuild() {
    if (kind == Kind.BOARD && !brisk) {
      // So long that nothing happens to the queue while somebody waits.
      return Duration.ofMinutes(40);
    }
    return kind == Kind.HERD
        ? lease.dividedBy(4)
        : brisk ? lease.multipliedBy(8).dividedBy(10) : lease.multipliedBy(3);
  }
}
