package dev.baton.alibaba.oss;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.baton.alibaba.account.Keys;
import dev.baton.alibaba.fake.FakeOss;
import dev.baton.store.StoreException;
import dev.baton.store.Version;
import dev.baton.store.VersionedStore;
import dev.baton.testing.service.Fault;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What somebody is told when something is wrong, and that nothing is written then. */
class OssTroubleTest {
  private final Desk desk = new Desk();

  @AfterEach
  void close() {
    if (desk.oss.hasBucket(Desk.BUCKET)) {
      assertThat(desk.oss.keys(Desk.BUCKET)).as("nothing was written").isEmpty();
    }
    desk.close();
  }

  private StoreException told(OssSpace space, String... words) {
    StoreException said =
        catchThrowableOfType(StoreException.class, () -> space.document("queue").read());
    assertThat(said).isNotNull().hasMessageContainingAll(words);
    assertThat(said).hasNoCause();
    assertThat(
            catchThrowableOfType(
                StoreException.class,
                () -> space.document("queue").write(Version.ABSENT, "one", "test")))
        .isNotNull();
    return said;
  }

  /** When it has lasted long enough to be believed. */
  private StoreException toldForGood(OssSpace space, String... words) {
    catchThrowable(() -> desk.patiently(() -> space.document("queue").read()));
    StoreException said = told(space, words);
    assertThat(said.isRetryable()).isFalse();
    return said;
  }

  @Test
  void anUnknownKey() {
    StoreException said =
        toldForGood(
            desk.open(Desk.BUCKET, desk.access("LTAIother", Desk.SECRET, "")),
            "OSS does not know the access key from the keys that were given",
            "InvalidAccessKeyId",
            "request FAKE",
            "Correct it");
    assertThat(said.isRetryable()).isFalse();
    assertThat(said.isDenied()).isTrue();
  }

  @Test
  void aWrongSecret() {
    StoreException said =
        toldForGood(
            desk.open(Desk.BUCKET, desk.access(Desk.ID, "another", "")),
            "is not that of its access key",
            "SignatureDoesNotMatch",
            "Set both again");
    assertThat(said.isDenied()).isTrue();
  }

  @Test
  void anExpiredKey() {
    desk.oss.addTemporaryKey(
        "STS.x", "temporary", "token", Desk.ACCOUNT, Instant.now().minusSeconds(60));
    StoreException said =
        toldForGood(
            desk.open(Desk.BUCKET, desk.access("STS.x", "temporary", "token")),
            "has expired or does not fit its token",
            "SecurityTokenExpired",
            "Get a new one");
    assertThat(said.isDenied()).isTrue();
    toldForGood(
        desk.open(Desk.BUCKET, desk.access("STS.x", "temporary", "other")),
        "InvalidSecurityToken",
        "Get a new one");
    toldForGood(
        desk.open(Desk.BUCKET, desk.access("STS.x", "temporary", "")),
        "InvalidAccessKeyId",
        "ALIBABA_CLOUD_SECURITY_TOKEN");
  }

  @Test
  void aTemporaryKeyThatIsValidWorks() throws StoreException {
    desk.oss.addTemporaryKey(
        "STS.x", "temporary", "token", Desk.ACCOUNT, Instant.now().plusSeconds(60));
    assertThat(
            desk.open(Desk.BUCKET, desk.access("STS.x", "temporary", "token"))
                .document("queue")
                .read())
        .isNotNull();
  }

  @Test
  void aBucketOfAnotherRegion() {
    desk.oss.addBucketElsewhere("far-away");
    StoreException said =
        toldForGood(
            desk.open("far-away", desk.access()),
            "the bucket is in another region than cn-hangzhou",
            "Set ALIBABA_CLOUD_REGION_ID to the bucket's region");
    assertThat(said.isDenied()).as("no key would help").isFalse();
  }

  @Test
  void aRegionThatIsNotTheEndpoints() {
    OssAccess wrong =
        OssAccess.of(
            URI.create(desk.oss.endpoint()),
            "eu-central-1",
            () -> new Keys.Pair(Desk.ID, Desk.SECRET, ""));
    toldForGood(
        desk.open(Desk.BUCKET, wrong), "in another region than eu-central-1", "BATON_OSS_ENDPOINT");
  }

