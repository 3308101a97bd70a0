package dev.baton.cloud.aliyun;

import dev.baton.cloud.fake.FakeAliyun;
import dev.baton.vm.Kind;
import dev.baton.vm.Operation;
import dev.baton.vm.Status;
import dev.baton.vm.Trouble;
import dev.baton.vm.crash.Clients;
import dev.baton.vm.crash.CrashTest;
import dev.baton.vm.crash.Scenario;
import dev.baton.vm.provider.simulated.Fault;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The crash test on Alibaba Cloud and OSS as their own clients see them. */
public final class AliyunCrashTest {
  private static final String TWO_ZONES = String.join(",", FakeAliyun.ZONES.subList(0, 2));

  /**
   * And a life whose end is soon too near, as ECS takes no release time within half an hour; and a
   * machine that is sold out in the first zone, which nobody is told before it is asked for.
   */
  static final List<Scenario> SCENARIOS =
      Stream.concat(
              Scenario.ALL.stream(),
              Stream.of(
                  new Scenario(
                      "deploy, with a short life",
                      Operation.DEPLOY,
                      clients -> {},
                      Scenario.on(
                          (vm, spec) ->
                              vm.deploy(spec.livingAtMost(Duration.ofMinutes(31)), Clients.YES)),
                      Optional.of(Status.RUNNING)),
                  new Scenario(
                      "deploy, sold out in the first zone",
                      Operation.DEPLOY,
                      clients ->
                          clients.scene.fail(
                              Fault.before("create", Kind.INSTANCE, Trouble.OUT_OF_STOCK)),
                      Scenario.on((vm, spec) -> vm.deploy(spec.inZone(TWO_ZONES), Clients.YES)),
                      Optional.of(Status.RUNNING))))
          .toList();

  private AliyunCrashTest() {}

  public static void main(String[] args) {
    int stride = Integer.parseInt(args[0]);
    String only = args[1];
    boolean verbose = List.of(args).contains("verbose");
    List<Scenario> scenarios = SCENARIOS.stream().filter(s -> s.name().contains(only)).toList();
    CrashTest.Total total;
    try (Fakes fakes = new Fakes()) {
      total =
          new CrashTest(() -> new AliyunScene(fakes), true, System.out, verbose)
              .run(scenarios, stride, 0);
    }
    System.out.println(total.line());
    // Idle connections of the clients would keep the process for minutes.
    System.exit(total.isGood(only.isEmpty() ? stride : Integer.MAX_VALUE) ? 0 : 1);
  }
}
