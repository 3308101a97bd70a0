package dev.baton.githubsim;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GraphQlTest extends SimTest {
  private static final String NONE = "0".repeat(40);
  private static final String UPDATE_REFS =
      """
      mutation($repositoryId: ID!, $refUpdates: [RefUpdate!]!) {
        updateRefs(input: {repositoryId: $repositoryId, refUpdates: $refUpdates}) {
          clientMutationId
        }
      }\
      """;
  private static final String COMMIT =
      "mutation ($input: CreateCommitOnBranchInput!) "
          + "{ createCommitOnBranch(input: $input) { commit { oid url } } }";

  private Client.Got ask(Client client, String query, Map<String, ?> variables) {
    return client.post("/graphql", Map.of("query", query, "variables", variables));
  }

  private String id() {
    return ann.get("/repos/octo/app").text("/node_id");
  }

  private static Move move(String branch, String before, String after, boolean force) {
    Map<String, Object> update = new HashMap<>();
    update.put("name", "refs/heads/" + branch);
    update.put("afterOid", after);
    update.put("force", force);
    if (before != null) {
      update.put("beforeOid", before);
    }
    return new Move(update);
  }

  private record Move(Map<String, Object> input) {}

  private Client.Got update(Client client, Move... updates) {
    return ask(
        client,
        UPDATE_REFS,
        Map.of("repositoryId", id(), "refUpdates", Stream.of(updates).map(Move::input).toList()));
  }

  private String head(String branch) {
    return repository.head(branch).orElse(NONE);
  }

  /** A commit that nothing leads to. */
  private String orphan(String message) {
    String tree = ann.get("/repos/octo/app/git/trees/main").text("/sha");
    return ann.post("/repos/octo/app/git/commits", Map.of("message", message, "tree", tree))
        .text("/sha");
  }

  @Test
  void repositoryHasTheIdThatRestCallsNodeId() {
    Client.Got got =
        ask(
            ann,
            "query Id($owner: String!, $name: String!)"
                + " { repository(owner: $owner, name: $name) { id } }",
            Map.of("owner", "octo", "name", "app"));
    assertThat(got.status()).isEqualTo(200);
    assertThat(got.body().toString())
        .isEqualTo("{\"data\":{\"repository\":{\"id\":\"" + id() + "\"}}}");
    assertThat(got.header("x-ratelimit-resource")).isEqualTo("graphql");
    assertThat(
            ask(ann, "{ it: repository(owner: \"octo\", name: \"app\") { id } }", Map.of())
                .text("/data/it/id"))
        .isEqualTo(id());
  }

  @Test
  void unknownRepositoryIsAnErrorBesideNull() {
    Client.Got got = ask(ann, "{ repository(owner: \"octo\", name: \"none\") { id } }", Map.of());
    assertThat(got.status()).isEqualTo(200);
    assertThat(got.body().at("/data/repository").isNull()).isTrue();
    assertThat(got.body().path("errors").toString())
        .isEqualTo(
            "[{\"type\":\"NOT_FOUND\",\"path\":[\"repository\"],"
                + "\"locations\":[{\"line\":1,\"column\":3}],"
                + "\"message\":\"Could not resolve to a Repository with the name 'octo/none'.\"}]");
  }

  @Test
  void refsTellWhereTheyPointAndHowManyCommitsLeadThere() {
    create("one");
    String query =
        """
        { repository(owner: "octo", name: "app") {
            main: ref(qualifiedName: "refs/heads/main") {
              target { oid ... on Commit { tree { oid } history { totalCount } } }
            }
            none: ref(qualifiedName: "refs/heads/none") { target { oid } }
        } }\
        """;
    Client.Got got = ask(ann, query, Map.of());
    assertThat(got.body().at("/data/repository").toString())
        .isEqualTo(
            "{\"main\":{\"target\":{\"oid\":\""
                + head("main")
                + "\",\"tree\":{\"oid\":\""
                + ann.get("/repos/octo/app/git/trees/main").text("/sha")
                + "\"},\"history\":{\"totalCount\":2}}},\"none\":null}");
  }

  @Test
  void queriesMayBeLateAndMutationsAreNot() {
    sim.staleness(Staleness.of(Duration.ofSeconds(10)));
    String before = head("main");
    String next = create("one").text("/commit/sha");
    String query =
        "{ repository(owner: \"octo\", name: \"app\")"
            + " { ref(qualifiedName: \"refs/heads/main\") { target { oid } } } }";
    assertThat(ask(ann, query, Map.of()).text("/data/repository/ref/target/oid")).isEqualTo(before);
    assertThat(update(ann, move("main", before, before, true)).body().path("errors")).hasSize(1);
    assertThat(head("main")).isEqualTo(next);
  }

  // ---- updateRefs

  @Test
  void branchMovesFromWhereItWasBelievedToBe() {
    String before = head("main");
    String next = orphan("compacted");
    Client.Got got = update(ann, move("main", before, next, true));
    assertThat(got.body().toString())
        .isEqualTo("{\"data\":{\"updateRefs\":{\"clientMutationId\":null}}}");
    assertThat(head("main")).isEqualTo(next);

    Client.Got late = update(ann, move("main", before, before, true));
    assertThat(late.status()).isEqualTo(200);
    assertThat(late.body().at("/data/updateRefs").isNull()).isTrue();
    assertThat(late.text("/errors/0/type")).isEqualTo("UNPROCESSABLE");
    assertThat(late.text("/errors/0/path/0")).isEqualTo("updateRefs");
    assertThat(head("main")).isEqualTo(next);
  }

  @Test
  void writeThatLandsInBetweenIsNotLost() {
    String before = head("main");
    String next = orphan("compacted");
    int[] calls = {0};
    repository.beforeUpdate(
        () -> {
          if (calls[0]++ == 0) {
            assertThat(create("in between").status()).isEqualTo(201);
          }
        });
    Client.Got got = update(ann, move("main", before, next, true));
    assertThat(got.text("/errors/0/message"))
        .contains("is at " + head("main") + " but expected " + before);
    assertThat(repository.fileText("queue.json", "main")).contains("in between");
  }

  @Test
  void refThatMovesInBetweenKeepsTheOthersWhereTheyAre() {
    String before = head("main");
    String next = orphan("compacted");
    int[] calls = {0};
    repository.beforeUpdate(
        () -> {
          if (calls[0]++ == 0) {
            ann.post(REFS, Map.of("ref", "refs/heads/made", "sha", before));
          }
        });
    Client.Got got = update(ann, move("main", before, next, true), move("made", NONE, next, false));
    assertThat(got.body().path("errors")).hasSize(1);
    assertThat(head("main")).isEqualTo(before);
    assertThat(head("made")).isEqualTo(before);
  }

  @Test
  void severalRefsChangeTogetherOrNotAtAll() {
    String before = head("main");
    String next = orphan("compacted");
    Client.Got refused =
        update(
            ann,
            move("main", before, next, true),
            move("made", NONE, next, false),
            move("other", before, next, true));
    assertThat(refused.body().path("errors")).hasSize(1);
    assertThat(head("main")).isEqualTo(before);
    assertThat(head("made")).isEqualTo(NONE);

    update(ann, move("main", before, next, true), move("made", NONE, next, false));
    assertThat(head("main")).isEqualTo(next);
    assertThat(head("made")).isEqualTo(next);
    assertThat(update(ann, move("made", NONE, before, true)).body().path("errors")).hasSize(1);
    assertThat(update(ann, move("made", next, NONE, false)).body().path("errors")).isEmpty();
    assertThat(repository.head("made")).isEmpty();
  }

  @Test
  void withoutForceOnlyAFastForwardIsMade() {
    String before = head("main");
    String next = create("one").text("/commit/sha");
    assertThat(update(ann, move("main", next, before, false)).text("/errors/0/message"))
        .isEqualTo("Update is not a fast forward");
    assertThat(update(ann, move("main", null, before, true)).body().path("errors")).isEmpty();
    assertThat(update(ann, move("main", before, next, false)).body().path("errors")).isEmpty();
    assertThat(head("main")).isEqualTo(next);
  }

  @Test
  void onlyCommitsAreTaken() {
    String tree = ann.get("/repos/octo/app/git/trees/main").text("/sha");
    assertThat(update(ann, move("q", NONE, tree, false)).text("/errors/0/message"))
        .isEqualTo("Invalid object type tree, expected commit");
    assertThat(update(ann, move("q", NONE, "f".repeat(40), false)).text("/errors/0/message"))
        .isEqualTo("Object does not exist");
  }

  @Test
  void protectedBranchAndReaderAreRefused() {
    String before = head("main");
    String next = orphan("compacted");
    Client reader = client(Token.workflow("job", "w", REPO, Grant.CONTENTS_READ));
    Client.Got got = update(reader, move("main", before, next, true));
    assertThat(got.text("/errors/0/type")).isEqualTo("FORBIDDEN");
    assertThat(got.text("/errors/0/message")).isEqualTo("Resource not accessible by integration");
    Client stranger = client(Token.classic("eve", "e"));
    assertThat(update(stranger, move("main", before, next, true)).text("/errors/0/type"))
        .isEqualTo("NOT_FOUND");
    repository.protect("main");
    assertThat(update(ann, move("main", before, next, true)).text("/errors/0/message"))
        .startsWith("Repository rule violations found");
    assertThat(head("main")).isEqualTo(before);
  }

  @Test
  void ruleAgainstForcePushesLetsWritesPass() {
    repository.protect("main", Protection.NO_FORCE_PUSH);
    assertThat(create("one").status()).isEqualTo(201);
    String before = head("main");
    assertThat(update(ann, move("main", before, orphan("new"), true)).text("/errors/0/message"))
        .startsWith("Repository rule violations found")
        .contains("Cannot force-push");
    assertThat(head("main")).isEqualTo(before);
  }

  // ---- createCommitOnBranch

  private Client.Got commit(String expected, Map<String, ?> changes) {
    Map<String, ?> input =
        Map.of(
            "branch",
            Map.of("repositoryNameWithOwner", REPO, "branchName", "main"),
            "message",
            Map.of("headline", "one", "body", "two"),
            "expectedHeadOid",
            expected,
            "fileChanges",
            changes);
    return ask(ann, COMMIT, Map.of("input", input));
  }

  @Test
  void commitIsMadeOnTheExpectedHeadOnly() {
    String before = head("main");
    Map<String, ?> changes =
        Map.of(
            "additions",
            List.of(Map.of("path", "a", "contents", Client.base64("x"))),
            "deletions",
            List.of(Map.of("path", "README.md")));
    Client.Got made = commit(before, changes);
    assertThat(made.text("/data/createCommitOnBranch/commit/oid")).isEqualTo(head("main"));
    assertThat(repository.fileText("a", "main")).contains("x");
    assertThat(repository.fileText("README.md", "main")).isEmpty();
    assertThat(repository.messages("main")).first().isEqualTo("one\n\ntwo");

    Client.Got stale = commit(before, Map.of());
    assertThat(stale.body().at("/data/createCommitOnBranch").isNull()).isTrue();
    assertThat(stale.text("/errors/0/type")).isEqualTo("STALE_DATA");
    assertThat(stale.text("/errors/0/message"))
        .isEqualTo(
            "Expected branch to point to \"" + before + "\" but it did not.  Pull and try again.");
    assertThat(repository.messages("main")).hasSize(2);
  }

  // ---- everything else

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{ viewer { login } }",
        "{ repository(owner: \"octo\", name: \"app\") { id nameWithOwner } }",
        "mutation { createRef(input: {}) { clientMutationId } }",
        "query { ...parts } fragment parts on Query { viewer { login } }",
        "subscription { x }",
        "{ repository(owner: \"octo\", name: \"app\") { id @skip(if: true) } }"
      })
  void whatIsNotImplementedSaysSo(String query) {
    Client.Got got = ask(ann, query, Map.of());
    assertThat(got.status()).isEqualTo(501);
    assertThat(got.text("/errors/0/message")).startsWith("github-sim does not implement");
  }

  @Test
  void nothingIsDoneWhenAPartIsNotImplemented() {
    String query = UPDATE_REFS.replace("clientMutationId", "clientMutationId ref { name }");
    Map<String, ?> variables =
        Map.of(
            "repositoryId",
            id(),
            "refUpdates",
            List.of(move("q", NONE, head("main"), false).input()));
    assertThat(ask(ann, query, variables).status()).isEqualTo(501);
    assertThat(repository.head("q")).isEmpty();
  }

  @Test
  void badRequestsAreRefusedAsGitHubDoes() {
    assertThat(new Client(sim.baseUrl(), null).post("/graphql", Map.of("query", "{a}")).status())
        .isEqualTo(401);
    assertThat(ann.post("/graphql", Map.of()).message())
        .isEqualTo("A query attribute must be specified and must be a string.");
    Client.Got got = ask(ann, "{ repository(owner: ", Map.of());
    assertThat(got.status()).isEqualTo(200);
    assertThat(got.text("/errors/0/message")).startsWith("Parse error");
  }

  @Test
  void graphQlHasAnHourlyLimitOfItsOwn() {
    Client few = client(Token.classic("few", "few-secret", REPO).withHourlyLimit(1));
    String query = "{ repository(owner: \"octo\", name: \"app\") { id } }";
    assertThat(ask(few, query, Map.of()).body().has("data")).isTrue();
    Client.Got over = ask(few, query, Map.of());
    assertThat(over.status()).isEqualTo(200);
    assertThat(over.text("/errors/0/type")).isEqualTo("RATE_LIMITED");
    assertThat(over.header("x-ratelimit-remaining")).isEqualTo("0");
    assertThat(few.get("/repos/octo/app").status()).isEqualTo(200);
    assertThat(few.get("/rate_limit").text("/resources/graphql/used")).isEqualTo("1");
  }

  @Test
  void mutationsCountAsWrites() {
    sim.close();
    sim = GitHubSim.start(settings().withLimits(new Limits(60, 100, 900, 1, 500, 429, false)));
    repository = sim.addRepository(REPO, true);
    ann = client(Token.classic("ann", "ann-secret", REPO));
    String before = head("main");
    assertThat(update(ann, move("q", NONE, before, false)).status()).isEqualTo(200);
    Client.Got limited = update(ann, move("r", NONE, before, false));
    assertThat(limited.status()).isEqualTo(429);
    assertThat(limited.header("retry-after")).isEmpty();
    assertThat(limited.header("gh-limited-by")).isEqualTo("secondary");
    assertThat(Integer.parseInt(limited.header("x-ratelimit-remaining"))).isPositive();
  }

  @Test
  void enterpriseServerHasItBesideTheRest() {
    try (GitHubSim ghes = GitHubSim.start(settings().withGhes(true))) {
      ghes.addRepository(REPO, true);
      ghes.addToken(Token.classic("ann", "ann-secret", REPO));
      assertThat(ghes.graphqlUrl()).isEqualTo(ghes.serverUrl() + "/api/graphql");
      Client.Got got =
          new Client(ghes.graphqlUrl(), "ann-secret")
              .post("", Map.of("query", "{ repository(owner: \"octo\", name: \"app\") { id } }"));
      assertThat(got.body().at("/data/repository/id").isTextual()).isTrue();
    }
    assertThat(sim.graphqlUrl()).isEqualTo(sim.baseUrl() + "/graphql");
  }
}
