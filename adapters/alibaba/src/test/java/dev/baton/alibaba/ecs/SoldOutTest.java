package dev.baton.alibaba.ecs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.alibaba.fake.FakeAliyun;
import dev.baton.alibaba.fake.Kind;
import dev.baton.testing.service.Call;
import dev.baton.testing.service.Fault;
import dev.baton.vm.BuildVm;
import dev.baton.vm.Client;
import dev.baton.vm.DeploySpec;
import dev.baton.vm.Options;
import dev.baton.vm.Questions;
import dev.baton.vm.Status;
import dev.baton.vm.Trouble;
import dev.baton.vm.VmException;
import dev.baton.vm.VmName;
import dev.baton.vm.crash.Clients;
import dev.baton.vm.operation.Vms;
import dev.baton.vm.store.MemoryVmSpace;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * A type that was in stock when the subnet was made, and is not when the instance is. Kills on the
 * way: {@link AliyunCrashTest}.
 */
class SoldOutTest {
  private static final String TYPE = FakeAliyun.TYPES.get(0);
  private static final List<String> ZONES = FakeAliyun.ZONES;
  private static final DeploySpec SPEC =
      DeploySpec.of(FakeAliyun.REGION, TYPE).withPublicKey(FakeAliyun.PUBLIC_KEY);
  private static final DeploySpec THREE = SPEC.inZone(String.join(",", ZONES.subList(0, 3)));
  private static final Options YES = Options.DEFAULT.asking(Questions.assumeYes());

  private final Sky sky = new Sky();
  private final MemoryVmSpace space = new MemoryVmSpace("soldout0space", Instant::now);
  private final BuildVm vm =
      Vms.open(space, sky.provider(), Client.named("test")).vm(VmName.DEFAULT);

  @AfterEach
  void close() {
    sky.close();
  }

  /** Nobody is told beforehand. */
  private void soldOutIn(int zones) {
    sky.cloud.failNext(
        zones,
        c -> c.kind().equals("RunInstances"),
        new Fault.Failed(403, "OperationDenied.NoStock", false));
  }

  private List<Call> calls(String kind) {
    return sky.cloud.log().stream().filter(c -> c.kind().equals(kind)).toList();
  }

  @Test
  void theNextZoneIsTriedWithASubnetAndATokenOfItsOwn() throws Exception {
    soldOutIn(2);
    vm.deploy(THREE, YES);
    assertThat(calls("CreateVSwitch"))
        .extracting(c -> c.parameters().get("ZoneId"))
        .containsExactlyElementsOf(ZONES.subList(0, 3));
    assertThat(calls("RunInstances"))
        .extracting(c -> c.parameters().get("ClientToken"))
        .hasSize(3)
        .doesNotHaveDuplicates();
    assertThat(sky.cloud.ids(Kind.VSWITCH)).as("those of the other zones are gone").hasSize(1);
    assertThat(vm.status().state().orElseThrow().status()).isEqualTo(Status.RUNNING);
    assertThat(vm.status().cleanup()).isEmpty();
    vm.takeDown(YES);
    assertThat(sky.cloud.everything()).isEmpty();
  }

  @Test
  void whereNoZoneIsLeftItSaysSoAndCanBeContinued() throws Exception {
    soldOutIn(3);
    assertThatThrownBy(() -> vm.deploy(THREE, YES))
        .isInstanceOfSatisfying(
            VmException.CloudFailed.class,
            e -> assertThat(e.trouble()).isEqualTo(Trouble.OUT_OF_STOCK))
        .hasMessageContaining("other types or zones");
    assertThat(sky.cloud.ids(Kind.VSWITCH)).hasSize(1);
    vm.deploy(THREE, YES);
    assertThat(vm.status().state().orElseThrow().status()).isEqualTo(Status.RUNNING);
    vm.takeDown(YES);
    assertThat(sky.cloud.everything()).isEmpty();
  }

  /** As if it had been killed after CreateVSwitch: its answer is never heard. */
  @Test
  void aSubnetThatIsThereIsTakenThoughItsZoneIsSoldOutMeanwhile() throws Exception {
    try (Fakes fakes = new Fakes();
        AliyunScene scene = new AliyunScene(fakes)) {
      Clients clients = new Clients(scene, true);
      DeploySpec two = scene.spec().inZone(String.join(",", ZONES.subList(0, 2)));
      fakes.sky.cloud.failNext(
          1, c -> c.kind().equals("CreateVSwitch"), new Fault.Failed(500, "InternalError", true));
      fakes.sky.cloud.failNext(
          4,
          c -> c.kind().endsWith("VSwitches") && !fakes.sky.cloud.ids(Kind.VSWITCH).isEmpty(),
          new Fault.Failed(500, "InternalError", false));
      assertThatThrownBy(() -> clients.vm("a").deploy(two, YES))
          .isInstanceOf(VmException.CloudFailed.class);
      assertThat(fakes.sky.cloud.ids(Kind.VSWITCH)).hasSize(1);
      fakes.advance(Duration.ofMinutes(1));
      fakes.sky.cloud.soldOut(TYPE, ZONES.get(0));
      clients.vm("b").deploy(two, YES);
      assertThat(clients.journal().status()).contains(Status.RUNNING);
      assertThat(fakes.sky.cloud.ids(Kind.VSWITCH)).hasSize(1);
      assertThat(clients.troubles()).isEmpty();
      clients.vm("b").takeDown(YES);
      clients.letDeletionsFinish();
      assertThat(scene.things()).isEmpty();
    }
  }

  @Test
  void withoutZonesToChooseFromItIsAnErrorAtOnce() {
    soldOutIn(1);
    assertThatThrownBy(() -> vm.deploy(SPEC, YES)).isInstanceOf(VmException.CloudFailed.class);
    assertThat(calls("CreateVSwitch")).hasSize(1);
  }
}
