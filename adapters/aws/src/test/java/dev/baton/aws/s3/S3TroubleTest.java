package dev.baton.aws.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.baton.aws.account.AwsAccount;
import dev.baton.core.BadSetting;
import dev.baton.core.Problem;
import dev.baton.store.StoreException;
import dev.baton.store.Version;
import dev.baton.store.VersionedStore;
import dev.baton.store.WriteResult;
import dev.baton.testing.service.Fault;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What goes wrong with a bucket is said in one sentence, with what to do in another. */
class S3TroubleTest {
  private final S3Desk desk = new S3Desk();

  @AfterEach
  void close() {
    desk.close();
  }

  private Problem refused(ThrowingCallable work) {
    StoreException e = catchThrowableOfType(StoreException.class, () -> patiently(work));
    assertThat(e).isNotNull();
    assertThat(e.getMessage()).doesNotContain(S3Desk.SECRET).doesNotContain("awssdk");
    return e.problem();
  }

  private void patiently(ThrowingCallable work) throws Throwable {
    desk.patiently(work);
  }

  private VersionedStore with(String variable, String value) {
    Map<String, String> environment = desk.environment();
    environment.put(variable, value);
    return desk.open(S3Desk.BUCKET, AwsAccount.of(S3Desk.host(environment))).document("queue");
  }

  @Test
  void aMissingBucket() {
    Problem problem = refused(desk.open("no-such-bucket", desk.account()).document("queue")::read);

    assertThat(problem.what()).contains("the bucket no-such-bucket does not exist");
    assertThat(problem.next()).contains("AWS_REGION").contains("docs/aws.md");
  }

  @Test
  void aBucketOfAnotherAccount() {
    desk.s3.addBucket("theirs", "999999999999");
    Problem problem = refused(desk.open("theirs", desk.account()).document("queue")::read);

    assertThat(problem.kind()).isEqualTo(Problem.Kind.NO_PERMISSION);
    assertThat(problem.next()).contains("belongs to another account");
    assertThat(desk.s3.keys("theirs")).isEmpty();
  }

  @Test
  void anotherRegion() {
    Problem problem = refused(with("AWS_REGION", "us-east-1")::read);

    assertThat(problem.what()).contains("another region than us-east-1");
    assertThat(problem.next()).contains("AWS_REGION");
  }

  @Test
  void aKeyThatAwsDoesNotKnow() {
    Problem problem = refused(with("AWS_ACCESS_KEY_ID", "AKIAUNKNOWN")::read);

    assertThat(problem.kind()).isEqualTo(Problem.Kind.NO_PERMISSION);
    assertThat(problem.what()).contains("does not know the access key from AWS_ACCESS_KEY_ID");
  }

  @Test
  void noCredentials() {
    Map<String, String> environment = desk.environment();
    environment.remove("AWS_ACCESS_KEY_ID");
    environment.remove("AWS_SECRET_ACCESS_KEY");
    S3Space space = desk.open(S3Desk.BUCKET, AwsAccount.of(S3Desk.host(environment)));
    Problem problem = refused(space.document("queue")::read);

    assertThat(problem.kind()).isEqualTo(Problem.Kind.NO_TOKEN);
    assertThat(problem.next()).contains("AWS_ACCESS_KEY_ID").contains("aws sso login");
  }

  @ParameterizedTest
  @CsvSource({"GetObject, s3:GetObject and s3:ListBucket", "PutObject, s3:PutObject"})
  void aMissingPermissionIsNamed(String kind, String permission) {
    desk.s3.deny(kind);
    VersionedStore store = desk.document();
    Problem problem =
        refused(
            kind.equals("GetObject")
                ? store::read
                : () -> store.write(Version.ABSENT, "one", "test"));

    assertThat(problem.kind()).isEqualTo(Problem.Kind.NO_PERMISSION);
    assertThat(problem.next()).contains("Allow " + permission + " on the bucket team-builds");
  }

