package dev.baton.cli.queue;

import dev.baton.cli.terminal.ExitCode;
import dev.baton.cli.terminal.Failures;
import dev.baton.client.doctor.Diagnosis;
import dev.baton.client.doctor.Doctor;
import dev.baton.client.queue.OpenQueue;
import dev.baton.core.Problem;
import dev.baton.queue.QueueException;
import dev.baton.store.StoreException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Looks for what is wrong with a queue. */
@Command(
    name = "doctor",
    description = "Look for what is wrong with the queue, and say what to do.",
    footer = {
      "  baton doctor",
      "  baton doctor --repair       does what is safe",
    })
public final class DoctorCommand extends QueueCommand {

  @Option(names = "--repair", description = "make what is missing, take out what has ended")
  boolean repair;

  @Override
  public int on(OpenQueue open) throws QueueException, StoreException, InterruptedException {
    Doctor doctor = new Doctor(open, baton.shell().clock().instant(), this::explain);
    Diagnosis diagnosis = repair ? doctor.repair() : doctor.examine();
    baton.result(diagnosis.json(), diagnosis.text(baton.paint()));
    return diagnosis.isHealthy() ? ExitCode.OK.code : ExitCode.FAILED.code;
  }

  private Problem explain(Exception failure) {
    return Failures.explain(failure, baton::command).problem();
  }
}
