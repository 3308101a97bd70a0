package dev.baton.action;

import dev.baton.client.report.TextStyle;
import dev.baton.client.settings.Host;
import dev.baton.client.settings.Setting;
import dev.baton.client.settings.Settings;
import dev.baton.client.vm.StepLines;
import dev.baton.client.vm.VmClient;
import dev.baton.client.vm.VmText;
import dev.baton.client.vm.VmWords;
import dev.baton.core.Durations;
import dev.baton.queue.Request;
import dev.baton.vm.Client;
import dev.baton.vm.Kind;
import dev.baton.vm.Options;
import dev.baton.vm.Outcome;
import dev.baton.vm.Questions;
import dev.baton.vm.SweepOptions;
import dev.baton.vm.SweepReport;
import dev.baton.vm.VmException;
import dev.baton.vm.VmName;
import dev.baton.vm.VmState;
import dev.baton.vm.spi.Access;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * A VM for a job.
 *
 * <ol>
 *   <li>Its name is written down before anything is created, so that the end of the job knows it
 *       whatever becomes of this step.
 *   <li>The end of the job takes it down, in every case. The lock of a step that was killed is
 *       taken over: nobody but this job works on its VM.
 *   <li>A VM that even the end of the job has missed has a longest life, after which any sweep
 *       takes it down, and where the cloud can, the cloud itself.
 * </ol>
 */
final class VmSteps {

  /** By hand on the command line: an action cannot be asked to do more. */
  private static final VmWords COMMANDS = operation -> "baton vm " + operation;

  private static final VmText TEXT = new VmText(COMMANDS, TextStyle.PLAIN);

  private static final int DONE = 0;
  private static final int FAILED = 1;

  private final Runner runner;
  private final VmInputs inputs;
  private final Console console;

  VmSteps(Runner runner, VmInputs inputs) {
    this.runner = Objects.requireNonNull(runner, "runner");
    this.inputs = Objects.requireNonNull(inputs, "inputs");
    this.console = runner.console();
  }

  static boolean isMeant(Runner runner) {
    return runner.get("INPUT_COMMAND").startsWith(VmInputs.PREFIX);
  }

  int main() throws IOException, InterruptedException, VmException {
    try (VmClient vmClient = open()) {
      return switch (inputs.command()) {
        case UP -> up(vmClient);
        case DOWN -> down(vmClient);
        case SWEEP -> sweep(vmClient);
      };
    }
  }

  private VmClient open() {
    inputs.requireCloud();
    return VmClient.open(
        inputs.settings(), inputs.host(), Client.named(inputs.run().owner().replace(' ', '-')));
  }

  private int up(VmClient vmClient) throws IOException, InterruptedException, VmException {
    String name = inputs.newName(Request.newNonce());
    runner.state().put("vm", name);
    console.startGroup("VM " + name);
    Outcome outcome;
    try {
      outcome =
          vmClient
              .vms()
              .vm(new VmName(name))
              .deploy(
                  inputs.spec(vmClient.cloud().defaults()),
                  Options.DEFAULT.telling(new StepLines(console::say)));
    } finally {
      console.endGroup();
    }
    VmState state =
        outcome
            .state()
            .orElseThrow(() -> new IllegalStateException("a VM that was deployed has no state"));
    runner.state().put("vmUp", "true");
    keep(vmClient, new VmName(name), VmClient.holdOfOuterLock(inputs.host()), console);
    String ip = state.ip().orElse("");
    CommandFile outputs = runner.outputs();
    outputs.put("vm-name", name);
    outputs.put("vm-ip", ip);
    outputs.put("vm-host-key", hostKey(vmClient, state));
    for (var variable : inputs.variables(name, ip).entrySet()) {
      runner.variables().put(variable.getKey(), variable.getValue());
    }
    runner
        .summary()
        .append(
            new Summary("Build VM")
                .row("name", name)
                .row("address", ip)
                .row("taken down", end() + ", at the latest in " + life())
                .markdown());
    console.say(TEXT.of(new VmName(name), outcome, vmClient));
    console.say("It is taken down " + end() + ".");
    return DONE;
  }

