package dev.baton.action;

import dev.baton.client.adapter.Extensions;
import dev.baton.client.identity.WorkflowRun;
import dev.baton.client.settings.Host;
import dev.baton.core.Checks;
import dev.baton.core.World;
import dev.baton.core.adapter.AdapterDescriptor;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * Everything that a step gets from the machine that runs it, so that a test can be the machine.
 *
 * @param environment what GitHub says about the run, the step's inputs and the names of its files
 * @param console the log
 * @param world clocks and threads
 */
record Runner(Map<String, String> environment, Console console, World world) {

  Runner {
    environment = Map.copyOf(environment);
    Objects.requireNonNull(console, "console");
    Objects.requireNonNull(world, "world");
  }

  /** What a variable says, without the spaces around it; empty when it is not set. */
  String get(String variable) {
    return environment.getOrDefault(variable, "").strip();
  }

  /**
   * The job that this step belongs to.
   *
   * @throws IllegalArgumentException when this is no step of a workflow
   */
  WorkflowRun workflow() {
    return WorkflowRun.of(environment)
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "GITHUB_REPOSITORY and GITHUB_RUN_ID do not name a run: "
                        + Checks.shown(get("GITHUB_REPOSITORY"))
                        + ", "
                        + Checks.shown(get("GITHUB_RUN_ID"))
                        + ". Run this as a step of a workflow"));
  }

  /** Where settings, credentials and extensions come from. */
  Host host() {
    return new Host(
        environment,
        Path.of(or("GITHUB_WORKSPACE", "/")),
        Path.of(or("HOME", "/")),
        "Linux",
        or("GITHUB_ACTOR", "workflow"),
        () -> or("RUNNER_NAME", "runner"),
        setting -> "input " + setting.id(),
        Extensions.besides(
            Runner.class,
            adapter ->
                "For "
                    + adapter.name()
                    + " use "
                    + theAction(adapter)
                        .orElse("an image that has " + adapter.artifact().orElse("it"))
                    + "."));
  }

  /** Which variant of the action has an adapter. */
  static Optional<String> theAction(AdapterDescriptor adapter) {
    return adapter.image().map(image -> "the action @v1-" + image);
  }

  private String or(String variable, String otherwise) {
    return get(variable).isEmpty() ? otherwise : get(variable);
  }

  CommandFile outputs() {
    return CommandFile.of(environment, "GITHUB_OUTPUT");
  }

  /** Comes back in the post phase as variables {@code STATE_…}. */
  CommandFile state() {
    return CommandFile.of(environment, "GITHUB_STATE");
  }

  /** Variables of the job's later steps. */
  CommandFile variables() {
    return CommandFile.of(environment, "GITHUB_ENV");
  }

  CommandFile summary() {
    return CommandFile.of(environment, "GITHUB_STEP_SUMMARY");
  }
}
