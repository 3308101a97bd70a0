package dev.baton.alibaba.ecs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.alibaba.account.AlibabaAccount;
import dev.baton.alibaba.account.Keys;
import dev.baton.alibaba.account.PipeProxy;
import dev.baton.alibaba.fake.FakeAliyun;
import dev.baton.alibaba.fake.Kind;
import dev.baton.testing.service.Call;
import dev.baton.testing.service.Fault;
import dev.baton.vm.DeploySpec;
import dev.baton.vm.Resource;
import dev.baton.vm.Trouble;
import dev.baton.vm.VmName;
import dev.baton.vm.spi.Found;
import dev.baton.vm.spi.Owner;
import dev.baton.vm.spi.Phase;
import dev.baton.vm.spi.ProviderException;
import dev.baton.vm.spi.Request;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is Alibaba Cloud's alone. */
class AliyunProviderTest {
  private static final Owner OWNER = new Owner("space0000001", new VmName("one"));
  private static final String TYPE = FakeAliyun.TYPES.get(0);
  private static final String OTHER_TYPE = FakeAliyun.TYPES.get(1);
  private static final DeploySpec SPEC =
      DeploySpec.of(FakeAliyun.REGION, TYPE)
          .withPublicKey(FakeAliyun.PUBLIC_KEY)
          .withApplication("install --password hunter2");

  private final Sky sky = new Sky();
  private final AliyunProvider provider = sky.provider();
  private final Map<dev.baton.vm.Kind, Resource> have = new EnumMap<>(dev.baton.vm.Kind.class);
  private int tokens;

  @AfterEach
  void close() {
    sky.close();
  }

  private Request request(dev.baton.vm.Kind kind, DeploySpec spec) {
    return new Request(
        kind,
        provider.plan(kind, spec, have, Optional.empty()),
        "token-" + ++tokens,
        OWNER,
        kind == dev.baton.vm.Kind.APPLICATION
            ? spec.application().map(DeploySpec.Application::script)
            : Optional.empty());
  }

  private Found create(dev.baton.vm.Kind kind, DeploySpec spec) throws Exception {
    Found made = provider.create(request(kind, spec), sky.patient);
    have.put(kind, new Resource(kind, made.id(), Map.of()));
    return made;
  }

  private void createUpTo(dev.baton.vm.Kind last, DeploySpec spec) throws Exception {
    for (dev.baton.vm.Kind kind : provider.traits().kinds()) {
      if (kind != dev.baton.vm.Kind.IMAGE) {
        create(kind, spec);
      }
      if (kind == last) {
        return;
      }
    }
  }

  private List<Call> calls(String action) {
    return sky.cloud.log().stream().filter(c -> c.kind().equals(action)).toList();
  }

  private static void troubled(Trouble trouble, String said, ThrowingCallable work) {
    assertThatThrownBy(work)
        .isInstanceOfSatisfying(
            ProviderException.class,
            e -> {
              assertThat(e.trouble()).as(e.getMessage()).isEqualTo(trouble);
              assertThat(e.getMessage()).contains(said).doesNotContain(Sky.SECRET, Sky.ID);
              assertThat(e.getCause()).isNull();
            });
  }

  // ---- marks

  @Test
  void everythingSaysWhoseItIsInTheRequestThatCreatesIt() throws Exception {
    createUpTo(dev.baton.vm.Kind.APPLICATION, SPEC);
    Map<String, String> names =
        Map.of(
            "CreateVpc", "VpcName",
            "CreateVSwitch", "VSwitchName",
            "CreateSecurityGroup", "SecurityGroupName",
            "ImportKeyPair", "KeyPairName",
            "RunInstances", "InstanceName",
            "AllocateEipAddress", "Name");
    names.forEach(
        (action, name) -> {
          assertThat(calls(action)).hasSize(1);
          Map<String, String> p = calls(action).get(0).parameters();
          assertThat(p.get(name)).startsWith(OWNER.tag());
          if (action.equals("ImportKeyPair")) {
            assertThat(p.get(name)).as("what every edition allows").matches("[A-Za-z0-9:_-]+");
          } else {
            assertThat(p.get("Description")).startsWith(OWNER.tag() + " token-");
            assertThat(p.get("ClientToken")).matches("[!-~]{1,64}");
          }
        });
    assertThat(calls("RunInstances").get(0).parameters()).containsValue(OWNER.tag());
    assertThat(calls("ImportKeyPair").get(0).parameters()).containsValue(OWNER.tag());
    List<Found> owned = provider.findOwned(OWNER.space(), Optional.empty(), sky.patient);
    assertThat(owned).allMatch(f -> f.token().orElse("").startsWith("token-"));
  }

