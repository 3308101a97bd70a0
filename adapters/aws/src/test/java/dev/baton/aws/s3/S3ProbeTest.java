package dev.baton.aws.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.aws.ProbeDesk;
import dev.baton.aws.account.AwsFailure;
import dev.baton.aws.s3.S3Bucket.Condition;
import dev.baton.aws.s3.S3Bucket.Put;
import dev.baton.core.probe.Assumption;
import dev.baton.core.probe.AssumptionTable;
import dev.baton.core.probe.ProbeOutcome;
import dev.baton.core.probe.ProbeReport;
import dev.baton.core.probe.Verdict;
import dev.baton.store.StoreException;
import dev.baton.testing.service.Fault;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The probe of S3, on one that does what is assumed, and on others. */
class S3ProbeTest {
  private static final String QUEUE = "ci/build/queue.json";

  private final S3Desk desk = new S3Desk();
  private final ProbeDesk time = new ProbeDesk();

  @AfterEach
  void close() {
    desk.close();
  }

  private S3Probe probe(String bucket, UnaryOperator<ObjectRequests> difference) {
    S3Place place = new S3Place(bucket, "ci");
    return new S3Probe(
        place,
        desk.account(),
        () -> difference.apply(new S3Bucket(bucket, desk.account())),
        time,
        () -> time.wall);
  }

  private ProbeReport report(UnaryOperator<ObjectRequests> difference) throws Exception {
    return probe(S3Desk.BUCKET, difference).run(e -> {});
  }

  // ---- as it should be

  @Test
  void everythingHoldsAndNothingIsLeft() throws Exception {
    desk.s3.write(S3Desk.BUCKET, QUEUE, "{}");
    ProbeReport report = report(b -> b);

    assertThat(report.outcomes())
        .hasSize(S3Assumptions.all().size())
        .allSatisfy(
            o ->
                assertThat(o.verdict())
                    .as(o.assumption().id() + ": " + o.seen())
                    .isEqualTo(Verdict.HELD));
    assertThat(report.isDoubtful()).isFalse();
    assertThat(desk.s3.keys(S3Desk.BUCKET)).containsExactly(QUEUE);
    assertThat(report.requests())
        .isEqualTo((int) desk.s3.count())
        .isLessThanOrEqualTo(S3Probe.MOST_REQUESTS);
  }

  @Test
  void theListIsSound() throws Exception {
    ProbeDesk.requireSound(S3Assumptions.all(), S3Probe.MOST_REQUESTS - 17, "s3", "account");
    assertThat(desk.open().probe().plan().writes().get(0)).contains("ci/probe-SECONDS-RANDOM/");
    assertThat(desk.s3.count()).isZero();
  }

  @Test
  void theDocumentationHasThemAll() {
    AssumptionTable.requireIn(Path.of("../../docs/probe.md"), "## On S3", S3Assumptions.all());
  }

  // ---- as it should not be

  /** A bucket that is different; each test changes one of its requests. */
  private static class Different implements ObjectRequests {
    private final ObjectRequests real;

    Different(ObjectRequests real) {
      this.real = real;
    }

    @Override
    public S3Bucket.Get get(String key, Optional<String> known) throws AwsFailure {
      return real.get(key, known);
    }

    @Override
    public S3Bucket.Page list(String prefix, String after, int atMost) throws AwsFailure {
      return real.list(prefix, after, atMost);
    }

    @Override
    public Optional<Instant> time(String key) throws AwsFailure {
      return real.time(key);
    }

    @Override
    public Put put(String key, byte[] content, Condition condition, Map<String, String> tags)
        throws AwsFailure {
      return real.put(key, content, condition, tags);
    }

    @Override
    public Map<String, String> tags(String key) throws AwsFailure {
      return real.tags(key);
    }

    @Override
    public void delete(String key) throws AwsFailure {
      real.delete(key);
    }

    @Override
    public void close() {
      real.close();
    }
  }

  /** One that looks at some conditions and at others not. */
  private static UnaryOperator<ObjectRequests> ignoring(
      Class<? extends Condition> some, String keysEnd) {
    return b ->
        new Different(b) {
          @Override
          public Put put(String key, byte[] content, Condition condition, Map<String, String> tags)
              throws AwsFailure {
            boolean ignored = some.isInstance(condition) && key.endsWith(keysEnd);
            return super.put(key, content, ignored ? new Condition.None() : condition, tags);
          }
        };
  }

  private static UnaryOperator<ObjectRequests> putting(UnaryOperator<Put> change) {
    return b ->
        new Different(b) {
          @Override
          public Put put(String key, byte[] content, Condition condition, Map<String, String> tags)
              throws AwsFailure {
            return change.apply(super.put(key, content, condition, tags));
          }
        };
  }

