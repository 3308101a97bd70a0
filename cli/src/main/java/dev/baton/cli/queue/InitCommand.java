package dev.baton.cli.queue;

import dev.baton.cli.terminal.ExitCode;
import dev.baton.client.queue.OpenQueue;
import dev.baton.client.text.JsonOutput;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.QueueException;
import dev.baton.queue.Rules;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Creates a queue. */
@Command(
    name = "init",
    description = {
      "Create the queue.",
      "One that is there stays as it is, also its rules: those are changed with `baton rules`.",
    },
    footer = {
      "  baton init",
      "  baton init --store github:octo/app             a branch and an issue in that repository",
      "  baton init --store github:octo/app --issue 12  the same, with issue 12 as the board",
      "  baton init --store github:octo/app --mode issue --issue 12",
      "                                                 in an issue: slower, see docs/github.md",
      "${bundle:init.examples}",
      "  baton init --slots 2                           two may build at once",
    })
public final class InitCommand extends QueueCommand {

  @Mixin RuleOptions options;

  @Override
  public void check() {
    options.appliedTo(Rules.DEFAULT, "init");
  }

  @Override
  public int on(OpenQueue open) throws QueueException, InterruptedException {
    boolean created = open.quick().create(options.appliedTo(Rules.DEFAULT, "init"));
    QueueDocument d = open.quick().status();
    Optional<String> board = open.place().boardAddress(d.board());
    baton.result(
        JsonOutput.object(
            "store", open.place().store(),
            "queue", open.place().queue(),
            "created", created,
            "rules", RulesCommand.json(d.rules()),
            "board", board),
        "The queue "
            + open.place().shown()
            + (created ? " is created." : " was there already" + unchanged(d.rules()))
            + board.map(b -> "\nIts board: " + b).orElse(""));
    return ExitCode.OK.code;
  }

  /** Others use the queue by its rules: what was asked for is not forced on them by the way. */
  private String unchanged(Rules rules) {
    Map<String, String> is = rules.shown();
    Map<String, String> asked = options.change().appliedTo(rules).shown();
    List<String> different =
        is.keySet().stream().filter(name -> !is.get(name).equals(asked.get(name))).toList();
    if (different.isEmpty()) {
      return ".";
    }
    return "; its rules were not changed: "
        + different.stream()
            .map(name -> name + " " + is.get(name) + " (asked: " + asked.get(name) + ")")
            .collect(Collectors.joining(", "))
        + ".\nChange them with `"
        + baton.command(
            "rules",
            different.stream()
                .map(name -> "--" + name + " " + asked.get(name))
                .collect(Collectors.joining(" ")))
        + "`.";
  }
}