  @Test
  void whatBelongsToOthersIsLookedThroughPageByPageAndNotFound() throws Exception {
    for (int i = 0; i < 120; i++) {
      provider.create(
          new Request(
              dev.baton.vm.Kind.NETWORK,
              Map.of(),
              "others-" + i,
              new Owner("space0000002", new VmName("one")),
              Optional.empty()),
          sky.patient);
    }
    Found ours = create(dev.baton.vm.Kind.NETWORK, SPEC);
    assertThat(provider.findOwned(OWNER.space(), Optional.empty(), sky.patient))
        .extracting(Found::id)
        .containsExactly(ours.id());
    assertThat(calls("DescribeVpcs")).hasSize(3);
  }

  @ParameterizedTest
  @CsvSource({
    "VPC, NETWORK, DescribeVpcs, 5",
    "VSWITCH, SUBNET, DescribeVSwitches, 5",
    "EIP, ADDRESS, DescribeEipAddresses, 5",
    "SECURITY_GROUP, SECURITY_GROUP, DescribeSecurityGroups, 3",
    "KEY_PAIR, KEY_PAIR, DescribeKeyPairs, 5",
    "INSTANCE, INSTANCE, DescribeInstances, 3",
    "SNAPSHOT, SNAPSHOT, DescribeSnapshots, 3",
    "IMAGE, IMAGE, DescribeImages, 3"
  })
  void allPagesOfAKindAreRead(Kind there, dev.baton.vm.Kind kind, String action, int pages)
      throws Exception {
    Map<String, String> tags =
        Map.of(Marks.OWNER, OWNER.tag(), Marks.SPACE, OWNER.space(), Marks.TOKEN, "token-1");
    sky.cloud.populate(there, 201, OWNER.tag() + " token-1", tags);
    assertThat(provider.findOwned(OWNER.space(), Optional.empty(), sky.patient))
        .filteredOn(f -> f.kind() == kind)
        .extracting(Found::id)
        .doesNotHaveDuplicates()
        .hasSize(201);
    assertThat(calls(action)).hasSize(pages);
  }

  @Test
  void aTokenThatIsTooLongIsShortenedAlike() {
    Request request =
        new Request(dev.baton.vm.Kind.NETWORK, Map.of(), "ä".repeat(70), OWNER, Optional.empty());
    assertThat(Marks.clientToken(request, ""))
        .matches("[0-9a-f]{64}")
        .isEqualTo(Marks.clientToken(request, ""))
        .isNotEqualTo(Marks.clientToken(request, "other"));
  }

  // ---- who gets in

  @Test
  void sshComesInFromTheGivenAddressesAlone() throws Exception {
    createUpTo(dev.baton.vm.Kind.SECURITY_GROUP, SPEC);
    assertThat(calls("AuthorizeSecurityGroup"))
        .singleElement()
        .satisfies(
            c ->
                assertThat(c.parameters())
                    .containsEntry("Permissions.1.SourceCidrIp", "198.51.100.7")
                    .containsEntry("Permissions.1.PortRange", "22/22"));
  }

  @Test
  void withoutAnAddressNobodyGetsIn() throws Exception {
    AliyunProvider closed = sky.provider(AliyunSettings.DEFAULT);
    Map<String, String> plan =
        closed.plan(dev.baton.vm.Kind.SECURITY_GROUP, SPEC, have, Optional.empty());
    assertThat(plan).containsEntry("ssh_from", "");
    create(dev.baton.vm.Kind.NETWORK, SPEC);
    closed.create(
        new Request(
            dev.baton.vm.Kind.SECURITY_GROUP,
            closed.plan(dev.baton.vm.Kind.SECURITY_GROUP, SPEC, have, Optional.empty()),
            "token-closed",
            OWNER,
            Optional.empty()),
        sky.patient);
    assertThat(calls("AuthorizeSecurityGroup")).isEmpty();
  }

