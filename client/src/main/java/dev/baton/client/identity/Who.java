package dev.baton.client.identity;

import dev.baton.client.settings.Host;
import dev.baton.client.settings.Writers;
import dev.baton.queue.RunRef;
import dev.baton.queue.Ticket;
import dev.baton.queue.github.GitHubSpace;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** Who runs this and what is built, as the queue shall show it. */
public final class Who {

  private final Host host;

  public Who(Host host) {
    this.host = Objects.requireNonNull(host, "host");
  }

  /** The workflow job that this is part of. */
  public Optional<WorkflowRun> workflow() {
    return WorkflowRun.of(host.environment());
  }

  /** Who stands in line. */
  public String owner() {
    return workflow().map(WorkflowRun::owner).orElseGet(this::person);
  }

  /** Who gives a maintainer's word. Of a run that was started again, that is the one who did so. */
  public String person() {
    String again = host.variable("GITHUB_TRIGGERING_ACTOR");
    String actor = again.isEmpty() ? host.variable("GITHUB_ACTOR") : again;
    return line(
        workflow().isPresent() && !actor.isEmpty()
            ? actor
            : host.user() + "@" + host.machine().get(),
        Ticket.MAX_OWNER);
  }

  /** What is built when nobody says so: the branch, else the command. */
  public String title(List<String> command) {
    for (String variable : List.of("GITHUB_HEAD_REF", "GITHUB_REF_NAME")) {
      if (workflow().isPresent() && !host.variable(variable).isEmpty()) {
        return line(host.variable(variable), Ticket.MAX_TITLE);
      }
    }
    return line(branch().orElseGet(() -> name(command)), Ticket.MAX_TITLE);
  }

  private static String name(List<String> command) {
    if (command.isEmpty()) {
      return "build";
    }
    Path last = Path.of(command.get(0)).getFileName();
    return last == null ? command.get(0) : last.toString();
  }

  private Optional<String> branch() {
    Optional<WorkTree> tree = WorkTree.around(host.directory());
    try {
      return tree.isEmpty() ? Optional.empty() : tree.get().branch(Writers.ofThisMachine());
    } catch (IOException | RuntimeException e) {
      // The branch is but a nicer title than the name of the command.
      return Optional.empty();
    }
  }

  /** The job that this process is part of, as far as it can be told. */
  public Optional<RunRef> run(Optional<GitHubSpace> github) {
    return workflow()
        .map(
            w ->
                github
                    .map(g -> w.thisJob(g, 0, host.variable("RUNNER_NAME")))
                    .orElseGet(w::thisJob));
  }

  /** One line of at most so many characters, from text that somebody else chose. */
  public static String line(String text, int max) {
    String line = text.replaceAll("[\\p{Cc}\\p{Cs}]", " ").strip();
    int length = line.codePointCount(0, line.length());
    return length <= max
        ? line
        : line.substring(0, line.offsetByCodePoints(0, max - 1)).stripTrailing() + "…";
  }
}
