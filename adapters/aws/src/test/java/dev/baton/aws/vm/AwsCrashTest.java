package dev.baton.aws.vm;

import dev.baton.vm.crash.CrashTest;
import dev.baton.vm.crash.Scenario;
import java.util.List;

/** The crash test over S3 and DynamoDB as their own client sees them, with the simulated cloud. */
public final class AwsCrashTest {
  private AwsCrashTest() {}

  public static void main(String[] args) {
    int stride = Integer.parseInt(args[0]);
    String only = args[1];
    boolean verbose = List.of(args).contains("verbose");
    List<Scenario> scenarios = Scenario.ALL.stream().filter(s -> s.name().contains(only)).toList();
    CrashTest.Total total;
    try (VmDesk desk = new VmDesk(true)) {
      total = new CrashTest(desk::scene, true, System.out, verbose).run(scenarios, stride, 0);
    }
    System.out.println(total.line());
    // Idle connections would keep the process for minutes.
    System.exit(total.isGood(only.isEmpty() ? stride : Integer.MAX_VALUE) ? 0 : 1);
  }
}
