package dev.baton.aws.setup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.baton.aws.DocumentedPolicy;
import dev.baton.aws.account.AwsAccount;
import dev.baton.aws.dynamodb.DynamoDesk;
import dev.baton.aws.s3.S3Desk;
import dev.baton.aws.s3.S3Place;
import dev.baton.aws.state.S3StateSpace;
import dev.baton.core.BadSetting;
import dev.baton.core.Problem;
import dev.baton.core.adapter.StoreSetup;
import dev.baton.core.adapter.StoreSetup.Part;
import dev.baton.core.adapter.StoreSetup.State;
import dev.baton.state.spi.StateSpace;
import dev.baton.store.StoreException;
import dev.baton.store.Version;
import dev.baton.testing.service.Fault;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Buckets and tables are made as the guide says, and what is there stays. */
class AwsSetupTest {
  private static final String NEW_BUCKET = "company-deployer-state";
  private static final String STATE = "stacks/shop/production/state.json";
  private static final String HISTORY = "stacks/shop/production/history/2026-02-24-10-00-00.json";

  private final S3Desk s3 = new S3Desk();
  private final DynamoDesk dynamo = new DynamoDesk();
  private final String newTable = dynamo.table + "-new";

  @AfterEach
  void close() {
    s3.close();
    dynamo.close();
  }

  private Map<String, String> environment() {
    Map<String, String> all = s3.environment();
    all.putAll(dynamo.environment());
    return all;
  }

  private StoreSetup.Session open(String... addresses) {
    return new AwsSetup().open(List.of(addresses), S3Desk.host(environment()));
  }

  private List<Part> look(String... addresses) throws Exception {
    try (StoreSetup.Session session = open(addresses)) {
      return session.look();
    }
  }

  private List<Part> change(String... addresses) throws Exception {
    List<Part> done = new ArrayList<>();
    try (StoreSetup.Session session = open(addresses)) {
      session.change(done::add);
    }
    return done;
  }

  private static Part part(List<Part> parts, String name) {
    return parts.stream().filter(p -> p.name().equals(name)).findFirst().orElseThrow();
  }

  private static boolean isReady(List<Part> parts) {
    return parts.stream().allMatch(p -> p.state() == State.READY);
  }

  // ---- making

  @Test
  void lookingChangesNothing() throws Exception {
    List<Part> parts = look("s3://" + NEW_BUCKET, "dynamodb://" + newTable);

    assertThat(parts).hasSize(9).allMatch(p -> p.state() == State.MISSING && !p.next().isEmpty());
    assertThat(s3.s3.counts()).containsOnlyKeys("GetBucketVersioning");
    assertThat(dynamo.proxy.counts()).containsOnlyKeys("DescribeTable");
  }

  @Test
  void bucketAndTableAreMadeAndTheSecondTimeNothingIsWritten() throws Exception {
    List<Part> done = change("s3://" + NEW_BUCKET, "dynamodb://" + newTable);

    assertThat(done).hasSize(9);
    assertThat(s3.s3.setting(NEW_BUCKET, "versioning")).contains("<Status>Enabled</Status>");
    assertThat(s3.s3.setting(NEW_BUCKET, "encryption")).contains("AES256");
    assertThat(s3.s3.setting(NEW_BUCKET, "publicAccessBlock").split("true")).hasSize(5);
    assertThat(s3.s3.setting(NEW_BUCKET, "lifecycle"))
        .contains("<NoncurrentDays>90</NoncurrentDays>", "<Days>90</Days>", "baton", "history");
    s3.s3.forget();
    dynamo.proxy.forget();
    assertThat(look("s3://" + NEW_BUCKET, "dynamodb://" + newTable))
        .hasSize(9)
        .allMatch(p -> p.state() == State.READY && p.next().isEmpty());
    assertThat(change("s3://" + NEW_BUCKET, "dynamodb://" + newTable)).isEmpty();
    assertThat(s3.s3.log()).noneMatch(c -> c.method().equals("PUT"));
    assertThat(dynamo.proxy.counts().keySet()).allMatch(kind -> kind.startsWith("Describe"));
  }

