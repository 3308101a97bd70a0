package dev.baton.qemu.cloud;

import dev.baton.qemu.fake.KillingHost;
import dev.baton.vm.BuildVm;
import dev.baton.vm.Status;
import dev.baton.vm.VmException;
import dev.baton.vm.crash.Clients;
import dev.baton.vm.crash.CrashTest;
import dev.baton.vm.crash.KillSwitch;
import dev.baton.vm.crash.Scenario;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The crash test on simulated QEMU processes: a kill at each write and call, as on every cloud, and
 * a kill between the things that one call does on the machine.
 */
public final class QemuCrashTest {
  private static final BuildVm.Disk KEEP = BuildVm.Disk.KEEP;

  /** There is one place, which cannot be sold out to go on in another. */
  static final List<Scenario> SCENARIOS =
      Stream.concat(Scenario.ALL.stream(), Scenario.MORE.stream())
          .filter(s -> !s.name().contains("sold out"))
          .toList();

  private QemuCrashTest() {}

  /** What is done, and where it leads. */
  private record Walk(String name, Clients.Act before, Clients.Act act, Optional<Status> end) {}

  private static final Clients.Act DEPLOY = vm -> vm.deploy(QemuScene.SPEC, Clients.YES);

  private static final Clients.Act WARM =
      vm -> vm.deploy(QemuScene.SPEC.startingWarm(true), Clients.YES);
  private static final Optional<Status> RUNNING = Optional.of(Status.RUNNING);
  private static final Optional<Status> SUSPENDED = Optional.of(Status.SUSPENDED);

  private static Clients.Act after(Clients.Act first, Clients.Act then) {
    return vm -> {
      first.on(vm);
      then.on(vm);
    };
  }

  private static final List<Walk> WALKS =
      List.of(
          new Walk("deploy", vm -> {}, DEPLOY, RUNNING),
          new Walk(
              "deploy from a snapshot",
              after(DEPLOY, vm -> vm.destroy(KEEP, Clients.YES)),
              DEPLOY,
              RUNNING),
          new Walk("deploy, warm, with nothing prepared", vm -> {}, WARM, RUNNING),
          new Walk(
              "deploy, warm",
              after(WARM, vm -> vm.destroy(BuildVm.Disk.DROP, Clients.YES)),
              WARM,
              RUNNING),
          new Walk("suspend, of a warm one", WARM, vm -> vm.suspend(Clients.YES), SUSPENDED),
          new Walk("suspend", DEPLOY, vm -> vm.suspend(Clients.YES), SUSPENDED),
          new Walk(
              "resume",
              after(DEPLOY, vm -> vm.suspend(Clients.YES)),
              vm -> vm.resume(Clients.YES),
              RUNNING),
          new Walk("stop", DEPLOY, vm -> vm.stop(Clients.YES), Optional.of(Status.STOPPED)),
          new Walk(
              "start",
              after(DEPLOY, vm -> vm.stop(Clients.YES)),
              vm -> vm.start(Clients.YES),
              RUNNING),
          new Walk(
              "attach",
              after(DEPLOY, vm -> vm.stop(Clients.YES)),
              vm -> vm.attach("cache", Optional.of(1), Clients.YES),
              Optional.of(Status.STOPPED)),
          new Walk(
              "destroy with a snapshot",
              DEPLOY,
              vm -> vm.destroy(KEEP, Clients.YES),
              Optional.of(Status.DESTROYED)),
          new Walk(
              "destroy, suspended, with a snapshot",
              after(DEPLOY, vm -> vm.suspend(Clients.YES)),
              vm -> vm.destroy(KEEP, Clients.YES),
              Optional.of(Status.DESTROYED)),
          new Walk(
              "destroy",
              DEPLOY,
              vm -> vm.destroy(BuildVm.Disk.DROP, Clients.YES),
              Optional.empty()));

  public static void main(String[] args) {
    int stride = Integer.parseInt(args[0]);
    String only = args[1];
    boolean verbose = List.of(args).contains("verbose");
    CrashTest.Total calls =
        new CrashTest(QemuScene::new, true, System.out, verbose)
            .run(SCENARIOS.stream().filter(s -> s.name().contains(only)).toList(), stride, 0);
    CrashTest.Total all = sum(calls, inside(only, stride, 0, System.out, verbose));
    if (only.isEmpty() || only.equals("real")) {
      all = sum(all, RealCrash.run(Integer.parseInt(args[2]), System.out));
    }
    System.out.println(all.line());
    System.exit(all.isGood(only.isEmpty() ? stride : Integer.MAX_VALUE) ? 0 : 1);
  }

  private static CrashTest.Total sum(CrashTest.Total a, CrashTest.Total b) {
    return new CrashTest.Total(
        a.points() + b.points(),
        a.orphans() + b.orphans(),
        a.stuck() + b.stuck(),
        a.missed() + b.missed());
  }

  /** A kill between the things that one call does. */
  static CrashTest.Total inside(
      String only, int stride, int first, PrintStream out, boolean verbose) {
    int points = 0;
    int orphans = 0;
    int stuck = 0;
    for (Walk walk : WALKS) {
      if (!walk.name().contains(only)) {
        continue;
      }
      List<String> moments = moments(walk);
      int here = 0;
      for (int i = first % stride; i < moments.size(); i += stride) {
        List<String> left = new ArrayList<>();
        String trouble = kill(walk, i, left);
        here++;
        orphans += left.size();
        stuck += trouble.isEmpty() ? 0 : 1;
        if (verbose || !left.isEmpty() || !trouble.isEmpty()) {
          out.println("  " + walk.name() + ", " + moments.get(i) + ": " + left + trouble);
        }
      }
      points += here;
      out.printf("%-48s %4d kill points inside of calls%n", walk.name(), here);
    }
    return new CrashTest.Total(points, orphans, stuck, 0);
  }

  private static List<String> moments(Walk walk) {
    try (QemuScene scene = new QemuScene()) {
      Clients clients = new Clients(scene, true);
      walk.before().on(clients.vm("other"));
      KillingHost host = new KillingHost(scene.host, -1);
      walk.act().on(clients.vmOn(scene.on(host), "victim"));
      return host.moments();
    } catch (VmException | dev.baton.store.StoreException | InterruptedException e) {
      throw new IllegalStateException(walk.name() + " fails without any kill", e);
    }
  }

  private static String kill(Walk walk, int moment, List<String> left) {
    try (QemuScene scene = new QemuScene()) {
      Clients clients = new Clients(scene, true);
      walk.before().on(clients.vm("other"));
      try {
        walk.act().on(clients.vmOn(scene.on(new KillingHost(scene.host, moment)), "victim"));
        return "it was not killed";
      } catch (KillSwitch.Killed e) {
        clients.letTheLeaseRunOut();
      }
      walk.act().on(clients.vm("other"));
      clients.vm("other").status();
      List<String> troubles = new ArrayList<>(clients.troubles());
      if (!clients.journal().status().equals(walk.end())) {
        troubles.add("it is " + clients.journal().status());
      }
      left.addAll(clients.orphans(false));
      clients.takeDownAll();
      scene.things().forEach(t -> left.add(t.toString()));
      scene.host.pids().forEach(p -> left.add("process " + p));
      return troubles.isEmpty() ? "" : "stuck: " + troubles;
    } catch (VmException
        | dev.baton.vm.spi.ProviderException
        | dev.baton.store.StoreException
        | InterruptedException
        | RuntimeException e) {
      return "stuck: " + e;
    }
  }
}