  /** Some clouds have to ask the machine for it, which is of use only to who may log in. */
  private String hostKey(VmClient vmClient, VmState state) {
    Optional<String> known = state.resource(Kind.INSTANCE).map(r -> r.attributes().get("host_key"));
    if (known.isPresent() || state.resource(Kind.KEY_PAIR).isEmpty()) {
      return known.orElse("");
    }
    try {
      return vmClient.cloud().access(state) instanceof Access.Ssh ssh ? ssh.hostKey() : "";
    } catch (VmException e) {
      console.warning("vm-host-key is empty", e.getMessage());
      return "";
    }
  }

  /**
   * A VM that an earlier step of this job brought up: however short its life is meant to be, it
   * lasts as long as this job may hold the lock that it has got now.
   */
  static void keepForTheLock(Runner runner, Duration hold) throws InterruptedException {
    Host host = runner.host();
    String name = host.variable(Setting.VM.variable());
    if (name.isEmpty()) {
      return;
    }
    Client client = Client.named(runner.workflow().owner().replace(' ', '-'));
    try (VmClient vmClient = VmClient.open(Settings.ofEnvironment(host), host, client)) {
      keep(vmClient, new VmName(name), hold, runner.console());
    } catch (IllegalArgumentException e) {
      tooShort(name, e.getMessage(), runner.console());
    }
  }

  private static void keep(VmClient vmClient, VmName name, Duration hold, Console console)
      throws InterruptedException {
    try {
      vmClient.vms().vm(name).push(hold, false);
    } catch (VmException e) {
      tooShort(name.value(), e.getMessage(), console);
    }
  }

  private static void tooShort(String name, String why, Console console) {
    console.warning("VM " + name + " may be taken down before the lock is given back", why);
  }

  private String end() {
    return inputs.wholeRun() ? "by `command: vm-down`" : "at the end of this job";
  }

  private String life() {
    return Durations.shown(inputs.maxLife());
  }

  /** For a last job: whatever VM any job of this run has, found by the state. */
  private int down(VmClient vmClient) throws InterruptedException, VmException {
    boolean failed = false;
    List<VmName> mine = new ArrayList<>(vmClient.vms().names());
    mine.removeIf(n -> !n.value().startsWith(inputs.prefixOfRun()));
    for (VmName name : mine) {
      failed |= !takeDown(vmClient, name);
    }
    if (mine.isEmpty()) {
      console.say("No job of this run has a VM in " + vmClient.location() + ".");
    }
    return failed ? FAILED : DONE;
  }

  private boolean takeDown(VmClient vmClient, VmName name) throws InterruptedException {
    try {
      vmClient
          .vms()
          .vm(name)
          .takeDown(
              Options.DEFAULT
                  .forcing()
                  .asking(Questions.assumeYes())
                  .telling(new StepLines(console::say)));
      console.say("VM " + name + " is gone.");
      return true;
    } catch (VmException e) {
      console.warning(
          "VM " + name + " is still there",
          e.getMessage()
              + " A step with `command: vm-sweep`, or `baton vm sweep --yes`, takes it down when"
              + " its longest life of "
              + life()
              + " is over");
      return false;
    }
  }

  private int sweep(VmClient vmClient) throws InterruptedException, VmException {
    SweepReport report =
        vmClient.vms().sweep(SweepOptions.DRY_RUN.forReal().telling(new StepLines(console::say)));
    console.say(TEXT.of(report, vmClient.location(), "baton vm sweep --yes"));
    return report.with(SweepReport.Result.FAILED).isEmpty() ? DONE : FAILED;
  }

  /** The end of the job. */
  void post() throws InterruptedException {
    String name = runner.get("STATE_vm");
    if (name.isEmpty()) {
      console.debug("this step has brought up no VM");
      return;
    }
    // A deploy that has not come to its end is of no use to anybody, whatever was meant.
    if (inputs.wholeRun() && runner.get("STATE_vmUp").equals("true")) {
      console.say("VM " + name + " stays until `command: vm-down`, or for " + life() + ".");
      return;
    }
    try (VmClient vmClient = open()) {
      takeDown(vmClient, new VmName(name));
    }
  }
}
