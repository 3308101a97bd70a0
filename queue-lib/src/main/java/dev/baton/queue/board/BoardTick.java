package dev.baton.queue.board;

import java.util.Objects;

/**
 * A box that somebody has ticked. Its line is the text of an issue, which anybody may have written:
 * it is compared and never shown.
 *
 * @param version of the document that the box was painted from, as it says itself
 * @param line the box as it was before the tick
 */
public record BoardTick(long version, String line) {
  public BoardTick {
    Objects.requireNonNull(line, "line");
  }
}
