package dev.baton.client.vm;

import dev.baton.client.queue.InheritedLocks;
import dev.baton.client.settings.Host;
import dev.baton.client.settings.Setting;
import dev.baton.client.settings.Settings;
import dev.baton.core.BadSetting;
import dev.baton.core.Checkout;
import dev.baton.core.Checks;
import dev.baton.core.SystemWorld;
import dev.baton.core.adapter.AdapterDescriptor.Use;
import dev.baton.queue.Rules;
import dev.baton.vm.Client;
import dev.baton.vm.Keeper;
import dev.baton.vm.VmException;
import dev.baton.vm.VmName;
import dev.baton.vm.operation.Vms;
import dev.baton.vm.simulated.SimulatedMachines;
import dev.baton.vm.spi.Cloud;
import dev.baton.vm.spi.VmSpace;
import dev.baton.vm.store.FileVmSpace;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

/** The VMs of one place, in one cloud. */
public final class VmClient implements AutoCloseable {

  private static final String FILE = "file:";

  private final VmSpace space;
  private final Cloud cloud;
  private final Vms vms;

  private VmClient(VmSpace space, Cloud cloud, Client client) {
    this.space = space;
    this.cloud = cloud;
    this.vms = Vms.open(space, cloud.provider(), client);
  }

  /**
   * Nothing is asked yet.
   *
   * @throws BadSetting when what is set can never work
   */
  public static VmClient open(Settings settings, Host host, Client client) {
    String store = settings.get(Setting.VM_STORE).map(Settings.Value::text).orElse(FILE);
    String cloud =
        settings.get(Setting.CLOUD).map(Settings.Value::text).orElse(SimulatedMachines.NAME);
    VmSpace space = space(store, settings, host);
    try {
      return new VmClient(space, cloud(cloud, settings, host), client.with(LocalLiveness.of(host)));
    } catch (BadSetting e) {
      close(space);
      throw e;
    }
  }

  private static VmSpace space(String store, Settings settings, Host host) {
    if (store.startsWith(FILE)) {
      return FileVmSpace.in(directory(store, settings, host));
    }
    String scheme = store.split(":", 2)[0];
    return host.extensions()
        .vmSpaceKind(scheme)
        .orElseThrow(
            () ->
                new BadSetting(
                    "unsupported store for VM states " + Checks.shown(Checks.withoutSecrets(store)),
                    host.extensions()
                        .nextWithout(
                            scheme,
                            Use.VM_STATES,
                            known -> "Use " + host.spelled(Setting.VM_STORE) + " " + known + ".")))
        .open(store, host);
  }

  private static Path directory(String store, Settings settings, Host host) {
    String path = store.substring(FILE.length()).replaceFirst("^//(?=/)", "");
    if (path.isEmpty()) {
      return own(host);
    }
    try {
      Path base = settings.get(Setting.VM_STORE).map(Settings.Value::base).orElse(host.directory());
      return path.equals("~") || path.startsWith("~/")
          ? host.home().resolve(path.substring(1).replaceFirst("^/+", ""))
          : base.resolve(path).normalize();
    } catch (InvalidPathException e) {
      throw new BadSetting(
          Checks.shown(store) + " is not a directory for VM states",
          "Use " + host.spelling().apply(Setting.VM_STORE) + " file:DIR.",
          e);
    }
  }

  /**
   * What is there says which machines are used and destroyed: that is not for a checkout to say.
   */
  private static Path own(Host host) {
    Path directory = host.stateDirectory().resolve("vm");
    Checkout.requireOutside(directory, host.directory());
    return directory;
  }

  private static Cloud cloud(String name, Settings settings, Host host) {
    if (name.equals(SimulatedMachines.NAME)) {
      String store = settings.get(Setting.VM_STORE).map(Settings.Value::text).orElse(FILE);
      Path base = store.startsWith(FILE) ? directory(store, settings, host) : own(host);
      return new SimulatedMachines(base.resolve(".cloud"), new SystemWorld());
    }
    return host.extensions()
        .cloudKind(name)
        .orElseThrow(
            () ->
                new BadSetting(
                    "unsupported cloud " + Checks.shown(name),
                    host.extensions()
                        .nextWithout(
                            name,
                            Use.CLOUD,
                            known -> "Use " + host.spelled(Setting.CLOUD) + " " + known + ".")))
        .open(host);
  }

  public Vms vms() {
    return vms;
  }

  public Cloud cloud() {
    return cloud;
  }

  /**
   * The images that the cloud keeps itself.
   *
   * @throws VmException.Impossible when it keeps none
   */
  public VmImages images() throws VmException {
    return VmImages.of(cloud);
  }

  /**
   * Keeps a VM of a job from being taken down while somebody uses it: see {@link Keeper}.
   *
   * @param atLeast how much longer it is needed for sure, such as the rest of a build's lease; zero
   *     when nobody knows
   * @param warn told once when its end cannot be moved
   */
  public Keeper keepAlive(VmName name, Duration atLeast, Consumer<String> warn) {
    return vms.keepAlive(name, atLeast, warn);
  }

  /**
   * How long a build under a lock of the queue may still need a VM, for {@link #keepAlive}. Whoever
   * inherits the lock knows its ticket and token and no more, so it is what a queue allows a job
   * unless it has other rules; zero without such a lock.
   */
  public static Duration holdOfOuterLock(Host host) {
    return InheritedLocks.areTold(host) ? Rules.DEFAULT.maxHold() : Duration.ZERO;
  }

  /** The directory that stands for a cloud; empty when the cloud is a real one. */
  public Optional<Path> simulatedIn() {
    return cloud instanceof SimulatedMachines machines
        ? Optional.of(machines.directory())
        : Optional.empty();
  }

  /** Where the states are, for people. */
  public String location() {
    return space.location();
  }

  @Override
  public void close() {
    cloud.close();
    close(space);
  }

  private static void close(VmSpace space) {
    if (space instanceof AutoCloseable closeable) {
      try {
        closeable.close();
      } catch (Exception e) {
        throw new IllegalStateException("cannot close " + space.location(), e);
      }
    }
  }
}
