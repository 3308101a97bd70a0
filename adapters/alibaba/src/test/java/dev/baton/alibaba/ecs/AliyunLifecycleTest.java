package dev.baton.alibaba.ecs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.vm.Client;
import dev.baton.vm.Options;
import dev.baton.vm.Questions;
import dev.baton.vm.VmName;
import dev.baton.vm.contract.LifecycleContract;
import dev.baton.vm.crash.LifecycleScene;
import dev.baton.vm.operation.Vms;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What is promised about VMs, on Alibaba Cloud and OSS through their own clients. */
class AliyunLifecycleTest extends LifecycleContract {
  private static Fakes fakes;

  @BeforeAll
  static void start() {
    fakes = new Fakes();
    // Long enough to be met on the way, and short enough to be waited for by few looks.
    fakes.sky.cloud.slowness(Duration.ofSeconds(2));
    fakes.sky.cloud.invisible(Duration.ofSeconds(1));
  }

  @AfterAll
  static void stop() {
    fakes.close();
  }

  @Override
  protected LifecycleScene open() {
    return new AliyunScene(fakes);
  }

  /** By the bucket itself, as other tools find them. */
  @Test
  void filesAreObjectsAtTheDesignsPlaces() throws Exception {
    try (AliyunScene scene = new AliyunScene(fakes)) {
      Client client = new Client("a", fakes, () -> scene.bucket + "-nonce-000000000001", true);
      Options yes = Options.DEFAULT.asking(Questions.assumeYes());
      Vms.open(scene.space(), scene.provider(), client)
          .vm(VmName.DEFAULT)
          .deploy(scene.spec(), yes);
      assertThat(fakes.oss.text(scene.bucket, "vms/state.json").orElseThrow())
          .contains("\"status\": \"running\"")
          .contains("\"region\": \"" + scene.spec().region() + "\"");
      assertThat(fakes.oss.keys(scene.bucket))
          .doesNotContain("vms/.lock", "vms/backup.json")
          .filteredOn(key -> key.startsWith("vms/history/"))
          .hasSize(1);
    }
  }
}
