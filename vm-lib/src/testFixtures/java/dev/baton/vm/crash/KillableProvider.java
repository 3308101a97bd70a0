package dev.baton.vm.crash;

import dev.baton.vm.DeploySpec;
import dev.baton.vm.Kind;
import dev.baton.vm.Resource;
import dev.baton.vm.SizeChange;
import dev.baton.vm.VmName;
import dev.baton.vm.spi.Cancel;
import dev.baton.vm.spi.Disks;
import dev.baton.vm.spi.Found;
import dev.baton.vm.spi.PowerSwitch;
import dev.baton.vm.spi.Provider;
import dev.baton.vm.spi.ProviderException;
import dev.baton.vm.spi.Request;
import dev.baton.vm.spi.Sizes;
import dev.baton.vm.spi.WarmStarts;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** A cloud whose user can be killed before each call and after it, before its answer. */
public final class KillableProvider implements Provider {

  private final Provider provider;
  private final KillSwitch kills;

  public KillableProvider(Provider provider, KillSwitch kills) {
    this.provider = provider;
    this.kills = kills;
  }

  private interface Call<T> {
    T run() throws ProviderException, InterruptedException;
  }

  private <T> T killable(String what, Call<T> call) throws ProviderException, InterruptedException {
    kills.point(KillSwitch.At.PROVIDER_CALL, "before " + what);
    T result = call.run();
    kills.point(KillSwitch.At.PROVIDER_CALL, "after " + what);
    return result;
  }

  private interface Deed {
    void run() throws ProviderException, InterruptedException;
  }

  private void deed(String what, Deed deed) throws ProviderException, InterruptedException {
    killable(
        what,
        () -> {
          deed.run();
          return null;
        });
  }

  @Override
  public Traits traits() {
    return provider.traits();
  }

  @Override
  public void validate(DeploySpec spec, Set<Kind> toCreate, Cancel cancel)
      throws ProviderException, InterruptedException {
    deed("validate", () -> provider.validate(spec, toCreate, cancel));
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
    return killable("create " + request.kind().words(), () -> provider.create(request, cancel));
  }

  @Override
  public Optional<Found> describe(Kind kind, String id, Cancel cancel)
      throws ProviderException, InterruptedException {
    return killable("describe " + kind.words(), () -> provider.describe(kind, id, cancel));
  }

  @Override
  public void delete(Kind kind, String id, Cancel cancel)
      throws ProviderException, InterruptedException {
    deed("delete " + kind.words(), () -> provider.delete(kind, id, cancel));
  }

  @Override
  public List<Found> findOwned(String space, Optional<VmName> vm, Cancel cancel)
      throws ProviderException, InterruptedException {
    return killable("find owned", () -> provider.findOwned(space, vm, cancel));
  }

  @Override
  public void start(String instance, Cancel cancel) throws ProviderException, InterruptedException {
    deed("start", () -> provider.start(instance, cancel));
  }

  @Override
  public void stop(String instance, Cancel cancel) throws ProviderException, InterruptedException {
    deed("stop", () -> provider.stop(instance, cancel));
  }

  @Override
  public void bind(String address, String instance, Cancel cancel)
      throws ProviderException, InterruptedException {
    deed("bind", () -> provider.bind(address, instance, cancel));
  }

  @Override
  public void releaseAfter(String instance, Optional<Duration> time, Cancel cancel)
      throws ProviderException, InterruptedException {
    deed("release after", () -> provider.releaseAfter(instance, time, cancel));
  }

  // ---- what not every cloud can do

  @Override
  public Optional<PowerSwitch> power() {
    return provider
        .power()
        .map(
            power ->
                (instance, cancel) -> deed("power off", () -> power.powerOff(instance, cancel)));
  }

  @Override
  public Optional<Sizes> sizes() {
    return provider.sizes().map(KillableSizes::new);
  }

  private final class KillableSizes implements Sizes {
    private final Sizes sizes;

    private KillableSizes(Sizes sizes) {
      this.sizes = sizes;
    }

    @Override
    public Map<String, String> resized(Found instance, SizeChange change, Cancel cancel)
        throws ProviderException, InterruptedException {
      return killable("resized", () -> sizes.resized(instance, change, cancel));
    }

    @Override
    public void resize(String instance, Map<String, String> size, Cancel cancel)
        throws ProviderException, InterruptedException {
      deed("resize", () -> sizes.resize(instance, size, cancel));
    }
  }

  @Override
  public Optional<Disks> disks() {
    return provider.disks().map(KillableDisks::new);
  }

  private final class KillableDisks implements Disks {
    private final Disks disks;

    private KillableDisks(Disks disks) {
      this.disks = disks;
    }

    @Override
    public Map<String, String> plan(String name, int gigabytes, Found near) {
      return disks.plan(name, gigabytes, near);
    }

    @Override
    public void attach(String disk, String instance, Cancel cancel)
        throws ProviderException, InterruptedException {
      deed("attach disk", () -> disks.attach(disk, instance, cancel));
    }

    @Override
    public void detach(String disk, String instance, Cancel cancel)
        throws ProviderException, InterruptedException {
      deed("detach disk", () -> disks.detach(disk, instance, cancel));
    }
  }

  @Override
  public Optional<WarmStarts> warmStarts() {
    return provider
        .warmStarts()
        .map(
            warm ->
                (WarmStarts) (spec, cancel) -> killable("warm key", () -> warm.key(spec, cancel)));
  }

  @Override
  public Map<String, String> facts(Found instance) {
    return provider.facts(instance);
  }
}
