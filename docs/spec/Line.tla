-------------------------------- MODULE Line --------------------------------
(* The line and its slots: who is offered what and when, away and check-in,    *)
(* pause, crashes, recovery, and that everybody gets a turn.                   *)
(*                                                                            *)
(* Handover.tla shows for one slot, with clocks, late writes, lost answers and *)
(* stale reads, that a slot leaves its holder only when the holder no longer   *)
(* answers "held" (its properties Mutex and LetGo). That is what this model    *)
(* takes for granted, so it needs no clocks: a holder may at any time fail to  *)
(* prove its lease (Expire), and reaping is possible from then on, not before. *)
(* Slots do not touch each other: each has its own beat document and tokens    *)
(* are compared within a slot. Every step here is one successful write (or one *)
(* look); a write that fails its compare-and-set changes nothing and is no     *)
(* step.                                                                       *)
EXTENDS Integers, Sequences, FiniteSets, TLC

CONSTANTS
  Clients,
  Slots,      \* number of slots
  MaxToken,   \* bound on grants; 0: tokens are not counted and runs are unbounded
  MaxRecover, \* how often the document breaks
  Can,        \* "crash" "expire" "slow" (live clients miss offers or learn too late) "pause"
  Broken      \* "no", or the rule that this configuration breaks

VARIABLES
  d,   \* the queue document
  pc,  \* each client: out, waiting, held, lost (cannot prove its lease), dead
  at,  \* the slot for which a client has a confirmed token that is neither released nor
       \* killed (whether or not the client knows, and whatever the document says); 0: none
  rec, \* number of recoveries
  top  \* highest token granted (only for TokensGrow)

vars == <<d, pc, at, rec, top>>

