package dev.baton.queue.github.probe;

import static dev.baton.queue.github.probe.GitHubAssumptions.REFS_ABSENT;
import static dev.baton.queue.github.probe.GitHubAssumptions.REFS_CONDITIONAL;
import static dev.baton.queue.github.probe.GitHubAssumptions.REFS_FORCE;

import dev.baton.core.probe.Findings;
import dev.baton.core.probe.Observation;
import dev.baton.core.probe.ProbeStopped;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * References that move only from where they are. Reads may be late, so what became of a refused
 * move is shown by the next one: it succeeds only from where the branch has stayed.
 */
final class RefChecks {
  private static final String MUTATION =
      "mutation($input: UpdateRefsInput!) { updateRefs(input: $input) { clientMutationId } }";
  private static final String NOWHERE = "0".repeat(40);
  private static final String PERMISSION = "contents: write";

  private final Session session;
  private final Findings findings;
  private final Scratch scratch;
  private final String repositoryId;
  private Optional<Move> forced = Optional.empty();
  private Optional<Move> absent = Optional.empty();
  private Optional<Move> right = Optional.empty();

  RefChecks(Session session, Findings findings, Scratch scratch, String repositoryId) {
    this.session = session;
    this.findings = findings;
    this.scratch = scratch;
    this.repositoryId = repositoryId;
  }

  /** What GraphQL has answered: errors are no errors of HTTP. */
  private record Move(Reply reply, List<Map<String, Object>> errors) {
    boolean done() {
      return reply.status() == 200 && errors.isEmpty();
    }

    boolean refused() {
      return reply.status() == 200 && !errors.isEmpty();
    }

    boolean says(String type) {
      return errors.stream().anyMatch(e -> Reply.text(e, "type").equals(type));
    }

    String shown() {
      return errors.isEmpty()
          ? reply.shown() + " without errors"
          : Reply.clean(
              errors.stream()
                  .map(e -> Reply.text(e, "type") + " " + Reply.text(e, "message"))
                  .collect(Collectors.joining("; ")));
    }
  }

  /**
   * @param at where the branch is
   * @param contents makes the commit that it is moved to
   */
  void run(String at, ContentsChecks contents) throws InterruptedException {
    findings.check(REFS_CONDITIONAL, () -> conditional(at, contents));
    findings.note(REFS_FORCE, refused(forced));
    findings.note(REFS_ABSENT, refused(absent));
  }

  private Observation conditional(String at, ContentsChecks contents)
      throws IOException, InterruptedException {
    Reply commit = contents.commit("Baton probe: another root");
    if (commit.status() != 201) {
      return commit.judged(false, PERMISSION);
    }
    String other = commit.text("sha");
    // First those that must be refused: the next one proves that they did nothing.
    forced = Optional.of(move(other, other));
    absent = Optional.of(move(NOWHERE, other));
    boolean gone = forced.get().done() || absent.get().done();
    String from = gone ? other : at;
    right = Optional.of(move(from, gone ? at : other));
    if (!right.get().done()) {
      return right.get().says("FORBIDDEN")
          ? Observation.notAllowed(right.get().shown(), Reply.remedy(PERMISSION))
          : Observation.broken("from where the branch is: " + right.get().shown());
    }
    Move late = move(from, from);
    return Observation.of(
        late.refused(), "moved, then from where the branch was before: " + late.shown());
  }

  /** Where no move is possible at all, a refusal says nothing about its condition. */
  private Observation refused(Optional<Move> move) {
    if (move.filter(Move::done).isPresent()) {
      return Observation.broken(move.get().shown());
    }
    if (right.filter(r -> r.says("FORBIDDEN")).isPresent()) {
      return Observation.notAllowed(right.get().shown(), Reply.remedy(PERMISSION));
    }
    return move.filter(Move::refused).isPresent() && right.filter(Move::done).isPresent()
        ? Observation.held(move.get().shown())
        : Observation.unknown("no condition could be tried: the branch cannot be moved");
  }

  private Move move(String before, String after) throws IOException, InterruptedException {
    Map<String, Object> update =
        Map.of(
            "name",
            "refs/heads/" + scratch.branch(),
            "beforeOid",
            before,
            "afterOid",
            after,
            "force",
            true);
    Map<String, Object> input = Map.of("repositoryId", repositoryId, "refUpdates", List.of(update));
    Reply reply =
        session.write(
            "move a branch on a condition",
            "POST",
            "/graphql",
            Map.of("query", MUTATION, "variables", Map.of("input", input)));
    Map<String, Object> body = reply.object();
    Move move =
        new Move(reply, body.containsKey("errors") ? Reply.objects(body, "errors") : List.of());
    if (move.says("RATE_LIMITED")) {
      throw new ProbeStopped("not tried: GitHub asks for fewer requests (" + move.shown() + ")");
    }
    return move;
  }
}
