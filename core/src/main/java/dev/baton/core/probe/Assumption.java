package dev.baton.core.probe;

import dev.baton.core.Checks;
import java.util.List;

/**
 * Something that the code takes for granted about a service.
 *
 * @param id names it in reports, such as {@code update-conflict}
 * @param assumed what the service does, as a sentence
 * @param reliedOnBy the code that relies on it, as {@code Class.method}; empty for what only future
 *     code relies on
 * @param otherwise what it means for users if it does not hold, as sentences
 * @param requests how many requests it takes at most to try it
 * @param writes whether trying it writes something
 * @param optional whether Baton works without it, so that a token need not be allowed to try it
 */
public record Assumption(
    String id,
    String assumed,
    List<String> reliedOnBy,
    String otherwise,
    int requests,
    boolean writes,
    boolean optional) {

  private static final int MOST_REQUESTS = 10;

  public Assumption {
    if (!id.matches("[a-z][a-z0-9]*(-[a-z0-9]+)*")) {
      throw new IllegalArgumentException("not the id of an assumption: " + Checks.shown(id));
    }
    requireSentence(id, assumed);
    requireSentence(id, otherwise);
    reliedOnBy = List.copyOf(reliedOnBy);
    if (requests < 0 || requests > MOST_REQUESTS) {
      throw new IllegalArgumentException(
          id + " must take 0 to " + MOST_REQUESTS + " requests: " + requests);
    }
  }

  private static void requireSentence(String id, String text) {
    if (!text.matches("(?s).*\\S\\.")) {
      throw new IllegalArgumentException(id + " needs whole sentences: " + Checks.shown(text));
    }
  }

  /** One that can be tried by reading. */
  public static Assumption read(
      String id, int requests, String assumed, List<String> reliedOnBy, String otherwise) {
    return new Assumption(id, assumed, reliedOnBy, otherwise, requests, false, false);
  }

  /** One that can be tried only by writing. */
  public static Assumption written(
      String id, int requests, String assumed, List<String> reliedOnBy, String otherwise) {
    return new Assumption(id, assumed, reliedOnBy, otherwise, requests, true, false);
  }

  /** The same, where Baton works without it. */
  public Assumption asOptional() {
    return new Assumption(id, assumed, reliedOnBy, otherwise, requests, writes, true);
  }
}