  @Test
  void aKilledSetupIsFinishedByTheNextOne() throws Exception {
    String[] both = {"s3://" + NEW_BUCKET, "dynamodb://" + newTable};
    List<String> writes =
        List.of("PutPublicAccessBlock", "PutBucketVersioning", "PutBucketLifecycleConfiguration");
    for (String write : writes) {
      s3.s3.failNext(1, c -> c.is(write), new Fault.Dropped(false));
      assertThatThrownBy(() -> change(both)).isInstanceOf(StoreException.class);
    }
    change(both);

    assertThat(isReady(look(both))).isTrue();
  }

  @Test
  void theTableOfLocksIsMadeToo() throws Exception {
    assertThat(look("s3://" + S3Desk.BUCKET + "/vms?locks=" + newTable))
        .extracting(Part::place)
        .contains("the table " + newTable);
  }

  @Test
  void aTableThatIsPaidByCapacityIsChanged() throws Exception {
    dynamo.createProvisionedTable(newTable);
    assertThat(part(look("dynamodb://" + newTable), "billing").there()).isEqualTo("PROVISIONED");
    change("dynamodb://" + newTable);
    assertThat(isReady(look("dynamodb://" + newTable))).isTrue();
  }

  @Test
  void whatATableLacksIsSet() throws Exception {
    assertThat(look("dynamodb://" + dynamo.table)).hasSize(4);
    assertThat(change("dynamodb://" + dynamo.table))
        .extracting(Part::name)
        .containsExactly("time to live", "point-in-time recovery");
    assertThat(isReady(look("dynamodb://" + dynamo.table))).isTrue();
  }

  @Test
  void recoveryIsAskedForAgainWhereTheTableIsNew() throws Exception {
    dynamo.proxy.failNext(
        1,
        c -> c.is("UpdateContinuousBackups"),
        new Fault.Failed(400, "ContinuousBackupsUnavailableException", false));
    change("dynamodb://" + newTable);

    assertThat(isReady(look("dynamodb://" + newTable))).isTrue();
    assertThat(dynamo.proxy.counts()).containsEntry("UpdateContinuousBackups", 2L);
  }

  @Test
  void whatAServerForTestsDoesNotOfferIsNotMissed() throws Exception {
    dynamo.proxy.withoutBackups();
    change("dynamodb://" + newTable);

    assertThat(part(look("dynamodb://" + newTable), "point-in-time recovery").there())
        .startsWith("not offered");
  }

  // ---- history goes, states stay

  private void save() throws Exception {
    Map<String, String> environment = environment();
    try (S3StateSpace space =
        S3StateSpace.open(new S3Place(NEW_BUCKET, ""), AwsAccount.of(S3Desk.host(environment)))) {
      space.put(STATE, Version.ABSENT, "{\"state\":1}", StateSpace.Purpose.STATE);
      space.put(HISTORY, Version.ABSENT, "{\"state\":0}", StateSpace.Purpose.HISTORY);
    }
  }

  /** With the very objects that the state manager writes. */
  @Test
  void theRulesTakeHistoryAndLeaveTheState() throws Exception {
    change("s3://" + NEW_BUCKET);
    save();
    for (int days : new int[] {89, 2, 1000}) {
      s3.s3.advance(Duration.ofDays(days));
      s3.s3.carryOutLifecycle(NEW_BUCKET);
      assertThat(s3.s3.keys(NEW_BUCKET)).contains(STATE).hasSize(days == 89 ? 2 : 1);
    }
    assertThat(s3.s3.text(NEW_BUCKET, STATE)).isEqualTo("{\"state\":1}");
    assertThat(s3.s3.noncurrentVersions(NEW_BUCKET)).isZero();
  }

  private void rule(String id, String filter, String rest) {
    s3.s3.setting(
        S3Desk.BUCKET,
        "lifecycle",
        "<LifecycleConfiguration><Rule><ID>"
            + id
            + "</ID><Status>Enabled</Status>"
            + filter
            + rest
            + "</Rule></LifecycleConfiguration>");
  }

  private static final String IN_90_DAYS = "<Expiration><Days>90</Days></Expiration>";

  @Test
  void rulesOfOthersStay() throws Exception {
    rule("theirs", "<Filter><Prefix>logs/</Prefix></Filter>", IN_90_DAYS);
    assertThat(part(look("s3://team-builds"), "lifecycle").next())
        .endsWith("and keep its other rule");
    change("s3://team-builds");

    assertThat(s3.s3.setting(S3Desk.BUCKET, "lifecycle"))
        .contains("<ID>theirs</ID>", "<Prefix>logs/</Prefix>")
        .contains("<ID>delete-old-versions</ID>", "<ID>delete-old-history</ID>");
    assertThat(isReady(look("s3://team-builds"))).isTrue();
  }

