package dev.baton.cli.terminal;

import dev.baton.client.report.TextStyle;

/** Colours, where they are wanted. */
public record Paint(boolean on) implements TextStyle {

  /** When to use colours. */
  public enum When {
    auto,
    always,
    never
  }

  public static Paint of(When when, Shell shell) {
    return new Paint(
        switch (when) {
          case always -> true;
          case never -> false;
          case auto ->
              shell.terminal()
                  && shell.variable("NO_COLOR").isEmpty()
                  && !shell.variable("TERM").equals("dumb");
        });
  }

  @Override
  public String bold(String text) {
    return with("1", text);
  }

  @Override
  public String dim(String text) {
    return with("2", text);
  }

  @Override
  public String good(String text) {
    return with("32", text);
  }

  @Override
  public String warn(String text) {
    return with("33", text);
  }

  @Override
  public String bad(String text) {
    return with("31", text);
  }

  private String with(String code, String text) {
    return on && !text.isEmpty()
        ? TerminalCodes.style(code) + text + TerminalCodes.style("0")
        : text;
  }
}
