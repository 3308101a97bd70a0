package dev.baton.queue.internal.board;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.HexFormat;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Turns what people and clocks said into Markdown that shows just that.
 *
 * <p>GitHub reads a body twice: the Markdown parser first, whose marks a backslash takes away; then
 * filters over the text of the result, which make links out of {@code @name}, {@code #1}, commit
 * hashes and so on. Those see through backslashes and entities alike; what stops them is a
 * zero-width space inside the word.
 */
final class Text {

  private static final String MARKDOWN = "\\`*_[]<>&|~";
  private static final char BREAK = '\u200b';
  private static final char ISOLATE = '\u2068';
  private static final char END_ISOLATE = '\u2069';
  private static final char NO_BREAK_SPACE = '\u00a0';
  private static final int MAX_STACKED_MARKS = 4;

  /** A word of 7 to 40 of these is a commit hash to GitHub. */
  private static final Pattern HASH =
      Pattern.compile("(?<![A-Za-z0-9])[0-9a-fA-F]{7,}(?![A-Za-z0-9])");

  private static final int BELOW_HASH = 6;

  private static final Pattern REFERENCE = Pattern.compile("(?i)((gh|ghsa|cve)-|www)$");

  private static final DateTimeFormatter FULL = utcFormat("uuuu-MM-dd'\u00a0'HH:mm'\u00a0UTC'");
  private static final DateTimeFormatter SHORT = utcFormat("d'\u00a0'MMM'\u00a0'HH:mm");
  private static final DateTimeFormatter OTHER_YEAR =
      utcFormat("d'\u00a0'MMM'\u00a0'uuuu'\u00a0'HH:mm");

  private static final Instant FIRST = Instant.parse("0000-01-01T00:00:00Z");
  private static final Instant LAST = Instant.parse("9999-12-31T23:59:00Z");

  private Text() {}

  /**
   * A value as part of a line or a table cell. It shows as it is, on one line, and does nothing
   * else; what cannot be seen is shown by its number.
   *
   * @param room at most so many UTF-16 units; what is longer ends with an ellipsis
   */
  static String escape(String value, int room) {
    String seen = visible(value);
    boolean rightToLeft =
        seen.codePoints()
            .mapToObj(Character::getDirectionality)
            .anyMatch(
                d ->
                    d == Character.DIRECTIONALITY_RIGHT_TO_LEFT
                        || d == Character.DIRECTIONALITY_RIGHT_TO_LEFT_ARABIC);
    // Without this, a Hebrew title would turn round the date that stands after it.
    return rightToLeft ? ISOLATE + inert(seen, room - 2) + END_ISOLATE : inert(seen, room);
  }

  private static String inert(String seen, int room) {
    boolean[] hashBreaks = hashBreaks(seen);
    StringBuilder out = new StringBuilder();
    for (int i = 0, next; i < seen.length(); i = next) {
      int c = seen.codePointAt(i);
      next = i + Character.charCount(c);
      String piece = Character.toString(c);
      if (c == '$' || c == '@') {
        // The one way that GitHub documents for a dollar that starts no formula. It also keeps
        // parsers from addresses that take any character above ASCII for a letter.
        piece = "<span>" + piece + "</span>";
      } else if (MARKDOWN.indexOf(c) >= 0) {
        piece = "\\" + piece;
      }
      if (next < seen.length() && (hashBreaks[next] || linksFrom(seen, c, next))) {
        piece += BREAK;
      }
      int needed = next < seen.length() ? piece.length() + 1 : piece.length();
      if (out.length() + needed > room) {
        return out.append('…').toString();
      }
      out.append(piece);
    }
    return out.toString();
  }

  /** Whether GitHub might make something of the character before {@code next} and what follows. */
  private static boolean linksFrom(String s, int c, int next) {
    return switch (c) {
      case '@', '#' -> true;
      case ':' -> s.charAt(next) != ' ';
      case '-', 'w', 'W' ->
          (c == '-' || s.charAt(next) == '.')
              && REFERENCE.matcher(s).region(Math.max(0, next - 5), next).find();
      default -> false;
    };
  }

  private static boolean[] hashBreaks(String s) {
    boolean[] breaks = new boolean[s.length() + 1];
    for (Matcher m = HASH.matcher(s); m.find(); ) {
      for (int i = m.start() + BELOW_HASH; i < m.end(); i += BELOW_HASH) {
        breaks[i] = true;
      }
    }
    return breaks;
  }

  private static String visible(String value) {
    StringBuilder out = new StringBuilder();
    int marks = 0;
    for (int i = 0, c; i < value.length(); i += Character.charCount(c)) {
      c = value.codePointAt(i);
      int type = Character.getType(c);
      boolean mark = type == Character.NON_SPACING_MARK || type == Character.ENCLOSING_MARK;
      marks = mark ? marks + 1 : 0;
      if (type == Character.SPACE_SEPARATOR) {
        if (!out.isEmpty() && out.charAt(out.length() - 1) != ' ') {
          out.append(' ');
        }
      } else if (onlyJoinsPictures(c) || marks > MAX_STACKED_MARKS) {
        // The picture falls apart into its parts, and a tower of accents stays in its line.
        continue;
      } else if (isInvisible(c)) {
        out.append('⟨').append(String.format(Locale.ROOT, "U+%04X", c)).append('⟩');
      } else {
        out.appendCodePoint(c);
      }
    }
    return out.toString().strip();
  }

  private static boolean onlyJoinsPictures(int c) {
    return c == 0x200d || c == 0xfe0e || c == 0xfe0f;
  }

  private static boolean isInvisible(int c) {
    return switch (Character.getType(c)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.SURROGATE,
          Character.PRIVATE_USE,
          Character.UNASSIGNED,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR ->
          true;
      // Letters and marks that are drawn as nothing.
      default ->
          c == 0x034f
              || c == 0x115f
              || c == 0x1160
              || c == 0x17b4
              || c == 0x17b5
              || (c >= 0x180b && c <= 0x180f)
              || c == 0x2800
              || c == 0x3164
              || (c >= 0xfe00 && c <= 0xfe0f)
              || c == 0xffa0
              || (c >= 0xe0100 && c <= 0xe01ef);
    };
  }

  /** A block of code that its content cannot end. */
  static String fenced(String language, String content) {
    String fence = "`".repeat(Math.max(3, longestRun(content, '`') + 1));
    return fence + language + "\n" + content + "\n" + fence + "\n";
  }

  static int longestRun(String s, char of) {
    int longest = 0;
    int run = 0;
    for (int i = 0; i < s.length(); i++) {
      run = s.charAt(i) == of ? run + 1 : 0;
      longest = Math.max(longest, run);
    }
    return longest;
  }

  /**
   * The same JSON with nothing in it that cannot be seen: such characters can only stand within
   * strings, where their number means the same.
   */
  static String visibleJson(String json) {
    StringBuilder out = new StringBuilder(json.length());
    String s = json.strip().replace("\r\n", "\n").replace('\r', '\n');
    for (int i = 0, c; i < s.length(); i += Character.charCount(c)) {
      c = s.codePointAt(i);
      if (c != '\n' && c != '\t' && (isInvisible(c) || onlyJoinsPictures(c))) {
        for (char unit : Character.toChars(c)) {
          out.append("\\u").append(HexFormat.of().toHexDigits(unit));
        }
      } else {
        out.appendCodePoint(c);
      }
    }
    return out.toString();
  }

  static String jsonString(String value) {
    StringBuilder out = new StringBuilder("\"");
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      if (c == '"' || c == '\\') {
        out.append('\\').append(c);
      } else if (c < ' ') {
        out.append("\\u").append(HexFormat.of().toHexDigits(c));
      } else {
        out.append(c);
      }
    }
    return out.append('"').toString();
  }

  private static DateTimeFormatter utcFormat(String pattern) {
    return DateTimeFormatter.ofPattern(pattern, Locale.ROOT).withZone(ZoneOffset.UTC);
  }

  /** A time within a sentence. */
  static String utc(Instant at) {
    return FULL.format(printable(at));
  }

  /**
   * A time as narrow as a column wants it; the time zone stands in its head.
   *
   * @param newest a time whose year goes without saying
   */
  static String inColumn(Instant at, Instant newest) {
    return (yearOf(at) == yearOf(newest) ? SHORT : OTHER_YEAR).format(printable(at));
  }

  private static int yearOf(Instant at) {
    return printable(at).atOffset(ZoneOffset.UTC).getYear();
  }

  /** A time in a document is whatever some clock said. */
  private static Instant printable(Instant at) {
    return at.isBefore(FIRST) ? FIRST : at.isAfter(LAST) ? LAST : at;
  }

  static String duration(Duration d) {
    long seconds = d.toSeconds();
    if (seconds < 60) {
      return amount(seconds, "s");
    }
    if (seconds < 3600) {
      return amount(seconds / 60, "min");
    }
    if (seconds < 86_400) {
      return two(seconds / 3600, "h", seconds / 60 % 60, "min");
    }
    return two(seconds / 86_400, "d", seconds / 3600 % 24, "h");
  }

  private static String two(long large, String unit, long small, String smallUnit) {
    return small == 0
        ? amount(large, unit)
        : amount(large, unit) + NO_BREAK_SPACE + amount(small, smallUnit);
  }

  private static String amount(long n, String unit) {
    return n + String.valueOf(NO_BREAK_SPACE) + unit;
  }
}
