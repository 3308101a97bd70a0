------------------------------ MODULE Handover ------------------------------
(* How one slot passes from holder to holder: offer, confirm, beats in a      *)
(* document of their own, watching, kill, reap, force-unlock and recovery,    *)
(* while writes land late or never, answers get lost, reads are stale, and    *)
(* clients crash or sleep. Line.tla has the line itself and several slots.    *)
(*                                                                            *)
(* TIME is a tick that every clock counts. Only differences matter, so the    *)
(* state holds what is left of a lease and how long a watch has lasted, both  *)
(* capped: runs of any length are covered, there is no last tick.             *)
(*                                                                            *)
(* WRITES are compare-and-set. A request that is based on anything but the    *)
(* current version can only fail, and a client that waits for such a failure  *)
(* is a client that does nothing; so a request starts its life based on the   *)
(* current version and dies the moment another write to that document lands.  *)
(* It may stay under way for ever, land when its sender has crashed, sleeps   *)
(* or has given up on the answer, and the sender may learn that it landed at  *)
(* any later time (late answer, or a read) or never. A write whose outcome    *)
(* its sender need not know (kill, reap, away, ...) is one step: its landing. *)
(* With "refuse" a refusal proves nothing: the request may be gone, still be  *)
(* under way, or have landed. Then the same bytes are sent again for as long  *)
(* as reads show the version that they are based on (Repeat).                 *)
(*                                                                            *)
(* READS are as stale as you like: a client acts on what it once saw (a slot  *)
(* being built with token T, a beat version) for as long as it likes. What it *)
(* saw too late to matter is caught by compare-and-set.                       *)
EXTENDS Integers, Sequences, FiniteSets, TLC

CONSTANTS
  Clients,
  Run,        \* the clients with `run` liveness (no lease, no beats); others beat
  Observer,   \* a client that never joins: it only watches (a board, a bot)
  L,          \* lease
  G,          \* how long an offer may stay unconfirmed
  MaxToken,   \* bound: no grant beyond this token
  MaxRecover, \* bound: how often documents break
  Can,        \* what may happen: "crash" "sleep" "force" "recover" "losebeats" "rejoin"
              \* "slow" (a live client may miss its offer) "stalewatch"
              \* "refuse" (a write is refused although its version was right)
              \* "hand" (what one has watched is handed on to others)
  Broken      \* "no", or the rule that this configuration breaks

VARIABLES
  q,   \* the queue document
  b,   \* the slot's beat document
  cl,  \* what each client knows and has under way
  rec, \* how many recoveries there were
  top, \* the highest token ever granted (only for TokensGrow)
  rv   \* the highest token that somebody has seen revoked and may still kill for that

vars == <<q, b, cl, rec, top, rv>>

