----------------------------- MODULE Compaction -----------------------------
(* A branch on which every change is a commit is started over, while the slot  *)
(* of Handover.tla passes from holder to holder.                               *)
(*                                                                             *)
(* Any client may do it at any time: it looks where the branch of a document   *)
(* points, makes a commit of the same content that has no parent, and moves    *)
(* the branch to it if it still points where it did. The document is the same  *)
(* before and after. What is not the same is the branch: a write to it that    *)
(* was being checked at that moment may be refused, although its version was   *)
(* right and still is. Its sender cannot tell that from a lost race.           *)
(*                                                                             *)
(* A compaction that looked before another write landed can only fail: it is   *)
(* dropped when that write lands, as the requests of Handover are. A client    *)
(* that dies in between is one that does nothing.                              *)
EXTENDS Handover

VARIABLE
  com  \* the compaction under way: of which document, and (only where one that
       \* is broken needs it) what the document was when it was looked at

cvars == <<q, b, cl, rec, top, rv, com>>

None == [of |-> "none", q |-> EmptyQueue, b |-> FreshBeats]

CompactLooks ==
  /\ com = None
  /\ \/ com' = [None EXCEPT !.of = "queue", !.q = IF Broken = "blindcompact" THEN q ELSE @]
     \/ com' = [None EXCEPT !.of = "beats", !.b = IF Broken = "blindcompactbeats" THEN b ELSE @]
  /\ UNCHANGED vars

(* A write lands: the branch no longer points to where it was looked at. That  *)
(* a beat makes a new version does not show in b; then the compaction here may *)
(* go on where the real one fails, which changes nothing either.               *)
Outrun ==
  \/ com.of = "queue" /\ q' # q /\ Broken # "blindcompact"
  \/ com.of = "beats" /\ b' # b /\ Broken # "blindcompactbeats"

(* Which of the requests under way are refused for it: any of them.            *)
Gone(c, r) == IF cl[c].pc = "dead" THEN "no" ELSE Not(r)
QueueRefused(S) == [c \in Clients |-> IF c \in S THEN [cl[c] EXCEPT !.qreq = Gone(c, @)] ELSE cl[c]]
BeatsRefused(S) == [c \in Clients |-> IF c \in S THEN [cl[c] EXCEPT !.breq = Gone(c, @)] ELSE cl[c]]

CompactLands ==
  /\ com # None
  /\ com' = None
  /\ \/ /\ com.of = "queue" /\ Broken # "blindcompact"
        /\ \E S \in SUBSET {c \in Clients : cl[c].qreq \in {"join", "confirm", "release"}} :
             cl' = QueueRefused(S)
        /\ UNCHANGED <<q, b, rec, top, rv>>
     \/ /\ com.of = "beats" /\ Broken # "blindcompactbeats"
        /\ \E S \in SUBSET {c \in Clients : cl[c].breq = "beat"} : cl' = BeatsRefused(S)
        /\ UNCHANGED <<q, b, rec, top, rv>>
     \* Broken: the branch is moved wherever it points by now, as the REST API
     \* does it. What was written since the look is gone.
     \/ /\ com.of = "queue" /\ Broken = "blindcompact"
        /\ q' = com.q
        /\ cl' = Overtaken(cl)
        /\ UNCHANGED <<b, rec, top, rv>>
     \/ /\ com.of = "beats" /\ Broken = "blindcompactbeats"
        /\ b' = com.b
        /\ cl' = BeatsChanged(cl)
        /\ UNCHANGED <<q, rec, top, rv>>

CompactFails == com # None /\ com' = None /\ UNCHANGED vars

CompactInit == Init /\ com = None
CompactNext ==
  \/ Next /\ com' = IF Outrun THEN None ELSE com
  \/ CompactLooks \/ CompactLands \/ CompactFails
CompactSpec == CompactInit /\ [][CompactNext]_cvars

(* What is written stays: no compaction takes back a change of either document. *)
NothingUndone == [][CompactLands => q' = q /\ b' = b]_cvars
=============================================================================
