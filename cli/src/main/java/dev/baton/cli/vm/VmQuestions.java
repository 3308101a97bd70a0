package dev.baton.cli.vm;

import dev.baton.cli.terminal.Baton;
import dev.baton.vm.Question;
import dev.baton.vm.Questions;
import java.util.Optional;

/** Asks on the terminal; where there is none, whatever needs an answer is refused. */
final class VmQuestions implements Questions {

  private final Baton baton;

  VmQuestions(Baton baton) {
    this.baton = baton;
  }

  @Override
  public Answer ask(Question question) {
    if (!baton.shell().terminal() || baton.json) {
      return Answer.NOBODY;
    }
    Optional<String> said = baton.ask(question.prompt() + " ");
    if (said.isEmpty()) {
      return Answer.NOBODY;
    }
    boolean yes = said.get().isEmpty() ? question.yesByDefault() : said.get().matches("(?i)y|yes");
    return yes ? Answer.YES : Answer.NO;
  }
}
