------------------------------ MODULE Parking ------------------------------
(* Tickets whose job has ended and is started again when its turn comes.       *)
(*                                                                            *)
(* One slot. Handover.tla and Line.tla show how a slot leaves its holder, and  *)
(* how offers are made to those who wait with a process; that is taken for     *)
(* granted here: a confirm is one step, a dead holder is reaped. New is the    *)
(* parked ticket: nobody answers for it until somebody has asked GitHub to run *)
(* its job again. That request may get lost, and so may the job. Whoever asks  *)
(* has written so into the document first. GitHub starts a job again only when *)
(* its run has completed: one job of a ticket runs at a time.                  *)
(*                                                                            *)
(* A request lands or is lost before anybody concludes that it was lost, and   *)
(* before the deadline of the offer or the first write of a job that was       *)
(* started again: GitHub cuts it after ten seconds, a repair comes after a     *)
(* minute and a half, a runner has a container to build, the deadline comes    *)
(* after ten minutes.                                                         *)
EXTENDS Integers, Sequences, FiniteSets, TLC

CONSTANTS
  Clients,
  MaxTries,   \* how often somebody asks for the job of one offer
  MaxPasses,  \* unanswered offers after which a parked ticket is removed
  MaxLost,    \* how many requests get lost
  Can,        \* "crash" (live clients and holders) "die" (a job started again dies before it joins)
              \* "hand" (a person runs the job again)
  Broken      \* "no", or the rule that this configuration breaks

VARIABLES
  line,    \* the tickets in the order of joining, whatever their state
  st,      \* of each ticket: none, waiting, offered, building, away
  parked,  \* whether the ticket is parked
  tries,   \* how often somebody has written that it asks for the job of this offer
  passes,  \* offers of a parked ticket that were not answered
  job,     \* out, live (a process in line), gone (ended), begun (started again, has not joined),
           \* held, dead, told (removed after MaxPasses; its owner is told)
  air,     \* requests to run the job again that are under way
  starts,  \* how often requests have started the job since the present offer
  lost     \* requests lost so far

vars == <<line, st, parked, tries, passes, job, air, starts, lost>>

