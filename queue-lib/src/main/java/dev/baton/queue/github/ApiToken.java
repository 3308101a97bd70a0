package dev.baton.queue.github;

import java.util.function.Supplier;

/** Where the token comes from. It is asked for again at each request, and never shown. */
final class ApiToken {
  private final Supplier<String> source;

  ApiToken(Supplier<String> source) {
    this.source = source;
  }

  /**
   * @throws WireFailure.NoToken when there is none that could be sent
   */
  String value() throws WireFailure.NoToken {
    String value = read();
    if (value == null || value.isEmpty()) {
      throw new WireFailure.NoToken(
          "there is no token", "Set one that may read and write the queue.");
    }
    for (int i = 0; i < value.length(); i++) {
      if (value.charAt(i) <= ' ' || value.charAt(i) > '~') {
        throw new WireFailure.NoToken(
            "the token has a space, a line break or another character in it that no token has",
            "Set it again without them.");
      }
    }
    return value;
  }

  /** Where the token comes from may fail for a moment, such as a file that is being renewed. */
  private String read() throws WireFailure.NoToken {
    try {
      return source.get();
    } catch (RuntimeException e) {
      String why = e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
      throw new WireFailure.NoToken(
          "the token cannot be read: " + Texts.clean(why, 300),
          "Check where it comes from, and that it can be read there at any time.");
    }
  }
}
