package dev.baton.cli.queue;

import dev.baton.cli.terminal.Baton;
import dev.baton.cli.terminal.CliException;
import dev.baton.client.queue.Inherited;
import dev.baton.client.queue.InheritedLocks;
import dev.baton.client.queue.LossInquiry;
import dev.baton.client.queue.OpenQueue;
import dev.baton.client.settings.Setting;
import dev.baton.core.Problem.Kind;
import dev.baton.queue.QueueException;
import dev.baton.queue.text.Turns;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The lock that a command was started under, and the one that it starts others under. */
final class OuterLock {

  private final Baton baton;
  private final OpenQueue open;

  OuterLock(Baton baton, OpenQueue open) {
    this.baton = baton;
    this.open = open;
  }

  /**
   * The lock of this queue that an outer process holds, proved by a write.
   *
   * @throws CliException when it is not held any more
   */
  Optional<Inherited> proven() throws QueueException, InterruptedException {
    Optional<Inherited> outer = InheritedLocks.of(baton.host()).of(open.place());
    if (outer.isPresent() && !open.patient().verify(outer.get().ticket(), outer.get().token())) {
      throw new CliException(
          Kind.LOST,
          "the lock that this was started under (ticket "
              + outer.get().ticket()
              + ", token "
              + outer.get().token()
              + ") is not held any more"
              + LossInquiry.answer(open, outer.get().ticket(), outer.get().token())
                  .map(end -> ": " + Turns.howLost(end))
                  .orElse(""),
          "Stop the outer build. To stand in line on your own: env -u "
              + String.join(" -u ", Inherited.TICKET, Inherited.TOKEN, Inherited.ALL)
              + " baton run …");
    }
    return outer;
  }

  /** What a process needs in its environment to go on under that lock and those around it. */
  Map<String, String> environment(Inherited lock) {
    Map<String, String> variables = new LinkedHashMap<>(open.place().environment());
    variables.putAll(InheritedLocks.of(baton.host()).with(open.place(), lock).environment());
    for (Setting file : List.of(Setting.TOKEN_FILE, Setting.CA_FILE)) {
      baton.settings().path(file).ifPresent(p -> variables.put(file.variable(), p.toString()));
    }
    return variables;
  }
}
