package dev.baton.vm.crash;

import static dev.baton.vm.crash.Scene.OPTIONS;
import static dev.baton.vm.crash.Scene.SPEC;

import dev.baton.store.StoreException;
import dev.baton.vm.BuildVm;
import dev.baton.vm.BuildVm.Disk;
import dev.baton.vm.DeploySpec;
import dev.baton.vm.Kind;
import dev.baton.vm.Operation;
import dev.baton.vm.Status;
import dev.baton.vm.SweepOptions;
import dev.baton.vm.Trouble;
import dev.baton.vm.VmException;
import dev.baton.vm.operation.Vms;
import dev.baton.vm.provider.Cancel;
import dev.baton.vm.provider.Owner;
import dev.baton.vm.provider.ProviderException;
import dev.baton.vm.provider.Request;
import dev.baton.vm.provider.simulated.Fault;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * An operation that is killed.
 *
 * @param prepare brings the VM to where the operation begins
 * @param act the operation, by whoever is killed and then by somebody else
 * @param end where the VM must be after that
 */
record Scenario(String name, Operation operation, Prepare prepare, Act act, Optional<Status> end) {

  interface Prepare {
    void run(Scene scene)
        throws VmException, ProviderException, StoreException, InterruptedException;
  }

  interface Act {
    void run(Vms vms) throws VmException, InterruptedException;
  }

  private interface OnVm {
    void run(BuildVm vm) throws VmException, InterruptedException;
  }

  private static Act on(OnVm act) {
    return vms -> act.run(vms.vm(Scene.NAME));
  }

  private static final Cancel NEVER =
      new Cancel() {
        @Override
        public void check() {}

        @Override
        public void pause(Duration time) {}
      };