  /** As somebody would write it who knows only the prefix of the history. */
  @ParameterizedTest
  @ValueSource(strings = {"stacks/*/*/history/", "stacks/"})
  void aRuleOfThatNameThatDoesSomethingElseIsReplaced(String prefix) throws Exception {
    rule("delete-old-history", "<Filter><Prefix>" + prefix + "</Prefix></Filter>", IN_90_DAYS);
    List<Part> parts = look("s3://team-builds");
    assertThat(part(parts, "lifecycle").next()).contains("in place of what is called so");
    assertThat(parts).noneMatch(p -> p.state() == State.BY_HAND);
    change("s3://team-builds");

    assertThat(s3.s3.setting(S3Desk.BUCKET, "lifecycle")).doesNotContain(prefix);
  }

  @ParameterizedTest
  @CsvSource({
    "stacks/, s3://team-builds, true",
    "'', s3://team-builds, true",
    "logs/, s3://team-builds, false",
    "ci/, s3://team-builds/ci, true",
    "ci/build/, s3://team-builds/ci, true",
    "stacks/, s3://team-builds/ci, false"
  })
  void aRuleOfOthersThatWouldDeleteStatesIsNamedAndLeft(
      String prefix, String address, boolean endangers) throws Exception {
    rule("all-of-it", "<Filter><Prefix>" + prefix + "</Prefix></Filter>", IN_90_DAYS);
    change(address);
    List<Part> parts = look(address);

    assertThat(s3.s3.setting(S3Desk.BUCKET, "lifecycle")).contains("<ID>all-of-it</ID>");
    assertThat(parts.stream().filter(p -> p.state() == State.BY_HAND).map(Part::name).toList())
        .isEqualTo(endangers ? List.of("lifecycle rule all-of-it") : List.of());
  }

  @Test
  void anEncryptionByAKeyStays() throws Exception {
    s3.s3.setting(
        S3Desk.BUCKET,
        "encryption",
        "<ServerSideEncryptionConfiguration><Rule><ApplyServerSideEncryptionByDefault>"
            + "<SSEAlgorithm>aws:kms</SSEAlgorithm></ApplyServerSideEncryptionByDefault></Rule>"
            + "</ServerSideEncryptionConfiguration>");
    change("s3://team-builds");

    assertThat(s3.s3.setting(S3Desk.BUCKET, "encryption")).contains("aws:kms");
    assertThat(part(look("s3://team-builds"), "encryption").there()).startsWith("KMS");
  }

  // ---- what cannot be used

  private Problem refused(String... addresses) {
    StoreException e = catchThrowableOfType(StoreException.class, () -> change(addresses));
    assertThat(e).isNotNull();
    assertThat(e.getMessage()).doesNotContain("awssdk").doesNotContain("EXAMPLEKEY");
    assertThat(e.problem().next()).isNotEmpty();
    return e.problem();
  }

  @Test
  void aBucketOfAnotherAccount() {
    s3.s3.addBucket("theirs", "999999999999");

    assertThat(refused("s3://theirs").next()).contains("belongs to another account");
    assertThat(s3.s3.counts()).containsOnlyKeys("GetBucketVersioning");
  }

  /** Where a look says that there is none, because it may not say whose it is. */
  @Test
  void aNameThatIsTaken() {
    s3.s3.failNext(
        1, c -> c.is("CreateBucket"), new Fault.Failed(409, "BucketAlreadyExists", false));

    assertThat(refused("s3://" + NEW_BUCKET).next()).startsWith("Choose another name");
  }

  @Test
  void anotherRegion() {
    Map<String, String> environment = environment();
    environment.put("AWS_REGION", "us-west-2");
    StoreException e =
        catchThrowableOfType(
            StoreException.class,
            () -> {
              try (StoreSetup.Session session =
                  new AwsSetup().open(List.of("s3://team-builds"), S3Desk.host(environment))) {
                session.look();
              }
            });

    assertThat(e.getMessage()).contains("another region than us-west-2");
    assertThat(e.problem().next()).contains("AWS_REGION");
  }

