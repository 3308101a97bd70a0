package dev.baton.githubsim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Names, numbers, pages, folders, large files, branches and commits. */
class RepositoryTest extends SimTest {
  private static final String BASE = "/repos/octo/app";

  private Client.Got write(String path, String text) {
    return ann.put(
        BASE + "/contents/" + path, Map.of("message", "m", "content", Client.base64(text)));
  }

  // ---- renamed

  @Test
  void renamedRepositoryIsFoundByItsNumber() {
    String id = ann.get(BASE).text("/id");
    sim.renameRepository(REPO, "octo/new");
    Client.Got read = ann.get(BASE + "/issues?state=all&labels=a%20b");
    assertThat(read.status()).isEqualTo(301);
    String url = sim.baseUrl() + "/repositories/" + id + "/issues?state=all&labels=a%20b";
    assertThat(read.header("location")).isEqualTo(url);
    assertThat(read.text("/url")).isEqualTo(url);
    assertThat(read.message()).isEqualTo("Moved Permanently");
    Client.Got write = ann.put(FILE, Map.of("message", "m", "content", Client.base64("x")));
    assertThat(write.status()).isEqualTo(307);
    assertThat(write.header("location")).endsWith("/repositories/" + id + "/contents/queue.json");
    assertThat(repository.fileText("queue.json", "main")).isEmpty();

    Client.Got there = ann.get("/repositories/" + id);
    assertThat(there.text("/full_name")).isEqualTo("octo/new");
    assertThat(ann.put("/repositories/" + id + "/contents/a", content()).status()).isEqualTo(201);
    assertThat(ann.get("/repos/octo/new/contents/a").status()).isEqualTo(200);
  }

  private static Map<String, ?> content() {
    return Map.of("message", "m", "content", Client.base64("x"));
  }

  @Test
  void whoMayNotReadItLearnsNothingOfItsNewName() {
    sim.renameRepository(REPO, "octo/new");
    Client stranger = client(Token.classic("eve", "eve-secret"));
    assertThat(stranger.get(BASE).status()).isEqualTo(404);
    assertThat(new Client(sim.baseUrl(), null).get(BASE).status()).isEqualTo(404);
  }

  @Test
  void newRepositoryTakesAFormerName() {
    sim.renameRepository(REPO, "octo/new");
    assertThatThrownBy(() -> sim.renameRepository(REPO, "octo/newer")).hasMessageContaining(REPO);
    sim.addRepository(REPO, false);
    assertThat(ann.get(BASE).text("/private")).isEqualTo("false");
  }

  // ---- pages

  @Test
  void pagesNameAllTheOthers() {
    for (int i = 0; i < 5; i++) {
      ann.post(ISSUES, Map.of("title", "t" + i));
    }
    String to =
        "<" + sim.baseUrl() + "/repositories/" + ann.get(BASE).text("/id") + "/issues?state=all&";
    assertThat(ann.get(ISSUES + "?state=all&per_page=2").header("link"))
        .isEqualTo(
            to + "per_page=2&page=2>; rel=\"next\", " + to + "per_page=2&page=3>; rel=\"last\"");
    assertThat(ann.get(ISSUES + "?state=all&page=2&per_page=2").header("link"))
        .isEqualTo(
            to
                + "page=1&per_page=2>; rel=\"prev\", "
                + to
                + "page=3&per_page=2>; rel=\"next\", "
                + to
                + "page=3&per_page=2>; rel=\"last\", "
                + to
                + "page=1&per_page=2>; rel=\"first\"");
    assertThat(ann.get(ISSUES + "?state=all&per_page=2&page=3").header("link"))
        .isEqualTo(
            to + "per_page=2&page=2>; rel=\"prev\", " + to + "per_page=2&page=1>; rel=\"first\"");
    assertThat(ann.get(ISSUES).header("link")).isEmpty();
  }

  // ---- files and folders

  @Test
  void fileOfMoreThanAMegabyteComesWithoutItsContent() {
    String large = "x".repeat(1024 * 1024 + 1);
    write("large", large);
    Client.Got json = ann.get(BASE + "/contents/large");
    assertThat(json.status()).isEqualTo(200);
    assertThat(json.text("/encoding")).isEqualTo("none");
    assertThat(json.text("/content")).isEmpty();
    assertThat(json.text("/size")).isEqualTo("" + large.length());
    Client.Got raw = ann.get(BASE + "/contents/large", "Accept", "application/vnd.github.raw+json");
    assertThat(raw.http().body()).isEqualTo(large);
    assertThat(raw.header("content-type"))
        .isEqualTo("application/vnd.github.raw+json; charset=utf-8");
    Client.Got blob = ann.get(BASE + "/git/blobs/" + json.text("/sha"));
    assertThat(blob.text("/encoding")).isEqualTo("base64");
    assertThat(blob.text("/content")).hasSizeGreaterThan(large.length());

    write("small", large.substring(1));
    assertThat(ann.get(BASE + "/contents/small").text("/encoding")).isEqualTo("base64");
  }

