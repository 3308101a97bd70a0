----------------------------- MODULE IssueLock -----------------------------
(* The issue lock where there is no compare-and-set: write one's name, settle,
   read back. Reads are stale by up to Dr; a write lands up to Dw after the
   start of the read that it is based on, over whatever is there by then. A
   client may vanish while it has the lock; others take over a lock that they
   have seen unchanged for a whole Lease.

   Nothing counts up: a version has the time since it was written, a client the
   time since its last step, both capped. So runs of any length are covered. *)
EXTENDS Naturals, Sequences, FiniteSets

CONSTANTS Clients,     \* who wants to change the document, once each
          Dr,          \* how old an answer to a read may be
          Dw,          \* from the start of a read to the landing of its write
          Settle,      \* from the landing of the lock to reading it back
          Lease,       \* how long a lock is believed without a change
          Crashes,     \* how many clients may vanish
          Broken       \* a rule that is left out, or "none"

NONE == "none"

VARIABLES versions,    \* what reads can still show, the newest last
          pc,          \* where each client is
          base,        \* what each client last read
          clock,       \* time since that read, or since the lock landed
          watch,       \* how long each client has seen the same lock
          crashed      \* how many have vanished

vars == <<versions, pc, base, clock, watch, crashed>>

\* A document is who has the lock, which attempt that is, and whose changes are in it.
Empty == [lock |-> NONE, try |-> 0, done |-> {}]
Newest == versions[Len(versions)].doc
Cap == IF Lease > Settle THEN Lease + 1 ELSE Settle + 1
Min(a, b) == IF a < b THEN a ELSE b

\* A version can be read for as long as the next one is not older than Dr.
Visible == {i \in 1..Len(versions) :
              i = Len(versions) \/ versions[i + 1].age <= Dr}
Readable == {versions[i].doc : i \in Visible}

Init == /\ versions = <<[doc |-> Empty, age |-> Dr + 1]>>
        /\ pc = [c \in Clients |-> "idle"]
        /\ base = [c \in Clients |-> Empty]
        /\ clock = [c \in Clients |-> 0]
        /\ watch = [c \in Clients |-> [lock |-> NONE, try |-> 0, age |-> 0]]
        /\ crashed = 0

Put(doc) == versions' = Append(versions, [doc |-> doc, age |-> 0])

\* ---- one client

\* Free, or seen unchanged for a whole lease: write one's name.
Look(c) ==
  /\ pc[c] = "idle"
  /\ \E d \in Readable :
       LET same == watch[c].lock = d.lock /\ watch[c].try = d.try
           seen == IF same THEN watch[c] ELSE [lock |-> d.lock, try |-> d.try, age |-> 0]
       IN IF d.lock = NONE \/ (same /\ watch[c].age >= Lease)
          THEN /\ pc' = [pc EXCEPT ![c] = "taking"]
               /\ base' = [base EXCEPT ![c] = d]
               /\ clock' = [clock EXCEPT ![c] = 0]
               /\ watch' = [watch EXCEPT ![c] = seen]
          ELSE /\ watch' = [watch EXCEPT ![c] = seen]
               /\ UNCHANGED <<pc, base, clock>>
  /\ UNCHANGED <<versions, crashed>>

\* In truth every attempt has a nonce of its own: nobody has watched this one before.
Take(c) ==
  LET try == 1 - base[c].try
      fresh == [lock |-> NONE, try |-> 0, age |-> 0]
  IN /\ pc[c] = "taking"
     /\ Put([lock |-> c, try |-> try, done |-> base[c].done])
     /\ pc' = [pc EXCEPT ![c] = "settling"]
     /\ clock' = [clock EXCEPT ![c] = 0]
     /\ watch' = [o \in Clients |->
                    IF o = c \/ (watch[o].lock = c /\ watch[o].try = try)
                    THEN fresh ELSE watch[o]]
     /\ UNCHANGED <<base, crashed>>

\* A write that is sent now lands so early that no read shows the lock when its lease is over.
InTime(c) == Broken = "late" \/ clock[c] + Dw + Dr < Lease

ReadBack(c) ==
  /\ pc[c] = "settling"
  /\ clock[c] >= Settle
  /\ \E d \in Readable :
       /\ pc' = [pc EXCEPT ![c] = IF d.lock = c /\ InTime(c) THEN "holds" ELSE "idle"]
       /\ base' = [base EXCEPT ![c] = d]
  /\ clock' = [clock EXCEPT ![c] = 0]
  /\ UNCHANGED <<versions, watch, crashed>>

\* The change and the end of the lock, in one write.
Change(c) ==
  /\ pc[c] = "holds"
  /\ Put([lock |-> NONE, try |-> base[c].try, done |-> base[c].done \cup {c}])
  /\ pc' = [pc EXCEPT ![c] = "done"]
  /\ UNCHANGED <<base, clock, watch, crashed>>

Crash(c) ==
  /\ crashed < Crashes
  /\ pc[c] \in {"settling", "holds"}
  /\ crashed' = crashed + 1
  /\ pc' = [pc EXCEPT ![c] = "gone"]
  /\ UNCHANGED <<versions, base, clock, watch>>

\* ---- time

\* What was superseded for longer than Dr can never be read again.
Older(vs) ==
  LET aged == [i \in 1..Len(vs) |-> [doc |-> vs[i].doc, age |-> Min(vs[i].age + 1, Dr + 1)]]
      first == CHOOSE i \in 1..Len(aged) :
                 /\ i = Len(aged) \/ aged[i + 1].age <= Dr
                 /\ \A j \in 1..(i - 1) : ~(aged[j + 1].age <= Dr)
  IN SubSeq(aged, first, Len(aged))

Tick ==
  /\ \A c \in Clients : pc[c] \in {"taking", "holds"} => clock[c] < Dw
  /\ versions' = Older(versions)
  /\ clock' = [c \in Clients |->
                 IF pc[c] \in {"taking", "holds", "settling"}
                 THEN Min(clock[c] + 1, Cap) ELSE 0]
  /\ watch' = [c \in Clients |->
                 IF pc[c] = "idle" /\ watch[c].lock # NONE
                 THEN [watch[c] EXCEPT !.age = Min(@ + 1, Cap)]
                 ELSE [watch[c] EXCEPT !.age = 0]]
  /\ UNCHANGED <<pc, base, crashed>>

Next == \/ \E c \in Clients : Look(c) \/ Take(c) \/ ReadBack(c) \/ Change(c) \/ Crash(c)
        \/ Tick

Spec == Init /\ [][Next]_vars

\* ---- what must hold

\* Nobody's change is written over.
NoLostChange == \A c \in Clients : pc[c] = "done" => c \in Newest.done

\* At most one is between reading back and its write.
OneHolder == Cardinality({c \in Clients : pc[c] = "holds"}) <= 1
=============================================================================