Nobody == "nobody"
Max(x, y) == IF x > y THEN x ELSE y
Range(s) == {s[i] : i \in 1..Len(s)}
Without(s, c) == SelectSeq(s, LAMBDA x : x # c)
Lines(S) == UNION {{s \in [1..n -> S] : \A i, j \in 1..n : i # j => s[i] # s[j]} : n \in 0..Cardinality(S)}

(* q.st: free, offered, building, or revoked (force-unlock: watch it out).     *)
(* q.line: the tickets that wait, in order; q.away: those of them passed over. *)
(* q.quar: the quarantine after a recovery: nothing is granted.                *)
(* q.unsure: restored `run` tickets of which nobody knows whether they build.  *)
EmptyQueue == [st |-> "free", own |-> Nobody, tok |-> 0, line |-> <<>>, away |-> {},
               next |-> 1, quar |-> FALSE, unsure |-> {}]
(* Of the beat document only what is compared by size is kept; that a beat     *)
(* makes a new version shows in BeatsChanged. The real one also has `token`    *)
(* and `beat`, which only grow: no two contents are ever equal.                *)
(* kill: no beat of a token up to this one is accepted any more.               *)
FreshBeats == [there |-> TRUE, kill |-> 0]

NoWatch == [on |-> "nothing", tok |-> 0, age |-> 0]
(* left:  what remains of the proven lease.                                    *)
(* first: what remains of the lease counted from before the first sending of   *)
(*        the confirm or beat whose outcome is not known yet.                  *)
(* qreq:  the request to the queue document under way, or "landed" when it has *)
(*        landed and the client does not know it yet. breq: the same for beats.*)
(*        "not confirm" etc.: refused, though the version was right and is still *)
(*        the current one.                                                     *)
(* hand:  what the client has watched and written down for others. It stays in *)
(*        the document when the client is gone.                                *)
NewClient == [pc |-> "out", asleep |-> FALSE, tok |-> 0, left |-> 0, first |-> 0,
              qreq |-> "no", breq |-> "no", watch |-> NoWatch, hand |-> NoWatch]

Init == /\ q = EmptyQueue
        /\ b = FreshBeats
        /\ cl = [c \in Clients |-> NewClient]
        /\ rec = 0
        /\ top = 0
        /\ rv = 0

Awake(c) == cl[c].pc # "dead" /\ ~cl[c].asleep
(* Exactly when the grant of c answers "held".                                 *)
Held(c) == /\ cl[c].pc = "held"
           /\ Awake(c)
           /\ c \in Run \/ cl[c].left > 0
InDoc(d, c) == c \in Range(d.line) \/ d.own = c

-----------------------------------------------------------------------------
(* Pure changes of the queue document                                          *)

Eligible(d) == SelectSeq(d.line, LAMBDA c : c \notin d.away)
(* Every change ends with this: a free slot and an eligible ticket make an     *)
(* offer, with a new token, in the same write.                                 *)
Normalise(d) ==
  IF d.st # "free" \/ d.quar \/ Eligible(d) = <<>> THEN d
  ELSE LET c == Head(Eligible(d)) IN
       [d EXCEPT !.st = "offered", !.own = c, !.tok = d.next, !.next = d.next + 1,
                 !.line = Without(d.line, c)]
Freed(d) == Normalise([d EXCEPT !.st = "free", !.own = Nobody])
Joined(d, c) ==
  IF d.st = "free" /\ ~d.quar /\ d.line = <<>>
  THEN [d EXCEPT !.st = "building", !.own = c, !.tok = d.next, !.next = d.next + 1]
  ELSE Normalise([d EXCEPT !.line = Append(d.line, c)])
(* Keyed by ticket and token. After a recovery there may be no such grant, but *)
(* a restored ticket of the same client: leaving takes that out as well.       *)
Released(d, c) ==
  IF d.own = c /\ d.tok = cl[c].tok /\ d.st \in {"building", "revoked"} THEN Freed(d)
  ELSE Normalise([d EXCEPT !.line = Without(d.line, c), !.away = @ \ {c}, !.unsure = @ \ {c}])
(* The offer passes on; the ticket keeps its place (it was the first).         *)
PassedOver(d) ==
  Normalise([d EXCEPT !.st = "free", !.own = Nobody, !.line = <<d.own>> \o d.line,
                      !.away = @ \cup {d.own}])

(* A write to the queue document lands: requests based on the old one die.     *)
QueueBecomes(d) ==
  /\ d.next <= MaxToken + 1
  /\ q' = d
  /\ top' = IF d.tok # q.tok THEN Max(top, d.tok) ELSE top
Dead(r) == IF r = "landed" THEN r ELSE "no"
(* What may still land when its sender wants to know no more.                  *)
UnderWay(r) == IF r \in {"join", "confirm", "release", "beat"} THEN r ELSE "no"
Overtaken(f) == [c \in Clients |-> [f[c] EXCEPT !.qreq = Dead(@)]]

(* A write to the beat document lands: requests based on the old version die,  *)
(* and a watch of the old version can never again lead to a kill, so dropping  *)
(* it here is the same as restarting it when its owner looks. What was handed  *)
(* on names its version too, and nobody who watches the new one takes it up.   *)
BeatsChanged(f) ==
  [c \in Clients |-> [f[c] EXCEPT
     !.breq = Dead(@),
     !.hand = IF @.on = "lease" THEN NoWatch ELSE @,
     !.watch = IF @.on \in {"lease", "quarantine"} /\ Broken # "killblind" THEN NoWatch ELSE @]]

-----------------------------------------------------------------------------
(* What a client does for itself                                               *)

Join(c) ==
  /\ c # Observer /\ Awake(c) /\ cl[c].pc = "out" /\ ~InDoc(q, c)
  /\ cl' = [cl EXCEPT ![c].pc = "joining", ![c].qreq = "join", ![c].first = L]
  /\ UNCHANGED <<q, b, rec, top, rv>>

(* Overtaken, and knows it (conflict, or a read above the base): join anew.    *)
JoinAgain(c) ==
  /\ Awake(c) /\ cl[c].pc = "joining" /\ cl[c].qreq = "no" /\ ~InDoc(q, c)
  /\ cl' = [cl EXCEPT ![c].qreq = "join", ![c].first = L]
  /\ UNCHANGED <<q, b, rec, top, rv>>

Confirm(c) ==
  /\ Awake(c) /\ cl[c].pc \in {"waiting", "confirming"} /\ cl[c].qreq = "no"
  /\ q.st = "offered" /\ q.own = c
  /\ IF Broken = "noconfirm"
     THEN cl' = [cl EXCEPT ![c].pc = "held", ![c].tok = q.tok, ![c].left = L, ![c].watch = NoWatch]
     ELSE cl' = [cl EXCEPT ![c].pc = "confirming", ![c].qreq = "confirm", ![c].tok = q.tok,
                           ![c].first = L, ![c].watch = NoWatch]
  /\ UNCHANGED <<q, b, rec, top, rv>>

(* The offer has passed to somebody else before the confirm landed.            *)
OfferGone(c) ==
  /\ Awake(c) /\ cl[c].pc = "confirming" /\ cl[c].qreq = "no"
  /\ ~(q.own = c /\ q.tok = cl[c].tok)
  /\ cl' = [cl EXCEPT ![c].pc = "waiting", ![c].tok = 0, ![c].first = 0]
  /\ UNCHANGED <<q, b, rec, top, rv>>

(* A request to the queue document lands, whatever became of its sender.       *)
QueueLands(c) ==
  LET r == cl[c].qreq
      d == CASE r = "join" -> Joined(q, c)
             [] r = "confirm" -> [q EXCEPT !.st = "building"]
             [] r = "release" -> Released(q, c)
  IN /\ r \in {"join", "confirm", "release"}
     /\ QueueBecomes(d)
     /\ cl' = LET f == Overtaken(cl) IN
              [f EXCEPT ![c].qreq = IF cl[c].pc = "dead" THEN "no" ELSE "landed",
                        ![c].tok = IF r = "join" /\ d.own = c /\ d.st = "building" /\ cl[c].pc # "dead"
                                   THEN d.tok ELSE @]
     /\ UNCHANGED <<b, rec, rv>>

(* The client learns that its request landed. Only now a grant is held, and    *)
(* its lease counts from before the request was first sent.                    *)
QueueLearns(c) ==
  /\ Awake(c) /\ cl[c].qreq = "landed"
  /\ LET granted == cl[c].pc = "confirming" \/ (cl[c].pc = "joining" /\ cl[c].tok # 0)
     IN cl' = [cl EXCEPT
          ![c].qreq = "no",
          ![c].first = 0,
          ![c].pc = IF granted THEN "held" ELSE IF @ = "joining" THEN "waiting" ELSE "done",
          ![c].left = CASE ~granted -> 0
                        [] granted /\ Broken = "fromanswer" -> L
                        [] OTHER -> cl[c].first,
          ![c].tok = IF granted THEN @ ELSE 0]
  /\ UNCHANGED <<q, b, rec, top, rv>>

(* Whoever once failed to prove its lease never beats again.                   *)
Beat(c) ==
  /\ Held(c) /\ c \notin Run /\ cl[c].breq = "no"
  /\ b.there /\ b.kill < cl[c].tok
  /\ cl' = [cl EXCEPT ![c].breq = "beat", ![c].first = L]
  /\ UNCHANGED <<q, b, rec, top, rv>>

BeatLands(c) ==
  /\ cl[c].breq = "beat"
  /\ cl' = LET f == IF Broken = "samebeat" THEN cl ELSE BeatsChanged(cl) IN
           [f EXCEPT ![c].breq = IF cl[c].pc = "held" THEN "landed" ELSE "no"]
  /\ UNCHANGED <<q, b, rec, top, rv>>

BeatLearns(c) ==
  /\ Awake(c) /\ cl[c].breq = "landed"
  /\ cl' = [cl EXCEPT ![c].breq = "no", ![c].first = 0,
                      ![c].left = IF Broken = "fromanswer" THEN L ELSE cl[c].first]
  /\ UNCHANGED <<q, b, rec, top, rv>>

(* It finds its token killed: lost for good.                                   *)
Loses(c) ==
  /\ Awake(c) /\ c \notin Run /\ cl[c].pc = "held"
  /\ b.kill >= cl[c].tok
  /\ cl' = [cl EXCEPT ![c].pc = "lost", ![c].left = 0, ![c].first = 0, ![c].tok = 0,
                      ![c].breq = UnderWay(@)]
  /\ UNCHANGED <<q, b, rec, top, rv>>

(* The grant stops answering "held" before the release is first sent. A client *)
(* in doubt that finds the slot still its own sends again: after a recovery    *)
(* this may be a slot that had passed on in the lost version.                  *)
Release(c) ==
  /\ Awake(c) /\ cl[c].pc \in {"held", "releasing"}
  /\ \/ cl[c].qreq = "no"
     \/ cl[c].qreq = "landed" /\ q.own = c /\ q.tok = cl[c].tok
  /\ IF InDoc(q, c)
     THEN cl' = [cl EXCEPT ![c].pc = "releasing", ![c].left = 0, ![c].first = 0,
                           ![c].breq = UnderWay(@), ![c].qreq = "release"]
     ELSE cl' = [cl EXCEPT ![c].pc = "done", ![c].left = 0, ![c].first = 0, ![c].tok = 0,
                           ![c].breq = UnderWay(@)]
  /\ UNCHANGED <<q, b, rec, top, rv>>

