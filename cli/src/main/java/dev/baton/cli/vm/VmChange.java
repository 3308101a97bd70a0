package dev.baton.cli.vm;

import dev.baton.cli.terminal.ExitCode;
import dev.baton.client.vm.VmClient;
import dev.baton.vm.BuildVm;
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
      description = "take the lock from somebody who is still at work, after a yes")
  boolean force;

  @Option(
      names = {"-y", "--yes"},
      description = "say yes to every question")
  boolean yes;

  @Option(
      names = "--wait",
      paramLabel = "TIME",
      description = "how long to wait for somebody who is at work; default: not at all")
  Duration wait = Duration.ZERO;

  abstract Outcome change(VmClient vmClient, BuildVm vm, Options options)
      throws VmException, InterruptedException;

  @Override
  final int on(VmClient vmClient) throws VmException, InterruptedException {
    Outcome outcome;
    try (VmProgress progress = new VmProgress(baton())) {
      Questions questions = yes ? Questions.assumeYes() : new VmQuestions(baton());
      outcome =
          change(
              vmClient,
              vmClient.vms().vm(parent.name()),
              new Options(force, wait, questions, progress));
    }
    baton().result(VmText.json(outcome), VmText.of(parent.name(), outcome, baton().paint()));
    return ExitCode.OK.code;
  }
}
