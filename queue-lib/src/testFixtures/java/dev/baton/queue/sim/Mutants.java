package dev.baton.queue.sim;

import dev.baton.client.queue.Inherited;
import dev.baton.core.DocumentException;
import dev.baton.core.Problem;
import dev.baton.core.World;
import dev.baton.queue.Acquisition;
import dev.baton.queue.BeatDocument;
import dev.baton.queue.BoardSite;
import dev.baton.queue.BuildQueue;
import dev.baton.queue.Grant;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.QueueException;
import dev.baton.queue.RunRef;
import dev.baton.queue.Ticket;
import dev.baton.queue.TicketState;
import dev.baton.queue.internal.codec.DocumentCodec;
import dev.baton.queue.internal.engine.GrantView;
import dev.baton.queue.internal.protocol.Command;
import dev.baton.queue.internal.protocol.Protocol;
import dev.baton.queue.internal.protocol.Step;
import dev.baton.queue.spi.Waker;
import dev.baton.store.Snapshot;
import dev.baton.store.StoreException;
import dev.baton.store.StoreSpace;
import dev.baton.store.Version;
import dev.baton.store.VersionedStore;
import dev.baton.store.WriteResult;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;

/**
 * Engines with one mistake each. The mistake is in what the engine is given: a world that does not
 * run its timer, or a store that draws the wrong conclusion before the engine can draw the right
 * one.
 */
final class Mutants {
  private static final Duration LONG_PAUSE = Duration.ofMinutes(5);
  private static final Duration QUIET = Duration.ofSeconds(30);
  private static final String HEARTBEAT = "baton-heartbeat-";
  private static final String LEASE = "baton-lease-";
  private static final String TAKE = "take issue lock";

  private Mutants() {}

  /** Beats as it should, and neither its heartbeat nor a timer ever looks at the lease. */
  static Mutant whoseHeartbeatNeverLooksAtItsLease(Simulation sim) {
    return new Mutant() {
      @Override
      public World world(Process p) {
        return new WorldWithout(p, HEARTBEAT, LEASE);
      }

      @Override
      public void granted(Process p, Grant grant) {
        p.start("blind-heartbeat", () -> beatBlindly(sim, p, grant));
      }
    };
  }

