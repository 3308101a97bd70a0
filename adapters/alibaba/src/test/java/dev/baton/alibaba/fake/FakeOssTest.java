package dev.baton.alibaba.fake;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.aliyun.oss.ClientBuilderConfiguration;
import com.aliyun.oss.OSS;
import com.aliyun.oss.OSSClientBuilder;
import com.aliyun.oss.OSSException;
import com.aliyun.oss.common.auth.DefaultCredentialProvider;
import com.aliyun.oss.common.comm.NoRetryStrategy;
import com.aliyun.oss.common.comm.SignVersion;
import com.aliyun.oss.model.BucketInfo;
import com.aliyun.oss.model.CannedAccessControlList;
import com.aliyun.oss.model.LifecycleRule;
import com.aliyun.oss.model.ListObjectsV2Request;
import com.aliyun.oss.model.ListObjectsV2Result;
import com.aliyun.oss.model.OSSObjectSummary;
import com.aliyun.oss.model.ObjectMetadata;
import com.aliyun.oss.model.PutObjectRequest;
import com.aliyun.oss.model.ServerSideEncryptionByDefault;
import com.aliyun.oss.model.ServerSideEncryptionConfiguration;
import com.aliyun.oss.model.SetBucketEncryptionRequest;
import com.aliyun.oss.model.SetBucketLifecycleRequest;
import dev.baton.testing.service.Fault;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The fake, as Alibaba Cloud's own client sees it. */
class FakeOssTest {
  private static final LifecycleRule.RuleStatus ENABLED = LifecycleRule.RuleStatus.Enabled;

  private final FakeOss oss = FakeOss.start();
  private OSS client;

  @BeforeEach
  void open() {
    oss.addKey("id", "secret", "me");
    oss.addBucket("mine", "me");
    client = client("id", "secret", SignVersion.V4);
  }

  private OSS client(String id, String secret, SignVersion version) {
    ClientBuilderConfiguration how = new ClientBuilderConfiguration();
    how.setSignatureVersion(version);
    how.setRetryStrategy(new NoRetryStrategy());
    return OSSClientBuilder.create()
        .endpoint(oss.endpoint())
        .region(FakeOss.REGION)
        .credentialsProvider(new DefaultCredentialProvider(id, secret))
        .clientConfiguration(how)
        .build();
  }

  @AfterEach
  void close() {
    client.shutdown();
    oss.close();
  }

  private void put(String key, String text, boolean overwrite) {
    ObjectMetadata about = new ObjectMetadata();
    if (!overwrite) {
      about.setHeader("x-oss-forbid-overwrite", "true");
    }
    client.putObject(new PutObjectRequest("mine", key, stream(text), about));
  }

  private static ByteArrayInputStream stream(String text) {
    return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
  }

  private static void refused(Runnable work, String code) {
    assertThatThrownBy(work::run)
        .isInstanceOfSatisfying(
            OSSException.class, e -> assertThat(e.getErrorCode()).isEqualTo(code));
  }

  @Test
  void objectsArePutGotLookedAtAndDeleted() throws IOException {
    put("a/ä +&*~.txt", "grün", true);

    assertThat(client.doesObjectExist("mine", "a/ä +&*~.txt")).isTrue();
    assertThat(client.getObject("mine", "a/ä +&*~.txt").getObjectContent().readAllBytes())
        .isEqualTo("grün".getBytes(StandardCharsets.UTF_8));
    client.deleteObject("mine", "a/ä +&*~.txt");
    assertThat(client.doesObjectExist("mine", "a/ä +&*~.txt")).isFalse();
    refused(() -> client.getObject("mine", "a"), "NoSuchKey");
  }

  @Test
  void nothingIsOverwrittenWhereThatIsForbidden() {
    put("a", "one", false);
    refused(() -> put("a", "two", false), "FileAlreadyExists");
    assertThat(oss.text("mine", "a")).contains("one");
    put("a", "three", true);
    assertThat(oss.text("mine", "a")).contains("three");
  }

