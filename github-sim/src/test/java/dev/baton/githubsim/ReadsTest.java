package dev.baton.githubsim;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ReadsTest extends SimTest {
  @Test
  void contentsAreTaggedWithTheBlob() {
    String sha = create("one").text("/content/sha");
    Client.Got got = ann.get(FILE);
    assertThat(got.header("etag")).isEqualTo("W/\"" + sha + "\"");
    assertThat(got.header("cache-control")).isEqualTo("private, max-age=60, s-maxage=60");
    assertThat(got.http().headers().allValues("vary")).hasSize(2);
  }

  @Test
  void unchangedIsFreeAndChangedIsNot() {
    String sha = create("one").text("/content/sha");
    String tag = ann.get(FILE).header("etag");
    Client.Got before = ann.get(FILE, "If-None-Match", tag);
    assertThat(before.status()).isEqualTo(304);
    assertThat(before.http().body()).isEmpty();
    assertThat(before.header("etag")).isEqualTo(tag);
    assertThat(before.header("x-ratelimit-used")).isEqualTo("2");
    assertThat(before.header("x-ratelimit-remaining")).isEqualTo("4998");
    assertThat(ann.get(FILE, "If-None-Match", tag).header("x-ratelimit-used")).isEqualTo("2");

    update(ann, "two", sha);
    Client.Got after = ann.get(FILE, "If-None-Match", tag);
    assertThat(after.status()).isEqualTo(200);
    assertThat(after.header("x-ratelimit-used")).isEqualTo("4");
    assertThat(sim.log().of("ann")).isEqualTo(new RequestLog.Counts(4, 2, 0, 2));
  }

  @Test
  void issueTagsAreWeakAndDifferFromTokenToToken() {
    ann.post(ISSUES, Map.of("title", "t"));
    Client bob = client(Token.classic("bob", "bob-secret", REPO));
    String tag = ann.get(ISSUES + "/1").header("etag");
    assertThat(tag).startsWith("W/\"");
    assertThat(ann.get(ISSUES + "/1", "If-None-Match", tag).status()).isEqualTo(304);
    assertThat(bob.get(ISSUES + "/1", "If-None-Match", tag).status()).isEqualTo(200);
    ann.patch(ISSUES + "/1", Map.of("body", "new"));
    assertThat(ann.get(ISSUES + "/1", "If-None-Match", tag).status()).isEqualTo(200);
  }

  @Test
  void issueIsValidatedByItsDateToTheSecond() {
    clock.pass(Duration.ofMillis(300));
    ann.post(ISSUES, Map.of("title", "t"));
    Client.Got first = ann.get(ISSUES + "/1");
    String date = first.header("last-modified");
    assertThat(date).isEqualTo("Thu, 05 Mar 2026 10:00:00 GMT");
    Client.Got same = ann.get(ISSUES + "/1", "If-Modified-Since", date);
    assertThat(same.status()).isEqualTo(304);
    assertThat(same.header("x-ratelimit-used")).isEqualTo(first.header("x-ratelimit-used"));
    // An edit within the same second cannot be seen this way.
    clock.pass(Duration.ofMillis(500));
    ann.patch(ISSUES + "/1", Map.of("body", "x"));
    assertThat(ann.get(ISSUES + "/1", "If-Modified-Since", date).status()).isEqualTo(304);
    clock.pass(Duration.ofMillis(500));
    Client.Got edited = ann.patch(ISSUES + "/1", Map.of("body", "y"));
    assertThat(edited.text("/updated_at")).isEqualTo("2026-03-05T10:00:01Z");
    assertThat(edited.header("last-modified")).isEmpty();
    Client.Got changed = ann.get(ISSUES + "/1", "If-Modified-Since", date);
    assertThat(changed.status()).isEqualTo(200);
    assertThat(changed.header("last-modified")).isEqualTo("Thu, 05 Mar 2026 10:00:01 GMT");
    // The entity tag decides where both are given.
    assertThat(ann.get(ISSUES + "/1", "If-Modified-Since", date, "If-None-Match", "\"x\"").status())
        .isEqualTo(200);
  }

  @Test
  void refSaysWhenItChanged() {
    String path = REFS + "/heads/main";
    create("one");
    String date = ann.get(path).header("last-modified");
    assertThat(date).isEqualTo("Thu, 05 Mar 2026 10:00:00 GMT");
    assertThat(ann.get(path, "If-Modified-Since", date).status()).isEqualTo(304);
    clock.pass(Duration.ofSeconds(2));
    ann.put("/repos/octo/app/contents/b", Map.of("message", "m", "content", Client.base64("x")));
    assertThat(ann.get(path, "If-Modified-Since", date).status()).isEqualTo(200);
  }

  @Test
  void dateIsTheSimsOwn() {
    clock.pass(Duration.ofDays(400));
    assertThat(ann.get(REFS + "/heads/main").http().headers().allValues("date"))
        .containsExactly("Fri, 09 Apr 2027 10:00:00 GMT");
  }

  @Test
  void readsLagAndWritesDoNot() {
    sim.staleness(Staleness.of(Duration.ofSeconds(10)));
    String first = create("one").text("/content/sha");
    assertThat(ann.get(FILE).status()).isEqualTo(404);
    clock.pass(Duration.ofSeconds(9));
    assertThat(ann.get(FILE).status()).isEqualTo(404);
    clock.pass(Duration.ofSeconds(1));
    assertThat(ann.get(FILE).text("/sha")).isEqualTo(first);

    Client.Got second = update(ann, "two", first);
    assertThat(second.status()).isEqualTo(200);
    assertThat(ann.get(FILE).text("/sha")).isEqualTo(first);
    assertThat(ann.get(FILE, "If-None-Match", "W/\"" + first + "\"").status()).isEqualTo(304);
    assertThat(update(ann, "three", first).status()).isEqualTo(409);
    clock.pass(Duration.ofSeconds(10));
    assertThat(ann.get(FILE).text("/sha")).isEqualTo(second.text("/content/sha"));
  }

  @Test
  void refsAndIssuesLagToo() {
    sim.staleness(Staleness.of(Duration.ofSeconds(5)));
    String head = repository.head("main").orElseThrow();
    ann.post(REFS, Map.of("ref", "refs/heads/q", "sha", head));
    ann.post(ISSUES, Map.of("title", "t", "body", "one"));
    assertThat(ann.get(REFS + "/heads/q").status()).isEqualTo(404);
    assertThat(ann.get(ISSUES + "/1").status()).isEqualTo(404);
    clock.pass(Duration.ofSeconds(5));
    assertThat(ann.get(REFS + "/heads/q").status()).isEqualTo(200);
    ann.patch(ISSUES + "/1", Map.of("body", "two"));
    assertThat(ann.get(ISSUES + "/1").text("/body")).isEqualTo("one");
  }

  @Test
  void lagIsDrawnAnewForEachRead() {
    sim.staleness(new Staleness(Duration.ZERO, Duration.ofSeconds(10)));
    create("one");
    clock.pass(Duration.ofSeconds(5));
    long fresh = 0;
    for (int i = 0; i < 60; i++) {
      fresh += ann.get(FILE).status() == 200 ? 1 : 0;
    }
    assertThat(fresh).isBetween(10L, 50L);
  }
}
