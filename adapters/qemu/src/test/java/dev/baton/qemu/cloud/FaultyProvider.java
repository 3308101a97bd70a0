package dev.baton.qemu.cloud;

import dev.baton.vm.DeploySpec;
import dev.baton.vm.Kind;
import dev.baton.vm.Resource;
import dev.baton.vm.VmName;
import dev.baton.vm.simulated.Fault;
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
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** A cloud that fails when it is told to. */
final class FaultyProvider implements Provider {
  private final Provider provider;
  private final List<Fault> faults = new ArrayList<>();

  FaultyProvider(Provider provider) {
    this.provider = provider;
  }

  void fail(Fault fault) {
    for (int i = 0; i < fault.times(); i++) {
      faults.add(fault.times(1));
    }
  }

  void mend() {
    faults.clear();
  }

  private interface Call<T> {
    T run() throws ProviderException, InterruptedException;
  }

  private <T> T call(String call, Kind kind, Call<T> deed)
      throws ProviderException, InterruptedException {
    Optional<Fault> fault =
        faults.stream()
            .filter(f -> f.call().equals(call))
            .filter(f -> f.kind().isEmpty() || f.kind().get() == kind)
            .findFirst();
    fault.ifPresent(faults::remove);
    if (fault.filter(f -> !f.afterwards()).isPresent()) {
      throw failure(fault.get());
    }
    T result = deed.run();
    if (fault.isPresent()) {
      throw failure(fault.get());
    }
    return result;
  }

  private static ProviderException failure(Fault fault) {
    return new ProviderException(fault.trouble(), "a fault that was asked for: " + fault);
  }

  private interface Deed {
    void run() throws ProviderException, InterruptedException;
  }

  private void deed(String call, Kind kind, Deed deed)
      throws ProviderException, InterruptedException {
    call(
        call,
        kind,
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
    deed("validate", null, () -> provider.validate(spec, toCreate, cancel));
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
    return call("create", request.kind(), () -> provider.create(request, cancel));
  }

  @Override
  public Optional<Found> describe(Kind kind, String id, Cancel cancel)
      throws ProviderException, InterruptedException {
    return call("describe", kind, () -> provider.describe(kind, id, cancel));
  }

  @Override
  public void delete(Kind kind, String id, Cancel cancel)
      throws ProviderException, InterruptedException {
    deed("delete", kind, () -> provider.delete(kind, id, cancel));
  }

  @Override
  public List<Found> findOwned(String space, Optional<VmName> vm, Cancel cancel)
      throws ProviderException, InterruptedException {
    return call("findOwned", null, () -> provider.findOwned(space, vm, cancel));
  }

  @Override
  public void start(String instance, Cancel cancel) throws ProviderException, InterruptedException {
    deed("start", Kind.INSTANCE, () -> provider.start(instance, cancel));
  }

  @Override
  public void stop(String instance, Cancel cancel) throws ProviderException, InterruptedException {
    deed("stop", Kind.INSTANCE, () -> provider.stop(instance, cancel));
  }

  @Override
  public void bind(String address, String instance, Cancel cancel)
      throws ProviderException, InterruptedException {
    deed("bind", Kind.ADDRESS, () -> provider.bind(address, instance, cancel));
  }

  @Override
  public void releaseAfter(String instance, Optional<Duration> time, Cancel cancel)
      throws ProviderException, InterruptedException {
    provider.releaseAfter(instance, time, cancel);
  }

  @Override
  public Optional<PowerSwitch> power() {
    PowerSwitch power = provider.power().orElseThrow();
    return Optional.of(
        (instance, cancel) ->
            deed("powerOff", Kind.INSTANCE, () -> power.powerOff(instance, cancel)));
  }

  @Override
  public Optional<Sizes> sizes() {
    return provider.sizes();
  }

  @Override
  public Optional<Disks> disks() {
    return provider.disks();
  }

  @Override
  public Optional<WarmStarts> warmStarts() {
    WarmStarts warm = provider.warmStarts().orElseThrow();
    return Optional.of((spec, cancel) -> call("warmKey", null, () -> warm.key(spec, cancel)));
  }

  @Override
  public Map<String, String> facts(Found instance) {
    return provider.facts(instance);
  }
}
