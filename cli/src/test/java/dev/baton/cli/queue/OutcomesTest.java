package dev.baton.cli.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.baton.cli.terminal.CliException;
import dev.baton.client.queue.LockAttempt;
import dev.baton.core.Problem;
import dev.baton.queue.Acquisition;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class OutcomesTest {

  @Test
  void aTimeoutThatEndsDuringALimitIsOneAndSaysWhy() {
    Problem limit =
        new Problem(Problem.Kind.TIMED_OUT, "the wait timeout is over: a limit is reached");
    LockAttempt late = new LockAttempt.Missed(new Acquisition.NotInLine(limit));

    CliException said =
        catchThrowableOfType(
            CliException.class, () -> Outcomes.granted(late, Optional.empty(), null));

    assertThat(said.problem().kind()).isEqualTo(Problem.Kind.TIMED_OUT);
    assertThat(said)
        .hasMessage(
            "the wait timeout is over: a limit is reached. Wait longer with --wait-timeout, or"
                + " try again later.");
  }
}
