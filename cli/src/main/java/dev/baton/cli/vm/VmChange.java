package dev.baton.cli.vm;

import dev.baton.cli.terminal.ExitCode;
import dev.baton.client.vm.VmClient;
import dev.baton.client.vm.VmJson;
import dev.baton.vm.BuildVm;
import dev.baton.vm.Operation;
import dev.baton.vm.Options;
import dev.baton.vm.Outcome;
import dev.baton.vm.Questions;
import dev.baton.vm.VmException;
import java.time.Duration;
import picocli.CommandLine.Option;

/** A command that changes a VM. */
abstract class VmChange extends VmCommand.Sub {

  @Option(
      names = "--force",
      description = "take the lock from a process that still works on the VM, after a yes")
  boolean force;

  @Option(
      names = {"-y", "--yes"},
      description = "say yes to every question")
  boolean yes;

  @Option(
      names = "--wait",
      paramLabel = "TIME",
      description = "how long to wait for another operation on the VM; default: not at all")
  Duration wait = Duration.ZERO;

  abstract Operation operation();

  abstract Outcome change(VmClient vmClient, BuildVm vm, Options options)
      throws VmException, InterruptedException;

  /** What is asked before anything else. */
  boolean isMeant(VmClient vmClient) throws VmException, InterruptedException {
    return true;
  }

  @Override
  final int on(VmClient vmClient) throws VmException, InterruptedException {
    Outcome outcome;
    VmProgress progress = new VmProgress(baton());
    try (progress) {
      if (!isMeant(vmClient)) {
        baton().say("Nothing was changed.");
        return ExitCode.REFUSED.code;
      }
      Questions questions = yes ? Questions.assumeYes() : new VmQuestions(baton());
      outcome =
          change(
              vmClient,
              vmClient.vms().vm(parent.name()),
              new Options(force, wait, questions, progress));
    } catch (InterruptedException e) {
      if (baton().shell().terminal()) {
        // Behind what stands there: a question, or what the terminal shows of the key.
        baton().shell().err().println();
      }
      baton().say(progress.stopped(parent.name(), operation(), parent.words()));
      throw e;
    }
    baton()
        .result(VmJson.of(outcome, vmClient), parent.text().of(parent.name(), outcome, vmClient));
    return ExitCode.OK.code;
  }
}
