package dev.baton.core;

/** An exception that carries a {@link Problem}; its message is {@link Problem#text}. */
public interface Failure {

  Problem problem();

  /** What is wrong, without a full stop. It may quote whole sentences of others. */
  default String what() {
    return problem().what();
  }

  /** What to do about it, in whole sentences; empty where only a front end can say. */
  default String next() {
    return problem().next();
  }

  /** The kind of a failure, or another for what is none of ours. */
  static Problem.Kind kindOf(Throwable e, Problem.Kind otherwise) {
    return e instanceof Failure f ? f.problem().kind() : otherwise;
  }
}
