package dev.baton.queue.github;

import dev.baton.queue.RunRef;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The jobs of a run's last attempt, with nothing of them but what is asked for. */
final class JobList {
  private static final int PAGE = 100;
  private static final int MOST_PAGES = 20;

  /**
   * A job in the list of its run.
   *
   * @param isListed whether it is there
   * @param isLeg whether it has the name of a leg of a matrix
   * @param unfinished how many others are not completed
   */
  record Others(boolean isListed, boolean isLeg, int unfinished) {}

  private final Remote remote;

  JobList(Remote remote) {
    this.remote = remote;
  }

  Others othersOf(RunRef job) throws IOException {
    boolean listed = false;
    boolean leg = false;
    int unfinished = 0;
    for (Map<String, String> one : jobs(job)) {
      if (number(one, "id") == job.jobId()) {
        listed = true;
        leg = one.getOrDefault("name", "").endsWith(")");
      } else if (!"completed".equals(one.get("status"))) {
        unfinished++;
      }
    }
    return new Others(listed, leg, unfinished);
  }

  /**
   * The number that a job of an earlier attempt has in the last one: by its name, if one has it.
   */
  Optional<Long> sameJobNow(RunRef job) throws IOException {
    Map<String, String> earlier =
        remote.wire().get("/repos/" + job.repository() + "/actions/jobs/" + job.jobId()).members();
    String name = earlier.getOrDefault("name", "");
    List<Long> same = new ArrayList<>();
    for (Map<String, String> one : jobs(job)) {
      if (!name.isEmpty() && name.equals(one.get("name"))) {
        same.add(number(one, "id"));
      }
    }
    return same.size() == 1 ? Optional.of(same.get(0)) : Optional.empty();
  }

  private List<Map<String, String>> jobs(RunRef run) throws IOException {
    List<Map<String, String>> jobs = new ArrayList<>();
    String path = "/repos/" + run.repository() + "/actions/runs/" + run.runId() + "/jobs";
    for (int page = 1; page <= MOST_PAGES; page++) {
      List<Map<String, String>> said =
          remote.wire().get(path + "?per_page=" + PAGE + "&page=" + page).list("jobs");
      for (Map<String, String> job : said) {
        if (number(job, "run_id") != run.runId()) {
          throw new IOException("GitHub has answered with the jobs of another run");
        }
        jobs.add(job);
      }
      if (said.size() < PAGE) {
        break;
      }
    }
    return jobs;
  }

  static long number(Map<String, String> object, String name) throws IOException {
    String text = object.getOrDefault(name, "");
    if (!text.matches("[0-9]{1,18}")) {
      throw new IOException("an answer of GitHub lacks something");
    }
    return Long.parseLong(text);
  }
}