SlotIds == 1..Slots
Free == "free"
None == "none"
Range(s) == {s[i] : i \in 1..Len(s)}
Without(s, c) == SelectSeq(s, LAMBDA x : x # c)
Lines(S) == UNION {{s \in [1..n -> S] : \A i, j \in 1..n : i # j => s[i] # s[j]} : n \in 0..Cardinality(S)}

(* d.line: all tickets in the order of joining, whatever their state, so that  *)
(* a ticket that was passed over or whose offer was withdrawn keeps its place. *)
Init == /\ d = [line |-> <<>>, st |-> [c \in Clients |-> None],
                slot |-> [s \in SlotIds |-> Free], tok |-> [s \in SlotIds |-> 0],
                next |-> 1, paused |-> FALSE, quar |-> FALSE]
        /\ pc = [c \in Clients |-> "out"]
        /\ at = [c \in Clients |-> 0]
        /\ rec = 0
        /\ top = 0

Held(c) == pc[c] = "held"
Alive(c) == pc[c] # "dead"
InLine(c) == c \in Range(d.line)

-----------------------------------------------------------------------------
(* Pure changes of the document                                                *)

FreeSlots(x) == {s \in SlotIds : x.slot[s] = Free}
First(S) == CHOOSE s \in S : \A t \in S : s <= t
WaitingIn(x) == SelectSeq(x.line, LAMBDA c : x.st[c] = "waiting")
Grant(x, c, s, state) ==
  [x EXCEPT !.st[c] = state, !.slot[s] = c,
            !.tok[s] = IF MaxToken = 0 THEN 0 ELSE x.next,
            !.next = IF MaxToken = 0 THEN 1 ELSE x.next + 1]
RECURSIVE Normalise(_)
Normalise(x) ==
  IF x.paused \/ x.quar \/ \A s \in SlotIds : x.slot[s] # Free THEN x
  ELSE LET w == WaitingIn(x) IN
       IF w = <<>> THEN x
       ELSE Normalise(Grant(x, Head(w), First(FreeSlots(x)), "offered"))
After(x) == IF Broken = "nonormalise" THEN x ELSE Normalise(x)
SlotOf(x, c) == IF \E s \in SlotIds : x.slot[s] = c THEN CHOOSE s \in SlotIds : x.slot[s] = c ELSE 0
Vacate(x, c) == [x EXCEPT !.slot = [s \in SlotIds |-> IF @[s] = c THEN Free ELSE @[s]]]
Removed(x, c) == [Vacate(x, c) EXCEPT !.line = Without(@, c), !.st[c] = None]

Max(S) == CHOOSE n \in S : \A m \in S : n >= m
Becomes(x) == /\ MaxToken = 0 \/ x.next <= MaxToken + 1
              /\ d' = x
              /\ top' = Max({top} \cup {x.tok[s] : s \in SlotIds})

-----------------------------------------------------------------------------
Join(c) ==
  /\ pc[c] = "out" /\ ~InLine(c)
  /\ LET x == [d EXCEPT !.line = Append(@, c), !.st[c] = "waiting"]
         own == ~d.paused /\ ~d.quar /\ FreeSlots(d) # {} /\ \A o \in Range(d.line) : d.st[o] = "building"
         s == First(FreeSlots(d))
     IN IF own THEN Becomes(Grant(x, c, s, "building")) /\ at' = [at EXCEPT ![c] = s]
        ELSE Becomes(Normalise(x)) /\ UNCHANGED at
  /\ pc' = [pc EXCEPT ![c] = "waiting"]
  /\ UNCHANGED rec

(* The confirm lands; the client may not know it yet.                          *)
Confirm(c) ==
  /\ pc[c] = "waiting" /\ d.st[c] = "offered"
  /\ Becomes([d EXCEPT !.st[c] = "building"])
  /\ at' = [at EXCEPT ![c] = SlotOf(d, c)]
  /\ UNCHANGED <<pc, rec>>

(* It knows: held. After a recovery the answer may still come, as long as the  *)
(* quarantine lasts; later its lease, counted from the first sending, is over. *)
Learn(c) ==
  /\ pc[c] = "waiting" /\ at[c] # 0
  /\ pc' = [pc EXCEPT ![c] = "held"]
  /\ UNCHANGED <<d, at, rec, top>>

(* It finds that its ticket is gone (reaped, or lost in a recovery).           *)
TicketGone(c) ==
  /\ pc[c] = "waiting" /\ ~InLine(c)
  /\ pc' = [pc EXCEPT ![c] = "out"] /\ at' = [at EXCEPT ![c] = 0]
  /\ UNCHANGED <<d, rec, top>>

(* Releases, or leaves a ticket that a recovery brought back. Also when it can *)
(* no longer prove its lease: the release is keyed by ticket and token.        *)
Release(c) ==
  /\ pc[c] \in {"held", "lost"} /\ at[c] # 0
  /\ Becomes(After(Removed(d, c)))
  /\ pc' = [pc EXCEPT ![c] = "out"] /\ at' = [at EXCEPT ![c] = 0]
  /\ UNCHANGED rec

(* The network is cut or the machine sleeps: the lease cannot be proven. While *)
(* nobody has killed the token, one more beat brings it back.                  *)
Expire(c) ==
  /\ "expire" \in Can /\ Held(c)
  /\ pc' = [pc EXCEPT ![c] = "lost"]
  /\ UNCHANGED <<d, at, rec, top>>
Regain(c) ==
  /\ pc[c] = "lost" /\ at[c] # 0
  /\ pc' = [pc EXCEPT ![c] = "held"]
  /\ UNCHANGED <<d, at, rec, top>>

(* Who is passed over when the n-th in the line is the first that has shown    *)
(* itself. Everybody alive has had the time to do so, if it is not slow.       *)
Absent(n) == {d.line[i] : i \in {j \in 1..(n - 1) : d.st[d.line[j]] = "waiting"}}
MayBeFirst(n) ==
  /\ d.st[d.line[n]] = "waiting" /\ pc[d.line[n]] = "waiting"
  /\ "slow" \in Can \/ Broken = "norollcall" \/ \A c \in Absent(n) : pc[c] # "waiting"

(* Watched out and killed: the holder is dead, lost, or never learnt in time.  *)
(* In a quarantine the turn may be an old one of a client that waits again.    *)
Reap(s) ==
  /\ d.slot[s] \in Clients /\ d.st[d.slot[s]] = "building"
  /\ \/ pc[d.slot[s]] \in {"dead", "lost", "out"}
     \/ pc[d.slot[s]] = "waiting" /\ ("slow" \in Can \/ at[d.slot[s]] = 0)
     \/ at[d.slot[s]] # s
  /\ Becomes(After(Removed(d, d.slot[s])))
  /\ at' = [at EXCEPT ![d.slot[s]] = IF @ = s THEN 0 ELSE @]
  /\ UNCHANGED <<pc, rec>>

(* The same where those in line have been asked who is there while the         *)
(* heartbeat stood still: the write that frees the slot passes over everybody  *)
(* ahead of the first that has answered.                                       *)
ReapAbsent(s) ==
  /\ d.slot[s] \in Clients /\ d.st[d.slot[s]] = "building"
  /\ \/ pc[d.slot[s]] \in {"dead", "lost", "out"}
     \/ pc[d.slot[s]] = "waiting" /\ ("slow" \in Can \/ at[d.slot[s]] = 0)
     \/ at[d.slot[s]] # s
  /\ \E n \in 1..Len(d.line) :
       /\ MayBeFirst(n)
       /\ LET x == Removed(d, d.slot[s]) IN
          Becomes(After([x EXCEPT !.st = [c \in Clients |-> IF c \in Absent(n) THEN "away" ELSE @[c]]]))
  /\ at' = [at EXCEPT ![d.slot[s]] = IF @ = s THEN 0 ELSE @]
  /\ UNCHANGED <<pc, rec>>

(* Every slot is free and was watched out and killed: whoever was confirmed in *)
(* one, in whatever version of the document, no longer answers "held".         *)
EndQuarantine ==
  /\ d.quar
  /\ \A s \in SlotIds : d.slot[s] = Free
  /\ \A c \in Clients : ~Held(c)
  /\ Becomes(After([d EXCEPT !.quar = FALSE]))
  /\ at' = [c \in Clients |-> 0]
  /\ UNCHANGED <<pc, rec>>

(* An offer not confirmed in time; the ticket keeps its place.                 *)
Away(s) ==
  /\ d.slot[s] \in Clients /\ d.st[d.slot[s]] = "offered"
  /\ "slow" \in Can \/ pc[d.slot[s]] # "waiting"
  /\ LET c == d.slot[s] IN Becomes(After([Vacate(d, c) EXCEPT !.st[c] = "away"]))
  /\ UNCHANGED <<pc, at, rec>>
(* A second offer in a row is not answered either. Those who are there have    *)
(* said so; everybody before the first of them is passed over in one write.    *)
AwayAbsent(s) ==
  /\ d.slot[s] \in Clients /\ d.st[d.slot[s]] = "offered"
  /\ "slow" \in Can \/ pc[d.slot[s]] # "waiting"
  /\ \E n \in 1..Len(d.line) :
       /\ MayBeFirst(n)
       /\ Becomes(After([Vacate(d, d.slot[s]) EXCEPT
            !.st = [c \in Clients |-> IF c \in Absent(n) \cup {d.slot[s]} THEN "away" ELSE @[c]]]))
  /\ UNCHANGED <<pc, at, rec>>
CheckIn(c) ==
  /\ pc[c] = "waiting" /\ d.st[c] = "away"
  /\ Becomes(Normalise([d EXCEPT !.st[c] = "waiting"]))
  /\ UNCHANGED <<pc, at, rec>>
(* A client silent for max_away counts as dead here.                           *)
RemoveAway(c) ==
  /\ d.st[c] = "away" /\ pc[c] # "waiting"
  /\ Becomes(After(Removed(d, c)))
  /\ UNCHANGED <<pc, at, rec>>

(* A pause withdraws open offers; who builds goes on.                          *)
Pause ==
  /\ "pause" \in Can /\ ~d.paused
  /\ LET offered == {c \in Clients : d.st[c] = "offered"} IN
     Becomes([d EXCEPT !.paused = TRUE,
                       !.st = [c \in Clients |-> IF c \in offered THEN "waiting" ELSE @[c]],
                       !.slot = [s \in SlotIds |-> IF @[s] \in offered THEN Free ELSE @[s]]])
  /\ UNCHANGED <<pc, at, rec>>
Resume ==
  /\ d.paused
  /\ Becomes(After([d EXCEPT !.paused = FALSE]))
  /\ UNCHANGED <<pc, at, rec>>

(* Any line at all may come back (an older version, default data), with the    *)
(* turns that build now or without. Nothing is granted until the quarantine    *)
(* ends. Tokens go on above all before.                                        *)
Recover ==
  /\ rec < MaxRecover
  /\ rec' = rec + 1
  /\ \E line \in Lines(Clients), turns \in BOOLEAN :
       LET kept(s) == /\ turns /\ d.slot[s] \in Range(line)
                      /\ d.st[d.slot[s]] = "building"
           slot == [s \in SlotIds |-> IF kept(s) THEN d.slot[s] ELSE Free]
           x == [line |-> line, paused |-> FALSE, quar |-> Broken # "norecoverwait",
                 st |-> [c \in Clients |-> CASE c \notin Range(line) -> None
                                            [] \E s \in SlotIds : slot[s] = c -> "building"
                                            [] OTHER -> "waiting"],
                 slot |-> slot, tok |-> d.tok,
                 next |-> IF MaxToken # 0 THEN d.next + 1 ELSE 1]
       IN Becomes(Normalise(x))
  /\ UNCHANGED <<pc, at>>

Crash(c) ==
  /\ "crash" \in Can /\ pc[c] \in {"waiting", "held", "lost"}
  /\ pc' = [pc EXCEPT ![c] = "dead"] /\ at' = [at EXCEPT ![c] = 0]
  /\ UNCHANGED <<d, rec, top>>
(* Starts again, as a new acquisition, when its old ticket has been cleared.   *)
Restart(c) ==
  /\ pc[c] \in {"dead", "lost"} /\ ~InLine(c)
  /\ pc' = [pc EXCEPT ![c] = "out"] /\ at' = [at EXCEPT ![c] = 0]
  /\ UNCHANGED <<d, rec, top>>

Next ==
  \/ Pause \/ Resume \/ Recover \/ EndQuarantine
  \/ \E c \in Clients : \/ Join(c) \/ Confirm(c) \/ Learn(c) \/ TicketGone(c)
                        \/ Release(c) \/ Expire(c) \/ Regain(c) \/ CheckIn(c) \/ RemoveAway(c)
                        \/ Crash(c) \/ Restart(c)
  \/ \E s \in SlotIds : Reap(s) \/ ReapAbsent(s) \/ Away(s) \/ AwayAbsent(s)
Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
(* What must hold                                                              *)

Mutex == /\ Cardinality({c \in Clients : Held(c)}) <= Slots
         /\ \A c, o \in Clients : (c # o /\ Held(c) /\ Held(o)) => at[c] # at[o]

TokensGrow == [][\A s \in SlotIds :
  (d'.tok[s] # d.tok[s] /\ d'.slot[s] \in Clients) => d'.tok[s] > top]_vars

OneTicket ==
  /\ Cardinality(Range(d.line)) = Len(d.line)
  /\ Range(d.line) = {c \in Clients : d.st[c] # None}
  /\ \A c \in Clients : Cardinality({s \in SlotIds : d.slot[s] = c})
                          = IF d.st[c] \in {"offered", "building"} THEN 1 ELSE 0

(* Nobody is offered a slot while somebody before it waits for one.            *)
Fifo == [][d'.st # d.st => \A j \in 1..Len(d'.line) :
  (d'.st[d'.line[j]] \in {"offered", "building"} /\ d.st[d'.line[j]] \notin {"offered", "building"}) =>
     \A i \in 1..(j - 1) : d'.st[d'.line[i]] # "waiting"]_vars
(* Nobody's place in the line changes.                                         *)
Order == [][(d'.line # d.line /\ rec' = rec) =>
  SelectSeq(d.line, LAMBDA c : c \in Range(d'.line)) = SelectSeq(d'.line, LAMBDA c : InLine(c))]_vars

(* A ticket leaves the document only by its client's release, by a reap of one *)
(* that does not hold, as away and silent, or by a recovery.                   *)
NoLostTicket == [][d'.line # d.line => \A c \in Range(d.line) \ Range(d'.line) :
  \/ pc[c] \in {"held", "lost"} /\ pc'[c] = "out"
  \/ d.st[c] = "building" /\ ~Held(c)
  \/ d.st[c] = "away" /\ pc[c] # "waiting"
  \/ rec' # rec]_vars
(* A live waiting client that learns in time loses its ticket by recovery only.*)
Kept == ("slow" \notin Can /\ rec = 0) =>
           \A c \in Clients : pc[c] = "waiting" => InLine(c)

(* A live client that answers in time is never passed over for one behind it.  *)
NotOvertaken == ("slow" \notin Can /\ rec = 0) =>
           \A c \in Clients : pc[c] = "waiting" => d.st[c] # "away"

(* No slot idles while an eligible ticket waits.                               *)
Normalised == d.paused \/ d.quar \/ FreeSlots(d) = {} \/ WaitingIn(d) = <<>>

-----------------------------------------------------------------------------
(* Liveness. The live act, builds end, somebody watches; a pause ends. Crashes *)
(* and expiry may happen for ever and in any order.                            *)
Fair ==
  /\ WF_vars(Resume) /\ WF_vars(EndQuarantine)
  /\ \A c \in Clients : WF_vars(Confirm(c) \/ Learn(c) \/ TicketGone(c) \/ CheckIn(c) \/ Release(c))
  /\ \A c \in Clients : WF_vars(RemoveAway(c))
  /\ \A s \in SlotIds : WF_vars(Reap(s) \/ ReapAbsent(s) \/ Away(s))
FairSpec == Spec /\ Fair
(* Where pauses and missed offers go on for ever as well, a client must be     *)
(* quick enough once in infinitely many offers, and a watcher too.             *)
FairWhenSlow == FairSpec /\ (\A c \in Clients : SF_vars(Confirm(c))) /\ (\A s \in SlotIds : SF_vars(Away(s)))

(* Whoever waits gets its turn, unless it crashes itself. ("out": it was told  *)
(* that its ticket is gone; NoLostTicket and Kept say when that may be.)       *)
Served == \A c \in Clients : (pc[c] = "waiting") ~> (pc[c] \in {"held", "dead", "out"})

Symmetry == Permutations(Clients)
=============================================================================
