package dev.baton.alibaba.oss;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.core.json.PlainJson;
import dev.baton.core.probe.Assumption;
import dev.baton.core.probe.AssumptionTable;
import dev.baton.core.probe.ProbeClock;
import dev.baton.core.probe.ProbeExchange;
import dev.baton.core.probe.ProbeOutcome;
import dev.baton.core.probe.ProbeReport;
import dev.baton.core.probe.Recording;
import dev.baton.core.probe.Verdict;
import dev.baton.store.StoreException;
import dev.baton.testing.service.Fault;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The probe of OSS on the fake: all holds there, and each assumption can be broken. */
class OssProbeTest {
  private static final Instant START = Instant.parse("2026-03-05T10:00:00Z");

  private final Desk desk = new Desk();
  private final AtomicLong nanos = new AtomicLong();
  private Instant wall = START;

  private final ProbeClock clock =
      new ProbeClock() {
        @Override
        public long nanos() {
          return nanos.get();
        }

        @Override
        public void pause(Duration time) {
          nanos.addAndGet(time.toNanos());
        }
      };

  @AfterEach
  void close() {
    desk.close();
  }

  private OssProbe probe(UnaryOperator<ObjectRequests> difference) {
    return new OssProbe(
        new OssPlace(Desk.BUCKET, "ci"),
        desk.access(),
        listener -> difference.apply(new Bucket(Desk.BUCKET, desk.access(), listener)),
        clock,
        () -> wall);
  }

  private ProbeReport report(UnaryOperator<ObjectRequests> difference)
      throws StoreException, InterruptedException {
    return probe(difference).run(e -> {});
  }

  private static ProbeOutcome outcome(ProbeReport report, String id) {
    return report.outcomes().stream()
        .filter(o -> o.assumption().id().equals(id))
        .findFirst()
        .orElseThrow();
  }

  // ---- as it should be

  @Test
  void everythingHoldsAndNothingIsLeft() throws Exception {
    desk.oss.put(Desk.BUCKET, "ci/build/queue/9999999998-1.json", "{}");
    ProbeReport report = report(b -> b);
    assertThat(report.outcomes())
        .hasSize(OssAssumptions.all().size())
        .allSatisfy(
            o ->
                assertThat(o.verdict())
                    .as(o.assumption().id() + ": " + o.seen())
                    .isEqualTo(Verdict.HELD));
    assertThat(report.isDoubtful()).isFalse();
    assertThat(desk.oss.keys(Desk.BUCKET)).containsExactly("ci/build/queue/9999999998-1.json");
    assertThat(report.requests())
        .isEqualTo((int) desk.oss.count())
        .isLessThanOrEqualTo(OssProbe.MOST_REQUESTS);
  }

  @Test
  void thePlanKeepsToItsRequests() {
    int forOthers = 2;
    int forOwn = 1;
    assertThat(OssAssumptions.all().stream().mapToInt(Assumption::requests).sum())
        .isLessThanOrEqualTo(OssProbe.MOST_REQUESTS - forOthers - forOwn);
    assertThat(desk.open().probe().plan().writes().get(0)).contains("ci/probe-SECONDS-RANDOM/");
    assertThat(desk.oss.count()).isZero();
  }

  @Test
  void theCodeThatReliesOnThemIsThere() throws ClassNotFoundException {
    Set<String> ids = new HashSet<>();
    for (Assumption assumption : OssAssumptions.all()) {
      assertThat(ids.add(assumption.id())).isTrue();
      for (String code : assumption.reliedOnBy()) {
        String[] parts = code.split("\\.");
        Class<?> found = Class.forName("dev.baton.alibaba.oss." + parts[0]);
        assertThat(Arrays.stream(found.getDeclaredMethods()).map(Method::getName))
            .as(assumption.id())
            .contains(parts[1]);
      }
    }
  }