  @Test
  void aGroupWhoseCreatorWasKilledIsOpenedBeforeAMachineIsPutIntoIt() throws Exception {
    createUpTo(dev.baton.vm.Kind.NETWORK, SPEC);
    create(dev.baton.vm.Kind.SUBNET, SPEC);
    sky.cloud.failNext(
        1,
        c -> c.kind().equals("AuthorizeSecurityGroup"),
        new Fault.Failed(500, "InternalError", false));
    Request request = request(dev.baton.vm.Kind.SECURITY_GROUP, SPEC);
    troubled(Trouble.UNAVAILABLE, "SSH", () -> provider.create(request, sky.patient));
    String group = sky.cloud.ids(Kind.SECURITY_GROUP).get(0);
    have.put(
        dev.baton.vm.Kind.SECURITY_GROUP,
        new Resource(dev.baton.vm.Kind.SECURITY_GROUP, group, Map.of()));
    create(dev.baton.vm.Kind.KEY_PAIR, SPEC);
    sky.cloud.forget();
    create(dev.baton.vm.Kind.INSTANCE, SPEC);
    assertThat(sky.cloud.log())
        .extracting(Call::kind)
        .containsSubsequence("AuthorizeSecurityGroup", "RunInstances");
  }

  @Test
  void whereTheWayOutLeadsThroughAProxyBothClientsTakeIt() throws Exception {
    try (PipeProxy proxy = new PipeProxy(sky.cloud.endpoint())) {
      Keys.Pair pair = new Keys.Pair(Sky.ID, Sky.SECRET, "");
      Api api =
          new Api(
              AlibabaAccount.of(
                  FakeAliyun.REGION, Keys.given("a test", () -> pair), proxy.rules("ann:p%40ss")),
              Endpoints.onLoopback(sky.cloud.endpoint()),
              new CloudClock(sky.cloud::resourceTime, false));
      AliyunProvider through = new AliyunProvider(api, AliyunSettings.DEFAULT);
      long before = sky.cloud.count();
      through.describe(dev.baton.vm.Kind.NETWORK, "vpc-none", sky.patient);
      through.describe(dev.baton.vm.Kind.INSTANCE, "i-none", sky.patient);
      assertThat(sky.cloud.count()).isEqualTo(before + 2);
      assertThat(proxy.heard().split(" http://" + sky.cloud.endpoint() + "/", -1)).hasSize(3);
      assertThat(proxy.heard()).doesNotContain(Sky.SECRET, "p@ss");
    }
  }

  // ---- stock

  @Test
  void theZoneIsOneWhereTheTypeIsInStock() throws Exception {
    sky.cloud.soldOut(TYPE, FakeAliyun.ZONES.get(0));
    createUpTo(dev.baton.vm.Kind.SUBNET, SPEC);
    assertThat(calls("CreateVSwitch").get(0).parameters())
        .containsEntry("ZoneId", FakeAliyun.ZONES.get(1));
  }

  @Test
  void zonesAreTriedInTheGivenOrder() throws Exception {
    sky.cloud.soldOut(TYPE, FakeAliyun.ZONES.get(2));
    createUpTo(
        dev.baton.vm.Kind.SUBNET,
        SPEC.inZone(FakeAliyun.ZONES.get(2) + "," + FakeAliyun.ZONES.get(1)));
    assertThat(calls("CreateVSwitch").get(0).parameters())
        .containsEntry("ZoneId", FakeAliyun.ZONES.get(1));
  }

  @Test
  void aSubnetOfAnEarlierTryIsFoundWhicheverZoneItGot() throws Exception {
    create(dev.baton.vm.Kind.NETWORK, SPEC);
    Request request = request(dev.baton.vm.Kind.SUBNET, SPEC);
    Found made = provider.create(request, sky.patient);
    sky.cloud.soldOut(TYPE, FakeAliyun.ZONES.get(0));
    Found again = provider.create(request, sky.patient);
    assertThat(again.id()).isEqualTo(made.id());
    assertThat(again.attributes()).containsEntry("zone_id", FakeAliyun.ZONES.get(0));
    assertThat(sky.cloud.ids(Kind.VSWITCH)).hasSize(1);
  }

  @Test
  void aTypeThatIsSoldOutIsFollowedByTheNextWithANewToken() throws Exception {
    DeploySpec either = SPEC.withType(TYPE + ", " + OTHER_TYPE);
    createUpTo(dev.baton.vm.Kind.KEY_PAIR, either);
    sky.cloud.soldOut(TYPE, "");
    Request request = request(dev.baton.vm.Kind.INSTANCE, either);
    Found made = provider.create(request, sky.patient);
    assertThat(sky.cloud.field(Kind.INSTANCE, made.id(), "InstanceType")).isEqualTo(OTHER_TYPE);
    assertThat(calls("RunInstances"))
        .extracting(c -> c.parameters().get("ClientToken"))
        .hasSize(2)
        .doesNotHaveDuplicates();
    // Again, when the first type is back: still that one machine.
    sky.cloud.inStock(TYPE, "");
    assertThat(provider.create(request, sky.patient).id()).isEqualTo(made.id());
    assertThat(sky.cloud.ids(Kind.INSTANCE)).hasSize(1);
  }

