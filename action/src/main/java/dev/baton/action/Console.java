package dev.baton.action;

import dev.baton.client.text.LogText;
import java.io.PrintStream;
import java.util.Objects;

/**
 * What the step says, in the runner's language. The runner takes every line that begins with {@code
 * ::} for a command, and every line with {@code ##[} in it for an old one: nothing that somebody
 * else wrote gets there unescaped.
 */
final class Console {

  private final PrintStream out;

  Console(PrintStream out) {
    this.out = Objects.requireNonNull(out, "out");
  }

  /** A line of the log. */
  void say(String text) {
    print(defused(text));
  }

  void notice(String title, String text) {
    command("notice", title, text);
  }

  void warning(String title, String text) {
    command("warning", title, text);
  }

  void error(String title, String text) {
    command("error", title, text);
  }

  /** Shown only where somebody has asked for debug logs. */
  void debug(String text) {
    print("::debug::" + data(LogText.of(text)));
  }

  /** The one line with a secret in it: the runner takes it out, and every later one like it. */
  void mask(String secret) {
    print("::add-mask::" + data(secret));
  }

  void startGroup(String title) {
    print("::group::" + data(LogText.of(title)));
  }

  void endGroup() {
    print("::endgroup::");
  }

  private void command(String name, String title, String text) {
    String inert = LogText.of(text);
    print("::" + name + " title=" + property(LogText.of(title)) + "::" + data(inert));
  }

  private synchronized void print(String line) {
    out.println(line);
    out.flush();
  }

  /** As the runner undoes it in the text of a command. */
  static String data(String text) {
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A");
  }

  /** As the runner undoes it in a property of a command, where more has a meaning. */
  static String property(String text) {
    return data(text).replace(":", "%3A").replace(",", "%2C");
  }

  /** One line without any meaning for the runner. */
  static String defused(String text) {
    return LogText.of(text.replaceAll("\\p{Cntrl}", " "));
  }
}
