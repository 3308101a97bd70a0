package dev.baton.alibaba.ecs;

import dev.baton.vm.Operation;
import dev.baton.vm.Status;
import dev.baton.vm.crash.Clients;
import dev.baton.vm.crash.CrashTest;
import dev.baton.vm.crash.Scenario;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The crash test on Alibaba Cloud and OSS as their own clients see them. */
public final class AliyunCrashTest {
  /** And a life whose end is soon too near, as ECS takes no release time within half an hour. */
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
