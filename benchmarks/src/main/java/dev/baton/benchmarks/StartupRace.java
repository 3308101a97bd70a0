package dev.baton.benchmarks;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Commands that are run in turn, so that whatever slows the machine down slows all of them. */
final class StartupRace {

  /** What is measured, from its start to its end. */
  @FunctionalInterface
  interface Run {
    void run() throws IOException, InterruptedException;
  }

  private record Runner(String name, Run run, List<Double> millis) {}

  /** They fill the caches of the machine and warm up the server, which is a Java program too. */
  private static final int UNCOUNTED = 5;

  private final StartupProcesses processes;
  private final List<Runner> runners = new ArrayList<>();

  StartupRace(StartupProcesses processes) {
    this.processes = processes;
  }

  void add(String name, Map<String, String> environment, String... command) {
    add(name, () -> processes.run(environment, command));
  }

  void add(String name, Run run) {
    runners.add(new Runner(name, run, new ArrayList<>()));
  }

  /** The median of each, in milliseconds. */
  Map<String, Double> run(int rounds) throws IOException, InterruptedException {
    if (rounds < 1) {
      throw new IllegalArgumentException("rounds must be at least 1: " + rounds);
    }
    for (int i = 1 - UNCOUNTED; i <= rounds; i++) {
      for (Runner runner : runners) {
        long start = System.nanoTime();
        runner.run().run();
        if (i > 0) {
          runner.millis().add((System.nanoTime() - start) / 1e6);
        }
      }
    }
    Map<String, Double> medians = new LinkedHashMap<>();
    for (Runner runner : runners) {
      medians.put(
          runner.name(), runner.millis().stream().sorted().skip(rounds / 2).findFirst().get());
    }
    return medians;
  }
}
