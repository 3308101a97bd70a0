package dev.baton.alibaba.fake;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.aliyun.ecs20140526.models.AuthorizeSecurityGroupRequest;
import com.aliyun.ecs20140526.models.CreateImageRequest;
import com.aliyun.ecs20140526.models.CreateSecurityGroupRequest;
import com.aliyun.ecs20140526.models.CreateSnapshotRequest;
import com.aliyun.ecs20140526.models.DeleteImageRequest;
import com.aliyun.ecs20140526.models.DeleteInstanceRequest;
import com.aliyun.ecs20140526.models.DeleteKeyPairsRequest;
import com.aliyun.ecs20140526.models.DeleteSecurityGroupRequest;
import com.aliyun.ecs20140526.models.DeleteSnapshotRequest;
import com.aliyun.ecs20140526.models.DescribeDisksRequest;
import com.aliyun.ecs20140526.models.DescribeImagesRequest;
import com.aliyun.ecs20140526.models.DescribeInstancesRequest;
import com.aliyun.ecs20140526.models.DescribeInstancesResponseBody.DescribeInstancesResponseBodyInstancesInstance;
import com.aliyun.ecs20140526.models.DescribeInvocationResultsRequest;
import com.aliyun.ecs20140526.models.DescribeInvocationResultsResponseBody.DescribeInvocationResultsResponseBodyInvocationInvocationResultsInvocationResult;
import com.aliyun.ecs20140526.models.DescribeKeyPairsRequest;
import com.aliyun.ecs20140526.models.DescribeSecurityGroupAttributeRequest;
import com.aliyun.ecs20140526.models.DescribeSecurityGroupsRequest;
import com.aliyun.ecs20140526.models.DescribeSnapshotsRequest;
import com.aliyun.ecs20140526.models.ImportKeyPairRequest;
import com.aliyun.ecs20140526.models.ModifyInstanceAutoReleaseTimeRequest;
import com.aliyun.ecs20140526.models.RunCommandRequest;
import com.aliyun.ecs20140526.models.RunInstancesRequest;
import com.aliyun.ecs20140526.models.StartInstanceRequest;
import com.aliyun.ecs20140526.models.StopInstanceRequest;
import com.aliyun.ecs20140526.models.TagResourcesRequest;
import com.aliyun.sts20150401.models.GetCallerIdentityResponseBody;
import com.aliyun.tea.TeaException;
import com.aliyun.teaopenapi.models.Config;
import com.aliyun.teaopenapi.models.OpenApiRequest;
import com.aliyun.teaopenapi.models.Params;
import com.aliyun.teautil.models.RuntimeOptions;
import com.aliyun.vpc20160428.models.AllocateEipAddressRequest;
import com.aliyun.vpc20160428.models.AssociateEipAddressRequest;
import com.aliyun.vpc20160428.models.CreateVSwitchRequest;
import com.aliyun.vpc20160428.models.CreateVpcRequest;
import com.aliyun.vpc20160428.models.DeleteVSwitchRequest;
import com.aliyun.vpc20160428.models.DeleteVpcRequest;
import com.aliyun.vpc20160428.models.DescribeEipAddressesRequest;
import com.aliyun.vpc20160428.models.DescribeVSwitchesRequest;
import com.aliyun.vpc20160428.models.DescribeVpcsRequest;
import com.aliyun.vpc20160428.models.DescribeVpcsResponseBody;
import com.aliyun.vpc20160428.models.ReleaseEipAddressRequest;
import com.aliyun.vpc20160428.models.UnassociateEipAddressRequest;
import dev.baton.testing.service.Fault;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The fake, as Alibaba Cloud's own clients see it. */
class FakeAliyunTest {
  private static final String REGION = FakeAliyun.REGION;
  private static final String ZONE = FakeAliyun.ZONES.get(0);
  private static final String TYPE = FakeAliyun.TYPES.get(0);

  private final FakeAliyun cloud = FakeAliyun.start("1000000000000001");
  private com.aliyun.ecs20140526.Client ecs;
  private com.aliyun.vpc20160428.Client vpc;
  private com.aliyun.sts20150401.Client sts;

  @BeforeEach
  void open() throws Exception {
    cloud.addKey("id", "secret");
    ecs = new com.aliyun.ecs20140526.Client(config("id", "secret"));
    vpc = new com.aliyun.vpc20160428.Client(config("id", "secret"));
    sts = new com.aliyun.sts20150401.Client(config("id", "secret"));
  }

