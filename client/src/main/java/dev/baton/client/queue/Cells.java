package dev.baton.client.queue;

/**
 * How much room a text takes on a terminal. Where terminals differ, the larger number counts: a
 * line that is drawn over must not break, and one that is a little short does no harm.
 */
final class Cells {

  private static final String DOTS = "...";

  private Cells() {}

  /** A text that takes less than this room, its end replaced by dots if need be. */
  static String fitting(String text, int cells) {
    int end = end(text, cells - 1);
    return end == text.length()
        ? text
        : text.substring(0, end(text, cells - 1 - DOTS.length())) + DOTS;
  }

  /** Where the first characters end that take this room at most; never within a character. */
  private static int end(String text, int cells) {
    int used = 0;
    int end = 0;
    while (end < text.length()) {
      int character = text.codePointAt(end);
      used += width(character);
      if (used > cells) {
        return end;
      }
      end += Character.charCount(character);
    }
    return end;
  }

  private static int width(int character) {
    if (character == 0xfe0f) {
      // Makes the symbol before it an emoji, which is wider.
      return 1;
    }
    return switch (Character.getType(character)) {
      case Character.NON_SPACING_MARK, Character.ENCLOSING_MARK, Character.FORMAT -> 0;
      default -> isWide(character) ? 2 : 1;
    };
  }

  /** East Asian scripts and emoji. */
  private static boolean isWide(int c) {
    return c >= 0x1100 && c <= 0x115f
        || c >= 0x231a && c <= 0x23f3
        || c >= 0x25fd && c <= 0x27bf
        || c >= 0x2b1b && c <= 0x2b55
        || c >= 0x2e80 && c <= 0xa4cf
        || c >= 0xa960 && c <= 0xa97f
        || c >= 0xac00 && c <= 0xd7a3
        || c >= 0xf900 && c <= 0xfaff
        || c >= 0xfe10 && c <= 0xfe6f
        || c >= 0xff00 && c <= 0xff60
        || c >= 0xffe0 && c <= 0xffe6
        || c >= 0x16fe0 && c <= 0x1b2ff
        || c >= 0x1f000 && c <= 0x1faff
        || c >= 0x20000 && c <= 0x3fffd;
  }
}