  @ParameterizedTest
  @ValueSource(strings = {"Enabled", "Suspended"})
  void inABucketThatKeepsVersionsForbiddingHasNoEffect(String status) {
    put("a", "one", false);
    oss.versioning("mine", status);
    put("a", "two", false);
    assertThat(oss.text("mine", "a")).contains("two");
    assertThat(client.getBucketVersioning("mine").getStatus()).isEqualTo(status);
  }

  @Test
  void aPutHasNoOtherConditions() {
    ObjectMetadata about = new ObjectMetadata();
    about.setHeader("If-None-Match", "*");
    refused(
        () -> client.putObject(new PutObjectRequest("mine", "a", stream("x"), about)),
        "NotImplemented");
  }

  @Test
  void listsComeInPages() {
    for (int i = 0; i < 25; i++) {
      put(String.format("a/%02d", i), "x", true);
    }
    put("b", "x", true);
    List<String> found = new ArrayList<>();
    ListObjectsV2Request request = new ListObjectsV2Request("mine", "a/");
    request.setMaxKeys(10);
    int pages = 0;
    ListObjectsV2Result page;
    do {
      page = client.listObjectsV2(request);
      page.getObjectSummaries().stream().map(OSSObjectSummary::getKey).forEach(found::add);
      request.setContinuationToken(page.getNextContinuationToken());
      pages++;
    } while (page.isTruncated());
    assertThat(pages).isEqualTo(3);
    assertThat(found).hasSize(25).isSorted().startsWith("a/00").endsWith("a/24");

    ListObjectsV2Request after = new ListObjectsV2Request("mine", "a/");
    after.setStartAfter("a/22");
    assertThat(client.listObjectsV2(after).getObjectSummaries())
        .extracting(OSSObjectSummary::getKey)
        .containsExactly("a/23", "a/24");
    after.setMaxKeys(1001);
    refused(() -> client.listObjectsV2(after), "InvalidArgument");
  }

  @Test
  void bucketsAreMadeAndFurnished() {
    client.createBucket("new-one");
    client.setBucketAcl("new-one", CannedAccessControlList.Private);
    assertThat(client.getBucketLocation("new-one")).isEqualTo("oss-" + FakeOss.REGION);
    BucketInfo info = client.getBucketInfo("new-one");
    assertThat(info.getBucket().getOwner().getId()).isEqualTo("me");
    assertThat(client.getBucketVersioning("new-one").getStatus()).isNull();
    refused(() -> client.getBucketEncryption("new-one"), "NoSuchServerSideEncryptionRule");
    client.setBucketEncryption(
        new SetBucketEncryptionRequest(
            "new-one",
            new ServerSideEncryptionConfiguration()
                .withApplyServerSideEncryptionByDefault(
                    new ServerSideEncryptionByDefault("AES256"))));
    assertThat(
            client
                .getBucketEncryption("new-one")
                .getApplyServerSideEncryptionByDefault()
                .getSSEAlgorithm())
        .isEqualTo("AES256");
    oss.addBucket("taken", "somebody else");
    refused(() -> client.createBucket("taken"), "BucketAlreadyExists");
    client.deleteBucket("new-one");
    assertThat(oss.hasBucket("new-one")).isFalse();
    put("a", "x", true);
    refused(() -> client.deleteBucket("mine"), "BucketNotEmpty");
  }

  @Test
  void lifecycleRulesReplaceAllThatWereThere() {
    refused(() -> client.getBucketLifecycle("mine"), "NoSuchLifecycle");
    lifecycle("one");
    lifecycle("two");
    assertThat(client.getBucketLifecycle("mine"))
        .extracting(LifecycleRule::getId)
        .containsExactly("two");
  }

  private void lifecycle(String id) {
    client.setBucketLifecycle(rules(new LifecycleRule(id, "history/", ENABLED, 30)));
  }

