package dev.baton.gradle.internal;

/** What is written behind a task's options. */
public final class OptionText {

  private OptionText() {}

  public static String needed(String option, String text) {
    if (text == null || text.isBlank()) {
      throw Sentences.badSetting(
          option + " is missing",
          "Such as: gradle batonUnlock --ticket 57 --reason \"laptop lost\". `gradle batonStatus`"
              + " shows the tickets.");
    }
    return text.strip();
  }

  public static long positive(String option, String text) {
    return positive(option, text, Long.MAX_VALUE);
  }

  public static long positive(String option, String text, long max) {
    if (!text.matches("[1-9][0-9]{0,17}") || Long.parseLong(text) > max) {
      throw Sentences.badSetting(
          option + " cannot be '" + text + "'", "Give a number greater than 0.");
    }
    return Long.parseLong(text);
  }
}
