package dev.baton.queue.github.probe;

import dev.baton.core.probe.Verdict;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * What killed probes have left behind: known by its name, its age and its mark, never otherwise.
 */
final class Leftovers {
  private final Session session;
  private final Scratch own;

  Leftovers(Session session, Scratch own) {
    this.session = session;
    this.own = own;
  }

  static Reply delete(Session session, String ref) throws IOException, InterruptedException {
    return session.write("delete a branch", "DELETE", session.here("/git/" + ref), Map.of());
  }

  /**
   * As far as requests are left. Whatever cannot be seen or removed now is left to the next probe.
   *
   * @param now the server's time
   * @param cleaned gets a line for each
   */
  void remove(Instant now, List<String> cleaned) throws InterruptedException {
    try {
      branches(now, cleaned);
    } catch (IOException e) {
      cleaned.add("branches were not looked for: " + Reply.clean(e.getMessage()));
    }
    try {
      issues(now, cleaned);
    } catch (IOException e) {
      cleaned.add("issues were not looked for: " + Reply.clean(e.getMessage()));
    }
  }

  private void branches(Instant now, List<String> cleaned)
      throws IOException, InterruptedException {
    if (!session.hasLeft(1)) {
      return;
    }
    Reply list =
        session.get("list branches", session.here("/git/matching-refs/heads/" + Scratch.BRANCHES));
    if (list.status() != 200) {
      return;
    }
    for (Map<String, Object> one : list.list()) {
      String ref = Reply.text(one, "ref");
      if (Scratch.isOldBranch(ref, now)
          && !ref.endsWith(own.branch())
          && session.hasLeft(2)
          && isMarked(ref)
          && delete(session, ref).status() == 204) {
        cleaned.add("deleted the branch " + ref.replaceFirst("^refs/heads/", ""));
      }
    }
  }

  private boolean isMarked(String ref) throws IOException, InterruptedException {
    Reply mark =
        session.get(
            ReadChecks.READ,
            session.here("/contents/" + Scratch.MARK_FILE + "?ref=" + Session.encoded(ref)));
    return mark.status() == 200 && Scratch.isMarked(mark.object());
  }

  private void issues(Instant now, List<String> cleaned) throws IOException, InterruptedException {
    if (!session.hasLeft(1)) {
      return;
    }
    Reply list = IssueChecks.openIssues(session);
    if (list.status() != 200) {
      return;
    }
    for (Map<String, Object> issue : list.list()) {
      String number = Reply.text(issue, "number");
      if (Scratch.isOldIssue(issue, now)
          && !own.isOwnIssue(issue)
          && session.hasLeft(1)
          && number.matches("[1-9][0-9]*")
          && IssueChecks.close(session, number).verdict() == Verdict.HELD) {
        cleaned.add("closed and emptied issue " + number);
      }
    }
  }
}
