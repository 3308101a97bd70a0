package dev.baton.cli.vm;

import dev.baton.cli.terminal.Baton;
import dev.baton.cli.terminal.Child;
import dev.baton.cli.terminal.CliException;
import dev.baton.cli.terminal.Programs;
import dev.baton.cli.terminal.Shell;
import dev.baton.client.vm.VmClient;
import dev.baton.client.vm.VmWords;
import dev.baton.core.Checkout;
import dev.baton.core.CommandText;
import dev.baton.core.Problem.Kind;
import dev.baton.vm.Keeper;
import dev.baton.vm.Status;
import dev.baton.vm.StatusReport;
import dev.baton.vm.VmException;
import dev.baton.vm.VmName;
import dev.baton.vm.VmState;
import dev.baton.vm.spi.Access;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** Gets into a VM. */
public final class VmShell {

  private VmShell() {}

  /**
   * @param command empty: a shell
   */
  static int run(Baton baton, VmClient vmClient, VmName name, VmWords words, List<String> command)
      throws VmException, InterruptedException {
    StatusReport report = vmClient.vms().vm(name).status();
    VmState state =
        report
            .state()
            .filter(s -> s.status() == Status.RUNNING)
            .orElseThrow(
                () ->
                    new CliException(
                        Kind.REFUSED,
                        "VM "
                            + name
                            + " is "
                            + report.state().map(s -> s.status().word()).orElse("not deployed"),
                        words.spelled(next(report.state().map(VmState::status)))));
    Map<String, String> variables =
        Map.of("BATON_VM", name.value(), "BATON_VM_IP", state.ip().orElse(""));
    Access access = vmClient.cloud().access(state);
    Keeper keeper = vmClient.keepAlive(name, VmClient.holdOfOuterLock(baton.host()), baton::say);
    try {
      return run(baton, access, variables, command);
    } finally {
      keeper.close();
    }
  }

  private static String next(Optional<Status> status) {
    return switch (status.orElse(Status.DEPLOYING)) {
      case SUSPENDED -> "Start it with `resume`.";
      case STOPPED -> "Start it with `start`.";
      default -> "Bring it up with `deploy`.";
    };
  }

  private static int run(
      Baton baton, Access access, Map<String, String> variables, List<String> command)
      throws InterruptedException {
    if (access instanceof Access.Here here) {
      Shell inside = baton.shell().at(here.directory());
      List<String> local = command.isEmpty() ? List.of(shellOf(baton.shell())) : command;
      Child.check(local, inside);
      return await(Child.start(local, variables, inside));
    }
    return overSsh(baton, (Access.Ssh) access, command);
  }

  private static String shellOf(Shell shell) {
    String set = shell.variable("SHELL");
    if (!set.isEmpty()) {
      return set;
    }
    String ofWindows = shell.variable("ComSpec");
    return !shell.isWindows()
        ? "/bin/sh"
        : ofWindows.isEmpty() ? "C:\\Windows\\System32\\cmd.exe" : ofWindows;
  }

  private static int overSsh(Baton baton, Access.Ssh ssh, List<String> command)
      throws InterruptedException {
    Path known = null;
    try {
      // Not the user's own file: the machine must be the one whose key is in the state.
      known = Files.createTempFile("baton-known-hosts", "");
      String host = ssh.port() == 22 ? ssh.host() : "[" + ssh.host() + "]:" + ssh.port();
      Files.writeString(known, host + " " + ssh.hostKey() + "\n");
      List<String> line = line(baton.shell(), ssh, known, command);
      Child.check(line, baton.shell());
      return await(Child.start(line, Map.of(), baton.shell()));
    } catch (IOException e) {
      throw new CliException(
          Kind.FAILED,
          "a file for the machine's key cannot be written",
          "Check the directory for temporary files.",
          e);
    } finally {
      delete(known);
    }
  }

  /**
   * What is typed to get there.
   *
   * @throws CliException when there is no {@code ssh}
   */
  public static List<String> line(Shell shell, Access.Ssh ssh, Path known, List<String> command) {
    Path program = Programs.onPath("ssh", shell).orElseThrow(() -> Child.notFound("ssh"));
    List<String> line = new ArrayList<>(List.of(program.toString()));
    if (mayHaveConfigurationOfOthers(shell)) {
      line.addAll(List.of("-F", "none"));
    }
    line.addAll(
        List.of(
            "-i",
            ssh.key().toString(),
            "-p",
            Integer.toString(ssh.port()),
            "-o",
            "IdentitiesOnly=yes",
            "-o",
            "StrictHostKeyChecking=yes",
            "-o",
            "UserKnownHostsFile=" + known,
            // What a firewall swallows is never answered.
            "-o",
            "ConnectTimeout=20",
            ssh.user() + "@" + ssh.host()));
    if (!command.isEmpty()) {
      line.add("--");
      // sshd hands one line to the shell over there.
      line.add(command.stream().map(CommandText::quoted).collect(Collectors.joining(" ")));
    }
    return line;
  }

  /**
   * A configuration of {@code ssh} has programs started, with all that is in the environment. Where
   * it is in the home directory, {@code ssh} asks the system and not {@code HOME}.
   */
  private static boolean mayHaveConfigurationOfOthers(Shell shell) {
    try {
      Optional<Checkout> checkout = Checkout.around(shell.directory());
      for (Path home : List.of(shell.home(), Path.of(System.getProperty("user.home")))) {
        if (checkout.isPresent() && checkout.get().isOnTheWayTo(home.resolve(".ssh/config"))) {
          return true;
        }
      }
      return false;
    } catch (IOException e) {
      return true;
    }
  }

  private static void delete(Path known) {
    try {
      if (known != null) {
        Files.deleteIfExists(known);
      }
    } catch (IOException e) {
      // Nothing secret is in it.
      known.toFile().deleteOnExit();
    }
  }

  private static int await(Child child) throws InterruptedException {
    try {
      return child.await();
    } catch (InterruptedException e) {
      child.stop(Child.KINDNESS);
      throw e;
    }
  }
}