  private static UnaryOperator<ObjectRequests> getting(UnaryOperator<S3Bucket.Get> change) {
    return b ->
        new Different(b) {
          @Override
          public S3Bucket.Get get(String key, Optional<String> known) throws AwsFailure {
            return change.apply(super.get(key, known));
          }
        };
  }

  private static AwsFailure refusal(int status, String code) {
    return new AwsFailure(AwsFailure.Kind.REFUSED, status, code, "injected by a test", "");
  }

  private final Map<String, UnaryOperator<ObjectRequests>> differences = differences();

  private Map<String, UnaryOperator<ObjectRequests>> differences() {
    Map<String, UnaryOperator<ObjectRequests>> all = new LinkedHashMap<>();
    all.put(
        "delete-absent",
        b ->
            new Different(b) {
              @Override
              public void delete(String key) throws AwsFailure {
                throw refusal(404, "NoSuchKey");
              }
            });
    all.put("create", putting(p -> new Put.Done(null)));
    all.put("create-refused", ignoring(Condition.Absent.class, "1.json"));
    all.put(
        "read-back",
        getting(g -> g instanceof S3Bucket.Got got ? new S3Bucket.Got(got.content(), "\"x\"") : g));
    all.put(
        "conditional-read",
        b ->
            new Different(b) {
              @Override
              public S3Bucket.Get get(String key, Optional<String> known) throws AwsFailure {
                return super.get(key, Optional.empty());
              }
            });
    all.put("replace", putting(p -> p instanceof Put.Done ? new Put.Done("\"same\"") : p));
    all.put("replace-refused", ignoring(Condition.Matches.class, "1.json"));
    all.put("replace-absent", ignoring(Condition.Matches.class, "3.json"));
    all.put(
        "absent-get",
        b ->
            new Different(b) {
              @Override
              public S3Bucket.Get get(String key, Optional<String> known) throws AwsFailure {
                if (key.endsWith("5.json")) {
                  throw refusal(404, "NoSuchThing");
                }
                return super.get(key, known);
              }
            });
    all.put("one-creates", ignoring(Condition.Absent.class, "2.json"));
    all.put(
        "one-replaces",
        b -> {
          AtomicInteger matches = new AtomicInteger();
          return new Different(b) {
            @Override
            public Put put(
                String key, byte[] content, Condition condition, Map<String, String> tags)
                throws AwsFailure {
              boolean late =
                  condition instanceof Condition.Matches && matches.incrementAndGet() > 3;
              return super.put(key, content, late ? new Condition.None() : condition, tags);
            }
          };
        });
    all.put(
        "list",
        b ->
            new Different(b) {
              @Override
              public S3Bucket.Page list(String prefix, String after, int atMost) throws AwsFailure {
                S3Bucket.Page page = super.list(prefix, after, atMost);
                List<S3Bucket.Listed> objects = new ArrayList<>(page.objects());
                Collections.reverse(objects);
                return new S3Bucket.Page(objects, page.more());
              }
            });
    all.put(
        "server-time",
        b ->
            new Different(b) {
              @Override
              public Optional<Instant> time(String key) {
                return Optional.empty();
              }
            });
    all.put(
        "tags",
        b ->
            new Different(b) {
              @Override
              public Map<String, String> tags(String key) {
                return Map.of();
              }
            });
    all.put(
        "delete",
        b -> {
          AtomicInteger deletes = new AtomicInteger();
          return new Different(b) {
            @Override
            public void delete(String key) throws AwsFailure {
              if (deletes.incrementAndGet() != 2) {
                super.delete(key);
              }
            }
          };
        });
    all.put(
        "quick-answers",
        b ->
            new Different(b) {
              @Override
              public S3Bucket.Page list(String prefix, String after, int atMost) throws AwsFailure {
                time.pause(Duration.ofSeconds(21));
                return super.list(prefix, after, atMost);
              }
            });
    return all;
  }

  static Stream<String> ids() {
    return S3Assumptions.all().stream().map(Assumption::id);
  }

