package dev.baton.cli.state;

import dev.baton.cli.terminal.ExitCode;
import dev.baton.client.queue.OpenQueue;
import dev.baton.client.queue.Place;
import dev.baton.client.queue.QueueNames;
import dev.baton.client.settings.Setting;
import dev.baton.client.settings.Settings;
import dev.baton.client.state.LockStatus;
import dev.baton.client.state.StateClient;
import dev.baton.client.text.JsonOutput;
import dev.baton.core.Problem.Kind;
import dev.baton.queue.QueueException;
import dev.baton.state.DeploymentState;
import dev.baton.state.LockKey;
import dev.baton.state.LockLevel;
import dev.baton.state.StateException;
import dev.baton.state.StateKey;
import dev.baton.store.StoreException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;

/** Who has the locks of a deployment. */
@Command(
    name = "locks",
    description = {
      "Who has the locks of a deployment: that of the stack, and those of services and components"
          + " that its state names.",
      "The three levels are locks by themselves: whoever has the stack does not keep out those who"
          + " take one of its services.",
    },
    footer = {
      "  baton state locks --stack shop --environment production",
      "  baton state locks --stack shop --environment production --service api --json",
    })
final class StateLocksCommand extends StateCommand.Sub {

  @Override
  int on(StateClient client)
      throws StateException, QueueException, StoreException, InterruptedException {
    Instant now = baton().shell().clock().instant();
    List<LockStatus> all = new ArrayList<>();
    try (OpenQueue open = openQueue()) {
      all.add(LockStatus.of(key(), open, now));
      if (key().level() == LockLevel.STACK) {
        Optional<List<String>> queues = QueueNames.in(open, baton().host());
        for (LockKey part : parts(client, queues)) {
          LockStatus status = status(part, now);
          if (status.isLocked() || status.waiting() > 0) {
            all.add(status);
          }
        }
      }
    }
    baton()
        .result(
            JsonOutput.object("locks", all.stream().map(LockStatus::json).toList()),
            all.stream()
                .map(status -> status.text(baton().paint(), now))
                .collect(Collectors.joining("\n\n")));
    return ExitCode.OK.code;
  }

  private LockStatus status(LockKey part, Instant now)
      throws QueueException, StoreException, InterruptedException {
    Settings settings = new Settings();
    for (Setting setting : Setting.values()) {
      baton()
          .settings()
          .get(setting)
          .filter(v -> setting != Setting.QUEUE)
          .ifPresent(v -> settings.put(setting, v));
    }
    settings.put(
        Setting.QUEUE,
        new Settings.Value(part.text(), "--stack", Settings.DIRECT, baton().host().directory()));
    Place place = Place.of(settings, baton().host());
    try (OpenQueue open = OpenQueue.open(place, settings, baton().host(), "baton-cli")) {
      return LockStatus.of(part, open, now);
    }
  }

  /** The services and components that the state names, as far as there are queues for them. */
  private Set<LockKey> parts(StateClient client, Optional<List<String>> queues)
      throws StateException {
    DeploymentState state;
    try {
      state = client.states().load(key().state()).state();
    } catch (StateException e) {
      if (e.problem().kind() != Kind.UNREADABLE) {
        throw e;
      }
      baton().say("Services and components are not shown: " + e.problem().text());
      return Set.of();
    }
    Set<String> known = new HashSet<>(queues.orElse(List.of()));
    Set<LockKey> parts = new TreeSet<>();
    state.fencing().tokens().keySet().forEach(text -> add(parts, () -> LockKey.parse(text)));
    StateKey key = state.key();
    for (String resource : state.resources().keySet()) {
      add(parts, () -> new LockKey(key, LockLevel.COMPONENT, resource));
      add(parts, () -> new LockKey(key, LockLevel.SERVICE, resource.split("/", 2)[0]));
    }
    parts.remove(key());
    parts.removeIf(part -> !part.state().equals(key) || !known.contains(part.queueName()));
    return parts;
  }

  /** A name that no lock can have is that of nothing that could be locked. */
  private static void add(Set<LockKey> parts, java.util.function.Supplier<LockKey> part) {
    try {
      parts.add(part.get());
    } catch (IllegalArgumentException e) {
      return;
    }
  }
}
