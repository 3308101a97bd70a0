package dev.baton.benchmarks;

import dev.baton.alibaba.fake.FakeAccount;
import dev.baton.alibaba.fake.FakeAliyun;
import dev.baton.alibaba.fake.FakeOss;
import dev.baton.client.adapter.Extensions;
import dev.baton.client.settings.Host;
import dev.baton.client.settings.Setting;
import dev.baton.client.settings.Settings;
import dev.baton.client.vm.VmClient;
import dev.baton.vm.BuildVm;
import dev.baton.vm.BuildVm.Disk;
import dev.baton.vm.Client;
import dev.baton.vm.DeploySpec;
import dev.baton.vm.Options;
import dev.baton.vm.Questions;
import dev.baton.vm.VmException;
import dev.baton.vm.VmName;
import java.nio.file.Path;
import java.util.Map;

/**
 * Requests of each operation on a VM whose state is in OSS, beside the fewest that could keep the
 * promises.
 *
 * <p>The fewest at OSS: one to read, one for each write of the journal as in {@link VmCost}, one
 * for each copy that people and other tools read: {@code state.json}, {@code .lock} put up and
 * taken away, a record of history, and {@code backup.json} where it changes; for a status, which
 * mends them, one to read each copy. What comes on top: the list after each write by which OSS
 * tells who won, {@code state.json} after each step and not only at the end, the time, and a look
 * at the lock before a deed that comes long after the last write. The fewest at the cloud: one to
 * see whether the type is to be had, one for each creation or change, one for each that must be
 * seen to be done, and one for each kind by which resources are found by their owner.
 */
final class AlibabaLifecycle {

  /** VPC, VSwitch, security group, key pair, instance, EIP. */
  private static final int RESOURCES = 6;

  /** Of those, and image and snapshot. */
  private static final int KINDS = 8;

  /** Times the fewest. */
  private static final int MOST_OSS = 4;

  private static final int MOST_CLOUD = 2;

  private static final Options YES = Options.DEFAULT.asking(Questions.assumeYes());

  private interface Operation {
    void run(BuildVm vm) throws VmException, InterruptedException;
  }

  private final Table table;
  private final FakeOss oss = FakeOss.start();
  private final FakeAliyun cloud = FakeAliyun.start("1000000000000001");

  AlibabaLifecycle(Table table) {
    this.table = table;
    oss.addKey("id", "secret", "account");
    oss.addBucket("benchmark", "account");
    cloud.addKey("id", "secret");
  }

  void measure() throws VmException, InterruptedException {
    Map<String, String> environment = FakeAccount.variables(oss, cloud, "id", "secret");
    environment.put(Setting.VM_STORE.variable(), "oss://benchmark/vms");
    environment.put(Setting.CLOUD.variable(), "aliyun");
    Path nowhere = Path.of("nowhere").toAbsolutePath();
    Host host =
        new Host(
            environment,
            nowhere,
            nowhere,
            "Linux",
            "benchmark",
            () -> "benchmark",
            Setting::variable,
            Extensions.NONE);
    try (VmClient vmClient =
        VmClient.open(Settings.ofEnvironment(host), host, Client.named("benchmark"))) {
      DeploySpec spec =
          vmClient.cloud().defaults().withPublicKey(FakeAliyun.PUBLIC_KEY).withApplication("true");
      BuildVm vm = vmClient.vms().vm(VmName.DEFAULT);
      table.say("");
      table.say("%-30s %18s %20s", "requests of an operation", "OSS", "ECS and VPC");
      int deploy = RESOURCES + 1;
      line("deploy", vm, deploy + 1 + 5, 1 + 2 * RESOURCES + 3, v -> v.deploy(spec, YES));
      line("deploy, all is there", vm, 2 + 5, RESOURCES, v -> v.deploy(spec, YES));
      line("suspend", vm, 2 + 5, 2, v -> v.suspend(YES));
      line("resume", vm, 2 + 5, 2, v -> v.resume(YES));
      line("status", vm, 1 + 3, RESOURCES, BuildVm::status);
      line(
          "destroy, snapshot kept",
          vm,
          3 + 6,
          2 + RESOURCES + 2 + KINDS,
          v -> v.destroy(Disk.KEEP, YES));
      line(
          "deploy from the snapshot",
          vm,
          deploy + 2 + 5,
          1 + 2 * (RESOURCES + 1) + 3,
          v -> v.deploy(spec, YES));
      line(
          "destroy, nothing kept",
          vm,
          2 + 6,
          RESOURCES + 2 + 2 + KINDS,
          v -> v.destroy(Disk.DROP, YES));
      int left = cloud.everything().size();
      table.say("resources left: %d, %s", left, table.atMost(0, left, ""));
    } finally {
      cloud.close();
      oss.close();
    }
  }

  private void line(String what, BuildVm vm, int fewestOss, int fewestCloud, Operation operation)
      throws VmException, InterruptedException {
    oss.forget();
    cloud.forget();
    operation.run(vm);
    table.say(
        "%-30s %18s %20s  %s, %s",
        what,
        oss.count() + " of " + fewestOss,
        cloud.count() + " of " + fewestCloud,
        table.atMost(MOST_OSS * fewestOss, oss.count(), ""),
        table.atMost(MOST_CLOUD * fewestCloud, cloud.count(), ""));
  }
}
