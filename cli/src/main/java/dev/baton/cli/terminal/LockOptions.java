package dev.baton.cli.terminal;

import dev.baton.core.Problem.Kind;
import dev.baton.state.LockKey;
import dev.baton.state.LockLevel;
import dev.baton.state.StateKey;
import java.util.Optional;
import picocli.CommandLine.Option;

/** Which lock of which deployment is meant. */
public final class LockOptions {

  @Option(
      names = "--stack",
      paramLabel = "NAME",
      description = "whose deployment; needs --environment too")
  String stack;

  @Option(names = "--environment", paramLabel = "NAME", description = "such as production")
  String environment;

  @Option(
      names = "--service",
      paramLabel = "NAME",
      description = "the lock of one service, apart from that of the stack")
  String service;

  @Option(
      names = "--component",
      paramLabel = "PATH",
      description = "the lock of one component, such as user-service/api")
  String component;

  /** Empty when none of the options is there. */
  public Optional<LockKey> key() {
    boolean none = stack == null && environment == null && service == null && component == null;
    if (none) {
      return Optional.empty();
    }
    if (stack == null || environment == null) {
      throw CliException.usage(
          "--stack and --environment are needed, both of them", "Add the one that is missing.");
    }
    if (service != null && component != null) {
      throw CliException.usage("--service does not go with --component", "Choose one of them.");
    }
    try {
      StateKey state = new StateKey(stack, environment);
      if (service != null) {
        return Optional.of(new LockKey(state, LockLevel.SERVICE, service));
      }
      return Optional.of(
          component != null ? new LockKey(state, LockLevel.COMPONENT, component) : state.lock());
    } catch (IllegalArgumentException e) {
      throw new CliException(Kind.USAGE, e.getMessage(), "Choose another name.", e);
    }
  }

  public LockKey required() {
    return key()
        .orElseThrow(
            () ->
                CliException.usage(
                    "--stack and --environment are missing",
                    "Say which deployment, such as --stack shop --environment production."));
  }
}
