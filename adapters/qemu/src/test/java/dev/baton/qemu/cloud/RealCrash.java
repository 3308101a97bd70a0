package dev.baton.qemu.cloud;

import dev.baton.qemu.fake.KillingHost;
import dev.baton.qemu.node.RealGuest;
import dev.baton.vm.BuildVm;
import dev.baton.vm.BuildVm.Disk;
import dev.baton.vm.Status;
import dev.baton.vm.VmException;
import dev.baton.vm.crash.CrashTest;
import dev.baton.vm.crash.KillSwitch;
import dev.baton.vm.spi.ProviderException;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A share of the kills, with real QEMU processes: what was killed is done again, then destroyed.
 */
final class RealCrash {
  private interface Act {
    void on(BuildVm vm) throws VmException, InterruptedException;
  }

  /**
   * What is done.
   *
   * @param moments how many there are at least; those that are not reached are passed over
   */
  private record Walk(String name, List<Act> before, Act act, int moments, Optional<Status> end) {}

  private static final Act DEPLOY = vm -> vm.deploy(RealCloud.SPEC, RealCloud.YES);
  private static final Act SUSPEND = vm -> vm.suspend(RealCloud.YES);

  private static final Act WARM = vm -> vm.deploy(RealCloud.SPEC.startingWarm(true), RealCloud.YES);

  private static final List<Walk> WALKS =
      List.of(
          new Walk("deploy", List.of(), DEPLOY, 12, Optional.of(Status.RUNNING)),
          new Walk("suspend", List.of(DEPLOY), SUSPEND, 14, Optional.of(Status.SUSPENDED)),
          new Walk(
              "resume",
              List.of(DEPLOY, SUSPEND),
              vm -> vm.resume(RealCloud.YES),
              12,
              Optional.of(Status.RUNNING)),
          new Walk(
              "deploy, warm, with nothing prepared",
              List.of(),
              WARM,
              40,
              Optional.of(Status.RUNNING)),
          new Walk(
              "deploy, warm",
              List.of(WARM, vm -> vm.destroy(Disk.DROP, RealCloud.YES)),
              WARM,
              18,
              Optional.of(Status.RUNNING)),
          new Walk(
              "destroy with a snapshot",
              List.of(DEPLOY),
              vm -> vm.destroy(Disk.KEEP, RealCloud.YES),
              10,
              Optional.of(Status.DESTROYED)));

  private RealCrash() {}

  static CrashTest.Total run(int stride, PrintStream out) {
    int points = 0;
    int orphans = 0;
    int stuck = 0;
    if (!Files.exists(RealGuest.image())) {
      out.println("real QEMU: not run, it is not installed");
      return new CrashTest.Total(0, 0, 0, 0);
    }
    for (Walk walk : WALKS) {
      int here = 0;
      for (int moment = 1; moment < walk.moments(); moment += stride) {
        Optional<List<String>> wrong = kill(walk, moment, out);
        if (wrong.isPresent()) {
          here++;
          orphans += (int) wrong.get().stream().filter(w -> w.startsWith("left ")).count();
          stuck += (int) wrong.get().stream().filter(w -> w.startsWith("stuck ")).count();
        }
      }
      points += here;
      out.printf("%-48s %4d kill points on real QEMU%n", walk.name(), here);
    }
    return new CrashTest.Total(points, orphans, stuck, 0);
  }

  /** Empty: there is no such moment. */
  private static Optional<List<String>> kill(Walk walk, int moment, PrintStream out) {
    Path root = null;
    List<String> wrong = new java.util.ArrayList<>();
    String where = "";
    try {
      root = Files.createTempDirectory("bq");
      try (RealCloud cloud = new RealCloud(root)) {
        for (Act act : walk.before()) {
          act.on(cloud.vm());
        }
        KillingHost host = new KillingHost(cloud.host, moment);
        try {
          walk.act().on(cloud.vm(host));
          return Optional.empty();
        } catch (KillSwitch.Killed e) {
          where = e.getMessage();
        }
        walk.act().on(cloud.vm());
        if (!cloud.status().equals(walk.end())) {
          wrong.add("stuck in " + cloud.status());
        }
        cloud.takeDownAll();
        cloud.left().forEach(l -> wrong.add("left " + l));
      }
    } catch (VmException
        | ProviderException
        | IOException
        | InterruptedException
        | AssertionError e) {
      wrong.add("stuck " + e);
    } finally {
      delete(root);
    }
    if (!wrong.isEmpty()) {
      out.println("  " + walk.name() + ", " + where + ": " + wrong);
    }
    return Optional.of(wrong);
  }

  private static void delete(Path root) {
    try (Stream<Path> all = Files.walk(root)) {
      for (Path p : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(p);
      }
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }
}