Range(s) == {s[i] : i \in 1..Len(s)}
Without(s, c) == SelectSeq(s, LAMBDA x : x # c)

Init == /\ line = <<>>
        /\ st = [c \in Clients |-> "none"]
        /\ parked = [c \in Clients |-> FALSE]
        /\ tries = [c \in Clients |-> 0]
        /\ passes = [c \in Clients |-> 0]
        /\ job = [c \in Clients |-> "out"]
        /\ air = [c \in Clients |-> 0]
        /\ starts = [c \in Clients |-> 0]
        /\ lost = 0

HasTurn(s, c) == s[c] \in {"offered", "building"}

-----------------------------------------------------------------------------
(* Pure: the line and the states after a change. Every change ends with it.    *)
(* Where nobody waits, those who were passed over and are parked are asked     *)
(* again: nobody else would be.                                               *)
Back(l, s, p) == [c \in Clients |-> IF s[c] = "away" /\ p[c] /\ Broken # "stayaway" THEN "waiting" ELSE s[c]]
Offer(l, s) ==
  LET w == SelectSeq(l, LAMBDA c : s[c] = "waiting") IN
  IF w = <<>> \/ \E c \in Range(l) : HasTurn(s, c) THEN s
  ELSE [s EXCEPT ![Head(w)] = "offered"]
Normalised(l, s, p) ==
  IF \E c \in Range(l) : s[c] = "waiting" THEN Offer(l, s) ELSE Offer(l, Back(l, s, p))

(* A change of the document; an offer that it makes has not been asked for.    *)
Becomes(l, s, p) ==
  LET n == Normalised(l, s, p) IN
  /\ line' = l /\ st' = n /\ parked' = p
  /\ tries' = [c \in Clients |-> IF n[c] = "offered" /\ st[c] # "offered" THEN 0 ELSE tries[c]]
  /\ starts' = [c \in Clients |-> IF n[c] = "offered" /\ st[c] # "offered" THEN 0 ELSE starts[c]]

-----------------------------------------------------------------------------
Join(c) ==
  /\ job[c] = "out" /\ c \notin Range(line)
  /\ LET l == Append(line, c) IN Becomes(l, [st EXCEPT ![c] = "waiting"], parked)
  /\ job' = [job EXCEPT ![c] = "live"]
  /\ passes' = [passes EXCEPT ![c] = 0]
  /\ UNCHANGED <<air, lost>>

Confirm(c) ==
  /\ job[c] = "live" /\ st[c] = "offered"
  /\ Becomes(line, [st EXCEPT ![c] = "building"], parked)
  /\ job' = [job EXCEPT ![c] = "held"]
  /\ UNCHANGED <<passes, air, lost>>

(* The step keeps its place and ends its job: one write, then the run ends.    *)
Park(c) ==
  /\ job[c] = "live" /\ st[c] = "waiting"
  /\ Becomes(line, st, [parked EXCEPT ![c] = TRUE])
  /\ job' = [job EXCEPT ![c] = "gone"]
  /\ UNCHANGED <<passes, air, lost>>

(* The end of a turn: who was passed over comes back to its place.             *)
Ends(c) ==
  LET p == [parked EXCEPT ![c] = FALSE]
      l == Without(line, c) IN
  Becomes(l, Back(l, [st EXCEPT ![c] = "none"], p), p)
Release(c) ==
  /\ job[c] = "held"
  /\ Ends(c)
  /\ job' = [job EXCEPT ![c] = "out"]
  /\ passes' = [passes EXCEPT ![c] = 0]
  /\ UNCHANGED <<air, lost>>
Reap(c) ==
  /\ job[c] = "dead" /\ c \in Range(line)
  /\ Ends(c)
  /\ passes' = [passes EXCEPT ![c] = 0]
  /\ UNCHANGED <<job, air, lost>>

(* Writes that it asks, then asks; its sender may die in between.              *)
Ask(c) ==
  /\ st[c] = "offered" /\ parked[c] /\ job[c] = "gone"
  /\ IF Broken = "noclaim" THEN air[c] < 2 /\ UNCHANGED tries
     ELSE /\ IF tries[c] = 0 THEN TRUE
             ELSE /\ Broken # "norepair"
                  /\ tries[c] < MaxTries /\ air[c] = 0 /\ starts[c] = 0
          /\ tries' = [tries EXCEPT ![c] = @ + 1]
  /\ \/ air' = [air EXCEPT ![c] = @ + 1] /\ UNCHANGED lost
     \/ lost < MaxLost /\ lost' = lost + 1 /\ UNCHANGED air
  /\ UNCHANGED <<line, st, parked, passes, job, starts>>

(* GitHub carries the request out, or refuses it: the job runs already.        *)
Land(c) ==
  /\ air[c] > 0
  /\ air' = [air EXCEPT ![c] = @ - 1]
  /\ IF job[c] = "gone"
     THEN job' = [job EXCEPT ![c] = "begun"] /\ starts' = [starts EXCEPT ![c] = @ + 1]
     ELSE UNCHANGED <<job, starts>>
  /\ UNCHANGED <<line, st, parked, tries, passes, lost>>
Lose(c) ==
  /\ air[c] > 0 /\ lost < MaxLost
  /\ air' = [air EXCEPT ![c] = @ - 1] /\ lost' = lost + 1
  /\ UNCHANGED <<line, st, parked, tries, passes, job, starts>>

(* A person runs the job again, whenever it has ended.                         *)
ByHand(c) ==
  /\ "hand" \in Can /\ job[c] = "gone"
  /\ job' = [job EXCEPT ![c] = "begun"]
  /\ UNCHANGED <<line, st, parked, tries, passes, air, starts, lost>>

(* The job that was started again takes its old ticket. Where that has an      *)
(* offer this write is the answer, as a check-in is.                           *)
Return(c) ==
  /\ job[c] = "begun" /\ air[c] = 0
  /\ LET p == [parked EXCEPT ![c] = FALSE] IN
     CASE Broken = "wokenheld" /\ c \in Range(line) ->
            /\ job' = [job EXCEPT ![c] = "held"]
            /\ Becomes(line, IF st[c] = "offered" THEN [st EXCEPT ![c] = "building"] ELSE st, p)
       [] Broken = "rejoin" /\ st[c] # "offered" /\ c \in Range(line) ->
            /\ job' = [job EXCEPT ![c] = "live"]
            /\ Becomes(Append(Without(line, c), c), [st EXCEPT ![c] = "waiting"], p)
       [] c \notin Range(line) -> job' = [job EXCEPT ![c] = "out"] /\ Becomes(line, st, parked)
       [] st[c] = "offered" ->
            /\ job' = [job EXCEPT ![c] = "held"]
            /\ Becomes(line, [st EXCEPT ![c] = "building"], p)
       [] OTHER ->
            /\ job' = [job EXCEPT ![c] = "live"]
            /\ Becomes(line, [st EXCEPT ![c] = "waiting"], p)
  \* One that comes too late and parks again is passed over no more often than one that never comes.
  /\ passes' = IF Broken = "forgives" THEN [passes EXCEPT ![c] = 0] ELSE passes
  /\ UNCHANGED <<air, lost>>
Die(c) ==
  /\ "die" \in Can /\ job[c] = "begun" /\ air[c] = 0
  /\ job' = [job EXCEPT ![c] = IF c \in Range(line) THEN "gone" ELSE "told"]
  /\ UNCHANGED <<line, st, parked, tries, passes, air, starts, lost>>

(* The deadline of an offer to a parked ticket: long enough for every try.     *)
PassOver(c) ==
  /\ Broken # "nodeadline"
  /\ st[c] = "offered" /\ parked[c] /\ air[c] = 0
  /\ starts[c] > 0 \/ tries[c] = MaxTries
  /\ passes' = [passes EXCEPT ![c] = @ + 1]
  /\ IF passes[c] + 1 >= MaxPasses
     THEN /\ Becomes(Without(line, c), [st EXCEPT ![c] = "none"], [parked EXCEPT ![c] = FALSE])
          /\ job' = [job EXCEPT ![c] = IF @ = "gone" THEN "told" ELSE @]
     ELSE Becomes(line, [st EXCEPT ![c] = "away"], parked) /\ UNCHANGED job
  /\ UNCHANGED <<air, lost>>

(* The mistake of taking the end of a parked job for the end of its ticket.    *)
JobEnded(c) ==
  /\ Broken = "endedjob" /\ st[c] = "offered" /\ parked[c] /\ job[c] = "gone"
  /\ Ends(c)
  /\ UNCHANGED <<passes, job, air, lost>>

Crash(c) ==
  /\ "crash" \in Can /\ job[c] \in {"live", "held"}
  /\ job' = [job EXCEPT ![c] = "dead"]
  /\ UNCHANGED <<line, st, parked, tries, passes, air, starts, lost>>
Restart(c) ==
  /\ job[c] \in {"dead", "told"} /\ c \notin Range(line) /\ air[c] = 0
  /\ job' = [job EXCEPT ![c] = "out"]
  /\ passes' = [passes EXCEPT ![c] = 0]
  /\ UNCHANGED <<line, st, parked, tries, air, starts, lost>>

Next == \E c \in Clients :
  \/ Join(c) \/ Confirm(c) \/ Park(c) \/ Release(c) \/ Reap(c) \/ Ask(c) \/ Land(c) \/ Lose(c)
  \/ ByHand(c) \/ Return(c) \/ Die(c) \/ PassOver(c) \/ JobEnded(c) \/ Crash(c) \/ Restart(c)
Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
(* What must hold                                                              *)

Mutex == Cardinality({c \in Clients : job[c] = "held"}) <= 1
OneTurn == Cardinality({c \in Range(line) : HasTurn(st, c)}) <= 1
(* One offer starts the job once at most, whoever asks and however often.      *)
WokenOnce == \A c \in Clients : st[c] = "offered" => starts[c] <= 1
(* A parked ticket stays until its turn, or until its owner is told.           *)
Kept == \A c \in Clients : job[c] \in {"gone", "live"} => c \in Range(line)
(* No slot idles while a ticket waits, or a parked one could be asked again.   *)
NoIdle == (\E c \in Range(line) : HasTurn(st, c))
          \/ \A c \in Range(line) : st[c] # "waiting" /\ ~(st[c] = "away" /\ parked[c])
(* Nobody is offered the slot while somebody before it waits for it.           *)
Fifo == [][st' # st => \A j \in 1..Len(line') :
  (HasTurn(st', line'[j]) /\ ~HasTurn(st, line'[j])) =>
     \A i \in 1..(j - 1) : st'[line'[i]] # "waiting"]_vars
(* Nobody's place changes, whoever parks and comes back.                       *)
Order == [][line' # line =>
  SelectSeq(line, LAMBDA c : c \in Range(line')) = SelectSeq(line', LAMBDA c : c \in Range(line))]_vars

-----------------------------------------------------------------------------
(* Liveness. The live act, builds end, somebody looks: a client in line, the   *)
(* next one that joins or releases, or a scheduled `wake`.                     *)
FairSpec == Spec /\ \A c \in Clients :
  /\ WF_vars(Confirm(c)) /\ WF_vars(Release(c)) /\ WF_vars(Reap(c))
  /\ WF_vars(Ask(c)) /\ WF_vars(Land(c)) /\ WF_vars(Return(c) \/ Die(c)) /\ WF_vars(PassOver(c))

(* No lost wake-up: an offer to a parked ticket starts its job, or is passed.  *)
Woken == \A c \in Clients :
  (st[c] = "offered" /\ job[c] = "gone") ~> (job[c] # "gone" \/ st[c] # "offered")
(* Whoever is parked gets the lock, or its owner is told.                      *)
Served == \A c \in Clients : (job[c] = "gone") ~> (job[c] \in {"held", "told", "dead", "out"})

Symmetry == Permutations(Clients)
=============================================================================
