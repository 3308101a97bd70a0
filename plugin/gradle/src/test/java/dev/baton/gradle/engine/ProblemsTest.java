package dev.baton.gradle.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.core.Problem;
import dev.baton.gradle.internal.bridge.EngineFailure;
import dev.baton.queue.Acquisition;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ProblemsTest {

  @Test
  void aTimeoutThatEndsDuringALimitIsOne() {
    Problem limit =
        new Problem(Problem.Kind.TIMED_OUT, "the wait timeout is over: a limit is reached");

    EngineFailure late =
        Problems.notAcquired(new Acquisition.NotInLine(limit), Optional.empty(), null);

    assertThat(late.kind()).isEqualTo(EngineFailure.Kind.TIMED_OUT);
    assertThat(late).hasMessageContaining("the wait timeout is over: a limit is reached");
    assertThat(late.next()).contains("Wait longer");
  }
}
