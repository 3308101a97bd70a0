package dev.baton.queue.github.probe;

import static dev.baton.core.probe.Assumption.read;
import static dev.baton.core.probe.Assumption.written;

import dev.baton.core.probe.Assumption;
import dev.baton.queue.github.GitHubSpace;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** All that the queue on GitHub takes for granted, in the order in which it is tried. */
public final class GitHubAssumptions {

  /** So many tags a read names at most. */
  static final int TAGS = 16;

  /** So long a document may be. */
  static final int LONGEST_DOCUMENT = 1_000_000;

  /** So many characters the body of an issue may have. */
  static final int LONGEST_BODY = 65_536;

  /** So old a read may be. */
  static final Duration STALEST = GitHubSpace.Pace.GITHUB.maxStaleness();

  /** GitHub works on a request for no longer. */
  static final Duration LONGEST_REQUEST = Duration.ofSeconds(10);

  // ---- every answer

  static final Assumption LIMIT_HEADERS =
      read(
          "limit-headers",
          1,
          "Every answer says how many requests the hour has, how many are left and when a new hour"
              + " begins.",
          List.of("Limits.note", "Quota.restraint"),
          "Clients in line do not see the hour run out and cannot leave the rest to those who hold"
              + " a lock. A server without limits, as most GitHub Enterprise Servers are, has none"
              + " to say: then this changes nothing.");

  static final Assumption SERVER_CLOCK =
      read(
          "server-clock",
          0,
          "Every answer has the server's time in its Date header.",
          List.of("ServerClock.now"),
          "Waits until a limit ends are computed with this machine's clock, and are wrong by as"
              + " much as that is.");

  static final Assumption JSON_ANSWERS =
      read(
          "json-answers",
          0,
          "Every answer with a body says that it is JSON.",
          List.of("ApiAnswer.isJson"),
          "Baton takes such answers for those of a proxy and does not use them: the queue does not"
              + " work through whatever sends them.");

  static final Assumption QUICK_ANSWERS =
      read(
          "quick-answers",
          0,
          "Every request is answered within 10 s.",
          List.of("IssueStore.write", "GitHubConnection.wire"),
          "Requests that take longer than 12 s are given up, and the outcome of such a write is"
              + " unknown until a read shows it. In issue mode a late write can undo another: use"
              + " git mode.");

  // ---- a branch and a file

  static final Assumption ABSENT_READ =
      read(
          "absent-read",
          1,
          "A file on a branch that does not exist is a 404.",
          List.of("GitStore.readExpecting"),
          "A queue that was never created looks like a failure, so `baton init` cannot create"
              + " one.");

  static final Assumption ABSENT_BRANCH =
      written(
          "absent-branch",
          1,
          "A write to a branch that does not exist is a 404, and creates nothing.",
          List.of("GitStore.create"),
          "A new queue might start on a branch that shares the history of your code.");

  static final Assumption CONTENTS_WRITE =
      written(
          "contents-write",
          0,
          "The token may write contents.",
          List.of("GitStore.write"),
          "This token cannot take part in a queue in git mode.");

  static final Assumption ORPHAN_BRANCH =
      written(
          "orphan-branch",
          3,
          "A tree, a commit without parents and a reference make a branch that shares no history"
              + " with the code.",
          List.of("NewBranch.make"),
          "`baton init` cannot create a queue in git mode.");

  static final Assumption BRANCH_EXISTS =
      written(
          "branch-exists",
          1,
          "Creating a branch that exists is refused with 422 \"Reference already exists\".",
          List.of("NewBranch.make"),
          "If it is accepted, two clients that create one queue can replace each other's. If only"
              + " the words differ, the client that comes second asks once more.");

  static final Assumption CREATE =
      written(
          "create",
          2,
          "A write without a sha creates a file, is answered with 201, and the answer has git's own"
              + " name of the content and of the commit.",
          List.of("CompareAndSet.put"),
          "Baton cannot tell what its write came to: every write is followed by a read, or fails.");

