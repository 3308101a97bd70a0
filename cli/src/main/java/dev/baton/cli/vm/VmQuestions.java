package dev.baton.cli.vm;

import dev.baton.cli.terminal.Baton;
import dev.baton.cli.terminal.Prompts;
import dev.baton.vm.Question;
import dev.baton.vm.Questions;
import java.util.Optional;

/** Asks on the terminal; where there is none, whatever needs an answer is refused. */
final class VmQuestions implements Questions {

  private final Prompts prompts;

  VmQuestions(Baton baton) {
    this.prompts = new Prompts(baton);
  }

  @Override
  public Answer ask(Question question) throws InterruptedException {
    if (!prompts.canAsk()) {
      // Whoever runs a deploy again means that it should go on.
      return question.topic() == Question.Topic.CONTINUE_DEPLOY ? Answer.YES : Answer.NOBODY;
    }
    Optional<String> said = prompts.line(question.prompt() + " ");
    if (said.isEmpty()) {
      return Answer.NOBODY;
    }
    boolean yes = said.get().isEmpty() ? question.yesByDefault() : said.get().matches("(?i)y|yes");
    return yes ? Answer.YES : Answer.NO;
  }
}