  @Test
  void theDocumentationHasThemAll() {
    AssumptionTable.requireIn(
        Path.of("../../docs/probe.md"), "## On Alibaba Cloud OSS", OssAssumptions.all());
  }

  // ---- as it should not be

  /** A bucket that is different; each test changes one of its requests. */
  private static class Different implements ObjectRequests {
    private final ObjectRequests real;

    Different(ObjectRequests real) {
      this.real = real;
    }

    @Override
    public String versioning() throws OssFailure {
      return real.versioning();
    }

    @Override
    public Bucket.Page list(String prefix, String after, int atMost) throws OssFailure {
      return real.list(prefix, after, atMost);
    }

    @Override
    public Optional<Bucket.Got> look(String key) throws OssFailure {
      return real.look(key);
    }

    @Override
    public Bucket.Created create(String key, byte[] content, String mark) throws OssFailure {
      return real.create(key, content, mark);
    }

    @Override
    public void delete(List<String> some) throws OssFailure {
      real.delete(some);
    }
  }

  private static OssFailure refusal(String code) {
    return new OssFailure(OssFailure.Kind.REFUSED, code, "injected by a test", "");
  }

  private static Bucket.Page changed(Bucket.Page page, UnaryOperator<List<Bucket.Listed>> change) {
    return new Bucket.Page(change.apply(new ArrayList<>(page.objects())), page.more());
  }

  private final Map<String, UnaryOperator<ObjectRequests>> differences = differences();

  private Map<String, UnaryOperator<ObjectRequests>> differences() {
    Map<String, UnaryOperator<ObjectRequests>> all = new LinkedHashMap<>();
    all.put(
        "not-versioned",
        b -> {
          desk.oss.versioning(Desk.BUCKET, "Suspended");
          return b;
        });
    all.put(
        "create",
        b ->
            new Different(b) {
              @Override
              public Bucket.Created create(String key, byte[] content, String mark)
                  throws OssFailure {
                super.create(key, content, mark);
                return Bucket.Created.IN_VERSIONED_BUCKET;
              }
            });
    all.put("forbid-overwrite", overwriting());
    all.put(
        "list-after-create",
        b ->
            new Different(b) {
              @Override
              public Bucket.Page list(String prefix, String after, int atMost) throws OssFailure {
                return changed(
                    super.list(prefix, after, atMost),
                    objects -> nanos.get() < 3_000_000_000L ? List.of() : objects);
              }
            });
    all.put(
        "read-back",
        b ->
            new Different(b) {
              @Override
              public Optional<Bucket.Got> look(String key) {
                return Optional.empty();
              }
            });
    all.put("mark", got(g -> new Bucket.Got(g.content(), g.etag(), "")));
    all.put("list-etag", got(g -> new Bucket.Got(g.content(), "ABC", g.mark())));
    all.put(
        "newest-first",
        b ->
            new Different(b) {
              @Override
              public Bucket.Page list(String prefix, String after, int atMost) throws OssFailure {
                return changed(
                    super.list(prefix, after, 10),
                    objects -> {
                      java.util.Collections.reverse(objects);
                      return objects.subList(0, Math.min(atMost, objects.size()));
                    });
              }
            });
    all.put(
        "start-after",
        b ->
            new Different(b) {
              @Override
              public Bucket.Page list(String prefix, String after, int atMost) throws OssFailure {
                return super.list(prefix, "", atMost);
              }
            });
    all.put(
        "absent-get",
        b -> {
          AtomicInteger looks = new AtomicInteger();
          return new Different(b) {
            @Override
            public Optional<Bucket.Got> look(String key) throws OssFailure {
              if (looks.incrementAndGet() == 2) {
                throw refusal("NoSuchThing");
              }
              return super.look(key);
            }
          };
        });
    all.put("one-winner", overwriting());
    all.put(
        "delete",
        b -> {
          AtomicInteger deletes = new AtomicInteger();
          return new Different(b) {
            @Override
            public void delete(List<String> some) throws OssFailure {
              if (deletes.incrementAndGet() > 1) {
                super.delete(some);
              }
            }
          };
        });
    all.put(
        "deleted-is-free",
        b -> {
          AtomicInteger creates = new AtomicInteger();
          return new Different(b) {
            @Override
            public Bucket.Created create(String key, byte[] content, String mark)
                throws OssFailure {
              return creates.incrementAndGet() == 8
                  ? Bucket.Created.EXISTS
                  : super.create(key, content, mark);
            }
          };
        });
    all.put(
        "quick-answers",
        b ->
            new Different(b) {
              @Override
              public Bucket.Page list(String prefix, String after, int atMost) throws OssFailure {
                nanos.addAndGet(Duration.ofSeconds(21).toNanos());
                return super.list(prefix, after, atMost);
              }
            });
    return all;
  }

