package dev.baton.githubsim;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A GraphQL request, read: one operation with its fields and their arguments, variables put in. Of
 * fragments only {@code ... on Commit} is read, of which the fields stand for themselves;
 * directives are not.
 *
 * @param kind {@code query} or {@code mutation}
 */
record GraphQlDocument(String kind, List<Field> fields) {
  /**
   * @param key what the answer calls it
   * @param line where it stands in the text, counted from 1 as the column is
   */
  record Field(
      String key,
      String name,
      Map<String, Object> arguments,
      List<Field> fields,
      int line,
      int column) {}

  /** The text is not GraphQL, or more of it than the sim reads. */
  static final class Unreadable extends Exception {
    private static final long serialVersionUID = 1;
    private final boolean implemented;

    private Unreadable(String message, boolean implemented) {
      super(message);
      this.implemented = implemented;
    }

    /** Whether GitHub could not read it either. */
    boolean implemented() {
      return implemented;
    }
  }

  static GraphQlDocument parse(String text, Map<String, Object> variables) throws Unreadable {
    return new Parser(text, variables).document();
  }

  private static final class Parser {
    private final String text;
    private final Map<String, Object> variables;
    private int at;

    Parser(String text, Map<String, Object> variables) {
      this.text = text;
      this.variables = variables;
    }

    GraphQlDocument document() throws Unreadable {
      skip();
      String kind = "query";
      if (!looksAt("{")) {
        kind = name();
        if (!kind.equals("query") && !kind.equals("mutation")) {
          throw new Unreadable("a " + kind, false);
        }
        if (!looksAt("{") && !looksAt("(")) {
          name();
        }
        if (looksAt("(")) {
          variableDefinitions();
        }
      }
      List<Field> fields = selection();
      if (at < text.length()) {
        throw new Unreadable("more than one operation, or fragments", false);
      }
      return new GraphQlDocument(kind, fields);
    }

    /** Their types are not looked at, their defaults are. */
    private void variableDefinitions() throws Unreadable {
      take("(");
      while (!looksAt(")")) {
        take("$");
        String name = name();
        take(":");
        type();
        if (looksAt("=")) {
          take("=");
          Object value = value();
          variables.putIfAbsent(name, value);
        }
      }
      take(")");
    }

    private void type() throws Unreadable {
      if (looksAt("[")) {
        take("[");
        type();
        take("]");
      } else {
        name();
      }
      if (looksAt("!")) {
        take("!");
      }
    }

    private List<Field> selection() throws Unreadable {
      take("{");
      List<Field> fields = new ArrayList<>();
      while (!looksAt("}")) {
        if (looksAt("...")) {
          fields.addAll(ofCommit());
        } else {
          fields.add(field());
        }
      }
      take("}");
      return fields;
    }

    /** The only kind of object that a branch points to. */
    private List<Field> ofCommit() throws Unreadable {
      take("...");
      boolean inline = looksAt("on ");
      if (inline) {
        take("on");
      }
      if (!inline || !name().equals("Commit")) {
        throw new Unreadable("fragments", false);
      }
      return selection();
    }

    private Field field() throws Unreadable {
      int line = (int) text.substring(0, at).chars().filter(c -> c == '\n').count() + 1;
      int column = at - text.lastIndexOf('\n', at - 1);
      String key = name();
      String name = key;
      if (looksAt(":")) {
        take(":");
        name = name();
      }
      Map<String, Object> arguments = new LinkedHashMap<>();
      if (looksAt("(")) {
        take("(");
        while (!looksAt(")")) {
          pair(arguments);
        }
        take(")");
      }
      if (looksAt("@")) {
        throw new Unreadable("directives", false);
      }
      return new Field(key, name, arguments, looksAt("{") ? selection() : List.of(), line, column);
    }

    private void pair(Map<String, Object> into) throws Unreadable {
      String name = name();
      take(":");
      into.put(name, value());
    }

    private Object value() throws Unreadable {
      if (looksAt("$")) {
        take("$");
        return variables.get(name());
      }
      if (looksAt("\"\"\"")) {
        throw new Unreadable("block strings", false);
      }
      if (looksAt("\"")) {
        return string();
      }
      if (looksAt("[")) {
        take("[");
        List<Object> all = new ArrayList<>();
        while (!looksAt("]")) {
          all.add(value());
        }
        take("]");
        return all;
      }
      if (looksAt("{")) {
        take("{");
        Map<String, Object> all = new LinkedHashMap<>();
        while (!looksAt("}")) {
          pair(all);
        }
        take("}");
        return all;
      }
      int start = at;
      while (at < text.length() && "-+.".indexOf(text.charAt(at)) >= 0 || nameGoesOn()) {
        at++;
      }
      String word = text.substring(start, at);
      skip();
      return switch (word) {
        case "" -> throw unexpected();
        case "true" -> true;
        case "false" -> false;
        case "null" -> null;
        default -> word;
      };
    }

    /** GraphQL's strings are JSON's. */
    private String string() throws Unreadable {
      int start = at++;
      while (at < text.length() && text.charAt(at) != '"') {
        at += text.charAt(at) == '\\' ? 2 : 1;
      }
      if (at >= text.length()) {
        throw unexpected();
      }
      String literal = text.substring(start, ++at);
      skip();
      return Json.parse("{\"value\":" + literal + "}")
          .flatMap(json -> json.text("value"))
          .orElseThrow(this::unexpected);
    }

    private String name() throws Unreadable {
      int start = at;
      while (nameGoesOn()) {
        at++;
      }
      if (at == start) {
        throw unexpected();
      }
      String name = text.substring(start, at);
      skip();
      return name;
    }

    private boolean nameGoesOn() {
      return at < text.length()
          && text.charAt(at) < 128
          && (Character.isLetterOrDigit(text.charAt(at)) || text.charAt(at) == '_');
    }

    private boolean looksAt(String token) {
      return text.startsWith(token, at);
    }

    private void take(String token) throws Unreadable {
      if (!looksAt(token)) {
        throw unexpected();
      }
      at += token.length();
      skip();
    }

    /** Blanks, commas and comments. */
    private void skip() {
      while (at < text.length()
          && (Character.isWhitespace(text.charAt(at)) || ",#".indexOf(text.charAt(at)) >= 0)) {
        if (text.charAt(at) == '#') {
          while (at < text.length() && text.charAt(at) != '\n') {
            at++;
          }
        } else {
          at++;
        }
      }
    }

    private Unreadable unexpected() {
      String what = at < text.length() ? "\"" + text.charAt(at) + "\"" : "end of document";
      return new Unreadable("Parse error on " + what, true);
    }
  }
}