  @AfterEach
  void close() {
    cloud.close();
  }

  private Config config(String id, String secret) {
    return new Config()
        .setAccessKeyId(id)
        .setAccessKeySecret(secret)
        .setRegionId(REGION)
        .setEndpoint(cloud.endpoint())
        .setProtocol("http");
  }

  private static void refused(String code, ThrowingCallable work) {
    assertThatThrownBy(work)
        .isInstanceOfSatisfying(TeaException.class, e -> assertThat(e.getCode()).isEqualTo(code));
  }

  // ---- shorthands

  private String newVpc(String name, String token) throws Exception {
    return vpc.createVpc(
            new CreateVpcRequest()
                .setRegionId(REGION)
                .setCidrBlock("192.168.0.0/16")
                .setVpcName(name)
                .setDescription("of owner-1 & others: ä *~")
                .setClientToken(token))
        .getBody()
        .getVpcId();
  }

  private String newVSwitch(String vpcId) throws Exception {
    return vpc.createVSwitch(
            new CreateVSwitchRequest()
                .setVpcId(vpcId)
                .setZoneId(ZONE)
                .setCidrBlock("192.168.1.0/24"))
        .getBody()
        .getVSwitchId();
  }

  private String newGroup(String vpcId) throws Exception {
    return ecs.createSecurityGroup(
            new CreateSecurityGroupRequest()
                .setRegionId(REGION)
                .setVpcId(vpcId)
                .setSecurityGroupName("group"))
        .getBody()
        .getSecurityGroupId();
  }

  private RunInstancesRequest machine(String vswitch, String group, String token) {
    return new RunInstancesRequest()
        .setRegionId(REGION)
        .setInstanceType(TYPE)
        .setImageId(FakeAliyun.IMAGE)
        .setVSwitchId(vswitch)
        .setSecurityGroupId(group)
        .setInstanceName("build-1")
        .setClientToken(token)
        .setTag(
            List.of(
                new RunInstancesRequest.RunInstancesRequestTag().setKey("owner").setValue("o")));
  }

  private String newInstance(String token) throws Exception {
    String net = newVpc("net", "vpc-" + token);
    return run(machine(newVSwitch(net), newGroup(net), token));
  }

  private String run(RunInstancesRequest request) throws Exception {
    return ecs.runInstances(request).getBody().getInstanceIdSets().getInstanceIdSet().get(0);
  }

  private DescribeInstancesResponseBodyInstancesInstance look(String id) throws Exception {
    return ecs.describeInstances(
            new DescribeInstancesRequest().setRegionId(REGION).setInstanceIds("[\"" + id + "\"]"))
        .getBody()
        .getInstances()
        .getInstance()
        .get(0);
  }

  private void stop(String id) throws Exception {
    ecs.stopInstance(new StopInstanceRequest().setInstanceId(id).setStoppedMode("StopCharging"));
  }

  // ---- a life

