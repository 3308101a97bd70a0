package dev.baton.githubsim;

import static dev.baton.githubsim.Bodies.object;

import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * GraphQL, as much of it as a client needs that moves refs on a condition: the id of a repository,
 * where its refs point and how many commits lead there, {@code updateRefs} and {@code
 * createCommitOnBranch}. Anything else is a 501 with an entry of {@code errors} that says so.
 *
 * <p>Seen in public reports: the shapes of errors, {@code STALE_DATA}, {@code NOT_FOUND}, {@code
 * FORBIDDEN}, and of {@code updateRefs} {@code UNPROCESSABLE} for an object that is no commit. How
 * {@code updateRefs} words the other refusals is inferred: a client should go by there being an
 * error, not by its words.
 */
final class GraphQl {
  static final String PATH = "/graphql";

  private static final String DOCUMENTATION = "https://docs.github.com/graphql";

  private final Repositories repositories;
  private final GitBodies git;

  GraphQl(Repositories repositories, Bodies bodies) {
    this.repositories = repositories;
    this.git = new GitBodies(bodies);
  }

  /** Why a field has no value. */
  private static final class Failed extends Exception {
    private static final long serialVersionUID = 1;
    private final String type;

    Failed(String type, String message) {
      super(message);
      this.type = type;
    }
  }

  /** More than the sim has. */
  private static final class NotImplemented extends Exception {
    private static final long serialVersionUID = 1;

    NotImplemented(String what) {
      super("github-sim does not implement " + what + " of GraphQL.");
    }
  }

  /** Mutations cost more than queries do. */
  static boolean mutates(SimRequest request) {
    return Json.parse(request.body())
        .flatMap(body -> body.text("query"))
        .filter(text -> text.stripLeading().startsWith("mutation"))
        .isPresent();
  }

  /**
   * @param asOf the moment of the copy that a query is answered from; mutations see the present
   */
  Reply handle(SimRequest request, Optional<Token> token, Instant asOf) {
    if (token.isEmpty()) {
      return refusal(401, "This endpoint requires you to be authenticated.");
    }
    Optional<Json> body = Json.parse(request.body());
    if (body.isEmpty()) {
      return refusal(400, "Problems parsing JSON");
    }
    Optional<String> query = body.get().text("query");
    if (query.isEmpty()) {
      return refusal(400, "A query attribute must be specified and must be a string.");
    }
    try {
      Map<String, Object> variables = new LinkedHashMap<>(body.get().map("variables"));
      return answer(GraphQlDocument.parse(query.get(), variables), token.get(), asOf);
    } catch (GraphQlDocument.Unreadable e) {
      return e.implemented()
          ? Reply.of(200, object("errors", List.of(object("message", e.getMessage()))))
          : notImplemented(new NotImplemented(e.getMessage()));
    } catch (NotImplemented e) {
      return notImplemented(e);
    }
  }

  private static Reply notImplemented(NotImplemented e) {
    return Reply.of(501, object("errors", List.of(object("message", e.getMessage()))));
  }

  private static Reply refusal(int status, String message) {
    return Reply.of(
        status,
        object(
            "message",
            message,
            "documentation_url",
            DOCUMENTATION,
            "status",
            Integer.toString(status)));
  }

  private Reply answer(GraphQlDocument document, Token token, Instant asOf) throws NotImplemented {
    for (GraphQlDocument.Field field : document.fields()) {
      check(document.kind(), field);
    }
    Map<String, Object> data = new LinkedHashMap<>();
    List<Object> errors = new ArrayList<>();
    for (GraphQlDocument.Field field : document.fields()) {
      try {
        data.put(field.key(), value(field, token, asOf));
      } catch (Failed e) {
        data.put(field.key(), null);
        errors.add(error(field, e));
      }
    }
    Map<String, Object> body = object("data", data);
    if (!errors.isEmpty()) {
      body.put("errors", errors);
    }
    return Reply.of(200, body);
  }

