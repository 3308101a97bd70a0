package dev.baton.client.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.client.problem.Vocabulary;
import dev.baton.client.settings.Setting;
import dev.baton.core.Problem;
import dev.baton.core.Problem.Kind;
import dev.baton.queue.Acquisition;
import dev.baton.queue.Outcome;
import dev.baton.queue.text.Turns;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class NotAcquiredTest {

  private static final Optional<Duration> TWO_HOURS = Optional.of(Duration.ofHours(2));

  private static final Vocabulary WORDS =
      new Vocabulary() {
        @Override
        public String command(String command) {
          return "`tool " + command + "`";
        }

        @Override
        public String setting(Setting setting) {
          return setting.id();
        }
      };

  private static Problem problem(Acquisition answer) {
    return NotAcquired.problem(answer, TWO_HOURS, WORDS);
  }

  @Test
  void aTimeOutSaysWhereTheTicketWas() {
    assertThat(problem(new Acquisition.TimedOut(12, 3)))
        .isEqualTo(
            new Problem(
                Kind.TIMED_OUT,
                "timed out after 2 h waiting for the lock; ticket 12 was at place 3 and has left"
                    + " the line",
                "Wait longer, or look who builds with `tool status`."));
  }

  @Test
  void aTimeOutBeforeThereIsAPlaceInLineSaysWhy() {
    Problem limit = new Problem(Kind.TIMED_OUT, "the wait timeout is over: a limit is reached");
    assertThat(problem(new Acquisition.NotInLine(limit)))
        .isEqualTo(limit.advising("Wait longer, or try again later."));
  }

  @Test
  void aTicketThatIsOutOfTheLineSaysHow() {
    for (Outcome.End end : Outcome.End.values()) {
      assertThat(problem(new Acquisition.Removed(12, Optional.of(end), Optional.empty())).text())
          .isEqualTo(
              Turns.howRemoved(12, Optional.of(end), Optional.empty())
                  + ". Run it again to join the line again; `tool history` shows what happened.");
    }
    assertThat(problem(new Acquisition.Removed(12, Optional.empty(), Optional.empty())).what())
        .isEqualTo("ticket 12 is out of the line");
  }

  @Test
  void aRefusalIsWhatTheQueueSays() {
    Problem refusal = new Problem(Kind.REFUSED, "the line is full");
    assertThat(problem(new Acquisition.Refused(refusal)).text())
        .isEqualTo("the line is full. Look at the queue with `tool status`.");
  }

  @Test
  void nothingElseIsAFailure() {
    assertThatThrownBy(() -> problem(new Acquisition.Covered(1, 2)))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