  @Test
  void aMachineIsMadeStoppedStartedAndDestroyed() throws Exception {
    String net = newVpc("net", "t1");
    String subnet = newVSwitch(net);
    String group = newGroup(net);
    ecs.authorizeSecurityGroup(
        new AuthorizeSecurityGroupRequest()
            .setRegionId(REGION)
            .setSecurityGroupId(group)
            .setIpProtocol("tcp")
            .setPortRange("22/22")
            .setSourceCidrIp("198.51.100.7/32"));
    assertThat(
            ecs.describeSecurityGroupAttribute(
                    new DescribeSecurityGroupAttributeRequest()
                        .setRegionId(REGION)
                        .setSecurityGroupId(group))
                .getBody()
                .getPermissions()
                .getPermission())
        .singleElement()
        .satisfies(p -> assertThat(p.getSourceCidrIp()).isEqualTo("198.51.100.7/32"));
    ecs.importKeyPair(
        new ImportKeyPairRequest()
            .setRegionId(REGION)
            .setKeyPairName("key")
            .setPublicKeyBody(FakeAliyun.PUBLIC_KEY));
    String id = run(machine(subnet, group, "t2").setKeyPairName("key"));
    assertThat(look(id).getStatus()).isEqualTo("Running");
    assertThat(look(id).getVpcAttributes().getVpcId()).isEqualTo(net);
    assertThat(look(id).getTags().getTag().get(0).getTagKey()).isEqualTo("owner");

    var eip =
        vpc.allocateEipAddress(new AllocateEipAddressRequest().setRegionId(REGION).setName("ip"))
            .getBody();
    vpc.associateEipAddress(
        new AssociateEipAddressRequest()
            .setRegionId(REGION)
            .setAllocationId(eip.getAllocationId())
            .setInstanceId(id));
    assertThat(look(id).getEipAddress().getIpAddress()).isEqualTo(eip.getEipAddress());

    stop(id);
    assertThat(look(id).getStatus()).isEqualTo("Stopped");
    assertThat(look(id).getStoppedMode()).isEqualTo("StopCharging");
    ecs.startInstance(new StartInstanceRequest().setInstanceId(id));
    assertThat(look(id).getStatus()).isEqualTo("Running");
    assertThat(look(id).getStoppedMode()).isEqualTo("Not-applicable");

    refused(
        "DependencyViolation.VSwitch", () -> vpc.deleteVpc(new DeleteVpcRequest().setVpcId(net)));
    refused(
        "DependencyViolation",
        () -> vpc.deleteVSwitch(new DeleteVSwitchRequest().setVSwitchId(subnet)));
    refused(
        "DependencyViolation",
        () ->
            ecs.deleteSecurityGroup(
                new DeleteSecurityGroupRequest().setRegionId(REGION).setSecurityGroupId(group)));
    refused(
        "IncorrectEipStatus",
        () ->
            vpc.releaseEipAddress(
                new ReleaseEipAddressRequest().setAllocationId(eip.getAllocationId())));
    refused(
        "IncorrectInstanceStatus",
        () -> ecs.deleteInstance(new DeleteInstanceRequest().setInstanceId(id)));

    vpc.unassociateEipAddress(
        new UnassociateEipAddressRequest().setAllocationId(eip.getAllocationId()));
    vpc.releaseEipAddress(new ReleaseEipAddressRequest().setAllocationId(eip.getAllocationId()));
    ecs.deleteInstance(new DeleteInstanceRequest().setInstanceId(id).setForce(true));
    ecs.deleteSecurityGroup(
        new DeleteSecurityGroupRequest().setRegionId(REGION).setSecurityGroupId(group));
    vpc.deleteVSwitch(new DeleteVSwitchRequest().setVSwitchId(subnet));
    vpc.deleteVpc(new DeleteVpcRequest().setVpcId(net));
    ecs.deleteKeyPairs(
        new DeleteKeyPairsRequest().setRegionId(REGION).setKeyPairNames("[\"key\"]"));
    assertThat(cloud.everything()).isEmpty();
    refused("InvalidVpcId.NotFound", () -> vpc.deleteVpc(new DeleteVpcRequest().setVpcId(net)));
  }

  @Test
  void aSnapshotBecomesAnImageAndAnImageAMachine() throws Exception {
    String id = newInstance("t");
    String disk =
        ecs.describeDisks(new DescribeDisksRequest().setRegionId(REGION).setInstanceId(id))
            .getBody()
            .getDisks()
            .getDisk()
            .get(0)
            .getDiskId();
    cloud.slowness(Duration.ofMinutes(3));
    String snapshot =
        ecs.createSnapshot(
                new CreateSnapshotRequest()
                    .setDiskId(disk)
                    .setSnapshotName("shot")
                    .setClientToken("s"))
            .getBody()
            .getSnapshotId();
    CreateImageRequest image =
        new CreateImageRequest().setRegionId(REGION).setSnapshotId(snapshot).setImageName("image");
    refused("IncorrectSnapshotStatus", () -> ecs.createImage(image));
    cloud.pass(Duration.ofMinutes(3));
    assertThat(
            ecs.describeSnapshots(
                    new DescribeSnapshotsRequest()
                        .setRegionId(REGION)
                        .setSnapshotIds("[\"" + snapshot + "\"]"))
                .getBody()
                .getSnapshots()
                .getSnapshot()
                .get(0)
                .getStatus())
        .isEqualTo("accomplished");
    String made = ecs.createImage(image).getBody().getImageId();
    DescribeImagesRequest looking =
        new DescribeImagesRequest().setRegionId(REGION).setImageId(made);
    assertThat(ecs.describeImages(looking).getBody().getImages().getImage().get(0).getStatus())
        .isEqualTo("Creating");
    cloud.pass(Duration.ofMinutes(3));
    refused(
        "SnapshotCreatedImage",
        () -> ecs.deleteSnapshot(new DeleteSnapshotRequest().setSnapshotId(snapshot)));
    ecs.deleteImage(new DeleteImageRequest().setRegionId(REGION).setImageId(made));
    ecs.deleteSnapshot(new DeleteSnapshotRequest().setSnapshotId(snapshot));
    assertThat(cloud.ids(Kind.SNAPSHOT)).isEmpty();
    assertThat(cloud.ids(Kind.IMAGE)).isEmpty();
  }