  @ParameterizedTest
  @CsvSource({
    "400, KMS.DisabledException, kms:Decrypt",
    "403, RequestTimeTooSkewed, Set the clock",
    "400, ExpiredToken, Get a new one",
    "403, InvalidObjectState, Restore it",
    "403, SignatureDoesNotMatch, Set both again",
  })
  void otherRefusals(int status, String code, String next) {
    desk.s3.failNext(100, c -> c.kind().equals("GetObject"), new Fault.Failed(status, code, false));

    assertThat(refused(desk.document()::read).next()).contains(next);
  }

  @Test
  void throttlingAsksForPatienceAndLosesNothing() throws Exception {
    Version one = S3Desk.written(desk.document(), Version.ABSENT, "one");
    desk.s3.failNext(1, c -> c.kind().equals("PutObject"), Fault.throttled("SlowDown"));
    StoreException e =
        catchThrowableOfType(StoreException.class, () -> desk.document().write(one, "two", "test"));

    assertThat(e.isRetryable()).isTrue();
    assertThat(e.retryAfter()).isPresent();
    assertThat(desk.document().read().content()).contains("one");
  }

  @Test
  void aConflictLeavesTheOutcomeUnknown() throws Exception {
    Version one = S3Desk.written(desk.document(), Version.ABSENT, "one");
    desk.s3.failNext(
        1,
        c -> c.kind().equals("PutObject"),
        new Fault.Failed(409, "ConditionalRequestConflict", false));

    assertThat(desk.document().write(one, "two", "test")).isInstanceOf(WriteResult.Unknown.class);
  }

  /** A proxy sent it twice: the second answer says that it was lost, and it was not. */
  @Test
  void aWriteThatWasSentTwiceHasWon() throws Exception {
    Version one = S3Desk.written(desk.document(), Version.ABSENT, "one");
    desk.s3.failNext(1, c -> c.kind().equals("PutObject"), new Fault.Doubled());

    assertThat(desk.document().write(one, "two", "test")).isInstanceOf(WriteResult.Written.class);
  }

  @Test
  void whatSomebodyWroteByHandIsShownAndReplaced() throws Exception {
    desk.s3.write(S3Desk.BUCKET, "ci/build/queue.json", "{\"by\": \"hand\"}");
    VersionedStore store = desk.document();
    assertThat(store.read().content()).contains("{\"by\": \"hand\"}");

    S3Desk.written(store, store.read().version(), "repaired");

    assertThat(store.read().content()).contains("repaired");
    assertThat(store.earlier(1)).containsExactly("{\"by\": \"hand\"}");
  }

  // ---- settings

  @ParameterizedTest
  @CsvSource({
    "AWS_REGION, Frankfurt, is not the name of an AWS region",
    "AWS_ENDPOINT_URL_S3, http://example.com, for all to read",
    "AWS_ENDPOINT_URL, https://user:pass@example.com, a user or a password",
    "AWS_ENDPOINT_URL_DYNAMODB, not a url, is not an endpoint",
    "AWS_SECRET_ACCESS_KEY, '', is not",
    "AWS_SECRET_ACCESS_KEY, two words, Copy it again",
    "AWS_PROFILE, nobody, there is no profile",
  })
  void aSettingThatCannotWorkIsRefusedAtOnce(String variable, String value, String message) {
    BadSetting e = catchThrowableOfType(BadSetting.class, () -> with(variable, value));

    assertThat(e).isNotNull();
    assertThat(e).hasMessageContaining(message);
    assertThat(e.getMessage()).doesNotContain("pass@").doesNotContain("two words");
    assertThat(desk.s3.count()).isZero();
  }

  @ParameterizedTest
  @CsvSource({
    "s3://AB, not a valid bucket name",
    "s3://bucket/../up, cannot be a prefix",
    "s3://key:secret@bucket, without keys",
    "s3://bucket/ci?acl=public, the only parameter",
    "s4://bucket, an address in S3",
  })
  void anAddressThatCannotBeOne(String address, String message) {
    IllegalArgumentException e =
        catchThrowableOfType(IllegalArgumentException.class, () -> S3Place.parse(address));

    assertThat(e).hasMessageContaining(message);
    assertThat(e.getMessage()).doesNotContain("secret");
  }
}
