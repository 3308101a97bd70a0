package dev.baton.client.steering;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.client.steering.CommentText.Command;
import dev.baton.client.steering.CommentText.Mistake;
import dev.baton.client.steering.CommentText.Nothing;
import dev.baton.queue.board.Discussion.Remark;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CommentTextTest {

  private static SteeringCommand command(String comment) {
    CommentText.Asked asked = CommentText.read(comment);
    assertThat(asked).as(comment).isInstanceOf(Command.class);
    return ((Command) asked).command();
  }

  private static String mistake(String comment) {
    CommentText.Asked asked = CommentText.read(comment);
    assertThat(asked).as(comment).isInstanceOf(Mistake.class);
    return ((Mistake) asked).what();
  }

  @Test
  void eachCommandIsRead() {
    assertThat(command("/baton status")).isEqualTo(new SteeringCommand.Status());
    assertThat(command("/baton")).isEqualTo(new SteeringCommand.Help());
    assertThat(command("/baton help me")).isEqualTo(new SteeringCommand.Help());
    assertThat(command("/baton resume")).isEqualTo(new SteeringCommand.Resume());
    assertThat(command("/baton wake")).isEqualTo(new SteeringCommand.Wake());
    assertThat(command("/baton pause")).isEqualTo(new SteeringCommand.Pause(Optional.empty()));
    assertThat(command("/baton pause disk  is\tfull "))
        .isEqualTo(new SteeringCommand.Pause(Optional.of("disk is full")));
    assertThat(command("/baton bump 57"))
        .isEqualTo(new SteeringCommand.Bump(List.of(57L), Optional.empty()));
    assertThat(command("/baton bump 57 58 before 12"))
        .isEqualTo(new SteeringCommand.Bump(List.of(57L, 58L), Optional.of(12L)));
    assertThat(command("/baton drop #57 3 tests fail"))
        .isEqualTo(new SteeringCommand.Drop(List.of(57L), Optional.of("3 tests fail")));
    assertThat(command("/baton unlock 57 19 hangs since noon"))
        .isEqualTo(new SteeringCommand.Unlock(57, 19, "hangs since noon", false));
  }

  @Test
  void phonesWriteAsTheyDo() {
    assertThat(command("/baton\u00a0Bump 57 Before\u00a012\r\n\r\nplease"))
        .isEqualTo(new SteeringCommand.Bump(List.of(57L), Optional.of(12L)));
    // As it is copied from a sentence of an answer.
    assertThat(command("/baton unlock 57 179513\u200b724096\u200b9 hangs"))
        .isEqualTo(new SteeringCommand.Unlock(57, 1795137240969L, "hangs", false));
  }

  @Test
  void theFirstLineThatStartsWithItCounts() {
    assertThat(command("Sorry, all.\n/baton pause a\n/baton resume"))
        .isEqualTo(new SteeringCommand.Pause(Optional.of("a")));
    assertThat(mistake("/baton dance\n/baton resume")).isEqualTo("there is no such command");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "hello",
        "> /baton resume",
        " /baton resume",
        "try `/baton resume`",
        "/batonresume",
        "/Baton resume",
        "//baton resume"
      })
  void proseAsksForNothing(String comment) {
    assertThat(CommentText.read(comment)).isEqualTo(new Nothing());
  }

  @Test
  void whatIsNotUnderstoodSaysWhatIsMissing() {
    assertThat(mistake("/baton bump")).contains("bump needs the number");
    assertThat(mistake("/baton bump main")).isEqualTo("bump needs numbers of tickets");
    assertThat(mistake("/baton bump 5 before")).contains("after `before`");
    assertThat(mistake("/baton bump 5 before 5")).contains("one other ticket");
    assertThat(mistake("/baton bump 5 before 6 7")).contains("one other ticket");
    assertThat(mistake("/baton bump 0")).isEqualTo("bump needs numbers of tickets");
    assertThat(mistake("/baton bump " + "7 ".repeat(21))).contains("up to 20");
    assertThat(mistake("/baton drop -1")).contains("drop needs the number of a ticket");
    assertThat(mistake("/baton drop 9999999999999999999")).contains("drop needs the number");
    assertThat(mistake("/baton unlock 57")).contains("fencing token");
    assertThat(mistake("/baton unlock 57 19")).contains("needs a reason");
    assertThat(mistake("/baton resume build2")).isEqualTo("resume takes nothing more");
    assertThat(mistake("/baton pause " + "x".repeat(121))).contains("longer than 120 characters");
    assertThat(mistake("/baton pause " + "x".repeat(60_000))).contains("longer than 500");
  }

  /** A token of a person makes an answer an event that starts workflows. */
  @Test
  void noAnswerIsACommand() {
    String answer = Remark.MARK + "\nann: no\n\n```text\n/baton unlock 57 20 REASON\n```\n";
    assertThat(CommentText.read(answer)).isEqualTo(new Nothing());
  }

  @Test
  void whateverIsWrittenIsReadWithinBoundsAndNotQuoted() {
    Random chance = new Random(3);
    String[] pieces = {
      "/baton", " ", "\n", "\r", "bump", "drop", "7", "before", "$(id)", "::set-output name=a::b",
      "<img src=x>", "\u202e", "\0", "@ann", "\ud800", "unlock", "pause", "\u00a0", "`", "😀"
    };
    int commands = 0;
    for (int i = 0; i < 5_000; i++) {
      StringBuilder text = new StringBuilder("/baton ");
      for (int n = chance.nextInt(12); n > 0; n--) {
        text.append(pieces[chance.nextInt(pieces.length)]);
      }
      CommentText.Asked asked = CommentText.read(text.toString());
      if (asked instanceof Mistake mistake) {
        assertThat(mistake.what()).matches("[A-Za-z0-9 ,`]{5,100}");
      } else if (asked instanceof Command c && c.command() instanceof SteeringCommand.Pause p) {
        assertThat(p.reason().orElse("")).doesNotContainPattern("[\\p{Cc}]");
        commands++;
      }
    }
    assertThat(commands).isPositive();
  }
}
