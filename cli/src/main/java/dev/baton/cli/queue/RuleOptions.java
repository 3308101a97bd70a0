package dev.baton.cli.queue;

import dev.baton.cli.terminal.CliException;
import dev.baton.core.Problem.Kind;
import dev.baton.queue.Rules;
import dev.baton.queue.RulesChange;
import java.time.Duration;
import java.util.Optional;
import picocli.CommandLine.Option;

/** The rules of a queue, as options. */
final class RuleOptions {

  @Option(names = "--slots", paramLabel = "N", description = "how many may build at once; first: 1")
  Integer slots;

  @Option(
      names = "--lease",
      paramLabel = "TIME",
      description = "how long a holder keeps the lock after its last heartbeat; first: 5m")
  Duration lease;

  @Option(
      names = "--beat",
      paramLabel = "TIME",
      description = "how often a holder sends a heartbeat; first: 90s")
  Duration beat;

  @Option(
      names = "--grace",
      paramLabel = "TIME",
      description = "how long the next in line may take to answer; first: 30s")
  Duration grace;

  @Option(
      names = "--max-away",
      paramLabel = "TIME",
      description = "how long a ticket that has not answered keeps its place; first: 90m")
  Duration maxAway;

  @Option(
      names = "--max-hold",
      paramLabel = "TIME",
      description =
          "how long a workflow job may hold the lock if its end cannot be seen; first: 6h")
  Duration maxHold;

  /** What was given. */
  RulesChange change() {
    return new RulesChange(
        Optional.ofNullable(slots),
        Optional.ofNullable(lease),
        Optional.ofNullable(beat),
        Optional.ofNullable(grace),
        Optional.ofNullable(maxAway),
        Optional.ofNullable(maxHold));
  }

  /** The rules with what was given. */
  Rules appliedTo(Rules base, String command) {
    try {
      return change().appliedTo(base);
    } catch (IllegalArgumentException e) {
      throw new CliException(Kind.USAGE, e.getMessage(), "See `baton help " + command + "`.", e);
    }
  }
}