(* A refusal that is false: the version was right, and nobody has written.     *)
Not(r) == CASE r = "join" -> "not join" [] r = "confirm" -> "not confirm"
            [] r = "release" -> "not release" [] r = "beat" -> "not beat"
FalselyRefused(c) ==
  /\ "refuse" \in Can /\ Awake(c)
  /\ \/ /\ cl[c].qreq \in {"join", "confirm", "release"}
        /\ cl' = [cl EXCEPT ![c].qreq = Not(@)]
     \/ /\ cl[c].breq = "beat"
        /\ cl' = [cl EXCEPT ![c].breq = "not beat"]
  /\ UNCHANGED <<q, b, rec, top, rv>>

(* Refused, and reads still show the version that it was based on, for longer  *)
(* than reads are stale (here: or not, see READS): the same bytes against the  *)
(* same version. Nothing is computed, and the lease still counts from before   *)
(* they were FIRST sent, since the copy that was refused may have landed or    *)
(* still be under way. Then this step changes nothing, as it should.           *)
Again(r) == CASE r = "not join" -> "join" [] r = "not confirm" -> "confirm"
              [] r = "not release" -> "release" [] r = "not beat" -> "beat"
              [] OTHER -> r
FirstSent(c) == IF Broken = "freshrepeat" THEN L ELSE cl[c].first
Repeat(c) ==
  /\ "refuse" \in Can /\ Awake(c) /\ Broken # "norepeat"
  /\ \/ /\ cl[c].qreq # "no"
        /\ cl' = [cl EXCEPT ![c].qreq = Again(@), ![c].first = FirstSent(c)]
     \/ /\ Held(c) /\ cl[c].breq # "no"
        /\ cl' = [cl EXCEPT ![c].breq = Again(@), ![c].first = FirstSent(c)]
  /\ UNCHANGED <<q, b, rec, top, rv>>

