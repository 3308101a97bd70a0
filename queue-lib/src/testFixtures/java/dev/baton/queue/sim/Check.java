package dev.baton.queue.sim;

/**
 * Everything that the simulation reports, each under the promise that it breaks. For each there is
 * a {@link Breach} that shows that it is reported.
 */
enum Check {
  TWO_HOLDERS("Q1", "two hold one slot"),
  MORE_THAN_SLOTS("Q1", "a turn began while as many hold the lock as the queue has slots"),
  VERSION_BACK("Q2", "the version did not grow"),
  NUMBERS_BACK("Q2", "the next ticket or token went back"),
  TOKEN_TWICE("Q2", "a turn got a token that is not above all before it"),
  OVERTAKEN("Q3", "a ticket got a turn before one that stands ahead of it"),
  LINE_CHANGED("Q3", "the order of the line changed without a line in the history"),
  NEW_BEFORE_OLD("Q3", "a new ticket stands before an old one"),
  PRIORITY_CHANGED("Q3", "a priority changed without a line in the history"),
  AWAY_UNSAID("Q3", "a ticket was passed over without a line in the history"),
  LIVING_PASSED_OVER("Q3", "a living client was passed over after deaths"),
  WRONG_HEIR("Q3", "after deaths another than the next living one got the lock"),
  TICKET_GONE("Q4", "a ticket left without an outcome and a line in the history"),
  TICKET_LOST_BY_RECOVERY("Q4", "a recovery lost a ticket although no version was lost"),
  REMOVED_UNEXPLAINED("Q4", "a client was told that its ticket is gone, without a reason"),
  CHANGE_OVERWRITTEN("Q4", "in issue mode a change was written over"),
  SLOT_LEFT_FREE("Q5", "a slot stays free while a ticket waits"),
  HEIR_TOO_LATE("Q5", "after deaths the next living one waits for longer than promised"),
  HERD_NOT_SERVED("Q5", "a herd was not served in the computed time"),
  PROBE_NOT_SERVED("Q5", "a client that came when all was well got no turn"),
  PROBE_FAILED("Q5", "a client that came when all was well failed"),
  NOT_DONE("Q5", "clients still wait long after everything went well"),
  NO_END("Q5", "the run takes too many steps"),
  LEASE_NOT_TOLD("Q6", "a holder was not called back when its lease was over"),
  PASSED_ON_WHILE_HELD("Q6", "a slot went to another ticket while its holder held it"),
  PASSED_ON_UNTOLD("Q6", "a slot went to another ticket before its holder was called back"),
  BEAT_BACK("Q6", "a heartbeat document went back"),
  STRANGER_WROTE("Q7", "a client that owns nothing changed the queue"),
  ENDED_BY_STRANGER("Q7", "a ticket was released or left by another than its owner"),
  BROKEN_WRITTEN("Q8", "a client wrote a document that cannot be read"),
  BOARD_BEHIND("Q8", "the board does not show the newest version when all is quiet"),
  BOARD_UNTENDED("Q8", "a board that is wrong was not painted while a client waits"),
  BOARD_HASTE("Q8", "a client paints the board more often than promised"),
  BOARD_CROWD("Q8", "all together paint the board more often than promised"),
  BOARD_TWICE("Q8", "a queue has two boards"),
  LOST_BY_ODD_ANSWER("Q9", "a lock was lost by a single false answer"),
  NOT_GIVEN_BACK("Q9", "a lock was not given back because of a single false answer"),
  PLACE_LOST_BY_LIMIT("Q9", "a place in line was lost by a limit"),
  NOT_SERVED("Q9", "a wait ended without a turn where nothing was wrong"),
  STOPPED_BY_OLD_ANSWER("Q9", "a client was stopped by an answer that was merely old"),
  QUEUE_MISSED("Q9", "a client found no queue where there is one"),
  STOPPED_WAITING("Q9", "a wait ended although the store had answered lately"),
  FALSELY_CREATED("Q9", "a client was told that the queue is there, and it is not"),
  WOKEN_TWICE("P1", "one offer started a parked job twice"),
  NOT_WOKEN("P1", "a turn of a parked ticket passed, and nobody asked for its job"),
  PARKED_REMOVED("P1", "a parked ticket was removed before its turns were used up"),
  WAITS_FOR_ITSELF("inheritance", "a process does not get the lock that is held for it"),
  THREAD_LEFT("threads", "a thread outlives its queue");

  /** The promise that is broken then. */
  final String promise;

  /** What is reported, in a line. */
  final String says;

  Check(String promise, String says) {
    this.promise = promise;
    this.says = says;
  }
}
