package dev.baton.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Unmatched;

/** A GitHub to try things out with. */
@Command(
    name = "sim",
    description = "Start a GitHub on loopback, to try things out. Stop it with Ctrl-C.",
    footer = {
      "  baton sim --port 8080",
      "  baton sim --repository octo/app --token ann=ann-token",
      "  baton sim -- --help          lists what can be set",
      "",
      "Then, in another shell:",
      "  export GITHUB_API_URL=http://127.0.0.1:8080 BATON_TOKEN=ann-token",
      "  baton init --store github:octo/app",
    })
final class SimCommand implements Callable<Integer> {

  @ParentCommand Baton baton;

  @Unmatched List<String> args = new ArrayList<>();

  @Override
  public Integer call() throws InterruptedException {
    // Options that every command has, such as --json, are not for the sim.
    dev.baton.githubsim.Main.main(
        args.stream().filter(a -> !a.equals("--")).toArray(String[]::new));
    return ExitCode.OK.code;
  }
}