  static final Assumption READ_AFTER_WRITE =
      written(
          "read-after-write",
          8,
          "A read shows a write within "
              + STALEST.toSeconds()
              + " s; until then it may show what was there before.",
          List.of("GitHubSpace.traits", "Remote.explain"),
          "Clients give a deleted queue up after 30 s. Reads that are older than that can make them"
              + " stop although the queue is there; a lock is never given twice for it.");

  static final Assumption ETAG =
      read(
          "etag",
          0,
          "The entity tag of a file is git's name of its content, as W/\"SHA\".",
          List.of("GitStore.readExpecting", "Wire.getUnless"),
          "Looks after own writes and guessed heartbeats are charged; see tag-list for what that"
              + " costs.");

  static final Assumption CONDITIONAL_READ =
      read(
          "conditional-read",
          1,
          "A read that names the tag of the content that is there is answered with 304.",
          List.of("Wire.getUnless"),
          "Every look is charged. The next in line looks every 2 s: it uses up the 1,000 requests"
              + " that all workflows of a repository have in an hour within 34 minutes. Use a"
              + " token with a larger limit, such as an app's, or another store.");

  static final Assumption FREE_304 =
      read(
          "free-304",
          1,
          "A 304 is not charged.",
          List.of("Wire.exchange", "GitStore.readExpecting"),
          "The next in line uses up 1,800 requests an hour. Workflows have 1,000 together: from 300"
              + " left on only the next in line looks, from 100 left on nobody does until the hour"
              + " is over. Use a token with a limit of its own, such as an app's, or another"
              + " store.");

  static final Assumption TAG_LIST =
      read(
          "tag-list",
          2,
          "A read may name "
              + TAGS
              + " tags in one If-None-Match, and is answered with 304 if one of them is right.",
          List.of("Wire.getUnless", "GitStore.readExpecting"),
          "Watching the heartbeat of a build on a laptop costs the next in line 48 requests an hour"
              + " instead of none, and each client's look after its own write one. Baton notices"
              + " and names one tag from then on; nothing else changes. Builds under the action"
              + " have no heartbeat.");

  static final Assumption TAG_NAMED =
      read(
          "tag-named",
          0,
          "A 304 to a list of tags says which of them is right.",
          List.of("ExpectedTags.unchanged"),
          "Baton asks once more for the document and names one tag from then on: the costs of"
              + " tag-list.");

  static final Assumption UPDATE =
      written(
          "update",
          1,
          "A write with the sha of the content that is there is answered with 200 and the new sha.",
          List.of("CompareAndSet.sendOnce"),
          "No client can change the queue. With 201, Baton takes the file for deleted and stops.");

  static final Assumption CHANGED_READ =
      written(
          "changed-read",
          1,
          "A read that names only the tag of an earlier content is answered with the new one.",
          List.of("Wire.getUnless", "GitStore.readExpecting"),
          "Clients do not see that the queue has changed: do not use git mode here.");

  static final Assumption UPDATE_CONFLICT =
      written(
          "update-conflict",
          1,
          "A write with an older sha is refused with 409 \"does not match\".",
          List.of("CompareAndSet.refused"),
          "If it is accepted, two builds can hold one lock: do not use git mode here. If only the"
              + " words differ, each lost race costs one more read.");

  static final Assumption CREATE_CONFLICT =
      written(
          "create-conflict",
          1,
          "A write without a sha to a file that exists is refused with 422 \"sha\" wasn't"
              + " supplied.",
          List.of("CompareAndSet.refused"),
          "If it is accepted, `baton init` can overwrite a queue that another client has just"
              + " created. If only the words differ, it costs one more read.");

  static final Assumption RECREATED =
      written(
          "recreated",
          1,
          "A write with any sha to a file that is absent creates it and is answered with 201.",
          List.of("CompareAndSet.sendOnce"),
          "Baton stops when an update is answered with 201, as it has brought back a deleted queue."
              + " If GitHub refuses such a write instead, that is better: it counts as lost.");

  static final Assumption ONE_WINNER =
      written(
          "one-winner",
          3,
          "Of several writes with the same sha at the same moment one is accepted at most.",
          List.of("GitStore.write"),
          "Two builds can hold one lock: do not use git mode here.");