  @Test
  void aMachineOfAnEarlierTryIsFoundWhicheverTypeItGot() throws Exception {
    createUpTo(dev.baton.vm.Kind.KEY_PAIR, SPEC);
    Request second = request(dev.baton.vm.Kind.INSTANCE, SPEC.withType(OTHER_TYPE));
    Found made = provider.create(second, sky.patient);
    Map<String, String> either =
        provider.plan(
            dev.baton.vm.Kind.INSTANCE,
            SPEC.withType(TYPE + "," + OTHER_TYPE),
            have,
            Optional.empty());
    Request again = new Request(second.kind(), either, second.token(), OWNER, Optional.empty());
    assertThat(provider.create(again, sky.patient).id()).isEqualTo(made.id());
    assertThat(sky.cloud.ids(Kind.INSTANCE)).hasSize(1);
  }

  @Test
  void ifNoTypeCanBeHadItSaysSoAndWhatToDo() throws Exception {
    DeploySpec either = SPEC.withType(TYPE + "," + OTHER_TYPE);
    createUpTo(dev.baton.vm.Kind.KEY_PAIR, either);
    sky.cloud.soldOut(TYPE, "");
    sky.cloud.soldOut(OTHER_TYPE, "");
    Request request = request(dev.baton.vm.Kind.INSTANCE, either);
    troubled(Trouble.OUT_OF_STOCK, "other types", () -> provider.create(request, sky.patient));
    EnumSet<dev.baton.vm.Kind> all = EnumSet.allOf(dev.baton.vm.Kind.class);
    troubled(
        Trouble.OUT_OF_STOCK,
        TYPE + ", " + OTHER_TYPE,
        () -> provider.validate(either, all, sky.patient));
  }

  // ---- before anything is created

  @Test
  void whatCanNeverWorkIsRefusedBeforehand() {
    EnumSet<dev.baton.vm.Kind> all = EnumSet.allOf(dev.baton.vm.Kind.class);
    all.remove(dev.baton.vm.Kind.IMAGE);
    troubled(
        Trouble.BAD_REQUEST,
        "unknown instance type ecs.none",
        () -> provider.validate(SPEC.withType("ecs.none"), all, sky.patient));
    troubled(
        Trouble.BAD_REQUEST,
        "unknown instance type ecs.none",
        () -> provider.validate(SPEC.withType(TYPE + ",ecs.none"), all, sky.patient));
    troubled(
        Trouble.BAD_REQUEST,
        "unknown instance type ecs.old.large in cn-hangzhou, or it is not sold there",
        () -> provider.validate(SPEC.withType("ecs.old.large"), all, sky.patient));
    troubled(
        Trouble.BAD_REQUEST,
        "this account has no image m-none",
        () -> provider.validate(SPEC.withImage("m-none"), all, sky.patient));
    troubled(
        Trouble.BAD_REQUEST,
        "this account has no image debian_*",
        () -> provider.validate(SPEC.withImage("debian_*"), all, sky.patient));
    troubled(
        Trouble.BAD_REQUEST,
        "ALIBABA_CLOUD_REGION_ID",
        () -> provider.validate(DeploySpec.of("cn-beijing", TYPE), all, sky.patient));
    troubled(
        Trouble.BAD_REQUEST,
        "Cloud Assistant takes",
        () -> provider.validate(SPEC.withApplication("x".repeat(20_000)), all, sky.patient));
    assertThat(sky.cloud.everything()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    // of a type that ECS does not take
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIPa0Hr8aVf1XnS5XbGQdE7rXkZJkQ0RZzL1y2y3b4c5d ann, ssh-rsa",
    "sk-ssh-ed25519@openssh.com AAAA ann, ssh-rsa",
    // no key at all
    "ssh-rsa, the public key is not in the format",
    "ssh-rsa AAAA ann, the public key is not in the format",
    "ssh-rsa AAAAB3NzaC1kc3MAAAADAQAB ann, the public key is not in the format",
    "ssh-rsa hunter2! ann, the public key is not in the format",
    "hunter2, the public key is not in the format"
  })
  void aPublicKeyThatEcsDoesNotTakeIsRefusedBeforehand(String key, String said) {
    EnumSet<dev.baton.vm.Kind> all = EnumSet.allOf(dev.baton.vm.Kind.class);
    DeploySpec spec = SPEC.withPublicKey(key);
    troubled(Trouble.BAD_REQUEST, said, () -> provider.validate(spec, all, sky.patient));
    assertThatThrownBy(() -> provider.validate(spec, all, sky.patient))
        .hasMessageContaining("baton vm init")
        .hasMessageNotContaining("hunter2");
    troubled(
        Trouble.BAD_REQUEST,
        "InvalidPublicKeyBody.Malformed",
        () -> create(dev.baton.vm.Kind.KEY_PAIR, spec));
    assertThat(sky.cloud.everything()).isEmpty();
  }

