package dev.baton.alibaba.ecs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.alibaba.DocumentedPolicy;
import dev.baton.testing.service.Call;
import dev.baton.testing.service.Fault;
import dev.baton.testing.service.FaultRate;
import dev.baton.vm.BuildVm;
import dev.baton.vm.DeploySpec;
import dev.baton.vm.Status;
import dev.baton.vm.VmException;
import dev.baton.vm.crash.Clients;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A whole life of a VM, on a cloud that has bad days; and what it must be allowed for that. */
class AliyunFaultsTest {
  private final Fakes fakes = new Fakes();

  @AfterEach
  void close() {
    fakes.close();
  }

  private interface Work {
    void run() throws VmException, InterruptedException;
  }

  /** As a person does who is told to run the same command again. */
  private void again(Work work) throws VmException, InterruptedException {
    for (int attempt = 1; ; attempt++) {
      try {
        work.run();
        return;
      } catch (VmException.CloudFailed e) {
        if (!e.trouble().isPassing() || attempt == 5) {
          throw e;
        }
        fakes.advance(Duration.ofMinutes(2));
      }
    }
  }

  private void live(Clients clients) throws Exception {
    BuildVm vm = clients.vm("a");
    DeploySpec ofJob = AliyunScene.SPEC.livingAtMost(Duration.ofHours(8));
    again(() -> vm.deploy(ofJob, Clients.YES));
    again(() -> vm.suspend(Clients.YES));
    again(() -> vm.resume(Clients.YES));
    again(() -> vm.destroy(BuildVm.Disk.KEEP, Clients.YES));
    again(() -> vm.deploy(AliyunScene.SPEC, Clients.YES));
    assertThat(clients.journal().status()).contains(Status.RUNNING);
    again(() -> vm.destroy(BuildVm.Disk.DROP, Clients.YES));
    clients.letDeletionsFinish();
    again(clients::sweep);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2})
  void lostAnswersThrottlingAndFailuresLeaveNothingBehind(long seed) throws Exception {
    try (AliyunScene scene = new AliyunScene(fakes)) {
      Clients clients = new Clients(scene, true);
      fakes.sky.cloud.faultRates(
          seed,
          new FaultRate(new Fault.Dropped(true), 0.05),
          new FaultRate(new Fault.Dropped(false), 0.02),
          new FaultRate(new Fault.Failed(500, "InternalError", true), 0.03),
          new FaultRate(new Fault.Failed(400, "Throttling.User", false), 0.04));
      live(clients);
      fakes.sky.cloud.faultRates(seed);
      assertThat(scene.things()).isEmpty();
      assertThat(clients.troubles()).isEmpty();
    }
  }

  @Test
  void thePolicyInTheDocumentationAllowsWhatIsDoneAndNothingElse() throws Exception {
    Set<String> used;
    try (AliyunScene scene = new AliyunScene(fakes)) {
      Clients clients = new Clients(scene, true);
      live(clients);
      used =
          fakes.sky.cloud.log().stream()
              .map(Call::kind)
              .map(kind -> (isOfVpc(kind) ? "vpc:" : "ecs:") + kind)
              .collect(Collectors.toCollection(TreeSet::new));
      fakes.oss.log().forEach(c -> used.add("oss:" + permission(c.kind())));
      used.add("oss:PutObjectTagging");
    }
    assertThat(DocumentedPolicy.forVms()).containsExactlyInAnyOrderElementsOf(used);
  }

  private static boolean isOfVpc(String action) {
    return action.matches(".*(Vpcs?|VSwitch(es)?|EipAddress(es)?)");
  }

  private static String permission(String request) {
    return switch (request) {
      case "HeadObject" -> "GetObject";
      case "ListObjectsV2" -> "ListObjects";
      case "DeleteMultipleObjects" -> "DeleteObject";
      default -> request;
    };
  }
}
