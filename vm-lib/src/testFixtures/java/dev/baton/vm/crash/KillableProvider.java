package dev.baton.vm.crash;

import dev.baton.vm.DeploySpec;
import dev.baton.vm.Kind;
import dev.baton.vm.Resource;
import dev.baton.vm.VmName;
import dev.baton.vm.spi.Cancel;
import dev.baton.vm.spi.Found;
import dev.baton.vm.spi.Provider;
import dev.baton.vm.spi.ProviderException;
import dev.baton.vm.spi.Request;
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
}