  private static void beatBlindly(Simulation sim, Process p, Grant grant) {
    try {
      while (GrantView.peek(grant) != Grant.State.RELEASED) {
        p.pause(sim.rules.beat());
        GrantView.beatBlindly(grant);
      }
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Looks at its lease only between two attempts to beat, however long one of them takes. */
  static Mutant whichLooksAtItsLeaseBetweenCalls() {
    return new Mutant() {
      @Override
      public World world(Process p) {
        return new WorldWithout(p, LEASE);
      }
    };
  }

  /** Gives up when a store asks for a long pause. */
  static Mutant whichDoesNotWaitOutALimit() {
    return stores(
        (p, store) ->
            new Forwarding(store) {
              @Override
              public Snapshot read() throws StoreException {
                try {
                  return super.read();
                } catch (StoreException e) {
                  throw hardened(e);
                }
              }

              @Override
              public WriteResult write(Version expected, String next, String message)
                  throws StoreException {
                try {
                  return super.write(expected, next, message);
                } catch (StoreException e) {
                  throw hardened(e);
                }
              }
            });
  }

  private static StoreException hardened(StoreException e) {
    boolean isLong = e.retryAfter().filter(d -> d.compareTo(LONG_PAUSE) > 0).isPresent();
    return isLong ? new StoreException(e.getMessage(), e) : e;
  }

  /** Waits for ever for a read above the base of a write that was refused. */
  static Mutant whichNeverRepeatsARefusedWrite() {
    return new Mutant() {
      @Override
      public StoreSpace space(Process p, StoreSpace space) {
        StoreSpace.Traits t = space.traits();
        StoreSpace.Traits stale =
            new StoreSpace.Traits(
                t.kind(),
                t.location(),
                t.ticketCapacity(),
                t.maxLength(),
                t.pollInterval(),
                Duration.ofHours(10));
        return new Space(space, stale, store -> store);
      }
    };
  }

  /** Takes the first read that finds nothing for the truth. */
  static Mutant whichBelievesASingleAbsence() {
    return stores(
        (p, store) ->
            p.name.startsWith("founder")
                ? store
                : new Forwarding(store) {
                  @Override
                  public Snapshot read() throws StoreException {
                    Snapshot s = super.read();
                    if (s.content().isEmpty()) {
                      throw new StoreException("there is nothing", null);
                    }
                    return s;
                  }
                });
  }

  /** Takes a single old read for the truth where nothing was written for half a minute. */
  static Mutant whichBelievesASingleOldRead() {
    return stores((p, store) -> new Believing(store, p));
  }

  private static final class Believing extends Forwarding {
    private final Process process;
    private long highest = -1;
    private long since;

    Believing(VersionedStore store, Process process) {
      super(store);
      this.process = process;
    }

    @Override
    public Snapshot read() throws StoreException {
      long asked = process.nanos();
      Snapshot s = super.read();
      long version = version(s);
      if (version > highest) {
        highest = version;
        since = process.nanos();
      } else if (version >= 0 && version < highest && asked - since > QUIET.toNanos()) {
        throw new StoreException("it went back to version " + version, null);
      }
      return s;
    }

    private static long version(Snapshot s) {
      try {
        return s.content().map(c -> DocumentCodec.decode(c).version()).orElse(-1L);
      } catch (DocumentException e) {
        return -1;
      }
    }
  }

  /** Makes a queue as if nothing had been there before, at the beginning of time. */
  static Mutant whichStartsTokensOver() {
    return new Mutant() {
      @Override
      public World world(Process p) {
        return p.name.startsWith("founder")
            ? new WorldWithout(p) {
              @Override
              public Instant now() {
                return Instant.EPOCH.plusSeconds(3_600);
              }
            }
            : p;
      }

      @Override
      public StoreSpace space(Process p, StoreSpace space) {
        return p.name.startsWith("founder")
            ? new Space(space, space.traits(), Forgetful::new)
            : space;
      }
    };
  }

  /** Makes a queue as if every holder of the one before it were known to be over. */
  static Mutant whichOpensAQueueBesideABuild() {
    return documents(
        (p, name, store) ->
            p.name.startsWith("founder") && name.startsWith("beat-")
                ? new Forwarding(store) {
                  @Override
                  public Snapshot read() throws StoreException {
                    Snapshot s = super.read();
                    return s.content().map(c -> Snapshot.of(s.version(), overIn(c))).orElse(s);
                  }
                }
                : store);
  }

  /** Goes on above a heartbeat as if the holder could only be in a slot that the queue has. */
  static Mutant whichWatchesOnlyTheSlotsOfTheQueue() {
    return documents(
        (p, name, store) ->
            new Forwarding(store) {
              @Override
              public WriteResult write(Version expected, String next, String message)
                  throws StoreException {
                return super.write(
                    expected,
                    message.startsWith("tokens go on above") ? withoutFurtherSlots(next) : next,
                    message);
              }
            });
  }

  private static String withoutFurtherSlots(String content) {
    QueueDocument d = DocumentCodec.decode(content);
    return DocumentCodec.encode(
        Bench.document(
            d,
            d.version(),
            d.nextTicket(),
            d.slots().subList(0, d.rules().slots()),
            d.tickets(),
            d.outcomes(),
            d.history()));
  }

  private static String overIn(String content) {
    BeatDocument d = DocumentCodec.decodeBeat(content);
    long killed = Math.max(d.token(), d.killed());
    return DocumentCodec.encodeBeat(
        new BeatDocument(d.version(), d.token(), d.beat(), killed, d.extra()));
  }

  /** Does not see what a heartbeat document says. */
  private static final class Forgetful extends Forwarding {
    Forgetful(VersionedStore store) {
      super(store);
    }

    @Override
    public Snapshot read() throws StoreException {
      Snapshot s = super.read();
      boolean beat = s.content().filter(Forgetful::isBeat).isPresent();
      return beat ? Snapshot.of(s.version(), DocumentCodec.encodeBeat(BeatDocument.NONE)) : s;
    }

    private static boolean isBeat(String content) {
      try {
        DocumentCodec.decodeBeat(content);
        return true;
      } catch (DocumentException e) {
        return false;
      }
    }
  }

  /** Looks at heartbeats the more rarely the further back it stands in line. */
  static Mutant whichLooksAwayFarBack(Simulation sim) {
    return documents(
        (p, name, store) ->
            name.startsWith("beat-")
                ? new Forwarding(store) {
                  private long last = Long.MIN_VALUE / 2;

                  @Override
                  public Snapshot read() throws StoreException {
                    long rare = sim.rules.lease().toNanos() / 2 * sim.deaths.placeOf(p);
                    Snapshot seen = super.read();
                    if (p.nanos() - last < rare) {
                      throw StoreException.passing("not looked at", null);
                    }
                    last = p.nanos();
                    return seen;
                  }
                }
                : store);
  }

  /** Never shows itself: each of these writes loses, whatever is there. */
  static Mutant whichNeverShowsItself() {
    return whichNeverShowsItself(p -> true);
  }

  /** Among others who do show themselves. */
  static Mutant whichSometimesDoesNotShowItself() {
    return whichNeverShowsItself(p -> p.name.hashCode() % 2 == 0);
  }

  private static Mutant whichNeverShowsItself(Predicate<Process> who) {
    return documents(
        (p, name, store) ->
            new Forwarding(store) {
              @Override
              public WriteResult write(Version expected, String next, String message)
                  throws StoreException {
                return message.endsWith(" is there") && who.test(p)
                    ? new WriteResult.Lost()
                    : super.write(expected, next, message);
              }
            });
  }

  /** Adds up what others have watched, though they have watched it at the same time. */
  static Mutant whichCountsTheSameTimeAgain() {
    int others = 10;
    return stores(
        (p, store) ->
            new Forwarding(store) {
              @Override
              public Snapshot read() throws StoreException {
                Snapshot s = super.read();
                return s.content()
                    .map(c -> Snapshot.of(s.version(), timesWatched(c, others)))
                    .orElse(s);
              }
            });
  }

  private static String timesWatched(String content, int times) {
    long most = Duration.ofDays(1).toSeconds();
    return Pattern.compile("\"seconds\":(\\d+)")
        .matcher(content)
        .replaceAll(m -> "\"seconds\":" + Math.min(most, Long.parseLong(m.group(1)) * times));
  }

  /** Takes it for the end when a store that has too much to write asks for a minute. */
  static Mutant whichGivesUpInAHerd() {
    return documents(
        (p, name, store) ->
            new Forwarding(store) {
              @Override
              public WriteResult write(Version expected, String next, String message)
                  throws StoreException {
                try {
                  return super.write(expected, next, message);
                } catch (StoreException e) {
                  throw e.retryAfter().isPresent() ? new StoreException(e.getMessage(), e) : e;
                }
              }
            });
  }

  /** One of them is asked for another minute each time that it comes to write. */
  static Mutant whichLeavesOneOut() {
    return documents(
        (p, name, store) ->
            p.name.startsWith("client-7-")
                ? new Forwarding(store) {
                  @Override
                  public WriteResult write(Version expected, String next, String message)
                      throws StoreException {
                    throw StoreException.busy("too many writes", Cloud.LONGEST_PAUSE);
                  }
                }
                : store);
  }

  /** Starts a branch over at what it has looked at, wherever the branch points by then. */
  static Mutant whichCompactsWithoutAPrecondition(Simulation sim) {
    return documents(
        (p, name, store) ->
            new Forwarding(store) {
              @Override
              public boolean compact() throws StoreException {
                Snapshot seen = super.read();
                try {
                  p.pause(Duration.ofSeconds(1)); // a new commit
                } catch (InterruptedException e) {
                  return false;
                }
                sim.cloud.moveBack(name, seen, p);
                return true;
              }
            });
  }

  /** Takes a refusal of its heartbeat for good, however often it is asked again. */
  static Mutant whichBelievesASingleDenial() {
    return documents(
        (p, name, store) ->
            name.startsWith("beat-")
                ? new Forwarding(store) {
                  private StoreException denied;

                  @Override
                  public WriteResult write(Version expected, String next, String message)
                      throws StoreException {
                    if (denied != null) {
                      throw denied;
                    }
                    try {
                      return super.write(expected, next, message);
                    } catch (StoreException e) {
                      denied = e.isDenied() ? e : null;
                      throw e;
                    }
                  }
                }
                : store);
  }

  /** Takes it for the end when the release of its lock is refused once. */
  static Mutant whichReleasesOnce() {
    return stores(
        (p, store) ->
            new Forwarding(store) {
              @Override
              public WriteResult write(Version expected, String next, String message)
                  throws StoreException {
                WriteResult result = super.write(expected, next, message);
                if (message.contains(" releases token ") && result instanceof WriteResult.Lost) {
                  throw new StoreException("refused", null);
                }
                return result;
              }
            });
  }

  /** One of them is shown an old version from some time on. */
  static Mutant whichIsStuckInThePast(String who) {
    return stores(
        (p, store) ->
            p.name.startsWith(who)
                ? new Forwarding(store) {
                  private Snapshot first;
                  private boolean newer;

                  @Override
                  public Snapshot read() throws StoreException {
                    Snapshot s = super.read();
                    first = first == null ? s : first;
                    Snapshot shown = newer ? first : s;
                    newer |= !s.version().equals(first.version());
                    return shown;
                  }
                }
                : store);
  }

  /** Removes those who were passed over right after that, as if they had been away for long. */
  static Mutant whichRemovesThoseWhoArePassedOver() {
    return stores(
        (p, store) ->
            new Forwarding(store) {
              @Override
              public WriteResult write(Version expected, String next, String message)
                  throws StoreException {
                WriteResult result = super.write(expected, next, message);
                if (message.endsWith("passed over")) {
                  removeTheAbsent(p, store);
                }
                return result;
              }
            });
  }

  private static void removeTheAbsent(Process p, VersionedStore store) throws StoreException {
    Snapshot s = store.read();
    QueueDocument d;
    try {
      d = DocumentCodec.decode(s.content().orElse(""));
    } catch (DocumentException e) {
      return;
    }
    Optional<Ticket> away =
        d.tickets().stream().filter(t -> t.state() == TicketState.AWAY).findFirst();
    if (away.isPresent()) {
      Command remove = new Command.Remove(away.get().number(), Command.Remove.Reason.AWAY_TOO_LONG);
      Step step = Protocol.apply(d, remove, p.now());
      store.write(s.version(), DocumentCodec.encode(step.document()), "away too long");
    }
  }

  /** Takes every run for one that nobody has asked for yet. */
  static Mutant whichAsksForJobsAgainAndAgain() {
    return wakers(
        waker ->
            new ForwardingWaker(waker) {
              @Override
              public Optional<Attempt> lastAttempt(RunRef job) {
                return super.lastAttempt(job).map(a -> new Attempt(1, a.completed()));
              }
            });
  }

  /** Says that it asks for a job only if its run has been completed for ever. */
  static Mutant whichNeverAsksForJobs() {
    return wakers(
        waker ->
            new ForwardingWaker(waker) {
              @Override
              public Optional<Attempt> lastAttempt(RunRef job) {
                return super.lastAttempt(job).map(a -> new Attempt(a.number(), false));
              }
            });
  }

  private static Mutant wakers(UnaryOperator<Waker> change) {
    return new Mutant() {
      @Override
      public Waker waker(Process p, Waker waker) {
        return change.apply(waker);
      }
    };
  }

  private static class ForwardingWaker implements Waker {
    private final Waker to;

    ForwardingWaker(Waker to) {
      this.to = to;
    }

    @Override
    public Optional<String> whyNotToPark(RunRef job) {
      return to.whyNotToPark(job);
    }

    @Override
    public Optional<Attempt> lastAttempt(RunRef job) {
      return to.lastAttempt(job);
    }

    @Override
    public Answer wake(RunRef job) {
      return to.wake(job);
    }
  }

  /** One of them never finds the queue. */
  static Mutant whichFindsNothing(String who) {
    return stores(
        (p, store) ->
            p.name.startsWith(who)
                ? new Forwarding(store) {
                  @Override
                  public Snapshot read() throws StoreException {
                    super.read();
                    return Snapshot.ABSENT;
                  }
                }
                : store);
  }

  static Mutant whichOnlySaysThatItMadeTheQueue() {
    return queues(
        (p, method, args, real) -> method.equals("create") ? (Object) true : real.call(args));
  }

  /** Answers some of those who wait at once, and whatever the queue says. */
  static Mutant whichAnswers(String who, Acquisition answer) {
    return queues(
        (p, method, args, real) ->
            method.equals("acquire") && p.name.startsWith(who) ? answer : real.call(args));
  }

  /** Turns some of them away. */
  static Mutant whichDenies(String who) {
    return queues(
        (p, method, args, real) -> {
          if (method.equals("acquire") && p.name.startsWith(who)) {
            throw new QueueException(new Problem(Problem.Kind.REFUSED, "not you"), null);
          }
          return real.call(args);
        });
  }

  /** Lets some of them wait, looking at nothing again and again. */
  static Mutant whichNeverAnswers(String who, Duration looks) {
    return queues(
        (p, method, args, real) -> {
          while (method.equals("acquire") && p.name.startsWith(who)) {
            p.pause(looks);
          }
          return real.call(args);
        });
  }

  /** Starts something with each turn that does not end with it. */
  static Mutant whichLeavesAThreadBehind() {
    return new Mutant() {
      @Override
      public void granted(Process p, Grant grant) {
        p.start(
            "left-behind",
            () -> {
              try {
                p.pause(Duration.ofHours(1));
              } catch (InterruptedException e) {
                throw new IllegalStateException(e);
              }
            });
      }
    };
  }

  /** Counts on a store that is quicker than it is. */
  static Mutant whichSettlesTooShort() {
    StoreSpace.Settling quick =
        new StoreSpace.Settling(Duration.ofSeconds(1), Duration.ofSeconds(1));
    return settling(quick, store -> store);
  }

  /** Settles as it should, takes its time after that, and writes whatever has happened since. */
  static Mutant whichWritesLate(Simulation sim) {
    StoreSpace.Settling bound = sim.profile.settling.orElseThrow();
    return stores(
        (p, store) ->
            new Forwarding(store) {
              @Override
              public WriteResult write(Version expected, String next, String message)
                  throws StoreException {
                if (!message.startsWith(TAKE)) {
                  try {
                    p.pause(bound.lease());
                  } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                  }
                }
                return super.write(expected, next, message);
              }
            });
  }

  /** Believes that it has the issue lock because it has written its name into it. */
  static Mutant whichDoesNotReadBack() {
    return stores(
        (p, store) ->
            new Forwarding(store) {
              private Snapshot taken;

              @Override
              public Snapshot read() throws StoreException {
                Snapshot mine = taken;
                taken = null;
                return mine == null ? super.read() : mine;
              }

              @Override
              public WriteResult write(Version expected, String next, String message)
                  throws StoreException {
                WriteResult result = super.write(expected, next, message);
                if (message.startsWith(TAKE) && result instanceof WriteResult.Written w) {
                  taken = Snapshot.of(w.version(), next);
                }
                return result;
              }
            });
  }

  private static Mutant settling(
      StoreSpace.Settling believed, UnaryOperator<VersionedStore> change) {
    return new Mutant() {
      @Override
      public StoreSpace space(Process p, StoreSpace space) {
        return new StoreSpace() {
          @Override
          public VersionedStore document(String name) {
            return change.apply(space.document(name));
          }

          @Override
          public Traits traits() {
            return space.traits();
          }

          @Override
          public Optional<Settling> settling() {
            return Optional.of(believed);
          }
        };
      }
    };
  }

  /** Does not paint a queue that it has emptied. */
  static Mutant whichNeverPaintsTheEnd() {
    return sites(
        (p, site) ->
            new ForwardingSite(site) {
              @Override
              public Sight paint(long number, QueueDocument d, String json) throws StoreException {
                return d.tickets().isEmpty()
                    ? new Sight.Shows(d.version())
                    : super.paint(number, d, json);
              }
            });
  }

  /** An earlier painting of it arrives after each, and it does not look at the queue again. */
  static Mutant whichPaintsTheOlderOver() {
    return sites(
        (p, site) ->
            new ForwardingSite(site) {
              private QueueDocument before;
              private String jsonBefore;

              @Override
              public Sight paint(long number, QueueDocument d, String json) throws StoreException {
                Sight sight = super.paint(number, d, json);
                if (before != null && p.isClosing()) {
                  super.paint(number, before, jsonBefore);
                }
                before = d;
                jsonBefore = json;
                return sight;
              }
            });
  }

  /** Believes that the board is as it should be. */
  static Mutant whichNeverLooksAtTheBoard() {
    return sites(
        (p, site) ->
            new ForwardingSite(site) {
              @Override
              public Sight look(long number) {
                return new Sight.Shows(Long.MAX_VALUE);
              }
            });
  }

  /** Paints everything twice. */
  static Mutant whichPaintsTwice() {
    return sites(
        (p, site) ->
            new ForwardingSite(site) {
              @Override
              public Sight paint(long number, QueueDocument d, String json) throws StoreException {
                super.paint(number, d, json);
                return super.paint(number, d, json);
              }
            });
  }

  /** Everybody who joins paints that, wherever it stands. */
  static Mutant whichPaintsEveryJoin(Simulation sim) {
    return stores(
        (p, store) ->
            new Forwarding(store) {
              @Override
              public WriteResult write(Version expected, String next, String message)
                  throws StoreException {
                WriteResult result = super.write(expected, next, message);
                if (message.contains(" joins") && result instanceof WriteResult.Written) {
                  QueueDocument d = decoded(next);
                  sim.boards.paintUnasked(p, d, next);
                }
                return result;
              }
            });
  }

  private static QueueDocument decoded(String text) {
    try {
      return DocumentCodec.decode(text);
    } catch (DocumentException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Makes a board without a look for one that is there. */
  static Mutant whichMakesTwoBoards(Simulation sim) {
    return sites(
        (p, site) ->
            new ForwardingSite(site) {
              @Override
              public long open(QueueDocument d, String json) throws StoreException {
                super.open(d, json);
                return sim.boards.make(p, json);
              }
            });
  }

  /** Takes the first refusal of GitHub for good, in whatever words it is. */
  static Mutant whichDoesNotDoubtGitHub() {
    return stores((p, store) -> new Credulous(store));
  }

  private static final class Credulous extends Forwarding {
    private final VersionedStore real;

    Credulous(VersionedStore real) {
      super(real);
      this.real = real;
    }

    private static StoreException believed(StoreException e) {
      return e.getMessage().startsWith("asking GitHub again")
          ? new StoreException(e.getMessage(), e)
          : e;
    }

    @Override
    public Snapshot read() throws StoreException {
      try {
        return super.read();
      } catch (StoreException e) {
        throw believed(e);
      }
    }

    @Override
    public WriteResult write(Version expected, String next, String message) throws StoreException {
      try {
        return super.write(expected, next, message);
      } catch (StoreException e) {
        throw believed(e);
      }
    }

    @Override
    public VersionedStore urgent() {
      return new Credulous(real.urgent());
    }
  }

  /** Does not tell the builds within it that it has the lock. */
  static Mutant whichDoesNotTellOfItsLock() {
    return new Mutant() {
      @Override
      public Map<String, String> environment(Map<String, String> environment) {
        return Map.of();
      }
    };
  }

  /** Gives back the lock that it works under. */
  static Mutant whichReleasesTheOuterLock() {
    return new Mutant() {
      @Override
      public void covered(BuildQueue queue, Inherited lock)
          throws QueueException, InterruptedException {
        queue.release(lock.ticket(), lock.token(), "done");
      }
    };
  }

  /** Some take the two queues in the other order. */
  static Mutant whichTakesQueuesInAnyOrder() {
    return new Mutant() {
      @Override
      public boolean swapsQueues(Process p) {
        return p.name.hashCode() % 2 == 0;
      }
    };
  }

  // ---- what they are made of

  private interface SiteChange {
    BoardSite of(Process process, BoardSite site);
  }

  private static Mutant sites(SiteChange change) {
    return new Mutant() {
      @Override
      public BoardSite site(Process p, BoardSite site) {
        return change.of(p, site);
      }
    };
  }

  private static class ForwardingSite implements BoardSite {
    private final BoardSite real;

    ForwardingSite(BoardSite real) {
      this.real = real;
    }

    @Override
    public long open(QueueDocument d, String json) throws StoreException {
      return real.open(d, json);
    }

    @Override
    public Sight paint(long number, QueueDocument d, String json) throws StoreException {
      return real.paint(number, d, json);
    }

    @Override
    public Sight look(long number) throws StoreException {
      return real.look(number);
    }
  }

  private interface RealCall {
    Object call(Object... args) throws Throwable;
  }

  private interface QueueChange {
    Object call(Process process, String method, Object[] args, RealCall real) throws Throwable;
  }

  private static Mutant queues(QueueChange change) {
    return new Mutant() {
      @Override
      public BuildQueue queue(Process p, BuildQueue queue) {
        return (BuildQueue)
            Proxy.newProxyInstance(
                BuildQueue.class.getClassLoader(),
                new Class<?>[] {BuildQueue.class},
                (proxy, method, args) ->
                    change.call(
                        p,
                        method.getName(),
                        args,
                        changed -> {
                          try {
                            return method.invoke(queue, changed);
                          } catch (InvocationTargetException e) {
                            throw e.getCause();
                          }
                        }));
      }
    };
  }

  private interface DocumentChange {
    VersionedStore of(Process process, String name, VersionedStore store);
  }

  private static Mutant documents(DocumentChange change) {
    return new Mutant() {
      @Override
      public StoreSpace space(Process p, StoreSpace space) {
        return new StoreSpace() {
          @Override
          public VersionedStore document(String name) {
            return change.of(p, name, space.document(name));
          }

          @Override
          public Traits traits() {
            return space.traits();
          }

          @Override
          public Optional<Settling> settling() {
            return space.settling();
          }

          @Override
          public int compactionInterval() {
            return space.compactionInterval();
          }
        };
      }
    };
  }

  private interface StoreChange {
    VersionedStore of(Process process, VersionedStore store);
  }

  private static Mutant stores(StoreChange change) {
    return new Mutant() {
      @Override
      public StoreSpace space(Process p, StoreSpace space) {
        return new Space(space, space.traits(), store -> change.of(p, store));
      }
    };
  }

  private record Space(
      StoreSpace real, StoreSpace.Traits traits, UnaryOperator<VersionedStore> change)
      implements StoreSpace {
    @Override
    public VersionedStore document(String name) {
      return change.apply(real.document(name));
    }

    @Override
    public Optional<Settling> settling() {
      return real.settling();
    }
  }

  private static class Forwarding implements VersionedStore {
    private final VersionedStore real;

    Forwarding(VersionedStore real) {
      this.real = real;
    }

    @Override
    public Snapshot read() throws StoreException {
      return real.read();
    }

    @Override
    public WriteResult write(Version expected, String next, String message) throws StoreException {
      return real.write(expected, next, message);
    }

    @Override
    public List<String> earlier(Snapshot present, int limit) throws StoreException {
      return real.earlier(present, limit);
    }

    @Override
    public String setAside(Snapshot broken) throws StoreException {
      return real.setAside(broken);
    }
  }

  /** A world that does not run tasks of some names. */
  private static class WorldWithout implements World {
    private final Process process;
    private final List<String> dropped;

    WorldWithout(Process process, String... dropped) {
      this.process = process;
      this.dropped = List.of(dropped);
    }

    @Override
    public long nanos() {
      return process.nanos();
    }

    @Override
    public Instant now() {
      return process.now();
    }

    @Override
    public double random() {
      return process.random();
    }

    @Override
    public Signal newSignal() {
      return process.newSignal();
    }

    @Override
    public Background start(String name, Runnable task) {
      return dropped.stream().anyMatch(name::startsWith) ? atMost -> {} : process.start(name, task);
    }
  }
}
