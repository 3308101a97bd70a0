package dev.baton.action;

import java.util.LinkedHashMap;
import java.util.Map;

/** A table on the page of the run. */
final class Summary {

  private final String title;
  private final Map<String, String> rows = new LinkedHashMap<>();

  Summary(String title) {
    this.title = title;
  }

  Summary row(String name, Object value) {
    rows.put(name, String.valueOf(value));
    return this;
  }

  String markdown() {
    StringBuilder s =
        new StringBuilder("### ").append(inert(title)).append("\n\n| | |\n|---|---|\n");
    rows.forEach(
        (name, value) ->
            s.append("| ").append(inert(name)).append(" | ").append(code(value)).append(" |\n"));
    return s.append('\n').toString();
  }

  /** In code, where nobody is mentioned and nothing becomes a link. */
  private static String code(String value) {
    return value.isEmpty() ? "" : "<code>" + inert(value) + "</code>";
  }

  /** No character that Markdown or HTML gives a meaning to. */
  static String inert(String value) {
    StringBuilder s = new StringBuilder();
    value
        .codePoints()
        .forEach(
            c -> {
              if (Character.isISOControl(c)) {
                s.append(' ');
              } else if (c < 128 && c != ' ' && !Character.isLetterOrDigit(c)) {
                s.append("&#").append(c).append(';');
              } else {
                s.appendCodePoint(c);
              }
            });
    return s.toString();
  }
}