  @Test
  void wrongKeysAndRegionsAreToldFromEachOther() {
    EnumSet<dev.baton.vm.Kind> all = EnumSet.allOf(dev.baton.vm.Kind.class);
    AliyunProvider unknown =
        sky.provider(AliyunSettings.DEFAULT, "LTAInobody", "s3cr3t", FakeAliyun.REGION);
    troubled(Trouble.DENIED, "correct it", () -> unknown.validate(SPEC, all, sky.patient));
    AliyunProvider wrong =
        sky.provider(AliyunSettings.DEFAULT, Sky.ID, "s3cr3t", FakeAliyun.REGION);
    assertThatThrownBy(() -> wrong.validate(SPEC, all, sky.patient))
        .hasMessageContaining("correct it")
        .hasMessageNotContaining("s3cr3t")
        .hasMessageNotContaining(Sky.ID);
    AliyunProvider elsewhere =
        sky.provider(AliyunSettings.DEFAULT, Sky.ID, Sky.SECRET, "cn-nowhere");
    troubled(
        Trouble.BAD_REQUEST,
        "Unknown region cn-nowhere",
        () -> elsewhere.validate(DeploySpec.of("cn-nowhere", TYPE), all, sky.patient));
    sky.cloud.deny("DescribeAvailableResource");
    troubled(Trouble.DENIED, "RAM policy", () -> provider.validate(SPEC, all, sky.patient));
    assertThat(sky.cloud.everything()).isEmpty();
  }

  @Test
  void temporaryKeysWorkUntilTheyExpire() throws Exception {
    sky.cloud.addTemporaryKey("STS.one", "secret-1", "token-1", Instant.now().plusSeconds(3600));
    sky.cloud.addTemporaryKey("STS.two", "secret-2", "token-2", Instant.now().minusSeconds(1));
    Keys.Pair[] pair = {new Keys.Pair("STS.one", "secret-1", "token-1")};
    AliyunProvider temporary =
        new AliyunProvider(
            new Api(
                AlibabaAccount.of(FakeAliyun.REGION, () -> pair[0]),
                Endpoints.onLoopback(sky.cloud.endpoint()),
                new CloudClock(InstantSource.system(), true)),
            AliyunSettings.DEFAULT);
    Found made = temporary.create(request(dev.baton.vm.Kind.NETWORK, SPEC), sky.patient);
    assertThat(temporary.describe(dev.baton.vm.Kind.NETWORK, made.id(), sky.patient)).isPresent();
    pair[0] = new Keys.Pair("STS.two", "secret-2", "token-2");
    assertThatThrownBy(() -> temporary.describe(dev.baton.vm.Kind.NETWORK, made.id(), sky.patient))
        .hasMessageContaining("correct it")
        .hasMessageNotContaining("secret-2")
        .hasMessageNotContaining("token-2");
  }

  @Test
  void keysThatCannotBeHadAreNoMatterOfPatience() {
    AliyunProvider without =
        new AliyunProvider(
            new Api(
                AlibabaAccount.of(
                    FakeAliyun.REGION,
                    () -> {
                      throw new IllegalStateException("the chain finds no credentials");
                    }),
                Endpoints.onLoopback(sky.cloud.endpoint()),
                new CloudClock(InstantSource.system(), true)),
            AliyunSettings.DEFAULT);
    troubled(
        Trouble.DENIED,
        "the chain finds no credentials",
        () -> without.describe(dev.baton.vm.Kind.NETWORK, "vpc-1", sky.patient));
    assertThat(sky.cloud.count()).isZero();
  }

  @Test
  void agesAreByTheClocksOfTheCloud() {
    Instant local = Instant.parse("2026-01-01T12:00:00Z");
    CloudClock clock = new CloudClock(() -> local, true);
    assertThat(clock.age("2026-01-01T11:50Z")).isEqualTo(Duration.ofMinutes(10));
    clock.heard(Map.of("date", "Thu, 01 Jan 2026 11:55:00 GMT"));
    assertThat(clock.age("2026-01-01T11:50Z")).isEqualTo(Duration.ofMinutes(5));
    assertThat(clock.age("2026-01-01T11:54:30Z")).isEqualTo(Duration.ofSeconds(30));
    assertThat(clock.age("2026-01-01T12:30:00Z")).isZero();
    assertThat(clock.age("")).isZero();
    clock.heard(Map.of("date", "nonsense"));
    assertThat(clock.now()).isEqualTo(local);
  }