  @Test
  void commandsRunOnMachines() throws Exception {
    String id = newInstance("t");
    cloud.commands((instance, text) -> Map.entry(text.equals("true") ? 0 : 3, "said " + text));
    cloud.slowness(Duration.ofSeconds(5));
    String invoke = command(id, "false");
    assertThat(result(invoke).getInvocationStatus()).isEqualTo("Running");
    cloud.pass(Duration.ofSeconds(5));
    assertThat(result(invoke).getInvocationStatus()).isEqualTo("Failed");
    assertThat(result(invoke).getExitCode()).isEqualTo(3);
    assertThat(new String(Base64.getDecoder().decode(result(invoke).getOutput())))
        .isEqualTo("said false");
  }

  private String command(String id, String text) throws Exception {
    return ecs.runCommand(
            new RunCommandRequest()
                .setRegionId(REGION)
                .setType("RunShellScript")
                .setContentEncoding("Base64")
                .setCommandContent(
                    Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8)))
                .setInstanceId(List.of(id)))
        .getBody()
        .getInvokeId();
  }

  private DescribeInvocationResultsResponseBodyInvocationInvocationResultsInvocationResult result(
      String invoke) throws Exception {
    return ecs.describeInvocationResults(
            new DescribeInvocationResultsRequest().setRegionId(REGION).setInvokeId(invoke))
        .getBody()
        .getInvocation()
        .getInvocationResults()
        .getInvocationResult()
        .get(0);
  }

  // ---- time

  @Test
  void whatIsStartedTakesItsTime() throws Exception {
    cloud.slowness(Duration.ofSeconds(30));
    String net = newVpc("net", "t");
    refused("IncorrectVpcStatus", () -> newVSwitch(net));
    cloud.pass(Duration.ofSeconds(30));
    String subnet = newVSwitch(net);
    String group = newGroup(net);
    refused("IncorrectVSwitchStatus", () -> run(machine(subnet, group, "m")));
    cloud.pass(Duration.ofSeconds(30));
    String id = run(machine(subnet, group, "m"));
    assertThat(look(id).getStatus()).isEqualTo("Pending");
    refused("IncorrectInstanceStatus", () -> stop(id));
    cloud.pass(Duration.ofSeconds(30));
    assertThat(look(id).getStatus()).isEqualTo("Running");
    stop(id);
    assertThat(look(id).getStatus()).isEqualTo("Stopping");
  }

  @Test
  void whatIsDeletedIsInTheWayForAWhile() throws Exception {
    String net = newVpc("net", "t");
    String subnet = newVSwitch(net);
    String group = newGroup(net);
    String id = run(machine(subnet, group, "m"));
    cloud.slowness(Duration.ofSeconds(30));
    DeleteInstanceRequest delete = new DeleteInstanceRequest().setInstanceId(id).setForce(true);
    ecs.deleteInstance(delete);
    assertThat(look(id).getStatus()).isEqualTo("Stopping");
    refused("IncorrectInstanceStatus", () -> ecs.deleteInstance(delete));
    DeleteVSwitchRequest deleteSubnet = new DeleteVSwitchRequest().setVSwitchId(subnet);
    refused("DependencyViolation", () -> vpc.deleteVSwitch(deleteSubnet));
    assertThat(cloud.ids(Kind.DISK)).hasSize(1);
    cloud.pass(Duration.ofSeconds(30));
    assertThat(cloud.ids(Kind.INSTANCE)).isEmpty();
    assertThat(cloud.ids(Kind.DISK)).isEmpty();
    ecs.deleteSecurityGroup(
        new DeleteSecurityGroupRequest().setRegionId(REGION).setSecurityGroupId(group));
    vpc.deleteVSwitch(deleteSubnet);
    assertThat(cloud.status(Kind.VSWITCH, subnet)).isEqualTo("Pending");
    refused("IncorrectVSwitchStatus", () -> vpc.deleteVSwitch(deleteSubnet));
    refused("InvalidCidrBlock.Overlapped", () -> newVSwitch(net));
    refused("IncorrectVSwitchStatus", () -> run(machine(subnet, newGroup(net), "n")));
    refused(
        "DependencyViolation.VSwitch", () -> vpc.deleteVpc(new DeleteVpcRequest().setVpcId(net)));
    cloud.pass(Duration.ofSeconds(30));
    refused("InvalidVSwitchId.NotFound", () -> vpc.deleteVSwitch(deleteSubnet));
    assertThat(newVSwitch(net)).isNotEqualTo(subnet);
  }

  @Test
  void newResourcesAreNotInListsAtOnce() throws Exception {
    cloud.invisible(Duration.ofSeconds(10));
    newVpc("net", "t");
    DescribeVpcsRequest all = new DescribeVpcsRequest().setRegionId(REGION);
    assertThat(vpc.describeVpcs(all).getBody().getTotalCount()).isZero();
    cloud.pass(Duration.ofSeconds(11));
    assertThat(vpc.describeVpcs(all).getBody().getTotalCount()).isEqualTo(1);
  }

  @Test
  void aForgottenMachineIsReleasedAndItsAddressStays() throws Exception {
    String net = newVpc("net", "t");
    Instant release = cloud.resourceTime().plus(Duration.ofHours(1));
    RunInstancesRequest request =
        machine(newVSwitch(net), newGroup(net), "m").setAutoReleaseTime("soon");
    refused("InvalidAutoReleaseTime.Malformed", () -> run(request));
    request.setAutoReleaseTime(cloud.resourceTime().plusSeconds(60).toString());
    refused("InvalidAutoReleaseTime.NotSupported", () -> run(request));
    request.setAutoReleaseTime(FakeAliyun.SECONDS.format(release));
    String id = run(request);
    String eip =
        vpc.allocateEipAddress(new AllocateEipAddressRequest().setRegionId(REGION))
            .getBody()
            .getAllocationId();
    vpc.associateEipAddress(
        new AssociateEipAddressRequest().setAllocationId(eip).setInstanceId(id));
    cloud.pass(Duration.ofMinutes(50));
    ecs.modifyInstanceAutoReleaseTime(
        new ModifyInstanceAutoReleaseTimeRequest()
            .setInstanceId(id)
            .setAutoReleaseTime(FakeAliyun.SECONDS.format(release.plus(Duration.ofHours(1)))));
    cloud.pass(Duration.ofMinutes(20));
    assertThat(cloud.ids(Kind.INSTANCE)).containsExactly(id);
    cloud.pass(Duration.ofHours(1));
    assertThat(cloud.ids(Kind.INSTANCE)).isEmpty();
    assertThat(cloud.ids(Kind.DISK)).isEmpty();
    assertThat(cloud.status(Kind.EIP, eip)).isEqualTo("Available");
  }

  @Test
  void aReleaseTimeCanBeTakenBack() throws Exception {
    String net = newVpc("net", "t");
    String id =
        run(
            machine(newVSwitch(net), newGroup(net), "m")
                .setAutoReleaseTime(
                    FakeAliyun.SECONDS.format(cloud.resourceTime().plus(Duration.ofHours(1)))));
    ecs.modifyInstanceAutoReleaseTime(new ModifyInstanceAutoReleaseTimeRequest().setInstanceId(id));
    cloud.pass(Duration.ofDays(2));
    assertThat(cloud.ids(Kind.INSTANCE)).containsExactly(id);
  }

  // ---- tokens

  @Test
  void theSameTokenMakesTheSameResource() throws Exception {
    String first = newVpc("net", "token");
    assertThat(newVpc("net", "token")).isEqualTo(first);
    assertThat(cloud.ids(Kind.VPC)).hasSize(1);
    refused("IdempotentParameterMismatch", () -> newVpc("other", "token"));
    assertThat(newVpc("net", "another")).isNotEqualTo(first);
    refused("InvalidClientToken", () -> newVpc("net", "x".repeat(65)));
    cloud.pass(Duration.ofHours(23));
    assertThat(newVpc("net", "token")).isEqualTo(first);
    cloud.pass(Duration.ofHours(2));
    assertThat(newVpc("net", "token")).as("forgotten after a day").isNotEqualTo(first);
  }

  @Test
  void afterAFaultTheTokenFindsWhatWasMade() throws Exception {
    cloud.failNext(
        1, c -> c.kind().equals("CreateVpc"), new Fault.Failed(500, "InternalError", true));
    refused("InternalError", () -> newVpc("net", "token"));
    List<String> made = cloud.ids(Kind.VPC);
    assertThat(made).hasSize(1);
    assertThat(newVpc("net", "token")).isEqualTo(made.get(0));
  }

  @Test
  void aSoldOutTypeIsRefusedUntilThereIsANewToken() throws Exception {
    String net = newVpc("net", "t");
    RunInstancesRequest request = machine(newVSwitch(net), newGroup(net), "m");
    cloud.soldOut(TYPE, ZONE);
    refused("OperationDenied.NoStock", () -> run(request));
    cloud.inStock(TYPE, ZONE);
    refused("OperationDenied.NoStock", () -> run(request));
    assertThat(run(request.setClientToken("m2"))).isNotEmpty();
  }

  @Test
  void aStoppedMachineMayFindNoPlace() throws Exception {
    String id = newInstance("t");
    stop(id);
    cloud.soldOut(TYPE, "");
    refused(
        "OperationDenied.NoStock",
        () -> ecs.startInstance(new StartInstanceRequest().setInstanceId(id)));
    assertThat(look(id).getStatus()).isEqualTo("Stopped");
  }

  @Test
  void aTypeThatCannotStopChargingDoesNotSaySo() throws Exception {
    String net = newVpc("net", "t");
    String subnet = newVSwitch(net);
    String group = newGroup(net);
    String id = run(machine(subnet, group, "m").setInstanceType("ecs.i2.local"));
    stop(id);
    assertThat(look(id).getStoppedMode()).isEqualTo("KeepCharging");
    String other = run(machine(subnet, group, "n").setInstanceType("ecs.d1.local"));
    stop(other);
    assertThat(look(other).getStoppedMode()).isEqualTo("Not-applicable");
  }

  // ---- lists

  @Test
  void listsComeInPagesAndCanBeFiltered() throws Exception {
    for (int i = 0; i < 23; i++) {
      newVpc("net-" + i, "t" + i);
    }
    List<String> found = new ArrayList<>();
    int page = 1;
    DescribeVpcsResponseBody body;
    do {
      body =
          vpc.describeVpcs(
                  new DescribeVpcsRequest()
                      .setRegionId(REGION)
                      .setPageNumber(page++)
                      .setPageSize(10))
              .getBody();
      body.getVpcs().getVpc().forEach(v -> found.add(v.getVpcId()));
    } while (found.size() < body.getTotalCount());
    assertThat(page).isEqualTo(4);
    assertThat(found).isEqualTo(cloud.ids(Kind.VPC));
    refused(
        "InvalidParameter",
        () -> vpc.describeVpcs(new DescribeVpcsRequest().setRegionId(REGION).setPageSize(51)));
    assertThat(
            vpc.describeVpcs(new DescribeVpcsRequest().setRegionId(REGION).setVpcName("net-7"))
                .getBody()
                .getVpcs()
                .getVpc())
        .singleElement()
        .satisfies(v -> assertThat(v.getDescription()).isEqualTo("of owner-1 & others: ä *~"));
  }

  @Test
  void everyKindCanBeDescribed() throws Exception {
    String id = newInstance("t");
    ecs.tagResources(
        new TagResourcesRequest()
            .setRegionId(REGION)
            .setResourceType("instance")
            .setResourceId(List.of(id))
            .setTag(
                List.of(
                    new TagResourcesRequest.TagResourcesRequestTag().setKey("k").setValue("v"))));
    assertThat(
            ecs.describeInstances(
                    new DescribeInstancesRequest()
                        .setRegionId(REGION)
                        .setTag(
                            List.of(
                                new DescribeInstancesRequest.DescribeInstancesRequestTag()
                                    .setKey("k")
                                    .setValue("v"))))
                .getBody()
                .getTotalCount())
        .isEqualTo(1);
    assertThat(
            ecs.describeSecurityGroups(new DescribeSecurityGroupsRequest().setRegionId(REGION))
                .getBody()
                .getSecurityGroups()
                .getSecurityGroup())
        .hasSize(1);
    assertThat(
            vpc.describeVSwitches(new DescribeVSwitchesRequest().setRegionId(REGION))
                .getBody()
                .getVSwitches()
                .getVSwitch())
        .hasSize(1);
    assertThat(
            vpc.describeEipAddresses(new DescribeEipAddressesRequest().setRegionId(REGION))
                .getBody()
                .getTotalCount())
        .isZero();
    assertThat(
            ecs.describeKeyPairs(new DescribeKeyPairsRequest().setRegionId(REGION))
                .getBody()
                .getTotalCount())
        .isZero();
  }

  // ---- what is refused

  @Test
  void badInput() throws Exception {
    String net = newVpc("net", "t");
    String subnet = newVSwitch(net);
    String group = newGroup(net);
    refused("MissingParameter", () -> run(machine(subnet, group, "a").setInstanceType("")));
    refused(
        "InvalidInstanceType.ValueNotSupported",
        () -> run(machine(subnet, group, "b").setInstanceType("ecs.none")));
    refused(
        "InvalidImageId.NotFound", () -> run(machine(subnet, group, "c").setImageId("no-image")));
    refused("InvalidVSwitchId.NotFound", () -> run(machine("vsw-none", group, "d")));
    refused(
        "InvalidKeyPair.NotFound", () -> run(machine(subnet, group, "e").setKeyPairName("none")));
    refused(
        "InvalidRegionId.NotFound",
        () -> vpc.createVpc(new CreateVpcRequest().setRegionId("mars-1")));
    for (String key :
        List.of(
            "x",
            "ssh-rsa",
            "ssh-rsa AAAA",
            FakeAliyun.PUBLIC_KEY.replace("ecdsa-sha2-nistp256", "ssh-rsa"),
            "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIPa0Hr8aVf1XnS5XbGQdE7rXkZJkQ0RZzL1y2y3b4c5d x")) {
      refused(
          "InvalidPublicKeyBody.Malformed",
          () ->
              ecs.importKeyPair(
                  new ImportKeyPairRequest()
                      .setRegionId(REGION)
                      .setKeyPairName("key")
                      .setPublicKeyBody(key)));
    }
    refused(
        "InvalidSystemDiskSize.LessThanImageSize",
        () -> run(machine(subnet, group, "f").setSystemDisk(disk("19", "cloud_essd"))));
    refused(
        "InvalidSystemDiskCategory.ValueNotSupported",
        () -> run(machine(subnet, group, "g").setSystemDisk(disk("40", "floppy"))));
    assertThat(cloud.ids(Kind.INSTANCE)).isEmpty();
    refused(
        "InvalidVSwitchId.NotFound",
        () ->
            vpc.describeVSwitches(
                new DescribeVSwitchesRequest().setRegionId(REGION).setVSwitchId("vsw-none")));
    refused(
        "Forbidden.VpcNotFound",
        () ->
            vpc.describeVSwitches(
                new DescribeVSwitchesRequest().setRegionId(REGION).setVpcId("vpc-none")));
  }

  private static RunInstancesRequest.RunInstancesRequestSystemDisk disk(
      String size, String category) {
    return new RunInstancesRequest.RunInstancesRequestSystemDisk()
        .setSize(size)
        .setCategory(category);
  }

  @Test
  void namesDescriptionsAndCommandsHaveTheirLimits() throws Exception {
    for (String name :
        List.of("x", "https://x", "aliyun-1", "acs:1", "1x", "a b", "x".repeat(129))) {
      refused("InvalidVpcName.Malformed", () -> newVpc(name, "t"));
      refused("InvalidKeyPairName.Malformed", () -> importKey(name));
    }
    refused("InvalidKeyPairName.Malformed", () -> importKey("key.1"));
    importKey("Key-1_2:3");
    for (String text : List.of("x", "http://x", "x".repeat(257))) {
      refused(
          "InvalidDescription.Malformed",
          () ->
              vpc.allocateEipAddress(
                  new AllocateEipAddressRequest().setRegionId(REGION).setDescription(text)));
    }
    String id = newInstance("m");
    refused("CmdContent.ExceedLimit", () -> command(id, "x".repeat(13_825)));
    command(id, "x".repeat(13_824));
  }

  private void importKey(String name) throws Exception {
    ecs.importKeyPair(
        new ImportKeyPairRequest()
            .setRegionId(REGION)
            .setKeyPairName(name)
            .setPublicKeyBody(FakeAliyun.PUBLIC_KEY));
  }

  @Test
  void anotherVersionOfAnApiHasOtherActions() {
    Params asked =
        new Params()
            .setAction("DescribeVpcs")
            .setVersion("2014-05-26")
            .setProtocol("HTTP")
            .setMethod("POST")
            .setAuthType("AK")
            .setStyle("RPC")
            .setPathname("/")
            .setReqBodyType("json")
            .setBodyType("json");
    OpenApiRequest all = new OpenApiRequest().setQuery(Map.of("RegionId", REGION));
    refused("InvalidAction.NotFound", () -> vpc.callApi(asked, all, new RuntimeOptions()));
    asked.setVersion("2000-01-01");
    refused("InvalidVersion", () -> vpc.callApi(asked, all, new RuntimeOptions()));
  }

  @Test
  void quotas() throws Exception {
    cloud.quota(Kind.VPC, 1);
    newVpc("one", "t1");
    refused("QuotaExceeded.Vpc", () -> newVpc("two", "t2"));
    assertThat(cloud.ids(Kind.VPC)).hasSize(1);
  }

  @Test
  void throttling() throws Exception {
    cloud.failNext(1, c -> true, new Fault.Failed(400, "Throttling.User", false));
    refused("Throttling.User", () -> newVpc("net", "t"));
    assertThat(cloud.ids(Kind.VPC)).isEmpty();
    newVpc("net", "t");
    assertThat(cloud.counts()).isEqualTo(Map.of("CreateVpc", 2L));
  }

  // ---- who asks

  @Test
  void whoIsAsking() throws Exception {
    GetCallerIdentityResponseBody me = sts.getCallerIdentity().getBody();
    assertThat(me.getAccountId()).isEqualTo("1000000000000001");
    refused(
        "SignatureDoesNotMatch",
        () -> new com.aliyun.sts20150401.Client(config("id", "wrong")).getCallerIdentity());
    refused(
        "InvalidAccessKeyId.NotFound",
        () -> new com.aliyun.sts20150401.Client(config("none", "secret")).getCallerIdentity());
  }

  @Test
  void signaturesOfTheOtherClientsAreVerifiedToo() throws Exception {
    com.aliyun.vpc20160428.Client wrong = new com.aliyun.vpc20160428.Client(config("id", "wrong"));
    refused(
        "SignatureDoesNotMatch",
        () -> wrong.describeVpcs(new DescribeVpcsRequest().setRegionId(REGION)));
    cloud.deny("CreateVpc");
    refused("Forbidden.RAM", () -> newVpc("net", "t"));
    cloud.advance(Duration.ofMinutes(20));
    refused(
        "InvalidTimeStamp.Expired",
        () -> vpc.describeVpcs(new DescribeVpcsRequest().setRegionId(REGION)));
  }

  @Test
  void aRequestThatIsSentOnceMoreAsItWasIsRefused() throws Exception {
    cloud.failNext(1, c -> c.kind().equals("CreateVpc"), new Fault.Doubled());
    refused("SignatureNonceUsed", () -> newVpc("net", "t"));
    assertThat(cloud.ids(Kind.VPC)).hasSize(1);
    cloud.failNext(1, c -> true, new Fault.Doubled());
    refused("SignatureNonceUsed", () -> sts.getCallerIdentity());
  }

  @Test
  void temporaryKeysExpire() throws Exception {
    cloud.addTemporaryKey("STS.x", "temporary", "token", Instant.now().plusSeconds(60));
    Config config = config("STS.x", "temporary").setSecurityToken("token");
    com.aliyun.vpc20160428.Client client = new com.aliyun.vpc20160428.Client(config);
    DescribeVpcsRequest all = new DescribeVpcsRequest().setRegionId(REGION);
    assertThat(client.describeVpcs(all).getBody().getTotalCount()).isZero();
    cloud.advance(Duration.ofMinutes(2));
    refused("InvalidSecurityToken.Expired", () -> client.describeVpcs(all));
  }

  @Test
  void whatIsNotSignedIsRefused() throws Exception {
    HttpResponse<String> answer =
        HttpClient.newHttpClient()
            .send(
                HttpRequest.newBuilder(
                        URI.create("http://" + cloud.endpoint() + "/?RegionId=" + REGION))
                    .header("x-acs-action", "CreateVpc")
                    .POST(HttpRequest.BodyPublishers.noBody())
                    .build(),
                HttpResponse.BodyHandlers.ofString());
    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(answer.body()).contains("MissingAccessKeyId");
    assertThat(cloud.everything()).isEmpty();
  }
}