  static final Assumption CONFLICT_WORDS =
      written(
          "conflict-words",
          0,
          "Writes that lose such a race are refused with 409 in words that Baton knows: \"does not"
              + " match\", \"but expected\" or \"expected to be at\".",
          List.of("CompareAndSet.refused"),
          "Their outcome counts as unknown: a read decides, and the write is repeated. Handing over"
              + " a lock takes longer, and nothing is lost. Please send us the words.");

  static final Assumption LARGE_DOCUMENT =
      written(
          "large-document",
          3,
          "A file of 1,000,000 bytes is taken, and read back as a whole.",
          List.of("GitStore.write", "GitStore.load"),
          "Queues with several hundred tickets cannot be read any more.");

  static final Assumption HISTORY =
      read(
          "history",
          3,
          "The commits of a file are listed, the newest first, and the file can be read at each of"
              + " them.",
          List.of("BranchHistory.before"),
          "A queue that somebody has broken by hand cannot be repaired by itself: put an earlier"
              + " version of the file back.");

  static final Assumption NO_WORKFLOWS =
      written(
          "no-workflows",
          1,
          "Commits with [skip ci] on a branch without workflow files start no workflow.",
          List.of("NewBranch.make", "Texts.commitMessage"),
          "Every change of the queue starts a workflow. Exclude the branches baton/** and"
              + " baton-side/** in the triggers of your workflows.");

  // ---- references that move on a condition

  static final Assumption REFS_CONDITIONAL =
      written(
          "refs-conditional",
          3,
          "GraphQL's updateRefs with force moves a branch to an unrelated commit if it is at"
              + " beforeOid, and refuses it if it is not.",
          List.of("BranchCompaction.move"),
          "The history of a queue's branch cannot be shortened while the queue is in use.");

  static final Assumption REFS_FORCE =
      written(
          "refs-force",
          1,
          "The condition counts although force is set.",
          List.of("BranchCompaction.move"),
          "Shortening the history of a branch could undo a change of the queue: it must not be"
              + " done.");

  static final Assumption REFS_ABSENT =
      written(
          "refs-absent",
          1,
          "A beforeOid of 40 zeros is refused for a branch that exists.",
          List.of("BranchCompaction.move"),
          "Creating a branch in this way could replace one.");

  // ---- the board

  static final Assumption ISSUES_WRITE =
      written(
          "issues-write",
          1,
          "The token may create an issue.",
          List.of("IssueBoard.open"),
          "The queue has no board, and issue mode is not possible.");

  static final Assumption ISSUE_LISTED =
      read(
          "issue-listed",
          2,
          "The list of open issues, newest first, shows it as one by a member, a collaborator, the"
              + " owner or a bot.",
          List.of("IssueBoard.findLeft"),
          "A board whose creation was interrupted is not found again: there may be two, and one of"
              + " them is to be closed by hand.");

  static final Assumption ISSUE_BODY =
      written(
          "issue-body",
          1,
          "An edit with a body of 65,536 characters is accepted, and the answer has the whole"
              + " body.",
          List.of("IssueAccess.edit", "IssueStore.write"),
          "The board of a long queue is not painted. In issue mode, changes of a long queue fail.");

  static final Assumption ISSUE_READ_AFTER_WRITE =
      written(
          "issue-read-after-write",
          4,
          "A read of an issue shows an edit within " + STALEST.toSeconds() + " s.",
          List.of("GitHubSpace.settling"),
          "In issue mode a change can be lost, since a client that sees an old text takes its lock"
              + " for free: use git mode. In git mode the board may show an old queue for longer.");

  static final Assumption ISSUE_CONDITIONAL =
      read(
          "issue-conditional",
          1,
          "A read of an issue that names its entity tag is answered with 304.",
          List.of("Wire.get"),
          "Looks at the board, and in issue mode all looks at the queue, are charged.");