  /** Without HTTP, which would only move the megabytes about. */
  @Test
  void fileOfMoreThanAHundredMegabytesIsRefused() {
    Repositories all = new Repositories();
    RepositoryName name = RepositoryName.of("octo/large");
    Repository large = new Repository(name, 7, false, clock, Conflict.CURRENT);
    all.add(large);
    String blob =
        ((Outcome.Done<Blob>) large.createBlob("x".repeat(100 * 1024 * 1024 + 1), "utf-8"))
            .value()
            .sha();
    Repository.TreeChange change =
        new Repository.TreeChange("f", "100644", "blob", Optional.empty(), Optional.of(blob));
    String tree =
        ((Outcome.Done<Tree>) large.createTree(Optional.empty(), List.of(change))).value().sha();
    Outcome<Commit> commit =
        large.createCommit(tree, List.of(), "m", "ann", Optional.empty(), Optional.empty());
    large.createRef("refs/heads/large", ((Outcome.Done<Commit>) commit).value().sha());
    Api api = new Api(all, new Bodies("http://x", "http://x"));
    for (String path :
        List.of("/repos/octo/large/contents/f", "/repos/octo/large/git/blobs/" + blob)) {
      for (String type : List.of("application/json", "application/vnd.github.raw+json")) {
        SimRequest request =
            new SimRequest(
                "GET", path, Map.of("ref", "large"), Map.of("accept", type), "", "anonymous");
        Reply reply = api.handle(request, Optional.empty(), clock.instant());
        assertThat(reply.status()).isEqualTo(403);
        assertThat(Json.write(reply.body().orElseThrow())).contains("too_large");
      }
    }
    assertThat(FileSize.of(100 * 1024 * 1024)).isEqualTo(FileSize.WITHOUT_CONTENT);
  }

  @Test
  void folderIsAListOfWhatIsInIt() {
    write("d/a.txt", "a");
    write("d/e/b.txt", "b");
    write("d.txt", "c");
    Client.Got root = ann.get(BASE + "/contents");
    assertThat(root.body().findValuesAsText("name")).containsExactly("README.md", "d.txt", "d");
    Client.Got folder = ann.get(BASE + "/contents/d?ref=main");
    assertThat(folder.body()).hasSize(2);
    assertThat(folder.text("/0/path")).isEqualTo("d/a.txt");
    assertThat(folder.text("/0/type")).isEqualTo("file");
    assertThat(folder.text("/0/size")).isEqualTo("1");
    assertThat(folder.body().get(0).has("content")).isFalse();
    assertThat(folder.text("/1/type")).isEqualTo("dir");
    assertThat(folder.body().at("/1/download_url").isNull()).isTrue();
    assertThat(folder.header("last-modified")).isNotEmpty();
    assertThat(ann.get(BASE + "/contents/d", "If-None-Match", folder.header("etag")).status())
        .isEqualTo(304);
    assertThat(ann.get(BASE + "/contents/none").status()).isEqualTo(404);
    assertThat(ann.get(BASE + "/contents/?ref=none").status()).isEqualTo(404);
  }

  @Test
  void treeOfABranchListsFoldersAndWhatIsInThem() {
    write("d/e/b.txt", "b");
    write("d.txt", "c");
    ann.post(
        REFS, Map.of("ref", "refs/heads/baton/main", "sha", repository.head("main").orElseThrow()));
    Client.Got all = ann.get(BASE + "/git/trees/baton/main?recursive=1");
    assertThat(all.body().findValuesAsText("path"))
        .containsExactly("README.md", "d.txt", "d", "d/e", "d/e/b.txt");
    assertThat(all.body().findValuesAsText("type"))
        .containsExactly("blob", "blob", "tree", "tree", "blob");
    Client.Got flat = ann.get(BASE + "/git/trees/main");
    assertThat(flat.text("/sha")).isEqualTo(all.text("/sha"));
    assertThat(flat.body().findValuesAsText("path")).containsExactly("README.md", "d.txt", "d");
  }

  // ---- refs, branches and commits

  @Test
  void refsAreListedByTheBeginningOfTheirNames() {
    String head = repository.head("main").orElseThrow();
    ann.post(REFS, Map.of("ref", "refs/heads/baton", "sha", head));
    ann.post(REFS, Map.of("ref", "refs/heads/baton-beat", "sha", head));
    assertThat(ann.get(REFS).body().findValuesAsText("ref"))
        .containsExactly("refs/heads/baton", "refs/heads/baton-beat", "refs/heads/main");
    assertThat(ann.get(REFS + "/heads/bat").body()).hasSize(2);
    assertThat(ann.get(REFS + "/heads/baton").text("/ref")).isEqualTo("refs/heads/baton");
    assertThat(ann.get(BASE + "/git/ref/heads/bat").status()).isEqualTo(404);
    assertThat(ann.get(BASE + "/git/matching-refs/heads/baton").body()).hasSize(2);
    assertThat(ann.get(BASE + "/git/matching-refs/heads/none").body()).isEmpty();
    assertThat(ann.get(BASE + "/git/matching-refs/").body()).hasSize(3);
  }

