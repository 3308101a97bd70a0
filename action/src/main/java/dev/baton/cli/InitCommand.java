package dev.baton.cli;

import dev.baton.queue.Answer;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.QueueException;
import dev.baton.queue.Rules;
import dev.baton.queue.front.OpenQueue;
import java.time.Duration;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Creates a queue. */
@Command(
    name = "init",
    description = "Create the queue; does nothing when it is there.",
    footer = {
      "  baton init",
      "  baton init --store github:octo/app            a branch and an issue in that repository",
      "  baton init --store github:octo/app --issue 12 the same, with issue 12 as the board",
      "  baton init --store github:octo/app --mode issue --issue 12",
      "                                                in an issue: slower, see docs/github.md",
      "  baton init --store oss://team-builds/ci       in a bucket, see docs/alibaba-cloud.md",
      "  baton init --slots 2                          two may build at once",
    })
final class InitCommand extends QueueCommand {

  @Option(names = "--slots", paramLabel = "N", description = "how many may build at once")
  Integer slots;

  @Option(
      names = "--lease",
      paramLabel = "TIME",
      description = "how long a holder is believed after its last sign of life; default: 5m")
  Duration lease;

  @Option(
      names = "--beat",
      paramLabel = "TIME",
      description = "how often a holder gives a sign of life; default: 90s")
  Duration beat;

  @Option(
      names = "--grace",
      paramLabel = "TIME",
      description = "how long the next in line may take to answer; default: 30s")
  Duration grace;

  @Option(
      names = "--max-away",
      paramLabel = "TIME",
      description = "how long a ticket that did not answer keeps its place; default: 30m")
  Duration maxAway;

  @Option(
      names = "--max-hold",
      paramLabel = "TIME",
      description = "how long a workflow job may hold whose end nobody can see; default: 6h")
  Duration maxHold;

  @Override
  void check() {
    rules(Rules.DEFAULT);
  }

  private Rules rules(Rules base) {
    try {
      return new Rules(
          slots == null ? base.slots() : slots,
          lease == null ? base.lease() : lease,
          beat == null ? base.beat() : beat,
          grace == null ? base.grace() : grace,
          maxAway == null ? base.maxAway() : maxAway,
          maxHold == null ? base.maxHold() : maxHold,
          base.extra());
    } catch (IllegalArgumentException e) {
      throw new CliException(ExitCode.USAGE, e.getMessage(), "See `baton help init`.", e);
    }
  }

  @Override
  int on(OpenQueue open) throws QueueException, InterruptedException {
    boolean created = open.quick().create(rules(Rules.DEFAULT));
    QueueDocument d = open.quick().status();
    boolean changed = false;
    if (!created && !rules(d.rules()).equals(d.rules())) {
      Answer answer = open.quick().setRules(rules(d.rules()), baton.who().person());
      if (answer instanceof Answer.Refused refused) {
        throw new CliException(
            ExitCode.REFUSED, refused.message(), "Try again when nobody builds.");
      }
      changed = true;
    }
    String what = created ? "created" : changed ? "has new rules" : "was there already";
    Optional<String> board =
        open.github()
            .filter(g -> d.board() > 0)
            .map(g -> g.place().webUrl() + "/" + g.place().repository() + "/issues/" + d.board());
    baton.result(
        Json.object(
            "store", open.place().store(),
            "queue", open.place().queue(),
            "created", created,
            "changed", changed,
            "board", board),
        "The queue "
            + open.place().shown()
            + (created ? " is " : " ")
            + what
            + "."
            + board.map(b -> "\nIts board: " + b).orElse(""));
    return ExitCode.OK.code;
  }
}
