package dev.baton.githubsim;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GitObjectsTest extends SimTest {
  private static final String BLOBS = "/repos/octo/app/git/blobs";
  private static final String TREES = "/repos/octo/app/git/trees";
  private static final String COMMITS = "/repos/octo/app/git/commits";
  private static final String NOWHERE = "f".repeat(40);

  private static Map<String, String> file(String path, String content) {
    return Map.of("path", path, "mode", "100644", "type", "blob", "content", content);
  }

  private Client.Got tree(List<Map<String, String>> entries) {
    return ann.post(TREES, Map.of("tree", entries));
  }

  @Test
  void orphanBranchTakesThreeRequests() {
    String tree = tree(List.of(file("queue.json", "{}\n"))).text("/sha");
    Client.Got commit = ann.post(COMMITS, Map.of("message", "start", "tree", tree));
    assertThat(commit.status()).isEqualTo(201);
    String sha = commit.text("/sha");
    Client.Got ref = ann.post(REFS, Map.of("ref", "refs/heads/baton/main", "sha", sha));
    assertThat(ref.status()).isEqualTo(201);
    assertThat(sim.log().of("ann").charged()).isEqualTo(3);

    assertThat(repository.messages("baton/main")).containsExactly("start");
    assertThat(ann.get("/repos/octo/app/contents/README.md?ref=baton/main").status())
        .isEqualTo(404);
    Client.Got read = ann.get(FILE + "?ref=baton/main");
    assertThat(read.text("/content")).isEqualTo(Client.base64("{}\n") + "\n");
    Client.Got written =
        ann.put(
            FILE,
            Map.of(
                "message",
                "next",
                "content",
                Client.base64("[]"),
                "sha",
                read.text("/sha"),
                "branch",
                "baton/main"));
    assertThat(written.status()).isEqualTo(200);
    assertThat(written.text("/commit/parents/0/sha")).isEqualTo(sha);
    assertThat(repository.messages("main")).hasSize(1);
  }

  @Test
  void namesAreGits() {
    // git write-tree and git commit-tree of the same files, people and times
    Client.Got tree = tree(List.of(file("queue.json", "{}\n"), file("d/a.txt", "hi\n")));
    assertThat(tree.text("/sha")).isEqualTo("0118728c069e47a4e06084012f3a26c018fc2f8a");
    assertThat(tree.body().findValuesAsText("path")).containsExactly("d", "queue.json");
    assertThat(tree.text("/tree/0/mode")).isEqualTo("040000");
    assertThat(tree.text("/tree/0/sha")).isEqualTo("0d8a474fc67971fb3dd7616e26323d3066442555");
    assertThat(tree.text("/tree/1/sha")).isEqualTo("0967ef424bce6791893e9a57bb952f80fd536e93");
    assertThat(tree.body().path("truncated").asBoolean(true)).isFalse();
    Client.Got commit =
        ann.post(
            COMMITS,
            Map.of(
                "message",
                "start",
                "tree",
                tree.text("/sha"),
                "parents",
                List.of(),
                "author",
                Map.of("name", "Ann", "email", "ann@x", "date", "2023-11-14T22:13:20Z"),
                "committer",
                Map.of("name", "Bob", "email", "bob@x", "date", "2023-11-14T23:15:00+01:00")));
    assertThat(commit.text("/sha")).isEqualTo("4539d6c16d8422ea106c936786201079fd94e416");
    assertThat(commit.text("/committer/date")).isEqualTo("2023-11-14T22:15:00Z");
    assertThat(commit.header("location")).endsWith(COMMITS + "/" + commit.text("/sha"));
    assertThat(ann.get(COMMITS + "/" + commit.text("/sha")).body()).isEqualTo(commit.body());
  }

  @Test
  void commitIsByWhoeverMakesIt() {
    String tree = tree(List.of(file("a", "b"))).text("/sha");
    Client.Got commit = ann.post(COMMITS, Map.of("message", "m", "tree", tree));
    assertThat(commit.text("/author/name")).isEqualTo("ann");
    assertThat(commit.text("/author/date")).isEqualTo("2026-03-05T10:00:00Z");
  }

  @Test
  void blobIsMadeFromTextOrBase64AndReadBack() {
    Client.Got text = ann.post(BLOBS, Map.of("content", "hello\n"));
    assertThat(text.status()).isEqualTo(201);
    assertThat(text.text("/sha")).isEqualTo("ce013625030ba8dba906f756967f9e9ca394464a");
    Client.Got same =
        ann.post(BLOBS, Map.of("content", Client.base64("hello\n"), "encoding", "base64"));
    assertThat(same.body()).isEqualTo(text.body());
    Client.Got read = ann.get(BLOBS + "/" + text.text("/sha"));
    assertThat(read.text("/content")).isEqualTo(Client.base64("hello\n") + "\n");
    assertThat(read.text("/encoding")).isEqualTo("base64");
    assertThat(read.text("/size")).isEqualTo("6");
    assertThat(ann.post(BLOBS, Map.of("content", "%", "encoding", "base64")).message())
        .isEqualTo("content is not valid Base64");
  }

  @Test
  void blobOfAContentsWriteIsThereToo() {
    String sha = create("one").text("/content/sha");
    assertThat(ann.get(BLOBS + "/" + sha).text("/content")).isEqualTo(Client.base64("one") + "\n");
    String head = repository.head("main").orElseThrow();
    Client.Got commit = ann.get(COMMITS + "/" + head);
    assertThat(commit.text("/message")).isEqualTo("create");
    Client.Got tree = ann.get(TREES + "/" + commit.text("/tree/sha") + "?recursive=1");
    assertThat(tree.body().findValuesAsText("path")).containsExactly("README.md", "queue.json");
  }

  @Test
  void treeOnABaseKeepsWhatItDoesNotName() {
    String base = tree(List.of(file("a", "1"), file("b", "2"))).text("/sha");
    String blob = ann.post(BLOBS, Map.of("content", "3")).text("/sha");
    Map<String, Object> gone = new java.util.HashMap<>(Map.of("path", "a", "mode", "100644"));
    gone.put("sha", null);
    Client.Got next =
        ann.post(
            TREES,
            Map.of(
                "base_tree",
                base,
                "tree",
                List.of(gone, Map.of("path", "c", "mode", "100644", "type", "blob", "sha", blob))));
    assertThat(next.body().findValuesAsText("path")).containsExactly("b", "c");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{'tree':[]} | Invalid tree info",
        "{'tree':[{'path':'a','mode':'100644'}]} | Must supply either tree.sha or tree.content",
        "{'tree':[{'path':'a','mode':'1','content':''}]} | Must supply a valid tree.mode",
        "{'tree':[{'path':'../a','mode':'100644','content':''}]} | malformed path",
        "{'tree':[{'path':'a','mode':'100644','sha':'ff'}]} | tree.sha ff is not a valid blob",
        "{'base_tree':'ff','tree':[{'path':'a','mode':'100644','content':''}]} | base_tree is not",
      })
  void treeThatCannotBeIsRefused(String body, String message) throws java.io.IOException {
    Map<?, ?> parsed = Client.JSON.readValue(body.replace('\'', '"'), Map.class);
    Client.Got got = ann.post(TREES, Map.of("tree", parsed.get("tree")));
    if (parsed.containsKey("base_tree")) {
      got = ann.post(TREES, Map.of("base_tree", "ff", "tree", parsed.get("tree")));
    }
    assertThat(got.status()).isEqualTo(422);
    assertThat(got.message()).contains(message);
  }

  @Test
  void unknownNamesAreRefused() {
    String tree = tree(List.of(file("a", "b"))).text("/sha");
    assertThat(ann.post(COMMITS, Map.of("message", "m", "tree", NOWHERE)).message())
        .isEqualTo("Tree SHA does not exist");
    Client.Got parent =
        ann.post(COMMITS, Map.of("message", "m", "tree", tree, "parents", List.of(NOWHERE)));
    assertThat(parent.status()).isEqualTo(422);
    assertThat(parent.message()).isEqualTo("Parent SHA does not exist or is not a commit object");
    assertThat(ann.post(REFS, Map.of("ref", "refs/heads/q", "sha", tree)).message())
        .isEqualTo("Object does not exist");
    for (String kind : List.of(BLOBS, TREES, COMMITS)) {
      assertThat(ann.get(kind + "/" + NOWHERE).status()).isEqualTo(404);
    }
    assertThat(ann.get(BLOBS + "/main").status()).isEqualTo(422);
    assertThat(ann.get(COMMITS + "/main").status()).isEqualTo(422);
    assertThat(ann.get(TREES + "/none").status()).isEqualTo(404);
  }

  @Test
  void makingNeedsPermissionToWrite() {
    Client job = client(Token.workflow("job", "w", REPO, Grant.CONTENTS_READ));
    for (String kind : List.of(BLOBS, TREES, COMMITS)) {
      Client.Got got = job.post(kind, Map.of());
      assertThat(got.status()).isEqualTo(403);
      assertThat(got.header("x-accepted-github-permissions")).isEqualTo("contents=write");
    }
  }

  @Test
  void writesSeeWhatReadsDoNotYet() {
    sim.staleness(Staleness.of(Duration.ofSeconds(10)));
    String tree = tree(List.of(file("queue.json", "{}"))).text("/sha");
    String sha = ann.post(COMMITS, Map.of("message", "start", "tree", tree)).text("/sha");
    assertThat(ann.get(COMMITS + "/" + sha).status()).isEqualTo(404);
    assertThat(ann.post(REFS, Map.of("ref", "refs/heads/q", "sha", sha)).status()).isEqualTo(201);
    assertThat(ann.get(FILE + "?ref=q").status()).isEqualTo(404);
    Client.Got written =
        ann.put(
            FILE,
            Map.of(
                "message",
                "m",
                "content",
                Client.base64("x"),
                "branch",
                "q",
                "sha",
                GitHash.blob("{}".getBytes(java.nio.charset.StandardCharsets.UTF_8))));
    assertThat(written.status()).isEqualTo(200);
    clock.pass(Duration.ofSeconds(10));
    assertThat(ann.get(COMMITS + "/" + sha).status()).isEqualTo(200);
  }
}