  @Test
  void aClockThatIsOffIsNamed() {
    sky.cloud.advance(Duration.ofHours(1));
    troubled(
        Trouble.DENIED,
        "clock of this machine",
        () -> provider.describe(dev.baton.vm.Kind.NETWORK, "vpc-1", sky.patient));
  }

  // ---- failures

  @ParameterizedTest
  @CsvSource({
    "Throttling.User, 400, THROTTLED",
    "Throttling, 503, THROTTLED",
    "ServiceUnavailable, 503, UNAVAILABLE",
    "InternalError, 500, UNAVAILABLE",
    "QuotaExceeded.Vpc, 403, QUOTA_EXCEEDED",
    "QuotaExceed.AfterpayInstance, 403, QUOTA_EXCEEDED",
    "OperationDenied.NoStock, 403, OUT_OF_STOCK",
    "DependencyViolation.VSwitch, 400, DEPENDENCY",
    "IdempotentParameterMismatch, 400, TOKEN_MISMATCH",
    "Forbidden.RAM, 403, DENIED",
    "InvalidAccountStatus.NotEnoughBalance, 403, DENIED",
    "InvalidAccessKeyId.NotFound, 404, DENIED",
    "InvalidVpcId.NotFound, 404, NOT_FOUND",
    "InvalidRegionId.NotFound, 404, BAD_REQUEST",
    "IncorrectVpcStatus, 400, UNAVAILABLE",
    "IdempotentProcessing, 403, UNAVAILABLE",
    "SignatureNonceUsed, 400, UNAVAILABLE",
    "OperationFailed.LastTokenProcessing, 400, UNAVAILABLE",
    "LastTokenProcessing, 400, UNAVAILABLE",
    "SystemBusy, 400, UNAVAILABLE",
    "ServiceUnavailable, 400, UNAVAILABLE",
    "OperationFailed.Throttling, 400, THROTTLED",
    "Throttling.Api, 400, THROTTLED",
    "TaskConflict, 409, UNAVAILABLE",
    "InvalidOperation.Conflict, 400, UNAVAILABLE",
    "Forbidden.VpcNotFound, 404, NOT_FOUND",
    "Forbidden, 403, DENIED",
    "MissingParameter, 400, BAD_REQUEST",
    "InvalidInstanceType.ValueNotSupported, 400, BAD_REQUEST",
    "InvalidCidrBlock.Overlapped, 400, BAD_REQUEST",
    "UnsupportedFeature, 400, BAD_REQUEST",
    "OperationDenied, 403, BAD_REQUEST",
    "ChargeTypeViolation, 403, BAD_REQUEST",
    "KeyPair.LimitExceeded, 400, QUOTA_EXCEEDED",
    // What nobody has heard of proves nothing.
    "OperationFailed, 400, UNAVAILABLE",
    "UnknownError, 400, UNAVAILABLE",
    "RequestTimeout, 400, UNAVAILABLE",
    "InvalidParameter, 500, UNAVAILABLE"
  })
  void codesAreUnderstood(String code, int status, Trouble trouble) {
    sky.cloud.failNext(1, c -> true, new Fault.Failed(status, code, false));
    troubled(trouble, code, () -> create(dev.baton.vm.Kind.NETWORK, SPEC));
    assertThat(sky.cloud.count()).as("requests").isEqualTo(1);
  }

  @Test
  void whatIsNotFoundIsNoMatterOfPermissions() {
    sky.cloud.failNext(1, c -> true, new Fault.Failed(404, "Forbidden.VpcNotFound", false));
    assertThatThrownBy(() -> provider.delete(dev.baton.vm.Kind.NETWORK, "vpc-gone", sky.patient))
        .hasMessageContaining("Forbidden.VpcNotFound")
        .hasMessageNotContaining("RAM policy");
  }

  @Test
  void noAnswerIsNoProof() {
    for (Fault fault : List.of(new Fault.Dropped(true), new Fault.BadGateway(false))) {
      sky.cloud.forget();
      sky.cloud.failNext(1, c -> true, fault);
      troubled(
          Trouble.UNAVAILABLE,
          "did not answer as it should",
          () -> create(dev.baton.vm.Kind.NETWORK, SPEC));
      assertThat(sky.cloud.count()).as("requests").isEqualTo(1);
    }
  }

