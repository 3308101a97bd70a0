package dev.baton.alibaba.setup;

import static org.assertj.core.api.Assertions.assertThat;

import com.aliyun.ecs20140526.models.CreateSecurityGroupRequest;
import com.aliyun.ecs20140526.models.ImportKeyPairRequest;
import com.aliyun.ecs20140526.models.RunInstancesRequest;
import com.aliyun.teaopenapi.models.Config;
import com.aliyun.vpc20160428.models.AllocateEipAddressRequest;
import com.aliyun.vpc20160428.models.AssociateEipAddressRequest;
import com.aliyun.vpc20160428.models.CreateVSwitchRequest;
import com.aliyun.vpc20160428.models.CreateVpcRequest;
import dev.baton.alibaba.fake.FakeAliyun;
import dev.baton.client.settings.Setting;
import dev.baton.client.settings.Settings;
import dev.baton.client.vm.VmClient;
import dev.baton.vm.BuildVm;
import dev.baton.vm.Client;
import dev.baton.vm.Options;
import dev.baton.vm.Outcome;
import dev.baton.vm.Questions;
import dev.baton.vm.Status;
import dev.baton.vm.SweepOptions;
import dev.baton.vm.VmName;
import dev.baton.vm.internal.codec.LegacyCodec;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A VM that was made by other means, with no mark of Baton's on any of its parts. */
class TakenOverTest {
  private static final Options YES = Options.DEFAULT.asking(Questions.assumeYes());

  @TempDir Path home;
  private Newcomer ann;
  private VmClient desk;

  @BeforeEach
  void arrive() throws Exception {
    ann = new Newcomer(home);
    ann.run(Newcomer.typed());
    Settings settings = new Settings();
    settings.put(
        Setting.VM_STORE,
        new Settings.Value("oss://" + Newcomer.BUCKET, "a test", Settings.DIRECT, home));
    settings.put(Setting.CLOUD, new Settings.Value("aliyun", "a test", Settings.DIRECT, home));
    desk = VmClient.open(settings, ann.host(), Client.ofThisProcess());
  }

  @AfterEach
  void leave() {
    desk.close();
    ann.close();
  }

  private Config config() {
    return new Config()
        .setAccessKeyId(Newcomer.ID)
        .setAccessKeySecret(Newcomer.SECRET)
        .setRegionId(FakeAliyun.REGION)
        .setEndpoint(ann.cloud.endpoint())
        .setProtocol("http");
  }

  /** As somebody else's program would, and its record as that would write it. */
  private String machine() throws Exception {
    var vpc = new com.aliyun.vpc20160428.Client(config());
    var ecs = new com.aliyun.ecs20140526.Client(config());
    String region = FakeAliyun.REGION;
    String network =
        vpc.createVpc(new CreateVpcRequest().setRegionId(region).setVpcName("mine"))
            .getBody()
            .getVpcId();
    String subnet =
        vpc.createVSwitch(
                new CreateVSwitchRequest()
                    .setRegionId(region)
                    .setVpcId(network)
                    .setCidrBlock("192.168.0.0/24")
                    .setZoneId(FakeAliyun.ZONES.get(0)))
            .getBody()
            .getVSwitchId();
    String group =
        ecs.createSecurityGroup(
                new CreateSecurityGroupRequest().setRegionId(region).setVpcId(network))
            .getBody()
            .getSecurityGroupId();
    ecs.importKeyPair(
        new ImportKeyPairRequest()
            .setRegionId(region)
            .setKeyPairName("cloudcode-ssh-key")
            .setPublicKeyBody(FakeAliyun.PUBLIC_KEY));
    String instance =
        ecs.runInstances(
                new RunInstancesRequest()
                    .setRegionId(region)
                    .setImageId(FakeAliyun.IMAGE)
                    .setInstanceType(FakeAliyun.TYPES.get(0))
                    .setVSwitchId(subnet)
                    .setSecurityGroupId(group)
                    .setKeyPairName("cloudcode-ssh-key"))
            .getBody()
            .getInstanceIdSets()
            .getInstanceIdSet()
            .get(0);
    var eip = vpc.allocateEipAddress(new AllocateEipAddressRequest().setRegionId(region)).getBody();
    vpc.associateEipAddress(
        new AssociateEipAddressRequest()
            .setRegionId(region)
            .setAllocationId(eip.getAllocationId())
            .setInstanceId(instance)
            .setInstanceType("EcsInstance"));
    return """
    {"version": "0.2.0", "region": "%s",
     "resources": {"vpc": {"id": "%s"}, "vswitch": {"id": "%s"}, "security_group": {"id": "%s"},
                   "ssh_key_pair": {"name": "cloudcode-ssh-key"}, "ecs": {"id": "%s"},
                   "eip": {"id": "%s"}}}
    """
        .formatted(region, network, subnet, group, instance, eip.getAllocationId());
  }

  @Test
  void isNeverSweptAndGoesWhenItIsDestroyed() throws Exception {
    String record = machine();
    Outcome outcome =
        desk.vms()
            .migrate(
                VmName.DEFAULT,
                LegacyCodec.decode(
                        "~/.cloudcode", Optional.of(record), Optional.empty(), Instant.now())
                    .orElseThrow(),
                YES,
                () -> {});
    assertThat(outcome).isInstanceOf(Outcome.Done.class);
    BuildVm vm = desk.vms().vm(VmName.DEFAULT);
    assertThat(vm.status().state().orElseThrow().status()).isEqualTo(Status.RUNNING);
    assertThat(vm.status().cloud()).as("what is missing").isEmpty();
    assertThat(vm.status().state().orElseThrow().ip())
        .as("the record does not say, the cloud does")
        .hasValueSatisfying(ip -> assertThat(ip).isNotBlank());

    var before = ann.cloud.everything();
    assertThat(desk.vms().sweep(SweepOptions.DRY_RUN.forReal().olderThan(Duration.ZERO)).findings())
        .isEmpty();
    assertThat(ann.cloud.everything()).isEqualTo(before).isNotEmpty();

    vm.suspend(YES);
    vm.resume(YES);
    vm.deploy(desk.cloud().defaults(), YES);
    assertThat(ann.cloud.everything()).as("nothing is made anew").isEqualTo(before);

    vm.destroy(BuildVm.Disk.DROP, YES);
    assertThat(ann.cloud.everything()).isEmpty();
    assertThat(ann.oss.text(Newcomer.BUCKET, "state.json")).isEmpty();
  }
}
