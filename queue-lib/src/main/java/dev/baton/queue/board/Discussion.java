package dev.baton.queue.board;

import dev.baton.queue.QueueDocument;
import dev.baton.store.StoreException;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** The issue that shows a queue, as the place where maintainers give their word. */
public interface Discussion {

  /** What somebody may do in the repository; each includes those before it. */
  enum Role {
    NONE,
    READ,
    TRIAGE,
    WRITE,
    MAINTAIN,
    ADMIN
  }

  /** What is shown at a comment. */
  enum Reaction {
    /** It is being carried out. */
    SEEN,
    DONE,
    REFUSED
  }

  /**
   * What is answered. All of it is shown as it is: it mentions nobody and is no Markdown.
   *
   * @param text sentences, in lines
   * @param code what is to be copied or has columns; empty for none
   */
  record Remark(String text, String code) {

    /** Stands in the first line of every answer; nobody sees it. */
    public static final String MARK = "<!-- baton-reply -->";

    public Remark {
      Objects.requireNonNull(text, "text");
      Objects.requireNonNull(code, "code");
    }

    /** Sentences alone. */
    public static Remark of(String text) {
      return new Remark(text, "");
    }
  }

  /** What somebody may do now. A name that nobody has may do nothing. */
  Role role(String login) throws StoreException;

  /**
   * Reacts to a comment.
   *
   * @return whether the reaction is new: of several that react at once in one name, one is told so
   */
  boolean react(long comment, Reaction reaction) throws StoreException;

  /** Answers below the issue. A lost answer to this is an error all the same. */
  void reply(long issue, Remark remark) throws StoreException;

  /**
   * The boxes that an edit of the board has ticked.
   *
   * @param before the whole body before the edit
   * @param after the whole body after it
   * @return empty when it has changed anything else, or there was no board
   */
  Optional<List<BoardTick>> ticks(String before, String after);

  /** What a tick asks for, if the queue would show just that box now. */
  Optional<BoardButton> button(BoardTick tick, QueueDocument now);

  /** Paints the board, whatever is there. */
  void paint(QueueDocument now) throws StoreException;
}
