package dev.baton.queue.sim;

import dev.baton.queue.Acquisition;
import dev.baton.queue.BeatDocument;
import dev.baton.queue.Outcome;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.Slot;
import dev.baton.queue.Ticket;
import dev.baton.queue.TicketState;
import dev.baton.queue.internal.protocol.Command;
import dev.baton.queue.parking.Parking;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Every mistake that the simulation is known to see. */
final class Breaches {

  private Breaches() {}

  /** Each {@link Check} is proved by at least one of them. */
  static List<Breach> all() {
    List<Breach> all = new ArrayList<>();
    all.addAll(mutants());
    all.addAll(worlds());
    all.addAll(documents());
    all.addAll(answers());
    return List.copyOf(all);
  }

  // ---- engines

  private static List<Breach> mutants() {
    return List.of(
        Breach.mutant(
            "beats as it should, and never looks at its lease",
            "isolated",
            1,
            Mutants::whoseHeartbeatNeverLooksAtItsLease,
            Check.LEASE_NOT_TOLD),
        Breach.mutant(
            "looks at its lease only between two calls",
            "hangs",
            1,
            sim -> Mutants.whichLooksAtItsLeaseBetweenCalls(),
            Check.LEASE_NOT_TOLD),
        Breach.mutant(
            "stops when the store asks for a long pause",
            "limited",
            1,
            sim -> Mutants.whichDoesNotWaitOutALimit(),
            Check.STOPPED_WAITING),
        Breach.mutant(
            "removes those who are passed over",
            "limited",
            1,
            sim -> Mutants.whichRemovesThoseWhoArePassedOver(),
            Check.PLACE_LOST_BY_LIMIT),
        Breach.mutant(
            "asks for jobs again whether or not they were started",
            "parking",
            1,
            sim -> Mutants.whichAsksForJobsAgainAndAgain(),
            Check.WOKEN_TWICE),
        Breach.mutant(
            "never asks for the job of a parked ticket",
            "parking",
            1,
            sim -> Mutants.whichNeverAsksForJobs(),
            Check.NOT_WOKEN),
        Breach.mutant(
            "never repeats a refused write",
            "odd",
            1,
            sim -> Mutants.whichNeverRepeatsARefusedWrite(),
            Check.NOT_GIVEN_BACK,
            Check.LOST_BY_ODD_ANSWER),
        Breach.mutant(
            "takes a refusal of its release for the end",
            "odd",
            1,
            sim -> Mutants.whichReleasesOnce(),
            Check.NOT_GIVEN_BACK),
        Breach.mutant(
            "takes a single denial of a heartbeat for the end",
            "odd",
            1,
            sim -> Mutants.whichBelievesASingleDenial(),
            Check.LOST_BY_ODD_ANSWER),
        Breach.mutant(
            "takes the first refusal of GitHub for good",
            "github",
            1,
            sim -> Mutants.whichDoesNotDoubtGitHub(),
            Check.STOPPED_WAITING,
            Check.LOST_BY_ODD_ANSWER,
            Check.NOT_GIVEN_BACK),
        Breach.mutant(
            "believes the first read that finds nothing",
            "odd",
            1,
            sim -> Mutants.whichBelievesASingleAbsence(),
            Check.STOPPED_WAITING),
        Breach.mutant(
            "believes a single old read after 30 quiet seconds",
            "odd",
            4,
            sim -> Mutants.whichBelievesASingleOldRead(),
            Check.STOPPED_WAITING),
        Breach.mutant(
            "goes on with the first version that it has read",
            "calm",
            1,
            sim -> Mutants.whichIsStuckInThePast("client-1-"),
            Check.STOPPED_BY_OLD_ANSWER),
        Breach.mutant(
            "looks for the queue in the wrong place",
            "calm",
            1,
            sim -> Mutants.whichFindsNothing("client-1-"),
            Check.QUEUE_MISSED),
        Breach.mutant(
            "makes a queue that starts at the tokens of 1970",
            "deleted",
            1,
            sim -> Mutants.whichStartsTokensOver(),
            Check.NUMBERS_BACK),
        Breach.mutant(
            "opens a queue that was deleted beside a build that beats",
            "deleted",
            1,
            sim -> Mutants.whichOpensAQueueBesideABuild(),
            Check.TWO_HOLDERS,
            Check.PASSED_ON_WHILE_HELD),
        Breach.mutant(
            "watches only the slots of a version that was put back",
            "deleted",
            380,
            sim -> Mutants.whichWatchesOnlyTheSlotsOfTheQueue(),
            Check.MORE_THAN_SLOTS),
        Breach.mutant(
            "says that it made a queue, and made none",
            "calm",
            1,
            sim -> Mutants.whichOnlySaysThatItMadeTheQueue(),
            Check.FALSELY_CREATED),
        Breach.mutant(
            "looks at heartbeats the more rarely the further back it stands",
            "deaths",
            1,
            Mutants::whichLooksAwayFarBack,
            Check.HEIR_TOO_LATE),
        Breach.mutant(
            "adds up what others have watched at the same time",
            "calm",
            1,
            sim -> Mutants.whichCountsTheSameTimeAgain(),
            Check.TWO_HOLDERS,
            Check.PASSED_ON_WHILE_HELD,
            Check.PASSED_ON_UNTOLD),
        Breach.mutant(
            "never shows itself in a roll call",
            "deaths",
            1,
            sim -> Mutants.whichNeverShowsItself(),
            Check.HEIR_TOO_LATE),
        Breach.mutant(
            "does not show itself among others who do",
            "deaths",
            1,
            sim -> Mutants.whichSometimesDoesNotShowItself(),
            Check.LIVING_PASSED_OVER),
        Breach.mutant(
            "stops when the store takes no more writes for a minute",
            "herd",
            1,
            sim -> Mutants.whichGivesUpInAHerd(),
            Check.STOPPED_WAITING),
        Breach.mutant(
            "asks one of them for another minute each time",
            "herd",
            1,
            sim -> Mutants.whichLeavesOneOut(),
            Check.HERD_NOT_SERVED),
        Breach.mutant(
            "starts a branch over wherever it points",
            "compacts",
            1,
            Mutants::whichCompactsWithoutAPrecondition,
            Check.VERSION_BACK,
            Check.NUMBERS_BACK),
        Breach.mutant(
            "tells one of them that its time is over",
            "herd",
            1,
            sim -> Mutants.whichAnswers("client-7-", new Acquisition.TimedOut(1, 1)),
            Check.NOT_SERVED),
        Breach.mutant(
            "tells those who come last that their time is over",
            "calm",
            1,
            sim -> Mutants.whichAnswers("late-", new Acquisition.TimedOut(1, 1)),
            Check.PROBE_NOT_SERVED),
        Breach.mutant(
            "refuses those who come last",
            "calm",
            1,
            sim -> Mutants.whichDenies("late-"),
            Check.PROBE_FAILED),
        Breach.mutant(
            "lets one of those who come last wait for ever",
            "calm",
            1,
            sim -> Mutants.whichNeverAnswers("late-0-", Duration.ofHours(1)),
            Check.NOT_DONE),
        Breach.mutant(
            "looks again each millisecond",
            "calm",
            1,
            sim -> Mutants.whichNeverAnswers("late-0-", Duration.ofMillis(1)),
            Check.NO_END),
        Breach.mutant(
            "settles for a shorter time than the store needs",
            "issue",
            1,
            sim -> Mutants.whichSettlesTooShort(),
            Check.CHANGE_OVERWRITTEN),
        Breach.mutant(
            "makes its change long after it has read back",
            "issue",
            1,
            Mutants::whichWritesLate,
            Check.CHANGE_OVERWRITTEN),
        Breach.mutant(
            "does not paint the queue that it has emptied",
            "board",
            1,
            sim -> Mutants.whichNeverPaintsTheEnd(),
            Check.BOARD_BEHIND),
        Breach.mutant(
            "paints an older version over a newer one, and goes",
            "board",
            1,
            sim -> Mutants.whichPaintsTheOlderOver(),
            Check.BOARD_BEHIND),
        Breach.mutant(
            "never looks whether the board is as it should be",
            "board",
            1,
            sim -> Mutants.whichNeverLooksAtTheBoard(),
            Check.BOARD_UNTENDED),
        Breach.mutant(
            "paints everything twice",
            "board",
            1,
            sim -> Mutants.whichPaintsTwice(),
            Check.BOARD_HASTE),
        Breach.mutant(
            "paints each join, wherever it stands",
            "herd",
            1,
            Mutants::whichPaintsEveryJoin,
            Check.BOARD_CROWD),
        Breach.mutant(
            "makes a board where there is one",
            "board",
            1,
            Mutants::whichMakesTwoBoards,
            Check.BOARD_TWICE),
        Breach.mutant(
            "does not tell the builds within it of its lock",
            "fronts",
            1,
            sim -> Mutants.whichDoesNotTellOfItsLock(),
            Check.WAITS_FOR_ITSELF),
        Breach.mutant(
            "gives back the lock that it only works under",
            "fronts",
            1,
            sim -> Mutants.whichReleasesTheOuterLock(),
            Check.ENDED_BY_STRANGER,
            Check.PASSED_ON_WHILE_HELD),
        Breach.mutant(
            "takes two queues in any order",
            "fronts",
            1,
            sim -> Mutants.whichTakesQueuesInAnyOrder(),
            Check.NOT_DONE),
        Breach.mutant(
            "leaves a thread behind",
            "calm",
            1,
            sim -> Mutants.whichLeavesAThreadBehind(),
            Check.THREAD_LEFT));
  }

