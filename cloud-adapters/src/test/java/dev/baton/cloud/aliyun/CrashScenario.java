package dev.baton.cloud.aliyun;

import static dev.baton.cloud.aliyun.CrashScene.OPTIONS;
import static dev.baton.cloud.aliyun.CrashScene.SPEC;

import dev.baton.cloud.fake.Fault;
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
import dev.baton.vm.crash.KillSwitch;
import dev.baton.vm.operation.Vms;
import dev.baton.vm.provider.Owner;
import dev.baton.vm.provider.ProviderException;
import dev.baton.vm.provider.Request;
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
record CrashScenario(
    String name, Operation operation, Prepare prepare, Act act, Optional<Status> end) {

  interface Prepare {
    void run(CrashScene scene)
        throws VmException, ProviderException, StoreException, InterruptedException;
  }

  interface Act {
    void run(Vms vms) throws VmException, InterruptedException;
  }

  private interface OnVm {
    void run(BuildVm vm) throws VmException, InterruptedException;
  }

  private static Act on(OnVm act) {
    return vms -> act.run(vms.vm(CrashScene.NAME));
  }

  private static void deployed(CrashScene scene) throws VmException, InterruptedException {
    scene.otherVm().deploy(SPEC, OPTIONS);
  }

  private static void kept(CrashScene scene) throws VmException, InterruptedException {
    deployed(scene);
    scene.otherVm().destroy(Disk.KEEP, OPTIONS);
  }

  static final List<CrashScenario> ALL =
      List.of(
          new CrashScenario(
              "deploy, fresh",
              Operation.DEPLOY,
              scene -> {},
              on(vm -> vm.deploy(SPEC, OPTIONS)),
              Optional.of(Status.RUNNING)),
          new CrashScenario(
              "deploy, with a life",
              Operation.DEPLOY,
              scene -> {},
              on(vm -> vm.deploy(SPEC.livingAtMost(Duration.ofHours(6)), OPTIONS)),
              Optional.of(Status.RUNNING)),
          new CrashScenario(
              "deploy, with a short life",
              Operation.DEPLOY,
              scene -> {},
              on(vm -> vm.deploy(SPEC.livingAtMost(Duration.ofMinutes(31)), OPTIONS)),
              Optional.of(Status.RUNNING)),
          new CrashScenario(
              "deploy, from a snapshot",
              Operation.DEPLOY,
              CrashScenario::kept,
              on(vm -> vm.deploy(SPEC, OPTIONS)),
              Optional.of(Status.RUNNING)),
          new CrashScenario(
              "deploy, from scratch in spite of a snapshot",
              Operation.DEPLOY,
              CrashScenario::kept,
              on(vm -> vm.deploy(SPEC.fromScratch(), OPTIONS)),
              Optional.of(Status.RUNNING)),
          new CrashScenario(
              "deploy, continued",
              Operation.DEPLOY,
              CrashScenario::deployHalfway,
              on(vm -> vm.deploy(SPEC, OPTIONS)),
              Optional.of(Status.RUNNING)),
          new CrashScenario(
              "deploy, continued, with a life",
              Operation.DEPLOY,
              scene -> {
                deployHalfway(scene, SPEC.livingAtMost(Duration.ofHours(1)));
                scene.fakes.advance(Duration.ofMinutes(40));
              },
              on(vm -> vm.deploy(SPEC, OPTIONS)),
              Optional.of(Status.RUNNING)),
          new CrashScenario(
              "deploy, repair",
              Operation.DEPLOY,
              scene -> {
                deployed(scene);
                var state = scene.journal().state().orElseThrow();
                for (Kind kind : List.of(Kind.INSTANCE, Kind.KEY_PAIR)) {
                  String id = state.resource(kind).orElseThrow().id();
                  scene.fakes.provider.delete(kind, id, scene.fakes.sky.patient);
                }
              },
              on(vm -> vm.deploy(SPEC, OPTIONS)),
              Optional.of(Status.RUNNING)),
          new CrashScenario(
              "suspend",
              Operation.SUSPEND,
              scene -> scene.otherVm().deploy(SPEC.livingAtMost(Duration.ofHours(6)), OPTIONS),
              on(vm -> vm.suspend(OPTIONS)),
              Optional.of(Status.SUSPENDED)),
          new CrashScenario(
              "resume",
              Operation.RESUME,
              scene -> {
                deployed(scene);
                scene.otherVm().suspend(OPTIONS);
              },
              on(vm -> vm.resume(OPTIONS)),
              Optional.of(Status.RUNNING)),
          new CrashScenario(
              "resume, with a life",
              Operation.RESUME,
              scene -> {
                scene.otherVm().deploy(SPEC.livingAtMost(Duration.ofHours(6)), OPTIONS);
                scene.otherVm().suspend(OPTIONS);
              },
              on(vm -> vm.resume(OPTIONS)),
              Optional.of(Status.RUNNING)),
          new CrashScenario(
              "push, of a VM that is in use",
              Operation.EXTEND,
              scene -> {
                scene.otherVm().deploy(SPEC.livingAtMost(Duration.ofHours(6)), OPTIONS);
                scene.fakes.advance(Duration.ofHours(5));
              },
              on(vm -> vm.push(Duration.ZERO, false)),
              Optional.of(Status.RUNNING)),
          new CrashScenario(
              "destroy, without a snapshot",
              Operation.DESTROY,
              scene -> {
                kept(scene);
                deployed(scene);
              },
              on(vm -> vm.destroy(Disk.DROP, OPTIONS)),
              Optional.empty()),
          new CrashScenario(
              "destroy, with a snapshot",
              Operation.DESTROY,
              CrashScenario::deployed,
              on(vm -> vm.destroy(Disk.KEEP, OPTIONS)),
              Optional.of(Status.DESTROYED)),
          new CrashScenario(
              "destroy, with a snapshot that replaces another",
              Operation.DESTROY,
              scene -> {
                kept(scene);
                deployed(scene);
                scene.otherVm().suspend(OPTIONS);
              },
              on(vm -> vm.destroy(Disk.KEEP, OPTIONS)),
              Optional.of(Status.DESTROYED)),
          new CrashScenario(
              "destroy, of the snapshot",
              Operation.DESTROY,
              CrashScenario::kept,
              on(vm -> vm.destroy(Disk.DROP, OPTIONS)),
              Optional.empty()),
          new CrashScenario(
              "abandon, of a deploy",
              Operation.ABANDON,
              CrashScenario::deployHalfway,
              on(vm -> vm.abandon(OPTIONS)),
              Optional.empty()),
          new CrashScenario(
              "abandon, of a destroy",
              Operation.ABANDON,
              scene -> {
                deployed(scene);
                killIn(scene, "after create snapshot", vm -> vm.destroy(Disk.KEEP, OPTIONS));
              },
              on(vm -> vm.abandon(OPTIONS)),
              Optional.of(Status.RUNNING)),
          new CrashScenario(
              "sweep, of what nothing claims",
              Operation.SWEEP,
              scene -> {
                deployed(scene);
                for (int i = 0; i < 3; i++) {
                  scene.fakes.provider.create(
                      new Request(
                          Kind.NETWORK,
                          Map.of(),
                          "somebody-" + scene.space0() + i,
                          new Owner(scene.space0(), CrashScene.NAME),
                          Optional.empty()),
                      scene.fakes.sky.patient);
                }
                scene.letTheLeaseRunOut();
              },
              vms -> vms.sweep(SweepOptions.DRY_RUN.forReal()),
              Optional.of(Status.RUNNING)),
          new CrashScenario(
              "sweep, of an interrupted destroy",
              Operation.SWEEP,
              scene -> {
                deployed(scene);
                killIn(scene, "after delete instance", vm -> vm.destroy(Disk.DROP, OPTIONS));
              },
              vms -> vms.sweep(SweepOptions.DRY_RUN.forReal()),
              Optional.empty()),
          new CrashScenario(
              "sweep, of a VM that outlived its job",
              Operation.SWEEP,
              scene -> {
                scene.otherVm().deploy(SPEC.livingAtMost(Duration.ofMinutes(40)), OPTIONS);
                scene.fakes.advance(Duration.ofMinutes(50));
              },
              vms -> vms.sweep(SweepOptions.DRY_RUN.forReal()),
              Optional.empty()));

  private static void deployHalfway(CrashScene scene) throws VmException, InterruptedException {
    deployHalfway(scene, SPEC);
  }

  private static void deployHalfway(CrashScene scene, DeploySpec spec)
      throws VmException, InterruptedException {
    scene.fakes.sky.cloud.failNext(
        1,
        c -> c.kind().equals("AllocateEipAddress"),
        new Fault.Failed(403, "Forbidden.RAM", false));
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
  private static void killIn(CrashScene scene, String where, OnVm act)
      throws VmException, InterruptedException {
    int[] count = {0};
    int[] at = {-1};
    // The same moments come in the same order in a VM of the same state.
    try (CrashScene rehearsal = new CrashScene(scene.fakes, true)) {
      deployed(rehearsal);
      rehearsal.kills.arm(-1);
      act.run(rehearsal.victimVm());
      for (KillSwitch.Point point : rehearsal.kills.points()) {
        if (at[0] < 0 && point.where().equals(where)) {
          at[0] = count[0];
        }
        count[0]++;
      }
      rehearsal.otherVm().status();
      rehearsal.otherVm().takeDown(OPTIONS);
    }
    if (at[0] < 0) {
      throw new IllegalStateException("there is no moment " + where);
    }
    scene.kills.arm(at[0]);
    try {
      act.run(scene.victimVm());
      throw new IllegalStateException("nobody was killed " + where);
    } catch (KillSwitch.Killed e) {
      scene.kills.disarm();
    }
    scene.letTheLeaseRunOut();
  }
}
