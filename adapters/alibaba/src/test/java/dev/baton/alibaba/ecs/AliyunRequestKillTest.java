package dev.baton.alibaba.ecs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.testing.service.Call;
import dev.baton.vm.BuildVm;
import dev.baton.vm.DeploySpec;
import dev.baton.vm.Kind;
import dev.baton.vm.Resource;
import dev.baton.vm.Status;
import dev.baton.vm.VmName;
import dev.baton.vm.crash.Clients;
import dev.baton.vm.crash.Clients.Act;
import dev.baton.vm.crash.KillSwitch;
import dev.baton.vm.spi.Cancel;
import dev.baton.vm.spi.Found;
import dev.baton.vm.spi.Provider;
import dev.baton.vm.spi.ProviderException;
import dev.baton.vm.spi.Request;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Kills in the midst of what is one call for the lifecycle and several requests here: a security
 * group without its rule, a script that runs on a machine without its mark, an address half gone.
 */
class AliyunRequestKillTest {
  private static final Set<String> LATER_REQUESTS =
      Set.of(
          "AuthorizeSecurityGroup",
          "RunInstances",
          "RunCommand",
          "TagResources",
          "AssociateEipAddress",
          "UnassociateEipAddress",
          "ReleaseEipAddress",
          "DeleteKeyPairs",
          "CreateSnapshot");

  private final Fakes fakes = new Fakes();

  @AfterEach
  void close() {
    fakes.close();
  }

  @Test
  void aDeployThatIsKilledBetweenTwoRequestsIsFinishedByTheNext() throws Exception {
    everywhere(vm -> {}, vm -> vm.deploy(AliyunScene.SPEC, Clients.YES), Status.RUNNING, 5);
  }

  @Test
  void aDestroyThatIsKilledBetweenTwoRequestsIsFinishedByTheNext() throws Exception {
    everywhere(
        vm -> vm.deploy(AliyunScene.SPEC, Clients.YES),
        vm -> vm.destroy(BuildVm.Disk.KEEP, Clients.YES),
        Status.DESTROYED,
        5);
  }

  private void everywhere(Act prepare, Act act, Status end, int atLeast) throws Exception {
    List<Integer> moments = new ArrayList<>();
    try (AliyunScene scene = new AliyunScene(fakes)) {
      Clients clients = new Clients(scene, true);
      prepare.on(clients.vm("other"));
      fakes.sky.cloud.forget();
      act.on(clients.vmOn(new Killing(fakes.provider, -1), "victim"));
      List<String> requests = fakes.sky.cloud.log().stream().map(Call::kind).toList();
      for (int i = 0; i < requests.size(); i++) {
        if (LATER_REQUESTS.contains(requests.get(i))) {
          moments.add(i);
        }
      }
      clients.vm("other").takeDown(Clients.YES);
    }
    assertThat(moments).hasSizeGreaterThanOrEqualTo(atLeast);
    for (int moment : moments) {
      try (AliyunScene scene = new AliyunScene(fakes)) {
        Clients clients = new Clients(scene, true);
        prepare.on(clients.vm("other"));
        BuildVm victim = clients.vmOn(new Killing(fakes.provider, moment), "victim");
        assertThatThrownBy(() -> act.on(victim)).isInstanceOf(KillSwitch.Killed.class);
        clients.letTheLeaseRunOut();
        act.on(clients.vm("other"));
        assertThat(clients.journal().status()).contains(end);
        assertThat(clients.troubles()).as("killed before request %d", moment).isEmpty();
        assertThat(clients.orphans(false)).as("killed before request %d", moment).isEmpty();
        clients.vm("other").takeDown(Clients.YES);
        clients.letDeletionsFinish();
        assertThat(scene.things()).as("killed before request %d", moment).isEmpty();
      }
    }
  }

  /** A cloud whose user is killed before one of its requests. */
  private static final class Killing implements Provider {
    private final Provider provider;
    private final int target;
    private int requests;

    Killing(Provider provider, int target) {
      this.provider = provider;
      this.target = target;
    }

    /** Asked once before each request. */
    private Cancel counted(Cancel cancel) {
      return new Cancel() {
        @Override
        public void check() {
          if (requests++ == target) {
            throw new KillSwitch.Killed("before request " + target);
          }
          cancel.check();
        }

        @Override
        public void pause(Duration time) throws InterruptedException {
          cancel.pause(time);
        }
      };
    }

    @Override
    public Traits traits() {
      return provider.traits();
    }

    @Override
    public void validate(DeploySpec spec, Set<Kind> toCreate, Cancel cancel)
        throws ProviderException, InterruptedException {
      provider.validate(spec, toCreate, counted(cancel));
    }

    @Override
    public Map<String, String> plan(
        Kind kind, DeploySpec spec, Map<Kind, Resource> have, Optional<String> snapshot) {
      return provider.plan(kind, spec, have, snapshot);
    }

    @Override
    public Optional<DeploySpec> elsewhere(DeploySpec spec, Map<Kind, Resource> have) {
      return provider.elsewhere(spec, have);
    }

    @Override
    public Found create(Request request, Cancel cancel)
        throws ProviderException, InterruptedException {
      return provider.create(request, counted(cancel));
    }

    @Override
    public Optional<Found> describe(Kind kind, String id, Cancel cancel)
        throws ProviderException, InterruptedException {
      return provider.describe(kind, id, counted(cancel));
    }

    @Override
    public void delete(Kind kind, String id, Cancel cancel)
        throws ProviderException, InterruptedException {
      provider.delete(kind, id, counted(cancel));
    }

    @Override
    public List<Found> findOwned(String space, Optional<VmName> vm, Cancel cancel)
        throws ProviderException, InterruptedException {
      return provider.findOwned(space, vm, counted(cancel));
    }

    @Override
    public void start(String instance, Cancel cancel)
        throws ProviderException, InterruptedException {
      provider.start(instance, counted(cancel));
    }

    @Override
    public void stop(String instance, Cancel cancel)
        throws ProviderException, InterruptedException {
      provider.stop(instance, counted(cancel));
    }

    @Override
    public void bind(String address, String instance, Cancel cancel)
        throws ProviderException, InterruptedException {
      provider.bind(address, instance, counted(cancel));
    }

    @Override
    public void releaseAfter(String instance, Optional<Duration> time, Cancel cancel)
        throws ProviderException, InterruptedException {
      provider.releaseAfter(instance, time, counted(cancel));
    }
  }
}