  static final List<Scenario> ALL =
      List.of(
          new Scenario(
              "deploy, fresh",
              Operation.DEPLOY,
              scene -> {},
              on(vm -> vm.deploy(SPEC, OPTIONS)),
              Optional.of(Status.RUNNING)),
          new Scenario(
              "deploy, with a life",
              Operation.DEPLOY,
              scene -> {},
              on(vm -> vm.deploy(SPEC.livingAtMost(Duration.ofHours(6)), OPTIONS)),
              Optional.of(Status.RUNNING)),
          new Scenario(
              "deploy, from a snapshot",
              Operation.DEPLOY,
              scene -> {
                scene.otherVm().deploy(SPEC, OPTIONS);
                scene.otherVm().destroy(Disk.KEEP, OPTIONS);
              },
              on(vm -> vm.deploy(SPEC, OPTIONS)),
              Optional.of(Status.RUNNING)),
          new Scenario(
              "deploy, from scratch in spite of a snapshot",
              Operation.DEPLOY,
              scene -> {
                scene.otherVm().deploy(SPEC, OPTIONS);
                scene.otherVm().destroy(Disk.KEEP, OPTIONS);
              },
              on(vm -> vm.deploy(SPEC.fromScratch(), OPTIONS)),
              Optional.of(Status.RUNNING)),
          new Scenario(
              "deploy, continued",
              Operation.DEPLOY,
              Scenario::deployHalfway,
              on(vm -> vm.deploy(SPEC, OPTIONS)),
              Optional.of(Status.RUNNING)),
          new Scenario(
              "deploy, continued, with a life",
              Operation.DEPLOY,
              scene -> {
                deployHalfway(scene, SPEC.livingAtMost(Duration.ofHours(1)));
                scene.world.advance(Duration.ofMinutes(40));
              },
              on(vm -> vm.deploy(SPEC, OPTIONS)),
              Optional.of(Status.RUNNING)),
          new Scenario(
              "deploy, repair",
              Operation.DEPLOY,
              scene -> {
                scene.otherVm().deploy(SPEC, OPTIONS);
                var state = scene.journal().state().orElseThrow();
                scene.cloud.deleteByHand(state.resource(Kind.INSTANCE).orElseThrow().id());
                scene.cloud.deleteByHand(state.resource(Kind.KEY_PAIR).orElseThrow().id());
              },
              on(vm -> vm.deploy(SPEC, OPTIONS)),
              Optional.of(Status.RUNNING)),
          new Scenario(
              "suspend",
              Operation.SUSPEND,
              scene -> scene.otherVm().deploy(SPEC.livingAtMost(Duration.ofHours(6)), OPTIONS),
              on(vm -> vm.suspend(OPTIONS)),
              Optional.of(Status.SUSPENDED)),
          new Scenario(
              "resume",
              Operation.RESUME,
              scene -> {
                scene.otherVm().deploy(SPEC, OPTIONS);
                scene.otherVm().suspend(OPTIONS);
              },
              on(vm -> vm.resume(OPTIONS)),
              Optional.of(Status.RUNNING)),
          new Scenario(
              "resume, with a life",
              Operation.RESUME,
              scene -> {
                scene.otherVm().deploy(SPEC.livingAtMost(Duration.ofHours(6)), OPTIONS);
                scene.otherVm().suspend(OPTIONS);
              },
              on(vm -> vm.resume(OPTIONS)),
              Optional.of(Status.RUNNING)),
          new Scenario(
              "push, of a VM that is in use",
              Operation.EXTEND,
              scene -> {
                scene.otherVm().deploy(SPEC.livingAtMost(Duration.ofHours(6)), OPTIONS);
                scene.world.advance(Duration.ofHours(5));
              },
              on(vm -> vm.push(Duration.ZERO, false)),
              Optional.of(Status.RUNNING)),
          new Scenario(
              "destroy, without a snapshot",
              Operation.DESTROY,
              scene -> {
                scene.otherVm().deploy(SPEC, OPTIONS);
                scene.otherVm().destroy(Disk.KEEP, OPTIONS);
                scene.otherVm().deploy(SPEC, OPTIONS);
              },
              on(vm -> vm.destroy(Disk.DROP, OPTIONS)),
              Optional.empty()),
          new Scenario(
              "destroy, with a snapshot",
              Operation.DESTROY,
              scene -> scene.otherVm().deploy(SPEC, OPTIONS),
              on(vm -> vm.destroy(Disk.KEEP, OPTIONS)),
              Optional.of(Status.DESTROYED)),
          new Scenario(
              "destroy, with a snapshot that replaces another",
              Operation.DESTROY,
              scene -> {
                scene.otherVm().deploy(SPEC, OPTIONS);
                scene.otherVm().destroy(Disk.KEEP, OPTIONS);
                scene.otherVm().deploy(SPEC, OPTIONS);
                scene.otherVm().suspend(OPTIONS);
              },
              on(vm -> vm.destroy(Disk.KEEP, OPTIONS)),
              Optional.of(Status.DESTROYED)),
          new Scenario(
              "destroy, of the snapshot",
              Operation.DESTROY,
              scene -> {
                scene.otherVm().deploy(SPEC, OPTIONS);
                scene.otherVm().destroy(Disk.KEEP, OPTIONS);
              },
              on(vm -> vm.destroy(Disk.DROP, OPTIONS)),
              Optional.empty()),
          new Scenario(
              "abandon, of a deploy",
              Operation.ABANDON,
              Scenario::deployHalfway,
              on(vm -> vm.abandon(OPTIONS)),
              Optional.empty()),
          new Scenario(
              "abandon, of a destroy",
              Operation.ABANDON,
              scene -> {
                scene.otherVm().deploy(SPEC, OPTIONS);
                killIn(scene, "after create snapshot", vm -> vm.destroy(Disk.KEEP, OPTIONS));
              },
              on(vm -> vm.abandon(OPTIONS)),
              Optional.of(Status.RUNNING)),
          new Scenario(
              "sweep, of what nothing claims",
              Operation.SWEEP,
              scene -> {
                scene.otherVm().deploy(SPEC, OPTIONS);
                for (int i = 0; i < 3; i++) {
                  scene.cloud.create(
                      new Request(
                          Kind.NETWORK,
                          Map.of(),
                          "somebody-" + i,
                          new Owner(Scene.SPACE, Scene.NAME),
                          Optional.empty()),
                      NEVER);
                }
                scene.letTheLeaseRunOut();
              },
              vms -> vms.sweep(SweepOptions.DRY_RUN.forReal()),
              Optional.of(Status.RUNNING)),
          new Scenario(
              "sweep, of an interrupted destroy",
              Operation.SWEEP,
              scene -> {
                scene.otherVm().deploy(SPEC, OPTIONS);
                killIn(scene, "after delete instance", vm -> vm.destroy(Disk.DROP, OPTIONS));
              },
              vms -> vms.sweep(SweepOptions.DRY_RUN.forReal()),
              Optional.empty()),
          new Scenario(
              "sweep, of a VM that outlived its job",
              Operation.SWEEP,
              scene -> {
                scene.otherVm().deploy(SPEC.livingAtMost(Duration.ofMinutes(40)), OPTIONS);
                scene.world.advance(Duration.ofMinutes(50));
              },
              vms -> vms.sweep(SweepOptions.DRY_RUN.forReal()),
              Optional.empty()));

  private static void deployHalfway(Scene scene)
      throws VmException, ProviderException, InterruptedException {
    deployHalfway(scene, SPEC);
  }

  private static void deployHalfway(Scene scene, DeploySpec spec)
      throws VmException, ProviderException, InterruptedException {
    scene.cloud.configure(s -> s.with(Fault.before("create", Kind.ADDRESS, Trouble.DENIED)));
    try {
      scene.otherVm().deploy(spec, OPTIONS);
      throw new IllegalStateException("the deploy should have failed");
    } catch (VmException.CloudFailed e) {
      if (e.trouble() != Trouble.DENIED) {
        throw e;
      }
    }
  }

  /** Kills the operation at the first moment that is described so. */
  private static void killIn(Scene scene, String where, OnVm act)
      throws VmException, ProviderException, InterruptedException {
    Scene rehearsal = new Scene(true);
    rehearsal.otherVm().deploy(SPEC, OPTIONS);
    rehearsal.kills.arm(-1);
    act.run(rehearsal.victimVm());
    List<String> points = rehearsal.kills.points().stream().map(KillSwitch.Point::where).toList();
    scene.kills.arm(points.indexOf(where));
    try {
      act.run(scene.victimVm());
      throw new IllegalStateException("nobody was killed " + where);
    } catch (KillSwitch.Killed e) {
      scene.kills.disarm();
    }
    scene.letTheLeaseRunOut();
  }
}