  /** Nothing is done where a part cannot be. */
  private static void check(String kind, GraphQlDocument.Field field) throws NotImplemented {
    String operation = kind + " " + field.name();
    List<String> known =
        switch (operation) {
          case "query repository" ->
              List.of(
                  "id",
                  "ref",
                  "ref.target",
                  "ref.target.oid",
                  "ref.target.tree",
                  "ref.target.tree.oid",
                  "ref.target.history",
                  "ref.target.history.totalCount");
          case "mutation updateRefs" -> List.of("clientMutationId");
          case "mutation createCommitOnBranch" ->
              List.of("clientMutationId", "commit", "commit.oid", "commit.url");
          default -> throw new NotImplemented("the " + operation);
        };
    check(operation, "", field.fields(), known);
  }

  private static void check(
      String operation, String above, List<GraphQlDocument.Field> fields, List<String> known)
      throws NotImplemented {
    for (GraphQlDocument.Field field : fields) {
      String path = above + field.name();
      if (!known.contains(path)) {
        throw new NotImplemented("the field " + path + " of the " + operation);
      }
      check(operation, path + ".", field.fields(), known);
    }
  }

  private Map<String, Object> value(GraphQlDocument.Field field, Token token, Instant asOf)
      throws Failed {
    if (field.name().equals("repository")) {
      return repository(field, token, asOf);
    }
    Map<String, Object> values =
        switch (field.name()) {
          case "updateRefs" -> updateRefs(input(field), token);
          default -> createCommit(input(field), token);
        };
    return chosen(field.fields(), values);
  }

  private static Map<String, Object> chosen(
      List<GraphQlDocument.Field> fields, Map<String, Object> values) {
    Map<String, Object> shown = new LinkedHashMap<>();
    for (GraphQlDocument.Field field : fields) {
      Object value = values.get(field.name());
      shown.put(
          field.key(), value instanceof Map<?, ?> ? chosen(field.fields(), map(value)) : value);
    }
    return shown;
  }

  private static Map<String, Object> error(GraphQlDocument.Field field, Failed e) {
    Map<String, Object> error = object("type", e.type, "path", List.of(field.key()));
    if (e.type.equals("FORBIDDEN")) {
      error.put("extensions", object("saml_failure", false));
    }
    error.put("locations", List.of(object("line", field.line(), "column", field.column())));
    error.put("message", e.getMessage());
    return error;
  }

  // ---- what it can do

  private Map<String, Object> repository(GraphQlDocument.Field field, Token token, Instant asOf)
      throws Failed {
    Map<String, Object> arguments = field.arguments();
    Repository found = named(text(arguments, "owner") + "/" + text(arguments, "name"), token);
    Map<String, Object> shown = new LinkedHashMap<>();
    for (GraphQlDocument.Field inside : field.fields()) {
      Object value =
          inside.name().equals("id")
              ? RepositoryBodies.nodeId(found)
              : ref(found, text(inside.arguments(), "qualifiedName"), asOf)
                  .map(ref -> chosen(inside.fields(), ref))
                  .orElse(null);
      shown.put(inside.key(), value);
    }
    return shown;
  }

  private static Optional<Map<String, Object>> ref(Repository in, String name, Instant asOf) {
    return in.ref(name, asOf)
        .flatMap(ref -> in.commit(ref.sha(), Instant.MAX))
        .map(
            commit ->
                object(
                    "target",
                    object(
                        "oid",
                        commit.sha(),
                        "tree",
                        object("oid", commit.tree().sha()),
                        "history",
                        object(
                            "totalCount",
                            in.history(Optional.of(commit.sha()), Optional.empty(), Instant.MAX)
                                .orElseThrow()
                                .size()))));
  }

  private Map<String, Object> updateRefs(Map<String, Object> input, Token token) throws Failed {
    String id = text(input, "repositoryId");
    Repository repository =
        repositories
            .byNodeId(id)
            .filter(found -> readable(found, token))
            .orElseThrow(
                () ->
                    new Failed(
                        "NOT_FOUND",
                        "Could not resolve to a node with the global id of '" + id + "'"));
    allow(repository, token);
    List<Repository.RefUpdate> updates = new ArrayList<>();
    for (Object one : list(input, "refUpdates")) {
      Map<String, Object> update = map(one);
      String name = text(update, "name");
      if (!name.startsWith("refs/")) {
        throw new Failed("UNPROCESSABLE", "Reference name must start with 'refs/'.");
      }
      Optional<String> before =
          update.get("beforeOid") == null
              ? Optional.empty()
              : Optional.of(oid(update, "beforeOid"));
      updates.add(
          new Repository.RefUpdate(
              new Refs.Change(name, before, oid(update, "afterOid")),
              Boolean.TRUE.equals(update.get("force"))));
    }
    if (repository.updateRefs(updates)
        instanceof Outcome.Refused<List<Repository.RefUpdate>> refused) {
      throw new Failed("UNPROCESSABLE", refused.message());
    }
    return object("clientMutationId", input.get("clientMutationId"));
  }

