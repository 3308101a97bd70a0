package dev.baton.action;

import dev.baton.client.adapter.Extensions;
import dev.baton.client.identity.WorkflowRun;
import dev.baton.client.settings.Host;
import dev.baton.client.settings.Setting;
import dev.baton.client.settings.Settings;
import dev.baton.core.Checks;
import dev.baton.core.adapter.AdapterDescriptor;
import dev.baton.core.adapter.AdapterDescriptor.Use;
import dev.baton.vm.DeploySpec;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * What the workflow's author wrote under {@code with:} about a VM.
 *
 * @param settings where its state is, and in which cloud
 * @param wholeRun the VM outlives the job, until {@code vm-down} or its longest life is over
 * @param publicKey who may log in, in OpenSSH's format
 * @param script run on the new instance; it may hold a secret
 * @param maxLife after this time it is taken down even if nobody asks
 */
record VmInputs(
    Command command,
    Settings settings,
    Host host,
    WorkflowRun run,
    boolean wholeRun,
    Optional<String> type,
    Optional<String> region,
    Optional<String> zone,
    Optional<String> image,
    Optional<Integer> disk,
    Optional<String> publicKey,
    Optional<String> script,
    Duration maxLife) {

  static final String PREFIX = "vm-";
  static final List<String> COMMANDS = List.of("vm-up", "vm-down", "vm-sweep");

  private static final Duration DEFAULT_LIFE = Duration.ofHours(8);
  private static final int MAX_JOB = 24;

  /** What the step is to do. */
  enum Command {
    UP,
    DOWN,
    SWEEP
  }

  static VmInputs read(Runner runner) {
    String command = runner.get("INPUT_COMMAND").substring(PREFIX.length());
    Host host = runner.host();
    Settings settings = Settings.ofEnvironment(host);
    for (Setting setting : new Setting[] {Setting.VM_STORE, Setting.CLOUD}) {
      input(runner, setting.id())
          .ifPresent(
              text ->
                  settings.put(
                      setting,
                      new Settings.Value(text, setting.id(), Settings.DIRECT, host.directory())));
    }
    return new VmInputs(
        switch (command) {
          case "up" -> Command.UP;
          case "down" -> Command.DOWN;
          case "sweep" -> Command.SWEEP;
          default ->
              throw new IllegalArgumentException(
                  "command must be one of "
                      + String.join(", ", COMMANDS)
                      + ": "
                      + Checks.shown(PREFIX + command));
        },
        settings,
        host,
        runner.workflow(),
        isWholeRun(runner.get("INPUT_HOLD")),
        input(runner, "vm-type"),
        input(runner, "vm-region"),
        input(runner, "vm-zone"),
        input(runner, "vm-image"),
        input(runner, "vm-disk").map(VmInputs::gigabytes),
        input(runner, "vm-public-key").map(String::strip),
        input(runner, "vm-script"),
        Checks.positive(
            "vm-max-life",
            input(runner, "vm-max-life")
                .map(text -> Inputs.span("vm-max-life", text))
                .orElse(DEFAULT_LIFE)));
  }

  /**
   * A workflow says where its VMs are: by default a laptop plays on a simulated cloud, where a job
   * would bring up nothing and take down nothing.
   */
  void requireCloud() {
    if (settings.get(Setting.CLOUD).isEmpty()) {
      List<String> clouds =
          host.extensions().adapters().stream()
              .flatMap(adapter -> adapter.kinds(Use.CLOUD).stream().map(c -> input(c, adapter)))
              .toList();
      throw new IllegalArgumentException(
          "cloud is not set, so it is not clear where the VM should run. Add "
              + Extensions.orOf(clouds));
    }
  }

  private static String input(AdapterDescriptor.Kind cloud, AdapterDescriptor adapter) {
    return "`cloud: "
        + cloud.name()
        + "`"
        + (adapter.isBuiltIn()
            ? " to try it without a cloud"
            : Runner.theAction(adapter).map(a -> " with " + a).orElse(""));
  }

  private static int gigabytes(String text) {
    if (!text.matches("[0-9]{1,5}")) {
      throw new IllegalArgumentException(
          "vm-disk must be a number of GB, such as 80: " + Checks.shown(text));
    }
    return Integer.parseInt(text);
  }

  private static boolean isWholeRun(String hold) {
    return switch (hold) {
      case "", "job" -> false;
      case "run" -> true;
      default ->
          throw new IllegalArgumentException("hold must be job or run: " + Checks.shown(hold));
    };
  }

  private static Optional<String> input(Runner runner, String name) {
    return Optional.of(runner.get("INPUT_" + name.toUpperCase(Locale.ROOT)))
        .filter(text -> !text.isEmpty());
  }

  private static String or(String text, String otherwise) {
    return text.isEmpty() ? otherwise : text;
  }

  DeploySpec spec(DeploySpec base) {
    DeploySpec spec =
        new DeploySpec(
            region.orElse(base.region()),
            zone.orElse(base.zone()),
            type.orElse(base.instanceType()),
            disk.orElse(base.diskGb()),
            image.orElse(base.image()),
            publicKey.orElse(base.publicKey()),
            base.application(),
            Optional.of(maxLife),
            false);
    return script.map(spec::withApplication).orElse(spec);
  }

  /** What the names of all VMs of this run begin with, whichever job and attempt they are of. */
  String prefixOfRun() {
    return "run-" + run.run() + "-";
  }

  /** A name that no other job has, not even another leg of the same matrix. */
  String newName(String nonce) {
    String job =
        run.job().toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-").replaceAll("^-|-$", "");
    job = job.substring(0, Math.min(job.length(), MAX_JOB)).replaceAll("-$", "");
    return prefixOfRun()
        + run.attempt()
        + "-"
        + (job.isEmpty() ? "" : job + "-")
        + nonce.substring(0, 8);
  }

  Map<String, String> variables(String name, String ip) {
    Map<String, String> all = new LinkedHashMap<>();
    all.put(Setting.VM.variable(), name);
    all.put("BATON_VM_IP", ip);
    for (Setting setting : new Setting[] {Setting.VM_STORE, Setting.CLOUD}) {
      settings.get(setting).ifPresent(v -> all.put(setting.variable(), v.text()));
    }
    return all;
  }
}