  // ---- worlds and stores

  private static List<Breach> worlds() {
    return List.of(
        Breach.world(
            "read, check, write on a store without compare-and-set",
            "calm",
            1,
            Cloud.Tampering.LAST_WRITER_WINS,
            NaiveClient::team,
            Check.TWO_HOLDERS),
        Breach.world(
            "a store where a write sometimes wins that should lose",
            "rough",
            1,
            Cloud.Tampering.SOMETIMES_LAST_WRITER_WINS,
            Simulation::populate,
            Check.TWO_HOLDERS,
            Check.VERSION_BACK,
            Check.NUMBERS_BACK,
            Check.TOKEN_TWICE,
            Check.OVERTAKEN,
            Check.LINE_CHANGED,
            Check.TICKET_GONE,
            Check.PASSED_ON_WHILE_HELD,
            Check.BEAT_BACK,
            Check.ENDED_BY_STRANGER),
        Breach.world(
            "a store that says that heartbeats were written, and drops them",
            "maintainers",
            1,
            Cloud.Tampering.BEATS_ARE_DROPPED,
            Simulation::populate,
            Check.TWO_HOLDERS,
            Check.PASSED_ON_WHILE_HELD,
            Check.PASSED_ON_UNTOLD,
            Check.LEASE_NOT_TOLD),
        Breach.world(
            "reads older than the store says",
            "calm",
            41,
            Cloud.Tampering.READS_GO_BACK,
            Simulation::populate,
            Check.STOPPED_BY_OLD_ANSWER,
            Check.QUEUE_MISSED),
        Breach.world(
            "issue mode that neither reads back nor looks before it writes",
            "issue",
            1,
            Cloud.Tampering.WRITES_ARE_BLIND,
            sim -> {
              sim.mutate(Mutants.whichDoesNotReadBack());
              sim.populate();
            },
            Check.CHANGE_OVERWRITTEN),
        Breach.world(
            "machines suspended with both clocks",
            "clocks",
            13,
            Cloud.Tampering.NONE,
            sim -> {
              sim.suspendMachines();
              sim.populate();
            },
            Check.TWO_HOLDERS,
            Check.PASSED_ON_WHILE_HELD),
        Breach.world(
            "clocks that go at very different rates",
            "isolated",
            202,
            Cloud.Tampering.NONE,
            sim -> {
              sim.letClocksRunWild();
              sim.populate();
            },
            Check.TWO_HOLDERS,
            Check.PASSED_ON_WHILE_HELD));
  }