  @Test
  void branchesAreListedAndRead() {
    String head = repository.head("main").orElseThrow();
    ann.post(REFS, Map.of("ref", "refs/heads/baton/main", "sha", head));
    repository.protect("main");
    Client.Got all = ann.get(BASE + "/branches");
    assertThat(all.body().findValuesAsText("name")).containsExactly("baton/main", "main");
    assertThat(all.text("/0/commit/sha")).isEqualTo(head);
    assertThat(ann.get(BASE + "/branches?protected=true").body().findValuesAsText("name"))
        .containsExactly("main");
    Client.Got one = ann.get(BASE + "/branches/baton/main");
    assertThat(one.text("/commit/commit/message")).isEqualTo("Initial commit");
    Client.Got none = ann.get(BASE + "/branches/none");
    assertThat(none.status()).isEqualTo(404);
    assertThat(none.message()).isEqualTo("Branch not found");
  }

  @Test
  void commitSaysWhatItChanged() {
    String sha = create("one\ntwo\nthree\n").text("/content/sha");
    String commit = update(ann, "one\n2\nthree\n", sha).text("/commit/sha");
    Client.Got got = ann.get(BASE + "/commits/" + commit);
    assertThat(got.text("/stats/total")).isEqualTo("2");
    assertThat(got.text("/files/0/status")).isEqualTo("modified");
    assertThat(got.text("/files/0/patch")).isEqualTo("@@ -1,3 +1,3 @@\n one\n-two\n+2\n three");
    assertThat(ann.get(BASE + "/commits/main").text("/sha")).isEqualTo(commit);
    assertThat(got.header("last-modified")).isEqualTo("Thu, 05 Mar 2026 10:00:00 GMT");
    Client.Got none = ann.get(BASE + "/commits/" + "f".repeat(40));
    assertThat(none.status()).isEqualTo(422);
    assertThat(none.message()).isEqualTo("No commit found for SHA: " + "f".repeat(40));
  }

  @Test
  void authorWhoseAddressIsNobodysIsNull() {
    Map<String, ?> body =
        Map.of(
            "message",
            "m",
            "content",
            Client.base64("x"),
            "committer",
            Map.of("name", "Build", "email", "build@example.com"));
    ann.put(FILE, body);
    Client.Got got = ann.get(BASE + "/commits?path=queue.json");
    assertThat(got.body().at("/0/author").isNull()).isTrue();
    assertThat(got.body().at("/0/committer").isNull()).isTrue();
    assertThat(got.text("/0/commit/author/name")).isEqualTo("Build");
    assertThat(ann.get(BASE + "/commits").text("/1/author/login")).isEqualTo("octo");
  }

  @Test
  void commitsAreListedByFolderTimeAndAuthor() {
    write("d/a", "1");
    clock.pass(Duration.ofMinutes(1));
    write("d/b", "2");
    write("c", "3");
    assertThat(ann.get(BASE + "/commits?path=d").body()).hasSize(2);
    assertThat(ann.get(BASE + "/commits?path=d&since=2026-03-05T10:00:30Z").body()).hasSize(1);
    assertThat(ann.get(BASE + "/commits?author=ann&until=2026-03-05T10:00:30Z").body()).hasSize(1);
    assertThat(ann.get(BASE + "/commits?author=octo").body()).hasSize(1);
    assertThat(ann.get(BASE + "/commits?sha=none").status()).isEqualTo(404);
  }

  @Test
  void historyFollowsAllParents() {
    String start = repository.head("main").orElseThrow();
    String tree = ann.get(BASE + "/git/commits/" + start).text("/tree/sha");
    List<String> sides = new ArrayList<>();
    for (String side : List.of("left", "right")) {
      clock.pass(Duration.ofSeconds(1));
      sides.add(commit(side, tree, List.of(start)));
    }
    clock.pass(Duration.ofSeconds(1));
    String merge = commit("merge", tree, sides);
    assertThat(ann.get(BASE + "/commits?sha=" + merge).body().findValuesAsText("message"))
        .containsExactly("merge", "right", "left", "Initial commit");
  }

  private String commit(String message, String tree, List<String> parents) {
    return ann.post(
            BASE + "/git/commits", Map.of("message", message, "tree", tree, "parents", parents))
        .text("/sha");
  }

  @Test
  void repositorySaysWhatTheTokenMay() {
    Client job = client(Token.workflow("job", "w", REPO, Grant.CONTENTS_READ));
    assertThat(ann.get(BASE).body().at("/permissions/push").asBoolean()).isTrue();
    assertThat(job.get(BASE).body().at("/permissions/push").asBoolean(true)).isFalse();
  }
}
