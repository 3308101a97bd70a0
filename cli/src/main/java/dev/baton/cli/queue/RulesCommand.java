package dev.baton.cli.queue;

import dev.baton.cli.terminal.CliException;
import dev.baton.cli.terminal.ExitCode;
import dev.baton.client.queue.OpenQueue;
import dev.baton.client.text.JsonOutput;
import dev.baton.core.Problem.Kind;
import dev.baton.queue.Answer;
import dev.baton.queue.QueueException;
import dev.baton.queue.Rules;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Shows and changes what all users of a queue agree on. */
@Command(
    name = "rules",
    description = {
      "Show the rules of the queue, or change those that are given.",
      "All others stay as they are. The history says who changed what.",
    },
    footer = {
      "  baton rules",
      "  baton rules --slots 2              asks first; without a terminal add --yes",
      "  baton rules --lease 10m --beat 3m  while nobody has the lock",
    })
public final class RulesCommand extends QueueCommand {

  private static final Map<String, String> MEANINGS =
      Map.of(
          "slots", "how many may build at once",
          "lease", "how long a holder keeps the lock after its last heartbeat",
          "beat", "how often a holder sends a heartbeat",
          "grace", "how long the next in line may take to answer",
          "max-away", "how long a ticket that has not answered keeps its place",
          "max-hold", "how long a workflow job may hold the lock if its end cannot be seen");

  @Mixin RuleOptions options;

  @Option(
      names = {"-y", "--yes"},
      description = "do not ask")
  boolean yes;

  @Override
  public int on(OpenQueue open) throws QueueException, InterruptedException {
    Rules rules = open.quick().status().rules();
    if (options.change().isEmpty()) {
      return show(open, rules);
    }
    String changes = rules.changesTo(options.appliedTo(rules, "rules"));
    if (changes.isEmpty()) {
      baton.say("The rules are like that already; nothing was changed.");
      return show(open, rules);
    }
    if (!isMeant(open, changes)) {
      baton.say("Nothing was changed.");
      return ExitCode.REFUSED.code;
    }
    Answer answer = open.quick().changeRules(options.change(), baton.who().person());
    if (answer instanceof Answer.Refused refused) {
      throw new CliException(
          Kind.REFUSED,
          refused.problem().what(),
          "Nothing was changed. Try again when no build runs, or "
              + baton.command("pause")
              + " first.");
    }
    baton.say("Changed rules of " + open.place().shown() + ": " + changes + ".");
    return show(open, open.quick().status().rules());
  }

  private boolean isMeant(OpenQueue open, String changes) {
    if (yes) {
      return true;
    }
    if (!baton.shell().terminal()) {
      throw CliException.usage(
          "this changes the rules of "
              + open.place().shown()
              + " for everybody who uses it: "
              + changes,
          "Nothing was changed. Add --yes if you mean it.");
    }
    return baton.confirm(
        "Change the rules of "
            + open.place().shown()
            + " for everybody who uses it: "
            + changes
            + "? [y/N] ");
  }

  private int show(OpenQueue open, Rules rules) {
    baton.result(
        JsonOutput.object(
            "store", open.place().store(), "queue", open.place().queue(), "rules", json(rules)),
        "Rules of "
            + open.place().shown()
            + rules.shown().entrySet().stream()
                .map(
                    e ->
                        String.format(
                            Locale.ROOT,
                            "\n  %-9s %-7s %s",
                            e.getKey(),
                            e.getValue(),
                            baton.paint().dim(MEANINGS.get(e.getKey()))))
                .collect(Collectors.joining()));
    return ExitCode.OK.code;
  }

  static Map<String, Object> json(Rules rules) {
    return JsonOutput.object(
        "slots", rules.slots(),
        "leaseSeconds", seconds(rules.lease()),
        "beatSeconds", seconds(rules.beat()),
        "graceSeconds", seconds(rules.grace()),
        "maxAwaySeconds", seconds(rules.maxAway()),
        "maxHoldSeconds", seconds(rules.maxHold()));
  }

  private static long seconds(Duration d) {
    return d.toSeconds();
  }
}
