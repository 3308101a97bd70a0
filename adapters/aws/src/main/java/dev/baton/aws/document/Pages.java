package dev.baton.aws.document;

import dev.baton.core.json.PlainJson;
import dev.baton.store.Documents;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * A document and the contents before it, in one piece, so that one write changes both:
 *
 * <pre>
 * {"baton-document":1,"number":42,"marks":["9f…","07…"],"bytes":[812,810]}
 * the content
 * the one before it
 * </pre>
 *
 * <p>A mark is drawn for each write, so that no two pieces are equal, and those of the last writes
 * are kept: a writer that was refused knows by them whether the request had been sent twice, and
 * was done the first time.
 *
 * @param number grows with each write
 * @param marks of the last writes, the latest first; none where somebody wrote by hand
 * @param earlier contents, the latest first
 */
public record Pages(long number, List<String> marks, String content, List<String> earlier) {

  /** What is known of a write that was refused. */
  public enum Fate {
    /** It is what is there now. */
    PRESENT,
    /** It was never done. */
    NEVER_DONE,
    /** The outcome is unknown, or it was done and others have written since. */
    UNKNOWN
  }

  /** More writes than others make while one of them looks. */
  private static final int MARKS = 48;

  /** As many earlier contents as a recovery looks at first, and some more. */
  static final int KEPT = 8;

  /** What earlier contents may take together, beside the one that is always kept. */
  static final int MOST_CHARACTERS = 256 * 1024;

  private static final String FORMAT = "baton-document";
  private static final int LONGEST_HEADER = 4000;
  private static final SecureRandom RANDOM = new SecureRandom();

  public Pages {
    Objects.requireNonNull(content, "content");
    marks = List.copyOf(marks);
    earlier = List.copyOf(earlier);
  }

  /**
   * The first piece of a document.
   *
   * @throws IllegalArgumentException when the content is empty or not well-formed text
   */
  public static Pages first(String content) {
    Documents.bytes(content);
    return new Pages(1, List.of(newMark()), content, List.of());
  }

  /** The piece that follows this one. */
  public Pages next(String following) {
    Documents.bytes(following);
    List<String> kept = new ArrayList<>();
    int characters = 0;
    for (String one : Stream.concat(Stream.of(content), earlier.stream()).toList()) {
      boolean fits = kept.isEmpty() || characters + one.length() <= MOST_CHARACTERS;
      if (one.isEmpty() || one.equals(following) || !fits || kept.size() == KEPT) {
        continue;
      }
      kept.add(one);
      characters += one.length();
    }
    List<String> lately = Stream.concat(Stream.of(newMark()), marks.stream()).limit(MARKS).toList();
    return new Pages(number + 1, lately, following, kept);
  }

  /** What became of a write of these pages that was refused, by what is there now. */
  public Fate fate(Pages now) {
    String mine = marks.get(0);
    int at = now.marks.indexOf(mine);
    long since = now.number - number;
    if (at == 0) {
      return Fate.PRESENT;
    }
    // A first piece that is not remembered was not the first, or is long forgotten: both say that
    // somebody else's document is there.
    boolean remembered = since >= 0 && since < now.marks.size();
    return at < 0 && (remembered || number == 1) ? Fate.NEVER_DONE : Fate.UNKNOWN;
  }

  /** The same without earlier contents, where there is no room for them. */
  public Pages alone() {
    return new Pages(number, marks, content, List.of());
  }

  private static String newMark() {
    byte[] random = new byte[6];
    RANDOM.nextBytes(random);
    return HexFormat.of().formatHex(random);
  }

  public byte[] bytes() {
    List<byte[]> parts =
        Stream.concat(Stream.of(content), earlier.stream())
            .map(text -> text.getBytes(StandardCharsets.UTF_8))
            .toList();
    Map<String, Object> header = new LinkedHashMap<>();
    header.put(FORMAT, 1);
    header.put("number", number);
    header.put("marks", marks);
    header.put("bytes", parts.stream().map(part -> part.length).toList());
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.writeBytes(PlainJson.text(header).getBytes(StandardCharsets.UTF_8));
    for (byte[] part : parts) {
      out.write('\n');
      out.writeBytes(part);
    }
    return out.toByteArray();
  }

  /**
   * Never fails: what is not such a piece was written by somebody else, and all of it is the
   * content.
   */
  public static Pages of(byte[] bytes) {
    int end = 0;
    while (end < bytes.length && end < LONGEST_HEADER && bytes[end] != '\n') {
      end++;
    }
    try {
      Map<String, Object> header = PlainJson.object(text(bytes, 0, end));
      if (header.get(FORMAT) instanceof Number version
          && version.intValue() == 1
          && header.get("number") instanceof Number number
          && header.get("marks") instanceof List<?> marks
          && header.get("bytes") instanceof List<?> lengths) {
        List<String> all = split(bytes, end, lengths);
        return new Pages(
            number.longValue(),
            marks.stream().map(String::valueOf).toList(),
            all.get(0),
            all.subList(1, all.size()));
      }
    } catch (RuntimeException e) {
      // By hand, or half of it: it is shown as it is.
      return new Pages(0, List.of(), text(bytes, 0, bytes.length), List.of());
    }
    return new Pages(0, List.of(), text(bytes, 0, bytes.length), List.of());
  }

  private static List<String> split(byte[] bytes, int header, List<?> lengths) {
    List<String> all = new ArrayList<>();
    int at = header;
    for (Object length : lengths) {
      int start = at + 1;
      at = Math.addExact(start, ((Number) length).intValue());
      if (at > bytes.length || at < start) {
        throw new IllegalArgumentException("the contents are shorter than their header says");
      }
      all.add(text(bytes, start, at));
    }
    if (at != bytes.length) {
      throw new IllegalArgumentException("the contents are longer than their header says");
    }
    return all;
  }

  private static String text(byte[] bytes, int from, int to) {
    return new String(Arrays.copyOfRange(bytes, from, to), StandardCharsets.UTF_8);
  }
}