(* Broken "blindrepeat": the write that was refused is sent again without its  *)
(* version, over whatever is there by now.                                     *)
BlindRepeat(c) ==
  /\ Broken = "blindrepeat" /\ Awake(c) /\ cl[c].pc = "confirming" /\ cl[c].qreq = "no"
  /\ QueueBecomes([q EXCEPT !.st = "building", !.own = c, !.tok = cl[c].tok,
                            !.line = Without(@, c), !.away = @ \ {c}])
  /\ cl' = [Overtaken(cl) EXCEPT ![c].qreq = "landed"]
  /\ UNCHANGED <<b, rec, rv>>

CheckIn(c) ==
  /\ Awake(c) /\ cl[c].pc = "waiting" /\ (c \in q.away \/ c \in q.unsure)
  /\ QueueBecomes(Normalise([q EXCEPT !.away = @ \ {c}, !.unsure = @ \ {c}]))
  /\ cl' = Overtaken(cl)
  /\ UNCHANGED <<b, rec, rv>>

(* Its ticket is gone (removed, or lost by a recovery): told so, may start anew.*)
TicketGone(c) ==
  /\ Awake(c) /\ cl[c].pc = "waiting" /\ ~InDoc(q, c)
  /\ cl' = [cl EXCEPT ![c].pc = "out", ![c].watch = NoWatch]
  /\ UNCHANGED <<q, b, rec, top, rv>>

Rejoin(c) ==
  /\ "rejoin" \in Can /\ Awake(c) /\ cl[c].pc \in {"done", "lost"}
  /\ cl' = [cl EXCEPT ![c].pc = "out"]
  /\ UNCHANGED <<q, b, rec, top, rv>>

-----------------------------------------------------------------------------
(* What anybody does for the line                                              *)

MayWatch(c) == Awake(c) /\ (c = Observer \/ cl[c].pc = "waiting")