  static final Assumption ISSUE_SINCE =
      read(
          "issue-since",
          1,
          "A read of an issue that names the Date of the answer to its last edit in"
              + " If-Modified-Since is answered with 304.",
          List.of("RememberedAnswers.remember"),
          "The look at the board after each own edit is charged: about one request more for each"
              + " change of the queue.");

  static final Assumption ISSUE_CLOSED =
      written(
          "issue-closed",
          1,
          "An edit closes an issue and empties it.",
          List.of("IssueChecks.remove"),
          "The issue of this probe stays as it is: close it by hand.");

  // ---- workflow runs

  static final Assumption ACTIONS_READ =
      read(
          "actions-read",
          1,
          "The token may list workflow runs.",
          List.of("GitHubRunStatus.missing"),
          "Nobody sees when a job has ended that could not give the lock back: its lock is freed"
              + " after max-hold.");

  static final Assumption MISSING_RUN =
      read(
          "missing-run",
          1,
          "A workflow run that does not exist is a 404.",
          List.of("GitHubRunStatus.of"),
          "The lock of a job whose run was deleted is freed after max-hold and not at once.");

  static final Assumption JOB_RERUN =
      written(
              "job-rerun",
              1,
              "The token may re-run jobs (actions: write).",
              List.of("GitHubWaker.mayRerun"),
              "Jobs with this token wait on their runner instead of parking, and it runs no parked"
                  + " job again.")
          .asOptional();

  static final Assumption OWN_RUN =
      read(
          "own-run",
          1,
          "The run of the workflow that this probe is part of is shown with its attempt and is not"
              + " completed.",
          List.of("GitHubRunStatus.look"),
          "The lock of a running job may be taken from it: leave `actions: read` away until this is"
              + " understood, so that locks are freed after max-hold.");

  static final Assumption OWN_JOB =
      read(
          "own-job",
          1,
          "Its jobs are listed with their runners, and exactly one that is not completed is on this"
              + " runner.",
          List.of("GitHubRunStatus.ownJob"),
          "The lock of a job that was killed is freed when the whole run has ended, and not when"
              + " the job has.");

  static final Assumption BRANCH_DELETED =
      written(
          "branch-deleted",
          1,
          "Deleting a reference deletes the branch.",
          List.of("Leftovers.delete"),
          "The branch of this probe stays: delete it by hand.");

  private GitHubAssumptions() {}

  private static final List<Assumption> BEFORE_THE_BRANCH =
      List.of(
          LIMIT_HEADERS,
          SERVER_CLOCK,
          JSON_ANSWERS,
          QUICK_ANSWERS,
          ABSENT_READ,
          ABSENT_BRANCH,
          CONTENTS_WRITE,
          ORPHAN_BRANCH);

  /** All that take the branch. */
  static final List<Assumption> ON_THE_BRANCH =
      List.of(
          BRANCH_EXISTS,
          CREATE,
          READ_AFTER_WRITE,
          ETAG,
          CONDITIONAL_READ,
          FREE_304,
          TAG_LIST,
          TAG_NAMED,
          UPDATE,
          CHANGED_READ,
          UPDATE_CONFLICT,
          CREATE_CONFLICT,
          RECREATED,
          ONE_WINNER,
          CONFLICT_WORDS,
          LARGE_DOCUMENT,
          HISTORY,
          NO_WORKFLOWS,
          REFS_CONDITIONAL,
          REFS_FORCE,
          REFS_ABSENT);

  private static final List<Assumption> AFTER_THE_BRANCH =
      List.of(
          BRANCH_DELETED,
          ISSUES_WRITE,
          ISSUE_LISTED,
          ISSUE_BODY,
          ISSUE_READ_AFTER_WRITE,
          ISSUE_CONDITIONAL,
          ISSUE_SINCE,
          ISSUE_CLOSED,
          ACTIONS_READ,
          MISSING_RUN,
          JOB_RERUN,
          OWN_RUN,
          OWN_JOB);

  /** All of them. */
  public static List<Assumption> all() {
    return Stream.of(BEFORE_THE_BRANCH, ON_THE_BRANCH, AFTER_THE_BRANCH)
        .flatMap(List::stream)
        .toList();
  }
}