  private static SetBucketLifecycleRequest rules(LifecycleRule... rules) {
    SetBucketLifecycleRequest request = new SetBucketLifecycleRequest("mine");
    request.setLifecycleRules(List.of(rules));
    return request;
  }

  @ParameterizedTest
  @CsvSource({"'', a/", "a/, a/b/", "a/, a/"})
  void lifecycleRulesThatOverlapNeedAWordThatTheyMay(String one, String two) {
    LifecycleRule first = new LifecycleRule("1", one, ENABLED, 30);
    LifecycleRule second = new LifecycleRule("2", two, ENABLED, 7);
    SetBucketLifecycleRequest request = rules(first, second);
    refused(() -> client.setBucketLifecycle(request), "InvalidRequest");
    assertThat(oss.lifecycle("mine")).isEmpty();

    request.addHeader("x-oss-allow-same-action-overlap", "true");
    client.setBucketLifecycle(request);
    assertThat(client.getBucketLifecycle("mine")).hasSize(2);
  }

  @Test
  void lifecycleRulesThatLieApartOrDoDifferentThingsDoNotOverlap() {
    LifecycleRule parts = new LifecycleRule("3", "", ENABLED);
    parts.setAbortMultipartUpload(new LifecycleRule.AbortMultipartUpload().withExpirationDays(3));
    client.setBucketLifecycle(
        rules(
            new LifecycleRule("1", "a/", ENABLED, 30),
            new LifecycleRule("2", "b/", ENABLED, 7),
            parts));
    assertThat(client.getBucketLifecycle("mine")).hasSize(3);
  }

  // ---- who asks

  @Test
  void signaturesAreVerified() {
    OSS other = client("id", "wrong", SignVersion.V4);
    refused(() -> other.getObject("mine", "a"), "SignatureDoesNotMatch");
    OSS nobody = client("nobody", "secret", SignVersion.V4);
    refused(() -> nobody.getObject("mine", "a"), "InvalidAccessKeyId");
    OSS old = client("id", "secret", SignVersion.V1);
    refused(() -> old.getObject("mine", "a"), "InvalidArgument");
    other.shutdown();
    nobody.shutdown();
    old.shutdown();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "OSS id", "Bearer x", "OSS4-HMAC-SHA256 Credential=id,Signature=abc"})
  void whatIsNotSignedIsRefused(String authorization) throws Exception {
    HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(oss.endpoint() + "/mine/a"));
    if (!authorization.isEmpty()) {
      request.header("Authorization", authorization);
    }
    HttpResponse<String> answer =
        HttpClient.newHttpClient()
            .send(
                request.PUT(HttpRequest.BodyPublishers.ofString("x")).build(),
                HttpResponse.BodyHandlers.ofString());
    assertThat(answer.statusCode()).isBetween(400, 403);
    assertThat(oss.keys("mine")).isEmpty();
  }

  @Test
  void requestsAreCountedByKind() {
    put("a", "x", true);
    client.doesObjectExist("mine", "a");
    client.listObjectsV2("mine");
    assertThat(oss.counts())
        .isEqualTo(Map.of("PutObject", 1L, "HeadObject", 1L, "ListObjectsV2", 1L));
    oss.forget();
    assertThat(oss.count()).isZero();
  }

  @Test
  void faultsHappenBeforeOrAfterTheDeed() {
    oss.failNext(1, c -> c.kind().equals("PutObject"), new Fault.Dropped(false));
    assertThatThrownBy(() -> put("a", "x", true)).isNotNull();
    assertThat(oss.keys("mine")).isEmpty();
    oss.failNext(
        1, c -> c.kind().equals("PutObject"), new Fault.Failed(500, "InternalError", true));
    refused(() -> put("a", "x", true), "InternalError");
    assertThat(oss.keys("mine")).containsExactly("a");
  }
}