(* A watch begins with the first receipt of both the slot's state and the beat *)
(* version (a missing document is a version too). With "stalewatch" the slot's *)
(* state may be any older one. A kill covers every token that was given out in *)
(* the queue version judged by: after a recovery it so covers a holder that    *)
(* the restored document does not know.                                        *)
Upto == q.next - 1
Begin(c, on, tok) ==
  /\ ~(cl[c].watch.on = on /\ cl[c].watch.tok = tok)
  /\ cl' = [cl EXCEPT ![c].watch = [on |-> on, tok |-> tok, age |-> 0]]
Watch(c) ==
  /\ MayWatch(c)
  /\ \/ q.st = "offered" /\ q.own # c /\ Begin(c, "offer", q.tok)
     \/ q.st = "building" /\ q.own \notin Run /\ b.kill < q.tok /\ Begin(c, "lease", Upto)
     \/ "stalewatch" \in Can /\ \E tok \in (b.kill + 1)..(q.tok - 1) : Begin(c, "lease", tok)
     \/ q.st = "revoked" /\ b.kill >= q.tok /\ Begin(c, "revoked", q.tok)
     \/ /\ q.quar /\ q.st = "free"
        /\ ~(cl[c].watch.on = "out" /\ cl[c].watch.tok = Upto)
        /\ Begin(c, "quarantine", Upto)
  /\ UNCHANGED <<q, b, rec, top, rv>>

(* What was watched is handed on: written down by one who leaves (here it may  *)
(* also stay and begin anew), for as long as its turn lasts. Whoever reads of  *)
(* a longer time than its own goes on from there. Not more: that time and the  *)
(* own may be the same one [overlap]. A quarantine everybody watches alone.    *)
HandOn(c) ==
  /\ "hand" \in Can /\ MayWatch(c)
  /\ cl[c].watch.on \in {"offer", "lease", "revoked"} /\ cl[c].watch.age > 0
  /\ cl' = [cl EXCEPT ![c].hand = cl[c].watch, ![c].watch = NoWatch]
  /\ UNCHANGED <<q, b, rec, top, rv>>
TakeUp(c) ==
  /\ "hand" \in Can /\ MayWatch(c)
  /\ \E d \in Clients :
       LET h == cl[d].hand
           w == cl[c].watch
           cap == IF w.on = "offer" THEN G ELSE L
           sum == IF Broken = "overlap" THEN w.age + h.age ELSE h.age
       IN /\ w.on # "nothing" /\ h.on = w.on /\ h.tok = w.tok /\ sum > w.age
          /\ cl' = [cl EXCEPT ![c].watch.age = IF sum > cap THEN cap ELSE sum]
  /\ UNCHANGED <<q, b, rec, top, rv>>

(* Compare-and-set against exactly the watched version: a beat that landed in  *)
(* between has dropped the watch (BeatsChanged).                               *)
Watched(c) ==
  \/ cl[c].watch.age >= L
  \/ Broken = "runfree" \* the run is reported completed; its build may live
Kill(c) ==
  /\ MayWatch(c) /\ cl[c].watch.on = "lease" /\ Watched(c) /\ Broken # "nokill"
  \* Broken "olderbeat": a version that an earlier turn left behind counts from
  \* when it was first seen, though this turn has begun since.
  /\ LET upto == IF Broken = "olderbeat" THEN Upto ELSE cl[c].watch.tok IN
     /\ b.kill < upto
     /\ b' = [there |-> TRUE, kill |-> upto]
  /\ cl' = LET f == BeatsChanged(cl) IN [f EXCEPT ![c].watch = NoWatch]
  /\ UNCHANGED <<q, rec, top, rv>>

(* In a quarantine, killed is not enough: the kill may be that of a force-     *)
(* unlock, which nobody watched out. Each watcher goes by its own watch.       *)
KillInQuarantine(c) ==
  /\ MayWatch(c) /\ cl[c].watch.on = "quarantine" /\ cl[c].watch.age >= L
  /\ LET out == [on |-> "out", tok |-> cl[c].watch.tok, age |-> 0] IN
     IF b.kill < cl[c].watch.tok
     THEN /\ b' = [there |-> TRUE, kill |-> cl[c].watch.tok]
          /\ cl' = [BeatsChanged(cl) EXCEPT ![c].watch = out]
     ELSE /\ cl' = [cl EXCEPT ![c].watch = out]
          /\ UNCHANGED b
  /\ UNCHANGED <<q, rec, top, rv>>

(* Building and killed: the killer watched a whole lease, so whoever sees both *)
(* takes the slot away. Revoked and killed: nobody watched yet, so whoever     *)
(* takes it away must have. A `run` turn ends with its job.                    *)
Reap ==
  /\ \/ q.st = "building" /\ q.own \notin Run /\ q.tok <= b.kill
     \/ q.st = "revoked" /\ q.tok <= b.kill /\ \E c \in Clients :
          MayWatch(c) /\ cl[c].watch = [on |-> "revoked", tok |-> q.tok, age |-> L]
     \/ q.st = "building" /\ q.own \in Run /\ cl[q.own].pc \in {"dead", "done", "lost"}
     \/ /\ Broken = "nokill" /\ q.st = "building"
        /\ \E c \in Clients : MayWatch(c) /\ cl[c].watch = [on |-> "lease", tok |-> q.tok, age |-> L]
  /\ QueueBecomes(Freed(q))
  /\ cl' = Overtaken(cl)
  /\ UNCHANGED <<b, rec, rv>>

(* The job of a restored `run` ticket has ended.                               *)
RunEnded ==
  /\ \E c \in q.unsure :
       /\ cl[c].pc \in {"dead", "done", "lost"}
       /\ QueueBecomes(Normalise([q EXCEPT !.line = Without(@, c), !.away = @ \ {c}, !.unsure = @ \ {c}]))
  /\ cl' = Overtaken(cl)
  /\ UNCHANGED <<b, rec, rv>>

Away(c) ==
  /\ MayWatch(c) /\ q.st = "offered"
  /\ cl[c].watch = [on |-> "offer", tok |-> q.tok, age |-> G]
  /\ "slow" \in Can \/ ~Awake(q.own) \/ cl[q.own].pc \notin {"waiting", "confirming"}
  /\ QueueBecomes(PassedOver(q))
  /\ cl' = [Overtaken(cl) EXCEPT ![c].watch = NoWatch]
  /\ UNCHANGED <<b, rec, rv>>

(* Away for max_away. With "slow" it may hit a client that only slept. Not one *)
(* that may be building unseen.                                                *)
RemoveAway ==
  /\ \E c \in q.away \ q.unsure :
       /\ "slow" \in Can \/ cl[c].pc # "waiting"
       /\ QueueBecomes(Normalise([q EXCEPT !.line = Without(@, c), !.away = @ \ {c}]))
  /\ cl' = Overtaken(cl)
  /\ UNCHANGED <<b, rec, rv>>

(* Force-unlock names ticket and token. It revokes in the queue; once that is  *)
(* known to be applied, the token is killed without a watch; then the lease is *)
(* watched out (Reap). Who saw it revoked may be late with the kill.           *)
Force ==
  /\ "force" \in Can /\ q.st = "building" /\ q.own \notin Run
  /\ QueueBecomes(IF Broken = "force_now" THEN Freed(q) ELSE [q EXCEPT !.st = "revoked"])
  /\ rv' = Max(rv, Upto)
  /\ cl' = Overtaken(cl)
  /\ UNCHANGED <<b, rec>>
RevokeKill ==
  /\ \E upto \in {rv} \cup (IF q.st = "revoked" THEN {Upto} ELSE {}) :
       /\ b.kill < upto
       /\ b' = [there |-> TRUE, kill |-> upto]
  /\ cl' = BeatsChanged(cl)
  /\ UNCHANGED <<q, rec, top, rv>>

-----------------------------------------------------------------------------
(* Recovery. The queue document broke or was lost. What is restored may be     *)
(* older: the line may be any line at all of clients that ever joined, and the *)
(* slot may be free or show any turn that ever was, while in truth another one *)
(* builds. Tokens go on above every one ever seen. The content never existed   *)
(* before, so every request under way is overtaken. Nothing is granted until   *)
(* the quarantine ends. A `run` ticket has no lease to watch out: those are    *)
(* taken to be in the restored document (else: "runlost"), and each must be    *)
(* heard of (or its job have ended) first.                                     *)
Recover ==
  /\ "recover" \in Can /\ rec < MaxRecover
  /\ rec' = rec + 1
  /\ LET ever == {c \in Clients : cl[c].pc # "out"}
         runs == {c \in Run : cl[c].pc \in {"joining", "waiting", "confirming", "held", "releasing"}}
         low == Broken = "lowtoken"
     IN \E line \in Lines(ever), own \in ever \cup {Nobody}, tok \in 1..Upto,
           st \in {"free", "building", "revoked"} :
          /\ (own = Nobody) = (st = "free")
          /\ own = Nobody => tok = 1 \* no turn, no token: one choice is enough
          /\ own # Nobody => /\ own \notin Range(line)
                             /\ \/ cl[own].pc \in {"dead", "done", "lost"}
                                \/ /\ cl[own].tok = tok \* a turn that was confirmed
                                   /\ cl[own].pc = "confirming" => cl[own].qreq = "landed"
          /\ own \in Run => st = "building"
          /\ Broken = "runlost" \/ runs \subseteq Range(line) \cup {own}
          /\ QueueBecomes(Normalise(
               [st |-> st, own |-> own, tok |-> IF st = "free" /\ ~low THEN Upto ELSE tok,
                line |-> line, away |-> {}, next |-> IF low THEN 2 ELSE q.next + 1,
                quar |-> Broken # "norecoverwait", unsure |-> Range(line) \cap Run]))
  /\ cl' = Overtaken(cl)
  /\ UNCHANGED <<b, rv>>

(* Every slot, not only those that were free at the recovery, must have been   *)
(* freed and then watched out: a turn that the restored document shows may in  *)
(* truth have passed on, and freeing it needs no watch.                        *)
EndQuarantine(c) ==
  /\ MayWatch(c) /\ q.quar /\ q.unsure = {}
  /\ \/ q.st = "free" /\ cl[c].watch.on = "out" /\ cl[c].watch.tok = Upto
     \/ Broken = "endearly" /\ q.st # "free"
  /\ QueueBecomes(Normalise([q EXCEPT !.quar = FALSE]))
  /\ cl' = [Overtaken(cl) EXCEPT ![c].watch = NoWatch]
  /\ UNCHANGED <<b, rec, rv>>

(* The beat document is deleted, and with it the memory of who was killed. No  *)
(* holder makes it anew, so nobody can beat; a kill does, after watching the   *)
(* absence like any version.                                                   *)
LoseBeats ==
  /\ "losebeats" \in Can /\ b.there
  /\ b' = [there |-> FALSE, kill |-> 0]
  /\ cl' = BeatsChanged(cl)
  /\ UNCHANGED <<q, rec, top, rv>>

-----------------------------------------------------------------------------
(* The world                                                                   *)

Less(n) == IF n > 0 THEN n - 1 ELSE 0
Tick ==
  /\ cl' = [c \in Clients |->
       LET frozen == cl[c].asleep
           counts == ~(frozen /\ Broken = "nanotime") \* wall clock goes on in sleep
           cap == CASE cl[c].watch.on = "offer" -> G
                    [] cl[c].watch.on \in {"nothing", "out"} -> 0
                    [] OTHER -> L
       IN [cl[c] EXCEPT
            !.left = IF counts THEN Less(@) ELSE @,
            !.first = IF counts THEN Less(@) ELSE @,
            \* observers use the monotonic clock: stopping in sleep only delays them
            !.watch.age = IF @ < cap /\ ~frozen THEN @ + 1 ELSE @]]
  /\ UNCHANGED <<q, b, rec, top, rv>>

Sleep(c) ==
  /\ "sleep" \in Can /\ Awake(c) /\ cl[c].pc \in {"waiting", "confirming", "held"}
  /\ cl' = [cl EXCEPT ![c].asleep = TRUE]
  /\ UNCHANGED <<q, b, rec, top, rv>>
Wake(c) ==
  /\ cl[c].asleep
  /\ cl' = [cl EXCEPT ![c].asleep = FALSE]
  /\ UNCHANGED <<q, b, rec, top, rv>>

(* What a dead client had under way may still land.                            *)
Crash(c) ==
  /\ "crash" \in Can /\ c # Observer /\ Awake(c)
  /\ cl[c].pc \in {"joining", "waiting", "confirming", "held", "releasing"}
  /\ cl' = [cl EXCEPT ![c].pc = "dead", ![c].left = 0, ![c].first = 0, ![c].watch = NoWatch,
                      ![c].tok = IF cl[c].qreq = "release" THEN @ ELSE 0,
                      ![c].qreq = UnderWay(@),
                      ![c].breq = UnderWay(@)]
  /\ UNCHANGED <<q, b, rec, top, rv>>

(* Broken "datewatch": the reaper trusts a time stamp in the beat document, by *)
(* a clock that is one tick ahead of the holder's.                             *)
DateKill ==
  /\ Broken = "datewatch" /\ q.st = "building" /\ b.kill < q.tok
  /\ cl[q.own].pc = "held" /\ cl[q.own].breq = "no" /\ cl[q.own].left <= 1
  /\ b' = [there |-> TRUE, kill |-> q.tok]
  /\ cl' = BeatsChanged(cl)
  /\ UNCHANGED <<q, rec, top, rv>>

Own(c) == \/ Join(c) \/ JoinAgain(c) \/ Confirm(c) \/ OfferGone(c) \/ QueueLearns(c)
          \/ Beat(c) \/ BeatLearns(c) \/ Loses(c) \/ Release(c) \/ CheckIn(c) \/ TicketGone(c)
          \/ Rejoin(c) \/ Repeat(c)
Lands(c) == QueueLands(c) \/ BeatLands(c)
Serves(c) == Watch(c) \/ HandOn(c) \/ TakeUp(c) \/ Kill(c) \/ KillInQuarantine(c) \/ EndQuarantine(c) \/ Away(c)
World == Force \/ Recover \/ LoseBeats \/ (\E c \in Clients : Sleep(c) \/ Wake(c) \/ Crash(c))
         \/ (\E c \in Clients : FalselyRefused(c) \/ BlindRepeat(c))
Common == Reap \/ RunEnded \/ RemoveAway \/ RevokeKill \/ DateKill

Next == Tick \/ World \/ Common \/ \E c \in Clients : Own(c) \/ Lands(c) \/ Serves(c)
Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
(* What must hold                                                              *)

Mutex == \A c, d \in Clients : c # d => ~(Held(c) /\ Held(d))

(* Every grant has a token above all before it, also across recoveries.        *)
TokensGrow == [][(q'.tok # q.tok /\ q'.st \in {"offered", "building"} /\ rec' = rec) => q'.tok > top]_vars

OneTicket == /\ \A i, j \in 1..Len(q.line) : i # j => q.line[i] # q.line[j]
             /\ q.own \notin Range(q.line)
             /\ q.away \cup q.unsure \subseteq Range(q.line)

(* A ticket leaves the document only because its client released or left, was  *)
(* killed after a whole lease, was away for too long, or by a recovery.        *)
NoLostTicket ==
  [][\A c \in Clients : (InDoc(q, c) /\ ~InDoc(q', c)) =>
       \/ cl[c].pc \in {"releasing", "done", "lost", "dead"}
       \/ q.own = c /\ q.tok <= b.kill
       \/ c \in q.away
       \/ rec' # rec]_vars

(* What Line.tla builds on: the slot leaves a holder only when that holder no  *)
(* longer answers "held", and cannot begin to answer it with that token again. *)
LetGo == \A c \in Clients :
  (Held(c) /\ c \notin Run) => \/ q.own = c /\ q.tok = cl[c].tok
                               \/ q.quar

TypeOK ==
  /\ q.st \in {"free", "offered", "building", "revoked"}
  /\ q.tok < q.next
  /\ (q.own = Nobody) = (q.st = "free")
  /\ \A c \in Clients :
       /\ cl[c].pc \in {"out", "joining", "waiting", "confirming", "held", "releasing", "done", "lost", "dead"}
       /\ cl[c].left \in 0..L /\ cl[c].first \in 0..L
       /\ cl[c].qreq \in {"no", "join", "confirm", "release", "landed",
                          "not join", "not confirm", "not release"}
       /\ cl[c].breq \in {"no", "beat", "landed", "not beat"}

-----------------------------------------------------------------------------
(* Liveness, for configurations without sleep, "slow" and "stalewatch". Live   *)
(* clients go on, builds end, a request lands or is overtaken, time passes.    *)
(* Crashes may happen at any time. A holder may beat, or not, as it likes.     *)
Fair ==
  /\ WF_vars(Tick)
  /\ WF_vars(Reap \/ RunEnded) /\ WF_vars(RemoveAway) /\ WF_vars(RevokeKill)
  /\ \A c \in Clients :
       /\ WF_vars(QueueLands(c))
       /\ WF_vars(QueueLearns(c) \/ JoinAgain(c) \/ Confirm(c) \/ OfferGone(c) \/ TicketGone(c)
                  \/ CheckIn(c) \/ Loses(c) \/ Release(c))
       /\ WF_vars(Watch(c)) /\ WF_vars(Kill(c) \/ KillInQuarantine(c) \/ EndQuarantine(c) \/ Away(c))
FairSpec == Spec /\ Fair
(* With "refuse": what is refused is sent again, and not refused for ever.     *)
FairRefused == FairSpec /\ \A c \in Clients : WF_vars(Repeat(c)) /\ SF_vars(QueueLands(c))

(* The bound on tokens must not be what ends a run when liveness is checked.   *)
BoundUnused == q.next <= MaxToken
(* Whoever waits gets its turn, or crashes, or is told that its ticket is gone.*)
Served == \A c \in Clients : (cl[c].pc = "waiting") ~> (cl[c].pc \in {"held", "out", "dead"})

Symmetry == Permutations(Clients \ (Run \cup {Observer}))
=============================================================================
