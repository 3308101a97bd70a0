package dev.baton.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.core.Problem.Kind;
import dev.baton.store.StoreException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class ProblemTest {

  @Test
  void theTextIsWhatIsWrongAndWhatToDo() {
    assertThat(new Problem(Kind.FAILED, "the disk is full", "Delete something.").text())
        .isEqualTo("the disk is full. Delete something.");
    assertThat(new Problem(Kind.FAILED, "the disk is full").text()).isEqualTo("the disk is full");
  }

  @Test
  void aQuoteMayEndWithAFullStop() {
    assertThat(new Problem(Kind.FAILED, "it said: No.", "Ask again.").text())
        .isEqualTo("it said: No. Ask again.");
    assertThat(new Problem(Kind.FAILED, "it said: well...").what()).isEqualTo("it said: well...");
  }

  /** A failure that is told in clumsy words is better than one that is hidden by another. */
  @Test
  void noTextIsRefused() {
    assertThat(new Problem(Kind.FAILED, "no", "Try again").next()).isEqualTo("Try again.");
    assertThat(new Problem(Kind.FAILED, null, "").text()).isEqualTo("no reason was given");
    assertThat(new Problem(Kind.FAILED, " ", "Try again.").what()).isEqualTo("no reason was given");
  }

  @Test
  void wordsAreAddedInFrontAndAtTheEnd() {
    Problem problem = new Problem(Kind.NO_PERMISSION, "permission denied", "Ask for it.");

    assertThat(problem.within("cannot read X: ").then("Then try again."))
        .isEqualTo(
            new Problem(
                Kind.NO_PERMISSION,
                "cannot read X: permission denied",
                "Ask for it. Then try again."));
    assertThat(new Problem(Kind.FAILED, "no").then("Try again.").next()).isEqualTo("Try again.");
  }

  @Test
  void anExceptionSaysWhatItsProblemSays() {
    StoreException failure = new StoreException("cannot read X", "Look at it.", null);

    assertThat(failure).hasMessage("cannot read X. Look at it.");
    assertThat(failure.problem())
        .isEqualTo(new Problem(Kind.UNREACHABLE, "cannot read X", "Look at it."));
    assertThat(new BadSetting("x is no y", "Use z.")).hasMessage("x is no y. Use z.");
  }

  @Test
  void whoIsNotLetInIsToldByTheKind() {
    assertThat(StoreException.denied("the key is old", "Get a new one.").isDenied()).isTrue();
    assertThat(new StoreException(new Problem(Kind.NO_TOKEN, "no key"), null).isDenied()).isTrue();
    assertThat(StoreException.busy("wait", Duration.ofSeconds(1)).isDenied()).isFalse();
  }

  @Test
  void aRefusedValueKeepsItsOwnAdvice() {
    BadSetting known = new BadSetting("x is no y", "Use z.");

    assertThat(BadSetting.of(known, "Look it up.")).isSameAs(known);
    assertThat(BadSetting.of(new IllegalArgumentException("x is no y"), "Look it up.").problem())
        .isEqualTo(new Problem(Kind.USAGE, "x is no y", "Look it up."));
  }
}