  @Test
  void anAccountWithoutOss() {
    desk.oss.disable(Desk.ACCOUNT);
    toldForGood(
        desk.open(), "OSS is not open for this account", "UserDisable", "Open OSS in the console");
  }

  @Test
  void aBucketOfAnotherAccount() {
    desk.oss.addBucket("taken", "2000000000000002");
    toldForGood(
        desk.open("taken", desk.access()),
        "the bucket belongs to another account, or the access key may not look at it",
        "choose another name");
  }

  @Test
  void noSuchBucket() {
    StoreException said =
        toldForGood(
            desk.open("no-such-bucket", desk.access()),
            "oss://no-such-bucket/ci",
            "the bucket does not exist",
            "for VMs with `baton vm init --bucket no-such-bucket`",
            "private and without versioning, in cn-hangzhou");
    assertThat(said.isDenied()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"GetBucketVersioning", "ListObjectsV2"})
  void aMissingPermission(String kind) {
    desk.oss.deny(kind);
    StoreException said =
        toldForGood(
            desk.open(),
            "may not do this",
            "Allow oss:" + kind.replace("V2", "") + " on team-builds",
            "RAM policy");
    assertThat(said.isDenied()).isTrue();
  }

  @Test
  void noPermissionToWrite() throws StoreException {
    desk.oss.deny("PutObject");
    VersionedStore store = desk.document();
    Version absent = store.read().version();
    assertThat(
            catchThrowableOfType(
                StoreException.class, () -> desk.patiently(() -> store.write(absent, "one", ""))))
        .hasMessageContaining("Allow oss:PutObject on team-builds")
        .satisfies(e -> assertThat(e.isRetryable()).isFalse());
  }

  @ParameterizedTest
  @ValueSource(longs = {20, -20})
  void aClockThatIsWrong(long minutes) {
    desk.oss.advance(Duration.ofMinutes(minutes));
    toldForGood(
        desk.open(),
        "the clock of this machine is more than 15 minutes off",
        "RequestTimeTooSkewed",
        "Set the clock");
  }

  @Test
  void aClockThatIsALittleWrong() throws StoreException {
    desk.oss.advance(Duration.ofMinutes(14));
    assertThat(desk.document().read().version()).isEqualTo(Version.ABSENT);
  }

  @Test
  void nobodyListens() {
    FakeOss gone = FakeOss.start();
    gone.close();
    OssAccess access =
        OssAccess.of(
            URI.create(gone.endpoint()),
            FakeOss.REGION,
            () -> new Keys.Pair(Desk.ID, Desk.SECRET, ""));
    StoreException said =
        told(
            desk.open(Desk.BUCKET, access),
            "OSS cannot be reached at " + gone.endpoint(),
            "Check the network");
    assertThat(said.isRetryable()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "TotalQpsLimitExceeded",
        "QpsLimitExceeded",
        "MetaOperationQpsLimitExceeded",
        "UploadTrafficRateLimitExceeded",
        "ServiceUnavailable"
      })
  void tooManyRequests(String code) {
    desk.oss.failNext(9, c -> true, Fault.throttled(code));
    StoreException said = told(desk.open(), code);
    assertThat(said.isRetryable()).isTrue();
    assertThat(said.retryAfter()).contains(Duration.ofSeconds(5));
  }

  @Test
  void anAnswerOfSomebodyElse() {
    desk.oss.failNext(9, c -> true, new Fault.BadGateway(false));
    StoreException said = told(desk.open(), "OSS did not answer as it should");
    assertThat(said.isRetryable()).isTrue();
  }

  @Test
  void aCodeThatNobodyKnows() {
    desk.oss.failNext(9, c -> true, new Fault.Failed(400, "Newfangled", false));
    StoreException said =
        toldForGood(desk.open(), "OSS refuses it (Newfangled", "Look up that code");
    assertThat(said.isRetryable()).isFalse();
  }

  @Test
  void keysThatCannotBeHad() {
    OssAccess access =
        OssAccess.of(
            URI.create(desk.oss.endpoint()),
            FakeOss.REGION,
            () -> {
              throw new IllegalStateException("the chain is empty. Fill it.");
            });
    assertThat(told(desk.open(Desk.BUCKET, access), "the chain is empty. Fill it.").isDenied())
        .isTrue();
    assertThat(desk.oss.count()).isZero();
  }
}