  @Test
  void whereNobodyIsItSaysWhatToCheck() {
    sky.cloud.close();
    troubled(
        Trouble.UNAVAILABLE,
        "cannot be reached (ConnectException): check the network, HTTPS_PROXY and the region "
            + FakeAliyun.REGION
            + " (ALIBABA_CLOUD_REGION_ID)",
        () -> provider.describe(dev.baton.vm.Kind.NETWORK, "vpc-1", sky.patient));
  }

  /** The HTTP client sends once more what a broken connection may have swallowed. */
  @Test
  void aRequestThatWasSentTwiceMayHaveBeenDoneTheFirstTime() throws Exception {
    Request request = request(dev.baton.vm.Kind.NETWORK, SPEC);
    sky.cloud.failNext(1, c -> c.kind().equals("CreateVpc"), new Fault.Doubled());
    troubled(
        Trouble.UNAVAILABLE, "SignatureNonceUsed", () -> provider.create(request, sky.patient));
    assertThat(provider.create(request, sky.patient).id())
        .isEqualTo(sky.cloud.ids(Kind.VPC).get(0));
    assertThat(sky.cloud.ids(Kind.VPC)).hasSize(1);
  }

  // ---- machines

  @Test
  void stoppingAsksForTheModeThatIsNotBilledAndTellsWhenThereIsNone() throws Exception {
    createUpTo(dev.baton.vm.Kind.KEY_PAIR, SPEC);
    Found good = create(dev.baton.vm.Kind.INSTANCE, SPEC);
    Found bad = create(dev.baton.vm.Kind.INSTANCE, SPEC.withType("ecs.i2.local"));
    Found other = create(dev.baton.vm.Kind.INSTANCE, SPEC.withType("ecs.d1.local"));
    for (Found f : List.of(good, bad, other)) {
      provider.stop(f.id(), sky.patient);
    }
    assertThat(calls("StopInstance"))
        .allSatisfy(c -> assertThat(c.parameters()).containsEntry("StoppedMode", "StopCharging"));
    Found stopped =
        provider.describe(dev.baton.vm.Kind.INSTANCE, good.id(), sky.patient).orElseThrow();
    assertThat(stopped.phase()).isEqualTo(Phase.STOPPED);
    assertThat(stopped.attributes()).containsEntry("stopped_mode", "StopCharging");
    assertThat(stopped.isBilledWhileStopped()).isFalse();
    Found billed =
        provider.describe(dev.baton.vm.Kind.INSTANCE, bad.id(), sky.patient).orElseThrow();
    assertThat(billed.attributes()).containsEntry("stopped_mode", "KeepCharging");
    assertThat(billed.isBilledWhileStopped()).isTrue();
    Found without =
        provider.describe(dev.baton.vm.Kind.INSTANCE, other.id(), sky.patient).orElseThrow();
    assertThat(without.attributes()).containsEntry("stopped_mode", "Not-applicable");
    assertThat(without.isBilledWhileStopped()).isTrue();
    provider.start(bad.id(), sky.patient);
    assertThat(
            provider
                .describe(dev.baton.vm.Kind.INSTANCE, bad.id(), sky.patient)
                .orElseThrow()
                .isBilledWhileStopped())
        .isFalse();
  }

  @Test
  void theImageIsTheNewestOfItsName() throws Exception {
    String newest = "ubuntu_22_04_x64_20G_alibase_20260301.vhd";
    sky.cloud.publish("ubuntu_22_04_x64_20G_alibase_20250101.vhd");
    sky.cloud.publish(newest);
    sky.cloud.publish("ubuntu_24_04_x64_20G_alibase_20260401.vhd");
    createUpTo(dev.baton.vm.Kind.INSTANCE, SPEC);
    assertThat(calls("RunInstances").get(0).parameters()).containsEntry("ImageId", newest);
  }

