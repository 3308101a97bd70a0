package dev.baton.vm.internal.operation;

import dev.baton.vm.Question;
import dev.baton.vm.Questions;
import dev.baton.vm.VmException;
import java.util.HashMap;
import java.util.Map;

/** Asks each question of an operation but once, however often the operation has to begin anew. */
final class Asking {

  private final Questions questions;
  private final Map<Question.Topic, Boolean> answered = new HashMap<>();

  Asking(Questions questions) {
    this.questions = questions;
  }

  boolean isYes(Question question) throws VmException.Unanswered, InterruptedException {
    Boolean before = answered.get(question.topic());
    if (before != null && question.topic() != Question.Topic.TAKE_OVER) {
      return before;
    }
    Questions.Answer answer = questions.ask(question);
    if (answer == Questions.Answer.NOBODY) {
      throw new VmException.Unanswered(reason(question.text()));
    }
    answered.put(question.topic(), answer == Questions.Answer.YES);
    return answer == Questions.Answer.YES;
  }

  /** What makes a yes necessary; where a question has nothing else, the question. */
  private static String reason(String question) {
    int end = question.lastIndexOf(". ");
    return end < 0 ? question : question.substring(0, end);
  }
}