  // ---- documents that no engine writes

  private static Breach document(String name, Check reported, Bench.Deed deed) {
    return Breach.byHand(name, "calm", reported, deed);
  }

  private static QueueDocument released(Bench b) {
    return b.applied(new Command.Release(1, 1, ""));
  }

  private static List<Breach> documents() {
    return List.of(
        Breach.byHand(
            "a parked ticket that ends with its job",
            "parking",
            Check.PARKED_REMOVED,
            b -> {
              b.write(b.applied(new Command.Join(Bench.job("d"), 300)), b.owner);
              b.write(b.applied(new Command.Park(4, Bench.nonce("d"), Parking.DEADLINE)), b.owner);
              QueueDocument gone = b.applied(new Command.Drop(4, "maintainer", ""));
              List<Outcome> outcomes =
                  gone.outcomes().stream()
                      .map(
                          o ->
                              new Outcome(
                                  o.ticket(), o.token(), Outcome.End.REMOVED, o.nonce(), o.at()))
                      .toList();
              b.write(
                  Bench.document(
                      gone,
                      gone.version(),
                      gone.nextTicket(),
                      gone.slots(),
                      gone.tickets(),
                      outcomes,
                      gone.history()),
                  b.owner);
            }),
        document(
            "a document with an older version",
            Check.VERSION_BACK,
            b -> {
              QueueDocument d = b.last();
              b.write(
                  Bench.document(
                      d,
                      d.version() - 1,
                      d.nextTicket(),
                      d.slots(),
                      d.tickets(),
                      d.outcomes(),
                      d.history()),
                  b.owner);
            }),
        document(
            "a document that counts tickets from an earlier number",
            Check.NUMBERS_BACK,
            b -> {
              QueueDocument d = b.applied(new Command.Leave(Bench.nonce("c")));
              b.write(d, b.owner);
              b.write(
                  Bench.document(
                      d,
                      d.version() + 1,
                      d.nextTicket() - 1,
                      d.slots(),
                      d.tickets(),
                      d.outcomes(),
                      d.history()),
                  b.owner);
            }),
        document(
            "a token that is given out twice",
            Check.TOKEN_TWICE,
            b -> {
              QueueDocument freed = released(b);
              b.write(freed, b.owner);
              Ticket offered = freed.tickets().get(0);
              List<Ticket> tickets = new ArrayList<>(freed.tickets());
              tickets.set(0, offered.in(TicketState.OFFERED, 1, Bench.NOW));
              Slot slot = freed.slots().get(0).given(Slot.State.OFFERED, offered.number(), 1);
              b.write(Bench.with(freed, List.of(slot), tickets), b.owner);
            }),
        document(
            "a ticket that overtakes",
            Check.OVERTAKEN,
            b -> {
              QueueDocument freed = released(b);
              Ticket waiting = freed.tickets().get(0).in(TicketState.WAITING, 0, Bench.NOW);
              Ticket first = freed.tickets().get(1).in(TicketState.OFFERED, 2, Bench.NOW);
              Slot slot = freed.slots().get(0).given(Slot.State.OFFERED, first.number(), 2);
              b.write(Bench.with(freed, List.of(slot), List.of(waiting, first)), b.owner);
            }),
        document(
            "a ticket that is moved without a word",
            Check.LINE_CHANGED,
            b -> b.write(b.with(List.of(b.ticket(1), b.ticket(3), b.ticket(2))), b.owner)),
        document(
            "a ticket that joins at the head of the line",
            Check.NEW_BEFORE_OLD,
            b -> {
              QueueDocument joined = b.applied(new Command.Join(Bench.entry("d"), 300));
              List<Ticket> t = joined.tickets();
              b.write(
                  Bench.with(
                      joined, joined.slots(), List.of(t.get(0), t.get(3), t.get(1), t.get(2))),
                  b.owner);
            }),
        document(
            "a priority that changes without a word",
            Check.PRIORITY_CHANGED,
            b -> {
              QueueDocument raised = b.applied(new Command.SetPriority(2, 1, "a maintainer"));
              b.write(b.with(raised.tickets()), b.owner);
            }),
        document(
            "a ticket that is passed over without a word",
            Check.AWAY_UNSAID,
            b ->
                b.write(
                    b.with(
                        List.of(
                            b.ticket(1),
                            b.ticket(2).in(TicketState.AWAY, 0, Bench.NOW),
                            b.ticket(3))),
                    b.owner)),
        document(
            "a ticket that vanishes",
            Check.TICKET_GONE,
            b -> b.write(b.with(b.last().tickets().subList(0, 2)), b.owner)),
        document(
            "a recovery that loses a ticket",
            Check.TICKET_LOST_BY_RECOVERY,
            b -> {
              QueueDocument fewer = b.with(b.last().tickets().subList(0, 2));
              b.written("queue", "", "garbage", null, "a person's edit");
              b.write(fewer.withNextToken(fewer.nextToken() + 1), b.owner, "recover the queue");
            }),
        document(
            "a slot that is left free",
            Check.SLOT_LEFT_FREE,
            b -> {
              QueueDocument freed = released(b);
              List<Ticket> waiting =
                  freed.tickets().stream()
                      .map(t -> t.in(TicketState.WAITING, 0, Bench.NOW))
                      .toList();
              b.write(Bench.with(freed, List.of(freed.slots().get(0).freed()), waiting), b.owner);
            }),
        document(
            "a slot that goes to the next while it is held",
            Check.PASSED_ON_WHILE_HELD,
            b -> {
              b.sim.checker.holds(new Bench.Believer("a", 0, 1));
              b.write(released(b), b.owner);
            }),
        document(
            "a slot that goes to the next before its holder is called back",
            Check.PASSED_ON_UNTOLD,
            b -> {
              b.sim.checker.holds(b.owner, new Bench.SilentGrant());
              b.sim.scheduler.after(
                  b.sim.rules.lease().toNanos(), () -> b.write(released(b), b.owner));
              b.sim.scheduler.run();
            }),
        document(
            "a turn beside a holder in a slot that the queue does not have",
            Check.MORE_THAN_SLOTS,
            b -> {
              b.sim.checker.holds(new Bench.Believer("a", 1, 1));
              b.write(released(b), b.owner);
            }),
        document(
            "two that hold one slot",
            Check.TWO_HOLDERS,
            b -> {
              b.sim.checker.holds(new Bench.Believer("a", 0, 1));
              b.sim.checker.holds(new Bench.Believer("b", 0, 2));
              b.sim.checker.sample();
            }),
        document(
            "a heartbeat that goes back",
            Check.BEAT_BACK,
            b -> {
              BeatDocument made = BeatDocument.made(5);
              b.beat(made, BeatDocument.made(4));
            }),
        document(
            "a change by a client that owns nothing",
            Check.STRANGER_WROTE,
            b -> {
              b.sim.checker.mustNotWrite(b.stranger);
              b.write(b.applied(new Command.Touch()), b.stranger);
            }),
        document(
            "a release by a stranger",
            Check.ENDED_BY_STRANGER,
            b -> b.write(released(b), b.stranger)),
        document(
            "a document that is none",
            Check.BROKEN_WRITTEN,
            b -> b.written("queue", "", "{}", b.owner, "no document at all")),
        Breach.byHand(
            "another than the next living one goes on after deaths",
            "deaths",
            Check.WRONG_HEIR,
            b -> {
              b.write(b.applied(new Command.Leave(Bench.nonce("c"))), b.owner);
              b.sim.deaths.strike();
              b.sim.checker.owns(Bench.nonce("d"), b.owner);
              b.sim.deaths.lives(Bench.nonce("d"), b.stranger);
              b.write(b.applied(new Command.Join(Bench.entry("d"), 300)), b.owner);
              b.write(b.applied(new Command.Leave(Bench.nonce("b"))), b.owner);
              b.write(released(b), b.owner);
              Ticket offered = b.ticket(4);
              b.write(b.applied(new Command.Confirm(4, offered.token())), b.owner);
            }));
  }

  // ---- answers that no engine gives

  private static List<Breach> answers() {
    return List.of(
        document(
            "a ticket that is gone for no reason",
            Check.REMOVED_UNEXPLAINED,
            b ->
                b.sim.checker.removed(
                    b.owner,
                    Bench.nonce("b"),
                    new Acquisition.Removed(2, Optional.empty(), Optional.empty()))));
  }
}
