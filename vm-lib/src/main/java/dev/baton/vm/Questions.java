package dev.baton.vm;

/** Where questions are asked: a terminal, or somebody who has an answer to all of them. */
@FunctionalInterface
public interface Questions {

  /** What a question may be answered with. */
  enum Answer {
    YES,
    NO,
    /** There is no terminal to ask on. */
    NOBODY
  }

  Answer ask(Question question) throws InterruptedException;

  /** Says yes to everything. */
  static Questions assumeYes() {
    return question -> Answer.YES;
  }

  /** For where nobody can be asked: whatever needs an answer is refused. */
  static Questions refuse() {
    return question -> Answer.NOBODY;
  }
}
