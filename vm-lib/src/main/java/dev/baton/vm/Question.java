package dev.baton.vm;

import java.util.Objects;

/**
 * Something that only a person can decide.
 *
 * @param yesByDefault what an empty answer means: {@code [Y/n]} or {@code [y/N]}
 */
public record Question(Topic topic, String text, boolean yesByDefault) {

  /** What it is about, for those who answer by rule. */
  public enum Topic {
    /** The lock of somebody who is alive would be taken. */
    TAKE_OVER,
    /** A deploy that was not finished would be continued. */
    CONTINUE_DEPLOY,
    /** The disk would be kept as a snapshot. */
    KEEP_SNAPSHOT,
    /** The memory of a suspended VM would be lost. */
    DROP_MEMORY,
    /** A further disk would be deleted. */
    DELETE_DISK,
    /** A VM that an earlier tool deployed would be taken over. */
    MIGRATE
  }

  public Question {
    Objects.requireNonNull(topic, "topic");
    Objects.requireNonNull(text, "text");
  }

  public String prompt() {
    return text + (yesByDefault ? " [Y/n]" : " [y/N]");
  }
}
