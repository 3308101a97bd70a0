package dev.baton.githubsim;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The workflows of a repository: those whose file is on the default branch and those that have run.
 * Of a file the sim understands its name, whether it can be dispatched and what its jobs are
 * called.
 */
final class Workflows {
  private static final Pattern NAME = Pattern.compile("(?m)^name:\\s*(.+?)\\s*$");
  private static final Pattern JOBS =
      Pattern.compile("(?m)^jobs:\\s*\\n((?:[ \\t].*\\n?|\\s*\\n)*)");
  private static final Pattern JOB = Pattern.compile("(?m)^  ([A-Za-z_][A-Za-z0-9_-]*):\\s*$");

  private Workflows() {}

  static Collection<Workflow> of(Repository repository, Instant asOf) {
    Map<String, Workflow> found = new LinkedHashMap<>();
    repository
        .commitAt(repository.defaultBranch(), asOf)
        .ifPresent(
            head ->
                head.files().keySet().stream()
                    .filter(Workflow::isFile)
                    .sorted()
                    .forEach(path -> found.put(path, new Workflow(name(head, path), path))));
    List<Runs.Run> runs = repository.runs().list(asOf);
    runs.forEach(run -> found.putIfAbsent(run.origin().workflow().path(), run.origin().workflow()));
    return found.values();
  }

  static Optional<Workflow> find(Repository repository, String idOrFile, Instant asOf) {
    return of(repository, asOf).stream().filter(workflow -> workflow.is(idOrFile)).findFirst();
  }

  /** Starts a run by hand. */
  static Outcome<Runs.Run> dispatch(
      Repository repository, Workflow workflow, String ref, String login) {
    Optional<Repository.Ref> found =
        repository
            .ref(ref.startsWith("refs/") ? ref : "refs/heads/" + ref, Instant.MAX)
            .or(() -> repository.ref("refs/tags/" + ref, Instant.MAX));
    if (found.isEmpty()) {
      return Outcome.refused(422, "No ref found for: " + ref);
    }
    Commit head = repository.commit(found.get().sha(), Instant.MAX).orElseThrow();
    String file = text(head, workflow.path());
    if (!file.contains("workflow_dispatch")) {
      return Outcome.refused(422, "Workflow does not have 'workflow_dispatch' trigger");
    }
    String branch = found.get().branch();
    Runs.Origin origin = new Runs.Origin(workflow, "workflow_dispatch", branch, head.sha(), login);
    return Outcome.done(204, repository.runs().start(origin, jobs(file)));
  }

  private static List<String> jobs(String file) {
    List<String> found = new ArrayList<>();
    Matcher section = JOBS.matcher(file);
    if (section.find()) {
      Matcher job = JOB.matcher(section.group(1));
      while (job.find()) {
        found.add(job.group(1));
      }
    }
    return found.isEmpty() ? List.of("build") : found;
  }

  private static String name(Commit head, String path) {
    Matcher matcher = NAME.matcher(text(head, path));
    return matcher.find() ? matcher.group(1) : path;
  }

  private static String text(Commit head, String path) {
    Blob file = head.files().get(path);
    return file == null ? "" : new String(file.content(), StandardCharsets.UTF_8);
  }
}