  @ParameterizedTest
  @CsvSource({
    "GetBucketVersioning, s3:GetBucketVersioning",
    "GetPublicAccessBlock, s3:GetBucketPublicAccessBlock",
    "GetBucketEncryption, s3:GetEncryptionConfiguration",
    "GetBucketLifecycleConfiguration, s3:GetLifecycleConfiguration",
    "CreateBucket, s3:CreateBucket",
    "PutPublicAccessBlock, s3:PutBucketPublicAccessBlock",
    "PutBucketEncryption, s3:PutEncryptionConfiguration",
    "PutBucketVersioning, s3:PutBucketVersioning",
    "PutBucketLifecycleConfiguration, s3:PutLifecycleConfiguration"
  })
  void aPermissionThatIsMissingForABucket(String call, String permission) {
    s3.s3.deny(call);
    Problem problem =
        refused(call.equals("CreateBucket") ? "s3://" + NEW_BUCKET : "s3://team-builds");

    assertThat(problem.kind()).isEqualTo(Problem.Kind.NO_PERMISSION);
    assertThat(problem.next()).contains(permission);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "DescribeTable",
        "DescribeTimeToLive",
        "DescribeContinuousBackups",
        "CreateTable",
        "UpdateTimeToLive",
        "UpdateContinuousBackups"
      })
  void aPermissionThatIsMissingForATable(String call) {
    dynamo.proxy.deny(call);
    String table = call.equals("CreateTable") ? newTable : dynamo.table;
    Problem problem = refused("dynamodb://" + table);

    assertThat(problem.kind()).isEqualTo(Problem.Kind.NO_PERMISSION);
    assertThat(problem.next()).contains("dynamodb:" + call);
  }

  @Test
  void aTableWithAnotherKeyIsLeftAlone() {
    dynamo.createTable(newTable, "id");
    dynamo.proxy.forget();
    Problem problem = refused("dynamodb://" + newTable);

    assertThat(problem.what()).contains("\"id HASH S\"");
    assertThat(problem.next()).startsWith("Name another table");
    assertThat(dynamo.proxy.counts()).containsOnlyKeys("DescribeTable");
  }

  @Test
  void aTimeToLiveByAnotherAttributeIsLeftAlone() throws Exception {
    dynamo.expireBy(dynamo.table, "goesAt");
    change("dynamodb://" + dynamo.table);

    Part part = part(look("dynamodb://" + dynamo.table), "time to live");
    assertThat(part.state()).isEqualTo(State.BY_HAND);
    assertThat(part.there()).contains("goesAt");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"s3://", "s3://B", "s3:x", "dynamodb://", "dynamodb://a", "dynamodb://u:p@t/k"})
  void whatIsNoAddressIsRefusedBeforeAnythingIsAsked(String address) {
    assertThatThrownBy(() -> open(address))
        .isInstanceOf(BadSetting.class)
        .hasMessageNotContaining("u:p");
    assertThat(s3.s3.count() + dynamo.proxy.count()).isZero();
  }

  // ---- what it asks for

  @Test
  void theLeastPermissionsAreThoseInTheGuide() throws Exception {
    change("s3://" + NEW_BUCKET, "dynamodb://" + newTable);
    look("s3://" + NEW_BUCKET, "dynamodb://" + newTable);
    Set<String> used = new TreeSet<>();
    // What IAM calls these is not what the API does.
    Map<String, String> others =
        Map.of(
            "GetPublicAccessBlock", "GetBucketPublicAccessBlock",
            "PutPublicAccessBlock", "PutBucketPublicAccessBlock",
            "GetBucketEncryption", "GetEncryptionConfiguration",
            "PutBucketEncryption", "PutEncryptionConfiguration",
            "GetBucketLifecycleConfiguration", "GetLifecycleConfiguration",
            "PutBucketLifecycleConfiguration", "PutLifecycleConfiguration");
    s3.s3.counts().keySet().forEach(k -> used.add("s3:" + others.getOrDefault(k, k)));
    dynamo.proxy.counts().keySet().forEach(k -> used.add("dynamodb:" + k));
    used.add("dynamodb:UpdateTable"); // of a table that is paid by capacity

    assertThat(DocumentedPolicy.actions("init")).isEqualTo(new HashSet<>(used));
  }
}
