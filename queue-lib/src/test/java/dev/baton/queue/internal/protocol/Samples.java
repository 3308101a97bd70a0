package dev.baton.queue.internal.protocol;

import dev.baton.queue.Entry;
import dev.baton.queue.Liveness;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.Rules;
import dev.baton.queue.RunRef;
import java.time.Instant;
import java.util.Optional;

/** Commands and documents for the tests of this package. */
final class Samples {

  static final Instant NOON = Instant.parse("2024-05-31T12:00:00Z");
  static final int ROOM = 300;

  private Samples() {}

  static QueueDocument empty(int slots) {
    return QueueDocument.empty(QueueDocument.MODE_CAS, Rules.DEFAULT.withSlots(slots));
  }

  static Command.Join join(String name) {
    return join(name, 0);
  }

  static Command.Join join(String name, int priority) {
    return new Command.Join(
        new Entry(nonce(name), name, "main", Liveness.BEAT, Optional.empty(), priority), ROOM);
  }

  static Command.Join joinRun(String name, long run, int attempt) {
    RunRef ref = new RunRef("octo/app", run, attempt, 0, "build");
    return new Command.Join(
        new Entry(nonce(name), name, "main", Liveness.RUN, Optional.of(ref), 0), ROOM);
  }

  static String nonce(String name) {
    return "nonce-of-" + name;
  }

  static Step step(QueueDocument d, Command c) {
    return Protocol.apply(d, c, NOON);
  }

  /** Applies commands that must all have an effect. */
  static QueueDocument after(QueueDocument d, Command... commands) {
    QueueDocument next = d;
    for (Command c : commands) {
      Step s = step(next, c);
      if (!s.changed()) {
        throw new AssertionError(c + " changed nothing: " + s.reply());
      }
      next = s.document();
    }
    return next;
  }
}
