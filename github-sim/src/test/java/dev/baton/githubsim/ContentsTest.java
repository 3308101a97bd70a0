package dev.baton.githubsim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ContentsTest extends SimTest {
  @Test
  void blobNamesAreGits() {
    // git hash-object of "hello\n"
    assertThat(create("hello\n").text("/content/sha"))
        .isEqualTo("ce013625030ba8dba906f756967f9e9ca394464a");
  }

  @Test
  void treeAndCommitNamesAreGits() {
    // git write-tree and git commit-tree of the same content, person and time
    String blob = GitHash.blob("hello\n".getBytes(java.nio.charset.StandardCharsets.UTF_8));
    String tree = GitHash.tree(Map.of("a.txt", blob, "a/b.txt", blob));
    assertThat(tree).isEqualTo("e9d00327ba627626531609529f87f79a0b097ba5");
    Person ann = new Person("ann", "ann@x", java.time.Instant.ofEpochSecond(1_700_000_000));
    assertThat(GitHash.commit(tree, List.of(), ann, ann, "first"))
        .isEqualTo("e70890ebf501fbe6ba9656711c6738fd8c3a21d5");
  }

  @Test
  void absentFileIsCreatedAndAnyShaIsIgnored() {
    assertThat(update(ann, "x", "f".repeat(40)).status()).isEqualTo(201);
  }

  @Test
  void rightShaUpdatesAndTheAnswerCarriesTheNewOne() {
    String first = create("one").text("/content/sha");
    Client.Got second = update(ann, "two", first);
    assertThat(second.status()).isEqualTo(200);
    assertThat(ann.get(FILE).text("/sha")).isEqualTo(second.text("/content/sha"));
    assertThat(second.text("/commit/sha")).isEqualTo(repository.head("main").orElseThrow());
    assertThat(repository.messages("main")).containsExactly("update", "create", "Initial commit");
  }

  @Test
  void wrongShaIsAConflictWithStatusAsText() {
    create("one");
    Client.Got got = update(ann, "two", "f".repeat(40));
    assertThat(got.status()).isEqualTo(409);
    assertThat(got.message()).isEqualTo("queue.json does not match " + "f".repeat(40));
    assertThat(got.body().path("status").isTextual()).isTrue();
    assertThat(got.text("/status")).isEqualTo("409");
    assertThat(got.body().has("errors")).isFalse();
    assertThat(repository.fileText("queue.json", "main")).contains("one");
  }

  @Test
  void missingShaIsUnprocessable() {
    create("one");
    Client.Got got = create("two");
    assertThat(got.status()).isEqualTo(422);
    assertThat(got.message()).isEqualTo("Invalid request.\n\n\"sha\" wasn't supplied.");
  }

  @Test
  void absentBranchIsCheckedFirst() {
    Client.Got got =
        ann.put(FILE, Map.of("message", "m", "content", "%%%", "branch", "none", "sha", "x"));
    assertThat(got.status()).isEqualTo(404);
  }

  @Test
  void contentThatIsNoBase64IsRefused() {
    for (String bad : List.of("%%%", "a", "ä")) {
      Client.Got got = ann.put(FILE, Map.of("message", "m", "content", bad));
      assertThat(got.status()).isEqualTo(422);
      assertThat(got.message()).isEqualTo("content is not valid Base64");
    }
  }

  @Test
  void namesWithSpacesAndSignsAreDecoded() {
    String path = "/repos/octo/app/contents/test+dir%20%2350/a%20file.txt";
    Client.Got got = ann.put(path, Map.of("message", "m", "content", Client.base64("x")));
    assertThat(got.text("/content/path")).isEqualTo("test+dir #50/a file.txt");
    assertThat(ann.get(path).status()).isEqualTo(200);
  }

  @Test
  void readsGiveTheContentInLinesAndAtARef() {
    String text = "x".repeat(100);
    String firstCommit = create(text).text("/commit/sha");
    String sha = ann.get(FILE).text("/sha");
    update(ann, "two", sha);
    Client.Got old = ann.get(FILE + "?ref=" + firstCommit);
    assertThat(old.text("/sha")).isEqualTo(sha);
    assertThat(old.text("/content").split("\n")[0]).hasSize(60);
    assertThat(old.text("/content")).endsWith("\n");
    assertThat(ann.get(FILE + "?ref=main").text("/content")).isEqualTo(Client.base64("two") + "\n");
  }

  @Test
  void deletedFileIsGoneAndItsHistoryStays() {
    String sha = create("one").text("/content/sha");
    Client.Got got = ann.delete(FILE + "?message=away&sha=" + sha);
    assertThat(got.status()).isEqualTo(200);
    assertThat(got.body().get("content").isNull()).isTrue();
    assertThat(ann.get(FILE).status()).isEqualTo(404);
    Client.Got commits = ann.get("/repos/octo/app/commits?path=queue.json&sha=main");
    assertThat(commits.body().findValuesAsText("message")).containsExactly("away", "create");
  }

  @Test
  void historyOfAPathComesInPages() {
    String sha = create("0").text("/content/sha");
    for (int i = 1; i <= 4; i++) {
      sha = update(ann, "" + i, sha).text("/content/sha");
    }
    Client.Got first = ann.get("/repos/octo/app/commits?path=queue.json&per_page=2");
    assertThat(first.body()).hasSize(2);
    String next = first.header("link").replaceAll("^<([^>]*)>; rel=\"next\".*$", "$1");
    Client.Got second = ann.get(next.substring(sim.baseUrl().length()));
    assertThat(second.body()).hasSize(2);
    assertThat(second.text("/0/sha")).isNotEqualTo(first.text("/0/sha"));
    Client.Got third = ann.get("/repos/octo/app/commits?path=queue.json&per_page=2&page=3");
    assertThat(third.body()).hasSize(1);
    assertThat(third.header("link")).doesNotContain("next");
  }

  @Test
  void branchThatMovesDuringAWriteGivesTheOtherConflict() {
    String sha = create("one").text("/content/sha");
    String head = repository.head("main").orElseThrow();
    meetBeforeUpdate(2);
    List<Client.Got> both =
        together(2, i -> update(ann, "by " + i, sha)).stream()
            .sorted((a, b) -> a.status() - b.status())
            .toList();
    assertThat(both.get(0).status()).isEqualTo(200);
    assertThat(both.get(1).status()).isEqualTo(409);
    assertThat(both.get(1).message())
        .isEqualTo("is at " + both.get(0).text("/commit/sha") + " but expected " + head);
  }

  @Test
  void writersOfDifferentFilesMeetOnTheBranchToo() {
    meetBeforeUpdate(2);
    Map<String, String> body = Map.of("message", "m", "content", Client.base64("x"));
    List<Integer> statuses =
        together(2, i -> ann.put("/repos/octo/app/contents/file" + i, body)).stream()
            .map(Client.Got::status)
            .sorted()
            .toList();
    assertThat(statuses).containsExactly(201, 409);
  }

  @Test
  void ofManyWritersWithOneShaExactlyOneWins() {
    String sha = create("start").text("/content/sha");
    for (int round = 0; round < 10; round++) {
      String expected = sha;
      List<Client.Got> all = together(8, i -> update(ann, "round " + expected + i, expected));
      List<Client.Got> winners = all.stream().filter(got -> got.status() == 200).toList();
      assertThat(winners).hasSize(1);
      assertThat(all).filteredOn(got -> got.status() == 409).hasSize(7);
      sha = winners.get(0).text("/content/sha");
    }
    assertThat(repository.messages("main")).hasSize(12);
  }

  @Test
  void olderWordingNamesTheBranch() {
    assertThat(Conflict.OLDER.text("refs/heads/b", "aa", "bb"))
        .isEqualTo("refs/heads/b expected to be at bb");
  }

  private void meetBeforeUpdate(int parties) {
    CyclicBarrier barrier = new CyclicBarrier(parties);
    AtomicInteger left = new AtomicInteger(parties);
    repository.beforeUpdate(
        () -> {
          if (left.getAndDecrement() > 0) {
            try {
              barrier.await(10, TimeUnit.SECONDS);
            } catch (InterruptedException | BrokenBarrierException | TimeoutException e) {
              throw new IllegalStateException("the other writer did not come", e);
            }
          }
        });
  }

  private interface Numbered {
    Client.Got run(int number);
  }

  private static List<Client.Got> together(int count, Numbered action) {
    List<CompletableFuture<Client.Got>> all =
        IntStream.range(0, count)
            .mapToObj(
                i ->
                    CompletableFuture.supplyAsync(
                        () -> action.run(i), task -> new Thread(task).start()))
            .toList();
    return all.stream().map(CompletableFuture::join).toList();
  }
}
