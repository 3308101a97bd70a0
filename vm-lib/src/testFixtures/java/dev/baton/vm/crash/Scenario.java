package dev.baton.vm.crash;

import static dev.baton.vm.crash.Clients.YES;

import dev.baton.store.StoreException;
import dev.baton.vm.BuildVm;
import dev.baton.vm.BuildVm.Disk;
import dev.baton.vm.DeploySpec;
import dev.baton.vm.Kind;
import dev.baton.vm.Operation;
import dev.baton.vm.SizeChange;
import dev.baton.vm.Status;
import dev.baton.vm.SweepOptions;
import dev.baton.vm.Trouble;
import dev.baton.vm.VmException;
import dev.baton.vm.operation.Vms;
import dev.baton.vm.simulated.Fault;
import dev.baton.vm.spi.Owner;
import dev.baton.vm.spi.ProviderException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * An operation that is killed.
 *
 * @param prepare brings the VM to where the operation begins
 * @param act the operation, by whoever is killed and then by somebody else
 * @param end where the VM must be after that
 */
public record Scenario(
    String name, Operation operation, Prepare prepare, Act act, Optional<Status> end) {

  private static final Optional<Integer> NONE = Optional.empty();

  /** What comes before. */
  public interface Prepare {
    void run(Clients clients)
        throws VmException, ProviderException, StoreException, InterruptedException;
  }

  /** What is killed. */
  public interface Act {
    void run(Vms vms, LifecycleScene scene) throws VmException, InterruptedException;
  }

  /** What is killed, where it is about one VM, with what can be deployed there. */
  public interface OnVm {
    void run(BuildVm vm, DeploySpec spec) throws VmException, InterruptedException;
  }

  public static Act on(OnVm act) {
    return (vms, scene) -> act.run(vms.vm(Clients.NAME), scene.spec());
  }

  private static BuildVm other(Clients clients) {
    return clients.vm("other");
  }

  private static void deployed(Clients clients) throws VmException, InterruptedException {
    other(clients).deploy(clients.scene.spec(), YES);
  }

  /** A VM of a job. */
  private static void deployedForAJob(Clients clients) throws VmException, InterruptedException {
    other(clients).deploy(clients.scene.spec().livingAtMost(Duration.ofHours(6)), YES);
  }

  private static void suspendedForAJob(Clients clients) throws VmException, InterruptedException {
    deployedForAJob(clients);
    other(clients).suspend(YES);
  }

  private static void kept(Clients clients) throws VmException, InterruptedException {
    deployed(clients);
    other(clients).destroy(Disk.KEEP, YES);
  }

  /** On every cloud. */
  public static final List<Scenario> ALL =
      List.of(
          new Scenario(
              "deploy, fresh",
              Operation.DEPLOY,
              clients -> {},
              on((vm, spec) -> vm.deploy(spec, YES)),
              Optional.of(Status.RUNNING)),
          new Scenario(
              "deploy, with a life",
              Operation.DEPLOY,
              clients -> {},
              on((vm, spec) -> vm.deploy(spec.livingAtMost(Duration.ofHours(6)), YES)),
              Optional.of(Status.RUNNING)),
          new Scenario(
              "deploy, from a snapshot",
              Operation.DEPLOY,
              Scenario::kept,
              on((vm, spec) -> vm.deploy(spec, YES)),
              Optional.of(Status.RUNNING)),
          new Scenario(
              "deploy, from scratch in spite of a snapshot",
              Operation.DEPLOY,
              Scenario::kept,
              on((vm, spec) -> vm.deploy(spec.fromScratch(), YES)),
              Optional.of(Status.RUNNING)),
          new Scenario(
              "deploy, continued",
              Operation.DEPLOY,
              Scenario::deployHalfway,
              on((vm, spec) -> vm.deploy(spec, YES)),
              Optional.of(Status.RUNNING)),
          new Scenario(
              "deploy, continued, with a life",
              Operation.DEPLOY,
              clients -> {
                deployHalfway(clients, clients.scene.spec().livingAtMost(Duration.ofHours(1)));
                clients.scene.elapse(Duration.ofMinutes(40));
              },
              on((vm, spec) -> vm.deploy(spec, YES)),
              Optional.of(Status.RUNNING)),
          new Scenario(
              "deploy, repair",
              Operation.DEPLOY,
              clients -> {
                deployed(clients);
                clients.deleteByHand(Kind.INSTANCE);
                clients.deleteByHand(Kind.KEY_PAIR);
              },
              on((vm, spec) -> vm.deploy(spec, YES)),
              Optional.of(Status.RUNNING)),
          new Scenario(
              "deploy, sold out in the first zone",
              Operation.DEPLOY,
              clients ->
                  clients.scene.fail(Fault.before("create", Kind.INSTANCE, Trouble.OUT_OF_STOCK)),
              (vms, scene) -> vms.vm(Clients.NAME).deploy(scene.spec().inZone(scene.zones()), YES),
              Optional.of(Status.RUNNING)),
          new Scenario(
              "suspend",
              Operation.SUSPEND,
              Scenario::deployedForAJob,
              on((vm, spec) -> vm.suspend(YES)),
              Optional.of(Status.SUSPENDED)),
          new Scenario(
              "resume",
              Operation.RESUME,
              clients -> {
                deployed(clients);
                other(clients).suspend(YES);
              },
              on((vm, spec) -> vm.resume(YES)),
              Optional.of(Status.RUNNING)),
          new Scenario(
              "resume, with a life",
              Operation.RESUME,
              Scenario::suspendedForAJob,
              on((vm, spec) -> vm.resume(YES)),
              Optional.of(Status.RUNNING)),
          new Scenario(
              "push, of a VM that is in use",
              Operation.EXTEND,
              clients -> {
                deployedForAJob(clients);
                clients.scene.elapse(Duration.ofHours(5));
              },
              on((vm, spec) -> vm.push(Duration.ZERO, false)),
              Optional.of(Status.RUNNING)),
          new Scenario(
              "destroy, without a snapshot",
              Operation.DESTROY,
              clients -> {
                kept(clients);
                deployed(clients);
              },
              on((vm, spec) -> vm.destroy(Disk.DROP, YES)),
              Optional.empty()),
          new Scenario(
              "destroy, with a snapshot",
              Operation.DESTROY,
              Scenario::deployed,
              on((vm, spec) -> vm.destroy(Disk.KEEP, YES)),
              Optional.of(Status.DESTROYED)),
          new Scenario(
              "destroy, with a snapshot that replaces another",
              Operation.DESTROY,
              clients -> {
                kept(clients);
                deployed(clients);
                other(clients).suspend(YES);
              },
              on((vm, spec) -> vm.destroy(Disk.KEEP, YES)),
              Optional.of(Status.DESTROYED)),
          new Scenario(
              "destroy, with a snapshot, running, with a life",
              Operation.DESTROY,
              Scenario::deployedForAJob,
              on((vm, spec) -> vm.destroy(Disk.KEEP, YES)),
              Optional.of(Status.DESTROYED)),
          new Scenario(
              "destroy, with a snapshot, suspended, with a life",
              Operation.DESTROY,
              Scenario::suspendedForAJob,
              on((vm, spec) -> vm.destroy(Disk.KEEP, YES)),
              Optional.of(Status.DESTROYED)),
          new Scenario(
              "destroy, of the snapshot",
              Operation.DESTROY,
              Scenario::kept,
              on((vm, spec) -> vm.destroy(Disk.DROP, YES)),
              Optional.empty()),
          new Scenario(
              "destroy, of a deploy that was not finished",
              Operation.DESTROY,
              Scenario::deployHalfway,
              on((vm, spec) -> vm.destroy(Disk.DROP, YES)),
              Optional.empty()),
          new Scenario(
              "abandon, of a deploy",
              Operation.ABANDON,
              Scenario::deployHalfway,
              on((vm, spec) -> vm.abandon(YES)),
              Optional.empty()),
          new Scenario(
              "abandon, of a destroy",
              Operation.ABANDON,
              clients -> {
                deployed(clients);
                clients.killedAt("after create snapshot", vm -> vm.destroy(Disk.KEEP, YES));
                clients.letTheLeaseRunOut();
              },
              on((vm, spec) -> vm.abandon(YES)),
              Optional.of(Status.RUNNING)),
          new Scenario(
              "abandon, of a destroy, suspended, with a life",
              Operation.ABANDON,
              clients -> {
                suspendedForAJob(clients);
                clients.killedAt("after create snapshot", vm -> vm.destroy(Disk.KEEP, YES));
                clients.letTheLeaseRunOut();
              },
              on((vm, spec) -> vm.abandon(YES)),
              Optional.of(Status.SUSPENDED)),
          new Scenario(
              "sweep, of what nothing claims",
              Operation.SWEEP,
              clients -> {
                deployed(clients);
                for (int i = 0; i < 3; i++) {
                  clients.stray(new Owner(clients.home, Clients.NAME));
                }
                clients.letTheLeaseRunOut();
              },
              (vms, scene) -> vms.sweep(SweepOptions.DRY_RUN.forReal()),
              Optional.of(Status.RUNNING)),
          new Scenario(
              "sweep, of an interrupted destroy",
              Operation.SWEEP,
              clients -> {
                deployed(clients);
                clients.killedAt("after delete instance", vm -> vm.destroy(Disk.DROP, YES));
                clients.letTheLeaseRunOut();
              },
              (vms, scene) -> vms.sweep(SweepOptions.DRY_RUN.forReal()),
              Optional.empty()),
          new Scenario(
              "sweep, of a VM that outlived its job",
              Operation.SWEEP,
              clients -> {
                other(clients)
                    .deploy(clients.scene.spec().livingAtMost(Duration.ofMinutes(40)), YES);
                clients.scene.elapse(Duration.ofMinutes(50));
              },
              (vms, scene) -> vms.sweep(SweepOptions.DRY_RUN.forReal()),
              Optional.empty()));

  private static void stopped(Clients clients) throws VmException, InterruptedException {
    deployed(clients);
    other(clients).stop(YES);
  }

  /** With a disk that is attached and one that is kept beside it. */
  private static void stoppedWithDisks(Clients clients) throws VmException, InterruptedException {
    stopped(clients);
    other(clients).attach("kept", Optional.of(10), YES);
    other(clients).detach("kept", false, YES);
    other(clients).attach("cache", Optional.of(20), YES);
  }

  /** On clouds that can do all that not every cloud can do. */
  public static final List<Scenario> MORE =
      List.of(
          new Scenario(
              "stop, with a life",
              Operation.STOP,
              Scenario::deployedForAJob,
              on((vm, spec) -> vm.stop(YES)),
              Optional.of(Status.STOPPED)),
          new Scenario(
              "stop, of a VM that is suspended",
              Operation.STOP,
              clients -> {
                deployed(clients);
                other(clients).suspend(YES);
              },
              on((vm, spec) -> vm.stop(YES)),
              Optional.of(Status.STOPPED)),
          new Scenario(
              "start, with a life",
              Operation.START,
              clients -> {
                deployedForAJob(clients);
                other(clients).stop(YES);
              },
              on((vm, spec) -> vm.start(YES)),
              Optional.of(Status.RUNNING)),
          new Scenario(
              "start, of a VM whose disks are not as wanted",
              Operation.START,
              clients -> {
                stoppedWithDisks(clients);
                clients.killedAt("before detach disk", vm -> vm.detach("cache", true, YES));
                clients.letTheLeaseRunOut();
                clients.killedAt("before attach disk", vm -> vm.attach("kept", NONE, YES));
                clients.letTheLeaseRunOut();
              },
              on((vm, spec) -> vm.start(YES)),
              Optional.of(Status.RUNNING)),
          new Scenario(
              "resize, of a VM that runs, with a life",
              Operation.RESIZE,
              Scenario::deployedForAJob,
              (vms, scene) -> vms.vm(Clients.NAME).resize(scene.otherSize(), YES),
              Optional.of(Status.RUNNING)),
          new Scenario(
              "resize, of a VM that is stopped",
              Operation.RESIZE,
              Scenario::stopped,
              (vms, scene) -> vms.vm(Clients.NAME).resize(scene.otherSize(), YES),
              Optional.of(Status.STOPPED)),
          new Scenario(
              "resize, to a size that does not start",
              Operation.RESIZE,
              clients -> {
                deployed(clients);
                clients.scene.fail(Fault.before("boot", Kind.INSTANCE, Trouble.BAD_REQUEST));
              },
              (vms, scene) -> resizeOrGoBack(vms.vm(Clients.NAME), scene.otherSize()),
              Optional.of(Status.RUNNING)),
          new Scenario(
              "abandon, of a resize",
              Operation.ABANDON,
              clients -> {
                deployed(clients);
                clients.killedAt("after resize", vm -> vm.resize(clients.scene.otherSize(), YES));
                clients.letTheLeaseRunOut();
              },
              on((vm, spec) -> vm.abandon(YES)),
              Optional.of(Status.RUNNING)),
          new Scenario(
              "attach, a new disk",
              Operation.ATTACH,
              Scenario::stopped,
              on((vm, spec) -> vm.attach("cache", Optional.of(20), YES)),
              Optional.of(Status.STOPPED)),
          new Scenario(
              "attach, a disk that was kept",
              Operation.ATTACH,
              Scenario::stoppedWithDisks,
              on((vm, spec) -> vm.attach("kept", NONE, YES)),
              Optional.of(Status.STOPPED)),
          new Scenario(
              "detach, and keep the disk",
              Operation.DETACH,
              Scenario::stoppedWithDisks,
              on((vm, spec) -> vm.detach("cache", false, YES)),
              Optional.of(Status.STOPPED)),
          new Scenario(
              "detach, and delete the disk",
              Operation.DETACH,
              Scenario::stoppedWithDisks,
              on((vm, spec) -> vm.detach("cache", true, YES)),
              Optional.of(Status.STOPPED)),
          new Scenario(
              "deploy, repair of a VM with a disk",
              Operation.DEPLOY,
              clients -> {
                stoppedWithDisks(clients);
                other(clients).start(YES);
                clients.deleteByHand(Kind.INSTANCE);
              },
              on((vm, spec) -> vm.deploy(spec, YES)),
              Optional.of(Status.RUNNING)),
          new Scenario(
              "deploy, from a snapshot, with disks that were kept",
              Operation.DEPLOY,
              clients -> {
                stoppedWithDisks(clients);
                other(clients).destroy(Disk.KEEP, YES);
              },
              on((vm, spec) -> vm.deploy(spec, YES)),
              Optional.of(Status.RUNNING)),
          new Scenario(
              "destroy, with a snapshot, stopped, with disks",
              Operation.DESTROY,
              Scenario::stoppedWithDisks,
              on((vm, spec) -> vm.destroy(Disk.KEEP, YES)),
              Optional.of(Status.DESTROYED)),
          new Scenario(
              "destroy, without a snapshot, with disks",
              Operation.DESTROY,
              Scenario::stoppedWithDisks,
              on((vm, spec) -> vm.destroy(Disk.DROP, YES)),
              Optional.empty()),
          new Scenario(
              "destroy, of the snapshot and the disks",
              Operation.DESTROY,
              clients -> {
                stoppedWithDisks(clients);
                other(clients).destroy(Disk.KEEP, YES);
              },
              on((vm, spec) -> vm.destroy(Disk.DROP, YES)),
              Optional.empty()),
          new Scenario(
              "deploy, warm, with nothing prepared yet",
              Operation.DEPLOY,
              clients -> {},
              on((vm, spec) -> vm.deploy(spec.startingWarm(true), YES)),
              Optional.of(Status.RUNNING)),
          new Scenario(
              "deploy, warm, from what is prepared",
              Operation.DEPLOY,
              clients -> {
                other(clients).deploy(clients.scene.spec().startingWarm(true), YES);
                other(clients).destroy(Disk.DROP, YES);
              },
              on((vm, spec) -> vm.deploy(spec.startingWarm(true), YES)),
              Optional.of(Status.RUNNING)),
          new Scenario(
              "destroy, of a VM whose resize was interrupted",
              Operation.DESTROY,
              clients -> {
                deployed(clients);
                clients.killedAt("after resize", vm -> vm.resize(clients.scene.otherSize(), YES));
                clients.letTheLeaseRunOut();
              },
              on((vm, spec) -> vm.destroy(Disk.KEEP, YES)),
              Optional.of(Status.DESTROYED)));

  /** The second one succeeds, since only the first start fails. */
  private static void resizeOrGoBack(BuildVm vm, SizeChange size)
      throws VmException, InterruptedException {
    try {
      vm.resize(size, YES);
    } catch (VmException.CloudFailed e) {
      if (!e.what().contains("has its old size again")) {
        throw e;
      }
    }
  }

  private static void deployHalfway(Clients clients)
      throws VmException, ProviderException, InterruptedException {
    deployHalfway(clients, clients.scene.spec());
  }

  private static void deployHalfway(Clients clients, DeploySpec spec)
      throws VmException, ProviderException, InterruptedException {
    clients.scene.fail(Fault.before("create", Kind.ADDRESS, Trouble.DENIED));
    try {
      other(clients).deploy(spec, YES);
      throw new IllegalStateException("the deploy should have failed");
    } catch (VmException.CloudFailed e) {
      if (e.trouble() != Trouble.DENIED) {
        throw e;
      }
    }
  }
}