  private Map<String, Object> createCommit(Map<String, Object> input, Token token) throws Failed {
    Map<String, Object> branch = map(input.get("branch"));
    Repository repository = named(text(branch, "repositoryNameWithOwner"), token);
    allow(repository, token);
    Map<String, Object> message = map(input.get("message"));
    String text =
        message.get("body") instanceof String more && !more.isEmpty()
            ? text(message, "headline") + "\n\n" + more
            : text(message, "headline");
    Map<String, Object> changes = map(input.get("fileChanges"));
    Map<String, String> additions = new LinkedHashMap<>();
    for (Object one : list(changes, "additions")) {
      additions.put(text(map(one), "path"), text(map(one), "contents"));
    }
    List<String> deletions = new ArrayList<>();
    for (Object one : list(changes, "deletions")) {
      deletions.add(text(map(one), "path"));
    }
    Outcome<Commit> outcome =
        repository.commitOnBranch(
            text(branch, "branchName"),
            oid(input, "expectedHeadOid"),
            additions,
            deletions,
            text,
            token.login());
    if (outcome instanceof Outcome.Refused<Commit> refused) {
      throw new Failed(refused.status() == 409 ? "STALE_DATA" : "UNPROCESSABLE", refused.message());
    }
    Commit commit = ((Outcome.Done<Commit>) outcome).value();
    return object(
        "clientMutationId",
        input.get("clientMutationId"),
        "commit",
        object("oid", commit.sha(), "url", git.commitPage(repository, commit)));
  }

  // ---- who may

  private Repository named(String name, Token token) throws Failed {
    Optional<Repository> found;
    try {
      RepositoryName wanted = RepositoryName.of(name);
      found = repositories.find(wanted).or(() -> repositories.renamed(wanted));
    } catch (IllegalArgumentException e) {
      // A name that GitHub cannot have is one more repository that is not there.
      found = Optional.empty();
    }
    return found
        .filter(repository -> readable(repository, token))
        .orElseThrow(
            () ->
                new Failed(
                    "NOT_FOUND",
                    "Could not resolve to a Repository with the name '" + name + "'."));
  }

  private static boolean readable(Repository repository, Token token) {
    return Access.check(Optional.of(token), repository, Grant.METADATA_READ).isEmpty();
  }

  private static void allow(Repository repository, Token token) throws Failed {
    Optional<Access.Denial> denial =
        Access.check(Optional.of(token), repository, Grant.CONTENTS_WRITE);
    if (denial.isPresent()) {
      boolean hidden = denial.get().status() == 404;
      throw new Failed(
          "FORBIDDEN",
          hidden
              ? token.login() + " does not have the correct permissions to execute this mutation"
              : denial.get().message());
    }
  }

  // ---- what a request says

  private static Map<String, Object> input(GraphQlDocument.Field field) {
    return map(field.arguments().get("input"));
  }

  private static Map<String, Object> map(Object value) {
    Map<String, Object> copy = new LinkedHashMap<>();
    if (value instanceof Map<?, ?> given) {
      given.forEach((name, one) -> copy.put(name.toString(), one));
    }
    return copy;
  }

  private static List<?> list(Map<String, Object> from, String name) {
    return from.get(name) instanceof List<?> all ? all : List.of();
  }

  private static String text(Map<String, Object> from, String name) throws Failed {
    if (from.get(name) instanceof String text) {
      return text;
    }
    throw new Failed(
        "UNPROCESSABLE", "Invalid value for " + name + " (Expected value to not be null)");
  }

  private static String oid(Map<String, Object> from, String name) throws Failed {
    String text = text(from, name);
    if (!text.matches("[0-9a-f]{40}")) {
      throw new Failed("UNPROCESSABLE", "Invalid value for " + name + " (" + text + ")");
    }
    return text;
  }
}
