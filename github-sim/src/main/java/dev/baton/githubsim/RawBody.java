package dev.baton.githubsim;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A file as it is, instead of JSON about it.
 *
 * @param type the media type that was asked for
 */
record RawBody(byte[] content, String type) {
  private static final Pattern MEDIA =
      Pattern.compile(
          "application/vnd\\.github(?:\\.(?:v3|[a-z-]+-preview))?(?:\\.([a-z]+))?(?:\\+json)?");

  /** The raw media type, if the request asks for it. */
  static Optional<String> wanted(SimRequest request) {
    return type(request).filter(type -> parameter(type).equals("raw"));
  }

  /** What the media type asks for that is not plain JSON, such as {@code raw} or {@code html}. */
  static Optional<String> special(SimRequest request) {
    return type(request).map(RawBody::parameter).filter(parameter -> !parameter.isEmpty());
  }

  private static Optional<String> type(SimRequest request) {
    return request
        .header("accept")
        .map(text -> text.split("[,;]")[0].trim())
        .filter(type -> MEDIA.matcher(type).matches());
  }

  private static String parameter(String type) {
    Matcher matcher = MEDIA.matcher(type);
    boolean special = matcher.matches() && matcher.group(1) != null;
    return special && !matcher.group(1).matches("v3|json") ? matcher.group(1) : "";
  }
}
