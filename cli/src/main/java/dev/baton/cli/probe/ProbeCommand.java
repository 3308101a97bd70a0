package dev.baton.cli.probe;

import dev.baton.cli.queue.QueueCommand;
import dev.baton.cli.terminal.CliException;
import dev.baton.cli.terminal.ExitCode;
import dev.baton.client.queue.OpenQueue;
import dev.baton.client.queue.Probes;
import dev.baton.client.settings.Setting;
import dev.baton.client.settings.Settings;
import dev.baton.core.probe.Probe;
import dev.baton.core.probe.ProbePlan;
import dev.baton.core.probe.ProbeReport;
import dev.baton.store.StoreException;
import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Tries whether a real service does what Baton assumes. */
@Command(
    name = "probe",
    description = {
      "Check on the real service what Baton assumes about it, and what your token may do.",
      "It works on a scratch branch and a scratch issue, or below a scratch prefix of a bucket, and"
          + " removes them afterwards, also those of a probe that was killed more than an hour ago."
          + " It asks before it writes and sends at most 60 requests.",
      "It says for each assumption what is assumed, what was seen and what that means for you.",
    },
    footer = {
      "  baton probe github:octo/app",
      "  baton probe github:octo/app --no-issue        without a scratch issue",
      "  baton probe github:octo/app --record seen     also writes every request and answer,",
      "                                                without names, texts and secrets",
      "${bundle:probe.examples}",
      "",
      "What it checks: docs/probe.md",
    })
public final class ProbeCommand extends QueueCommand {

  @Parameters(
      index = "0",
      arity = "0..1",
      paramLabel = "STORE",
      description = "${bundle:probed}; or name it with --store")
  String place;

  @Option(names = "--no-issue", description = "create no issue; what needs one is not checked")
  boolean noIssue;

  @Option(
      names = "--record",
      paramLabel = "DIR",
      description = "write every request and answer, sanitized, to this new or empty directory")
  Path directory;

  @Option(
      names = {"-y", "--yes"},
      description = "do not ask")
  boolean yes;

  @Override
  public void check() {
    if (place != null) {
      if (baton.store != null) {
        throw CliException.usage("the store is named twice", "Leave out --store or the argument.");
      }
      baton.set(Setting.STORE, place);
    }
    Optional<Settings.Value> store = baton.settings().get(Setting.STORE);
    if (store.isEmpty()) {
      throw CliException.usage(
          "it is not said what to probe", "Name it, such as `baton probe github:octo/app`.");
    }
    if (store.get().project().isPresent()) {
      throw CliException.usage(
          "the store is named only by " + store.get().source() + ", and the probe writes to it",
          "Name it yourself: `baton probe STORE`.");
    }
  }

  @Override
  public int on(OpenQueue open) throws StoreException, InterruptedException {
    Probe probe = Probes.of(open, baton.host(), !noIssue);
    ProbePlan plan = probe.plan();
    Optional<RecordedExchanges> recorded =
        Optional.ofNullable(directory)
            .map(baton.shell().directory()::resolve)
            .map(d -> RecordedExchanges.in(d, plan.recording()));
    if (!isMeant(plan)) {
      baton.say("Nothing was changed.");
      return ExitCode.REFUSED.code;
    }
    ProbeReport report = probe.run(e -> recorded.ifPresent(r -> r.answered(e)));
    ProbeText text = new ProbeText(plan, report, recorded.map(RecordedExchanges::summary));
    baton.result(text.json(), text.text(baton.paint()));
    recorded.ifPresent(RecordedExchanges::requireWritten);
    return codeOf(report).code;
  }

  private boolean isMeant(ProbePlan plan) {
    if (yes) {
      baton.say(ProbeText.announcement(plan));
      return true;
    }
    if (!baton.shell().terminal()) {
      throw CliException.usage(
          "the probe writes to " + plan.place() + ", and there is no terminal to ask on",
          "Add --yes. " + ProbeText.announcement(plan));
    }
    return baton.confirm(ProbeText.announcement(plan) + "\nGo on? [y/N] ");
  }

  private static ExitCode codeOf(ProbeReport report) {
    if (report.isDoubtful()) {
      return ExitCode.NOT_AS_ASSUMED;
    }
    return report.isDenied() ? ExitCode.NO_PERMISSION : ExitCode.OK;
  }
}