  @Test
  void whatIsOnItsWayOutIsWaitedForAndNotAnError() throws Exception {
    createUpTo(dev.baton.vm.Kind.SUBNET, SPEC);
    sky.cloud.slowness(Duration.ofSeconds(30));
    String subnet = have.get(dev.baton.vm.Kind.SUBNET).id();
    provider.delete(dev.baton.vm.Kind.SUBNET, subnet, sky.patient);
    troubled(
        Trouble.DEPENDENCY,
        "IncorrectVSwitchStatus",
        () -> provider.delete(dev.baton.vm.Kind.SUBNET, subnet, sky.patient));
    sky.cloud.pass(Duration.ofSeconds(30));
    troubled(
        Trouble.NOT_FOUND,
        "InvalidVSwitchId",
        () -> provider.delete(dev.baton.vm.Kind.SUBNET, subnet, sky.patient));
    assertThat(provider.describe(dev.baton.vm.Kind.SUBNET, subnet, sky.patient)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    // wanted, in minutes from now; what ECS is told; the same again ten minutes later
    "480, 480, 480",
    "60, 60, 60",
    "20, 51, 51",
    "-30, 32, 42"
  })
  void aReleaseTimeIsNeverTooEarlyAndStaysTheSameWhereItCan(int wanted, int told, int again) {
    Instant now = Instant.parse("2026-01-01T00:00:00Z");
    Instant time = now.plus(Duration.ofMinutes(wanted));
    assertThat(Machines.releaseTime(time, now))
        .isEqualTo(now.plus(Duration.ofMinutes(told)).toString());
    assertThat(Machines.releaseTime(time, now.plus(Duration.ofMinutes(10))))
        .isEqualTo(now.plus(Duration.ofMinutes(again)).toString());
  }

  // ---- scripts

  @Test
  void aScriptThatFailsIsToldByItsExitCodeAndNotByWhatItSaid() throws Exception {
    createUpTo(dev.baton.vm.Kind.ADDRESS, SPEC);
    sky.cloud.commands((id, text) -> Map.entry(3, "hunter2 was wrong"));
    Found app = create(dev.baton.vm.Kind.APPLICATION, SPEC);
    assertThatThrownBy(
            () -> provider.describe(dev.baton.vm.Kind.APPLICATION, app.id(), sky.patient))
        .hasMessageContaining("exit code 3")
        .hasMessageNotContaining("hunter2");
    provider.delete(dev.baton.vm.Kind.APPLICATION, app.id(), sky.patient);
    sky.cloud.commands((id, text) -> Map.entry(0, ""));
    Found again = create(dev.baton.vm.Kind.APPLICATION, SPEC);
    assertThat(provider.describe(dev.baton.vm.Kind.APPLICATION, again.id(), sky.patient))
        .hasValueSatisfying(f -> assertThat(f.phase()).isEqualTo(Phase.READY));
  }

  /** Results go after some weeks; one that never comes is something else. */
  @Test
  void aScriptOfLongAgoIsDoneThoughNobodyKnowsItsResult() throws Exception {
    createUpTo(dev.baton.vm.Kind.ADDRESS, SPEC);
    Found app = create(dev.baton.vm.Kind.APPLICATION, SPEC);
    sky.cloud.vanish(Kind.INVOCATION, app.id().split("/")[1]);
    assertThat(provider.describe(dev.baton.vm.Kind.APPLICATION, app.id(), sky.patient))
        .hasValueSatisfying(f -> assertThat(f.phase()).isEqualTo(Phase.PENDING));
    sky.cloud.pass(Duration.ofMinutes(6));
    troubled(
        Trouble.BAD_REQUEST,
        "Cloud Assistant knows nothing of task",
        () -> provider.describe(dev.baton.vm.Kind.APPLICATION, app.id(), sky.patient));
    sky.cloud.pass(Duration.ofDays(30));
    assertThat(provider.describe(dev.baton.vm.Kind.APPLICATION, app.id(), sky.patient))
        .hasValueSatisfying(f -> assertThat(f.phase()).isEqualTo(Phase.READY));
  }

  @Test
  void aScriptWaitsForCloudAssistantAndNotForEver() throws Exception {
    createUpTo(dev.baton.vm.Kind.ADDRESS, SPEC);
    sky.cloud.assistants(false);
    Instant before = sky.cloud.resourceTime();
    troubled(
        Trouble.BAD_REQUEST,
        "use an image that has it",
        () -> create(dev.baton.vm.Kind.APPLICATION, SPEC));
    assertThat(Duration.between(before, sky.cloud.resourceTime()))
        .isBetween(Duration.ofMinutes(5), Duration.ofMinutes(7));
    assertThat(calls("RunCommand")).isEmpty();
  }

  @Test
  void theScriptIsInNoTagNoNameAndNoPlan() throws Exception {
    createUpTo(dev.baton.vm.Kind.APPLICATION, SPEC);
    assertThat(sky.cloud.log().stream().filter(c -> !c.kind().equals("RunCommand")))
        .noneMatch(c -> c.parameters().toString().contains("hunter2"));
    assertThat(
            provider.plan(dev.baton.vm.Kind.APPLICATION, SPEC, have, Optional.empty()).toString())
        .doesNotContain("hunter2");
  }
}
