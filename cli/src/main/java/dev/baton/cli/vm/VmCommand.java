package dev.baton.cli.vm;

import dev.baton.cli.terminal.Baton;
import dev.baton.cli.terminal.CliException;
import dev.baton.cli.terminal.ExitCode;
import dev.baton.cli.terminal.InertStream;
import dev.baton.client.settings.Setting;
import dev.baton.client.settings.Settings;
import dev.baton.client.vm.VmClient;
import dev.baton.client.vm.VmText;
import dev.baton.client.vm.VmWords;
import dev.baton.core.CommandText;
import dev.baton.core.Problem.Kind;
import dev.baton.vm.Client;
import dev.baton.vm.VmException;
import dev.baton.vm.VmName;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** {@code baton vm}: what its commands have in common. */
@Command(
    name = "vm",
    description = {
      "Build VMs that never get lost: each operation can be killed at any point and run again.",
      "Without an account there is a cloud in a directory, to try it out.",
    },
    footer = {
      "  baton vm init                      get an account of a cloud ready",
      "  baton vm deploy                    a VM, or the rest of one that was interrupted",
      "  baton vm exec -- ./build.sh        run something on it",
      "  baton vm suspend                   stop paying for its processor",
      "  baton vm destroy --no-snapshot     leave nothing behind",
      "  baton vm sweep                     look for leftovers; --yes removes them",
    },
    subcommands = {
      VmInitCommand.class,
      VmDeployCommand.class,
      VmSuspendCommand.class,
      VmResumeCommand.class,
      VmStopCommand.class,
      VmStartCommand.class,
      VmResizeCommand.class,
      VmAttachCommand.class,
      VmDetachCommand.class,
      VmDestroyCommand.class,
      VmAbandonCommand.class,
      VmStatusCommand.class,
      VmHistoryCommand.class,
      VmSweepCommand.class,
      VmExecCommand.class,
      VmSshCommand.class,
      VmImageCommand.class,
    })
public final class VmCommand implements Callable<Integer> {

  @ParentCommand Baton baton;

  @Spec CommandSpec spec;

  @Option(
      names = "--vm",
      paramLabel = "NAME",
      scope = ScopeType.INHERIT,
      description = "which one; default: default")
  String vm;

  @Option(
      names = "--vm-store",
      paramLabel = "URL",
      scope = ScopeType.INHERIT,
      description = "where the states are: ${bundle:vm-stores}; default: this user's own")
  String store;

  @Option(
      names = "--cloud",
      paramLabel = "NAME",
      scope = ScopeType.INHERIT,
      description = "${bundle:clouds}; default: simulated")
  String cloud;

  @Override
  public Integer call() {
    spec.commandLine().usage(InertStream.past(baton.shell().err()));
    return ExitCode.USAGE.code;
  }

  VmClient open() {
    baton.showNoLog();
    baton.set(Setting.VM, vm);
    baton.set(Setting.VM_STORE, store);
    baton.set(Setting.CLOUD, cloud);
    return VmClient.open(baton.settings(), baton.host(), Client.ofThisProcess());
  }

  /** Commands on the same VM, to be pasted anywhere. */
  VmWords words() {
    return words(vm);
  }

  VmWords words(VmName other) {
    return words(other.value());
  }

  private VmWords words(String named) {
    StringBuilder start = new StringBuilder("baton vm ");
    flag(start, "--vm", named);
    flag(start, "--vm-store", store);
    flag(start, "--cloud", cloud);
    return operation -> start + operation;
  }

  private static void flag(StringBuilder to, String name, String value) {
    if (value != null) {
      to.append(name).append(' ').append(CommandText.quoted(value)).append(' ');
    }
  }

  VmText text() {
    return new VmText(words(), baton.paint());
  }

  VmName name() {
    Optional<String> set = baton.settings().get(Setting.VM).map(Settings.Value::text);
    try {
      return set.map(VmName::new).orElse(VmName.DEFAULT);
    } catch (IllegalArgumentException e) {
      throw new CliException(Kind.USAGE, e.getMessage(), "Choose another name with --vm.", e);
    }
  }

  /** What is done with the VMs of a place. */
  interface Work {
    int on(VmClient vmClient) throws VmException, InterruptedException;
  }

  int with(Work work) throws InterruptedException {
    try (VmClient vmClient = open()) {
      return work.on(vmClient);
    } catch (VmException e) {
      throw new CliException(words().spelled(e.problem()), e);
    }
  }

  /** One of them. */
  abstract static class Sub implements Callable<Integer> {

    @ParentCommand VmCommand parent;

    @Override
    public final Integer call() throws InterruptedException {
      check();
      return parent.with(this::on);
    }

    /** What can be told to be wrong before anything is asked. */
    void check() {}

    abstract int on(VmClient vmClient) throws VmException, InterruptedException;

    Baton baton() {
      return parent.baton;
    }
  }
}
