package dev.baton.cli;

import dev.baton.queue.RunRef;
import dev.baton.queue.Ticket;
import dev.baton.queue.github.GitHubSpace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Who runs this and what is built, as the queue shall show it. */
final class Who {

  private final Shell shell;

  Who(Shell shell) {
    this.shell = shell;
  }

  boolean isWorkflow() {
    return shell.variable("GITHUB_RUN_ID").matches("[1-9][0-9]{0,17}")
        && shell.variable("GITHUB_REPOSITORY").contains("/");
  }

  /** Who stands in line. */
  String owner() {
    return isWorkflow()
        ? line(
            shell.variable("GITHUB_REPOSITORY")
                + " run "
                + shell.variable("GITHUB_RUN_ID")
                + " attempt "
                + attempt()
                + " job "
                + shell.variable("GITHUB_JOB"),
            Ticket.MAX_OWNER)
        : person();
  }

  /** Who gives a maintainer's word. */
  String person() {
    String actor = shell.variable("GITHUB_ACTOR");
    return line(
        isWorkflow() && !actor.isEmpty() ? actor : shell.user() + "@" + shell.host().get(),
        Ticket.MAX_OWNER);
  }

  /** What is built when nobody says so: the branch, else the command. */
  String title(List<String> command) {
    for (String variable : List.of("GITHUB_HEAD_REF", "GITHUB_REF_NAME")) {
      if (isWorkflow() && !shell.variable(variable).isEmpty()) {
        return line(shell.variable(variable), Ticket.MAX_TITLE);
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
    for (Path at = shell.directory().toAbsolutePath(); at != null; at = at.getParent()) {
      Path git = at.resolve(".git");
      try {
        if (Files.isRegularFile(git)) {
          // A work tree: the file says where its own directory is.
          git = at.resolve(Files.readString(git).strip().replaceFirst("^gitdir: *", ""));
        }
        Path head = git.resolve("HEAD");
        if (Files.isRegularFile(head)) {
          String text = Files.readString(head).strip();
          return Optional.of(text)
              .filter(t -> t.startsWith("ref: refs/heads/"))
              .map(t -> t.substring("ref: refs/heads/".length()));
        }
      } catch (IOException | RuntimeException e) {
        // The branch is but a nicer title than the name of the command.
        return Optional.empty();
      }
    }
    return Optional.empty();
  }

  /** The job that this process is part of, as far as it can be told. */
  Optional<RunRef> run(Optional<GitHubSpace> github) {
    if (!isWorkflow()) {
      return Optional.empty();
    }
    String repository = shell.variable("GITHUB_REPOSITORY");
    long id = Long.parseLong(shell.variable("GITHUB_RUN_ID"));
    String job = shell.variable("GITHUB_JOB").replaceAll("[^A-Za-z0-9_-]", "");
    job = job.length() > RunRef.MAX_JOB_NAME ? job.substring(0, RunRef.MAX_JOB_NAME) : job;
    RunRef plain = new RunRef(repository, id, attempt(), 0, job);
    String name = job;
    return Optional.of(
        github
            .map(g -> g.ownJob(repository, id, attempt(), name, 0, shell.variable("RUNNER_NAME")))
            .orElse(plain));
  }

  private int attempt() {
    String text = shell.variable("GITHUB_RUN_ATTEMPT");
    return text.matches("[1-9][0-9]{0,5}") ? Integer.parseInt(text) : 1;
  }

  /** One line of at most so many characters. */
  static String line(String text, int max) {
    StringBuilder line = new StringBuilder();
    text.codePoints()
        .map(c -> Character.isISOControl(c) ? ' ' : c)
        .filter(c -> Character.getType(c) != Character.SURROGATE)
        .limit(max)
        .forEach(line::appendCodePoint);
    return line.toString().strip();
  }
}