  @ParameterizedTest
  @MethodSource("ids")
  void anS3ThatDoesSomethingElseIsFoundOut(String id) throws Exception {
    assertThat(differences).containsKey(id);
    ProbeReport report = report(differences.get(id));

    assertThat(ProbeDesk.outcome(report, id).verdict())
        .as(ProbeDesk.outcome(report, id).seen())
        .isEqualTo(Verdict.BROKEN);
    assertThat(ProbeDesk.outcome(report, id).means()).isNotEmpty();
    assertThat(report.isDoubtful()).isTrue();
    assertThat(desk.s3.keys(S3Desk.BUCKET)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "PutObject, true",
    "GetObject, true",
    "ListObjectsV2, true",
    "DeleteObject, true",
    "GetObjectTagging, false"
  })
  void whatTheKeyMayNotDoIsSaid(String kind, boolean needed) throws Exception {
    desk.s3.deny(kind);
    ProbeReport report = report(b -> b);

    assertThat(report.isDenied()).isEqualTo(needed);
    assertThat(report.count(Verdict.BROKEN)).isZero();
    assertThat(
            report.outcomes().stream()
                .filter(o -> o.verdict() == Verdict.NOT_ALLOWED)
                .map(ProbeOutcome::means))
        .isNotEmpty()
        .allMatch(m -> m.startsWith("Allow s3:") && m.contains("IAM policy"));
    assertThat(desk.s3.keys(S3Desk.BUCKET)).isEmpty();
    assertThat(report.left()).isEmpty();
  }

  @Test
  void withoutTheRightToDeleteNothingIsWritten() throws Exception {
    desk.s3.deny("DeleteObject");
    report(b -> b);

    assertThat(desk.s3.counts()).containsOnlyKeys("DeleteObject");
  }

  @Test
  void aBucketThatIsNotThereIsAFailure() {
    assertThatThrownBy(() -> probe("no-such-bucket", b -> b).run(e -> {}))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("does not exist");
  }

  @Test
  void aLimitEndsItAndItCleansUp() throws Exception {
    desk.s3.failNext(1, c -> c.is("GetObject"), Fault.throttled("SlowDown"));
    ProbeReport report = report(b -> b);

    assertThat(ProbeDesk.outcome(report, "one-creates").seen()).contains("asks for fewer");
    assertThat(desk.s3.keys(S3Desk.BUCKET)).isEmpty();
  }

  // ---- killed

  private static final class Killed extends Error {
    private static final long serialVersionUID = 1;
  }

  private static UnaryOperator<ObjectRequests> killedAfter(int requests) {
    AtomicInteger sent = new AtomicInteger();
    return b ->
        new Different(b) {
          private void live() {
            if (sent.incrementAndGet() > requests) {
              throw new Killed();
            }
          }

          @Override
          public S3Bucket.Get get(String key, Optional<String> known) throws AwsFailure {
            live();
            return super.get(key, known);
          }

          @Override
          public S3Bucket.Page list(String prefix, String after, int atMost) throws AwsFailure {
            live();
            return super.list(prefix, after, atMost);
          }

          @Override
          public Put put(String key, byte[] content, Condition condition, Map<String, String> tags)
              throws AwsFailure {
            live();
            return super.put(key, content, condition, tags);
          }

          @Override
          public void delete(String key) throws AwsFailure {
            live();
            super.delete(key);
          }
        };
  }

  @Test
  void aLaterProbeRemovesWhatAKilledOneLeft() throws Exception {
    // A queue may have such a name, and so may anything of others.
    desk.s3.write(S3Desk.BUCKET, "ci/probe-1700000000-0123abcd/queue.json", "{}");
    desk.s3.write(S3Desk.BUCKET, "ci/probe-mine/.baton-probe/1.json", "{}");
    desk.s3.write(S3Desk.BUCKET, "other/probe-1700000000-0123abcd/.baton-probe/1.json", "{}");
    List<String> before = desk.s3.keys(S3Desk.BUCKET);
    int leftSomething = 0;
    for (int n = 2; n < 24; n += 3) {
      int number = n;
      assertThatThrownBy(() -> report(killedAfter(number))).isInstanceOf(Killed.class);
      int left = desk.s3.keys(S3Desk.BUCKET).size() - before.size();
      time.wall = time.wall.plus(Duration.ofMinutes(59));
      assertThat(report(b -> b).cleaned()).as("under way, perhaps").isEmpty();
      time.wall = time.wall.plus(Duration.ofMinutes(2));
      assertThat(report(b -> b).cleaned()).as("killed after %d", n).hasSize(left > 0 ? 1 : 0);
      assertThat(desk.s3.keys(S3Desk.BUCKET)).containsExactlyElementsOf(before);
      leftSomething += left > 0 ? 1 : 0;
    }
    assertThat(leftSomething).isGreaterThan(4);
  }

  @Test
  void recordingsHaveNoKeysAndNoNamesInThem() throws Exception {
    assertThat(ProbeDesk.recorded(probe(S3Desk.BUCKET, b -> b)))
        .doesNotContain(S3Desk.SECRET, S3Desk.ID, S3Desk.BUCKET, "/ci/", "Authorization")
        .contains("\"status\":200", "/BUCKET/PREFIX/.baton-probe/1.json");
  }
}