  private static UnaryOperator<ObjectRequests> overwriting() {
    return b ->
        new Different(b) {
          @Override
          public Bucket.Created create(String key, byte[] content, String mark) throws OssFailure {
            super.create(key, content, mark);
            return Bucket.Created.DONE;
          }
        };
  }

  private static UnaryOperator<ObjectRequests> got(UnaryOperator<Bucket.Got> change) {
    return b ->
        new Different(b) {
          @Override
          public Optional<Bucket.Got> look(String key) throws OssFailure {
            return super.look(key).map(change);
          }
        };
  }

  static Stream<String> ids() {
    return OssAssumptions.all().stream().map(Assumption::id);
  }

  @ParameterizedTest
  @MethodSource("ids")
  void anOssThatDoesSomethingElseIsFoundOut(String id) throws Exception {
    assertThat(differences).containsKey(id);
    ProbeReport report = report(differences.get(id));
    assertThat(outcome(report, id).verdict())
        .as(outcome(report, id).seen())
        .isEqualTo(Verdict.BROKEN);
    assertThat(outcome(report, id).means()).isNotEmpty();
    assertThat(report.isDoubtful()).isTrue();
    assertThat(desk.oss.keys(Desk.BUCKET)).isEmpty();
  }

  @Test
  void nothingIsWrittenToABucketThatKeepsVersions() throws Exception {
    desk.oss.versioning(Desk.BUCKET, "Enabled");
    ProbeReport report = report(b -> b);
    assertThat(report.count(Verdict.NOT_APPLICABLE)).isEqualTo(OssAssumptions.all().size() - 1);
    assertThat(desk.oss.counts()).containsOnlyKeys("GetBucketVersioning");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "GetBucketVersioning",
        "PutObject",
        "GetObject",
        "ListObjectsV2",
        "DeleteMultipleObjects"
      })
  void whatTheKeyMayNotDoIsSaid(String kind) throws Exception {
    desk.oss.deny(kind);
    ProbeReport report = report(b -> b);
    assertThat(report.isDenied()).isTrue();
    assertThat(report.count(Verdict.BROKEN)).isZero();
    assertThat(
            report.outcomes().stream()
                .filter(o -> o.verdict() == Verdict.NOT_ALLOWED)
                .map(ProbeOutcome::means))
        .isNotEmpty()
        .allMatch(m -> m.contains("Allow oss:") && m.contains("RAM policy"));
    // Without the right to delete, what was made stays, and that is said.
    assertThat(report.left().isEmpty()).isEqualTo(desk.oss.keys(Desk.BUCKET).isEmpty());
    assertThat(report.left().isEmpty()).isEqualTo(!kind.equals("DeleteMultipleObjects"));
  }

  @Test
  void aBucketThatIsNotThereIsAFailure() {
    OssProbe probe = OssProbe.of(new OssPlace("no-such-bucket", "ci"), desk.access());
    assertThatThrownBy(() -> probe.run(e -> {}))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("the bucket does not exist");
  }

  @Test
  void aLimitEndsItAndItCleansUp() throws Exception {
    desk.oss.failNext(1, c -> c.kind().equals("GetObject"), Fault.throttled("QpsLimitExceeded"));
    ProbeReport report = report(b -> b);
    assertThat(outcome(report, "one-winner").seen()).contains("asks for fewer requests");
    assertThat(report.isDoubtful()).isTrue();
    assertThat(desk.oss.keys(Desk.BUCKET)).isEmpty();
  }

  // ---- killed

  private static final class Killed extends Error {
    private static final long serialVersionUID = 1;
  }

  private static UnaryOperator<ObjectRequests> killedAfter(int requests) {
    AtomicInteger sent = new AtomicInteger();
    Runnable dying =
        () -> {
          if (sent.incrementAndGet() > requests) {
            throw new Killed();
          }
        };
    return b ->
        new Different(b) {
          @Override
          public String versioning() throws OssFailure {
            dying.run();
            return super.versioning();
          }

          @Override
          public Bucket.Page list(String prefix, String after, int atMost) throws OssFailure {
            dying.run();
            return super.list(prefix, after, atMost);
          }

          @Override
          public Optional<Bucket.Got> look(String key) throws OssFailure {
            dying.run();
            return super.look(key);
          }

          @Override
          public Bucket.Created create(String key, byte[] content, String mark) throws OssFailure {
            dying.run();
            return super.create(key, content, mark);
          }

          @Override
          public void delete(List<String> some) throws OssFailure {
            dying.run();
            super.delete(some);
          }
        };
  }

  @Test
  void aLaterProbeRemovesWhatAKilledOneLeft() throws Exception {
    int requests = report(b -> b).requests();
    // A queue may have such a name, and so may anything of others.
    desk.oss.put(Desk.BUCKET, "ci/probe-1700000000-0123abcd/queue/9999999998-1.json", "{}");
    desk.oss.put(Desk.BUCKET, "ci/probe-mine/.baton-probe/1.json", "{}");
    desk.oss.put(Desk.BUCKET, "other/probe-1700000000-0123abcd/.baton-probe/1.json", "{}");
    List<String> before = desk.oss.keys(Desk.BUCKET);
    int leftSomething = 0;
    for (int n = 1; n < requests; n++) {
      int number = n;
      assertThatThrownBy(() -> report(killedAfter(number))).isInstanceOf(Killed.class);
      int left = desk.oss.keys(Desk.BUCKET).size() - before.size();
      wall = wall.plus(Duration.ofMinutes(59));
      assertThat(report(b -> b).cleaned()).as("under way, perhaps").isEmpty();
      wall = wall.plus(Duration.ofMinutes(2));
      ProbeReport later = report(b -> b);
      assertThat(later.cleaned()).as("killed after %d", n).hasSize(left > 0 ? 1 : 0);
      assertThat(desk.oss.keys(Desk.BUCKET)).containsExactlyElementsOf(before);
      leftSomething += left > 0 ? 1 : 0;
    }
    assertThat(leftSomething).isGreaterThan(requests / 2);
  }

  // ---- recordings

  @Test
  void recordingsHaveNoKeysAndNoNamesInThem() throws Exception {
    List<ProbeExchange> exchanges = new ArrayList<>();
    OssProbe probe = probe(b -> b);
    probe.run(exchanges::add);
    Recording recording = probe.plan().recording();
    StringBuilder all = new StringBuilder();
    for (ProbeExchange exchange : exchanges) {
      all.append(PlainJson.text(recording.of(exchange, "test"))).append('\n');
    }
    assertThat(exchanges).hasSize((int) desk.oss.count());
    assertThat(all.toString())
        .doesNotContain(Desk.SECRET)
        .doesNotContain(Desk.ID)
        .doesNotContain(Desk.BUCKET)
        .doesNotContain("/ci/")
        .doesNotContain("FAKE0")
        .doesNotContain("Authorization")
        .contains("\"status\":409", "x-oss-forbid-overwrite", "/BUCKET/PREFIX/probe-");
  }
}
