package dev.baton.queue.internal.protocol;

import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import dev.baton.queue.QueueDocument;
import java.util.Map;
import java.util.TreeMap;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Bad input is refused at the edge, with a message that names the value. */
class CommandTest {

  @ParameterizedTest
  @ValueSource(longs = {0, -1, Long.MIN_VALUE})
  void ticketsAndTokensArePositive(long bad) {
    Map<String, ThrowingCallable> all = new TreeMap<>();
    all.put("confirm", () -> new Command.Confirm(bad, 1));
    all.put("verify", () -> new Command.Verify(bad, 1));
    all.put("release", () -> new Command.Release(bad, 1, ""));
    all.put("reap", () -> new Command.Reap(bad, 1, "gone"));
    all.put("pass over", () -> new Command.PassOver(bad, 1));
    all.put("pass over absent", () -> new Command.PassOverAbsent(bad, 1, 1));
    all.put("present", () -> new Command.Present(bad, 1, 0));
    all.put("check in", () -> new Command.CheckIn(bad));
    all.put("remove", () -> new Command.Remove(bad, Command.Remove.Reason.JOB_ENDED));
    all.put("move", () -> new Command.MoveBefore(bad, 1, "m"));
    all.put("priority", () -> new Command.SetPriority(bad, 1, "m"));
    all.put("drop", () -> new Command.Drop(bad, "m", ""));
    all.put("force", () -> new Command.ForceUnlock(bad, 1, "m", "hangs", true));
    all.forEach(
        (name, call) ->
            assertThatIllegalArgumentException()
                .as(name)
                .isThrownBy(call)
                .withMessage("ticket must be positive: " + bad));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Command.Confirm(1, bad))
        .withMessage("token must be positive: " + bad);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Command.Release(1, bad, ""))
        .withMessage("token must be positive: " + bad);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Command.MoveBefore(1, bad, "m"))
        .withMessage("before must be positive: " + bad);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Command.EndQuarantine(bad))
        .withMessage("quarantine must be positive: " + bad);
  }

  @Test
  void wordsAreLinesOfBoundedLength() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Command.PauseQueue("", "why"))
        .withMessage("who must not be empty");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Command.PauseQueue("m", "x".repeat(121)))
        .withMessageStartingWith("why is longer than 120 characters: \"xxx");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Command.Release(1, 1, "a\nb"))
        .withMessage("note has a control character (U+000A): \"a\\u000ab\"");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Command.Reap(1, 1, ""))
        .withMessage("why must not be empty");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Command.ForceUnlock(1, 1, "m", "  ", true))
        .withMessageContaining("say why the lock is taken away");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Command.Leave("short"))
        .withMessage("nonce is shorter than 8 characters: \"short\"");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Command.Drop(1, "m\ud800", ""))
        .withMessageStartingWith("who is not well-formed text");
    assertThatNullPointerException()
        .isThrownBy(() -> new Command.Drop(1, null, ""))
        .withMessage("who");
    assertThatNullPointerException().isThrownBy(() -> new Command.Leave(null)).withMessage("nonce");
  }

  @Test
  void whatMakesNoSenseIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Command.MoveBefore(7, 7, "m"))
        .withMessage("ticket 7 cannot go before itself");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Command.SetPriority(7, 1001, "m"))
        .withMessageContaining("1001");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Command.Join(Samples.join("a").entry(), 0))
        .withMessage("capacity must be positive: 0");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Command.BreakIssueLock("nonce-of-a", -1))
        .withMessage("renewal must not be negative: -1");
    Command under = new Command.UnderIssueLock("nonce-of-a", new Command.Touch());
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Command.UnderIssueLock("nonce-of-a", under))
        .withMessageStartingWith("the issue lock is named once");
  }

  @Test
  void nothingIsAppliedToNothing() {
    QueueDocument d = Samples.empty(1);
    assertThatNullPointerException()
        .isThrownBy(() -> Protocol.apply(null, new Command.Touch(), Samples.NOON))
        .withMessage("document");
    assertThatNullPointerException()
        .isThrownBy(() -> Protocol.apply(d, null, Samples.NOON))
        .withMessage("command");
    assertThatNullPointerException()
        .isThrownBy(() -> Protocol.apply(d, new Command.Touch(), null))
        .withMessage("now");
  }
}
