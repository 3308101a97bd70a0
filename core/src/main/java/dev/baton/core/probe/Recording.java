package dev.baton.core.probe;

import dev.baton.core.BrokenDocumentException;
import dev.baton.core.json.PlainJson;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Exchanges as they can be sent to somebody else. What is kept is what is known to be harmless:
 * listed headers, listed members, what the probe itself wrote, numbers, and the words of refusals.
 * Of any other text the length is kept. So nobody's name, address, number, title or text is in it,
 * nor is the name or number of the repository, the bucket or a run, nor a token, nor what may be
 * added to the answers later.
 */
public final class Recording {
  private static final Set<String> HEADERS =
      Set.of(
          "accept",
          "cache-control",
          "content-type",
          "date",
          "etag",
          "gh-limited-by",
          "if-modified-since",
          "if-none-match",
          "last-modified",
          "retry-after",
          "vary",
          "x-accepted-github-permissions",
          "x-accepted-oauth-scopes",
          "x-github-api-version-selected",
          "x-github-media-type",
          "x-oauth-scopes",
          "x-ratelimit-limit",
          "x-ratelimit-remaining",
          "x-ratelimit-reset",
          "x-ratelimit-resource",
          "x-ratelimit-used");

  private static final Set<String> MEMBERS =
      Set.of(
          "afterOid",
          "author_association",
          "beforeOid",
          "code",
          "completed_at",
          "conclusion",
          "created_at",
          "date",
          "documentation_url",
          "encoding",
          "event",
          "field",
          "mode",
          "oid",
          "query",
          "resource",
          "sha",
          "started_at",
          "state",
          "state_reason",
          "status",
          "type",
          "updated_at",
          "visibility");

  /** What a probe itself writes, by how it begins. */
  private static final Pattern OWN =
      Pattern.compile(
          "Baton probe[ :].*|<!-- baton-probe/1 -->.*|(queue|other)\\.json|BATON-PROBE\\.md"
              + "|((refs/)?heads/)?baton/probe-[0-9]{10}-[0-9a-f]{8}",
          Pattern.DOTALL);

  private static final Pattern REPOSITORY = Pattern.compile("/repos/[^/]+/[^/?]+");
  private static final Pattern RUN = Pattern.compile("/runs/[0-9]{2,}");
  private static final Pattern ADDRESS = Pattern.compile("[^\\s\"'<>()]+@[^\\s\"'<>()]+");
  private static final Pattern HOST = Pattern.compile("https?://[^/\\s\"]+");
  private static final int LONGEST_TEXT = 300;
  private static final int LONGEST_LIST = 5;

  private final String place;
  private final String stand;
  private final Set<String> headers;

  /**
   * @param place the name of what is probed, such as {@code octo/app}
   * @param stand what stands for it, such as {@code OWNER/REPO}
   */
  public Recording(String place, String stand) {
    this(place, stand, Set.of());
  }

  /**
   * @param headers of the service that are known to be harmless, beside the usual ones; in lower
   *     case
   */
  public Recording(String place, String stand, Set<String> headers) {
    this.place = place;
    this.stand = stand;
    this.headers = Set.copyOf(headers);
  }

  /** A name of a file for it. */
  public static String fileName(ProbeExchange exchange) {
    String what = exchange.operation().toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-");
    return String.format(
        Locale.ROOT,
        "%02d-%s-%s-%d.json",
        exchange.number(),
        exchange.request().method(),
        what,
        exchange.answer().status());
  }

  /**
   * @param by which program has recorded it
   */
  public Map<String, Object> of(ProbeExchange exchange, String by) {
    Map<String, Object> request = new LinkedHashMap<>();
    request.put("method", exchange.request().method());
    request.put("url", plain(exchange.request().path()));
    Map<String, Object> sent = new LinkedHashMap<>();
    exchange.request().headers().forEach((name, value) -> header(sent, name, List.of(value)));
    request.put("headers", sent);
    request.put("body", body(exchange.request().body(), false));
    Map<String, Object> response = new LinkedHashMap<>();
    response.put("status", exchange.answer().status());
    Map<String, Object> got = new LinkedHashMap<>();
    exchange.answer().headers().forEach((name, values) -> header(got, name, values));
    response.put("headers", got);
    response.put("body", body(exchange.answer().body(), exchange.answer().status() >= 400));
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("recorded_by", by);
    all.put("operation", exchange.operation());
    all.put("request", request);
    all.put("response", response);
    return all;
  }

  private void header(Map<String, Object> all, String name, List<String> values) {
    String lower = name.toLowerCase(Locale.ROOT);
    if (HEADERS.contains(lower) || headers.contains(lower)) {
      List<String> plain = values.stream().map(this::plain).toList();
      all.put(name, plain.size() == 1 ? plain.get(0) : plain);
    }
  }

  // ---- bodies

  private Object body(String text, boolean refusal) {
    if (text.isEmpty()) {
      return null;
    }
    try {
      Object value = PlainJson.value(text, 40_000_000);
      return value("", value, refusal);
    } catch (BrokenDocumentException e) {
      return hidden(text);
    }
  }

  private Object value(String name, Object value, boolean refusal) {
    if (value instanceof Map<?, ?> map) {
      return object(map, refusal);
    } else if (value instanceof List<?> list) {
      return list(name, list, refusal);
    }
    if (value instanceof Number && (name.equals("id") || name.endsWith("_id"))) {
      return "(number)";
    }
    return value instanceof String text ? text(name, text, refusal) : value;
  }

  private Object object(Map<?, ?> map, boolean refusal) {
    Map<String, Object> kept = new LinkedHashMap<>();
    // Somebody: of people even the numbers are theirs.
    boolean person = map.containsKey("login") || map.containsKey("email");
    map.forEach(
        (key, value) -> {
          String name = plain(key.toString());
          if (!person || name.equals("type") || name.equals("date")) {
            kept.put(name, value(name, value, refusal || name.equals("errors")));
          }
        });
    return kept;
  }

  private Object list(String name, List<?> list, boolean refusal) {
    List<Object> kept = new ArrayList<>();
    list.stream().limit(LONGEST_LIST).forEach(one -> kept.add(value(name, one, refusal)));
    if (list.size() > LONGEST_LIST) {
      kept.add("(" + (list.size() - LONGEST_LIST) + " more)");
    }
    return kept;
  }

  private String text(String name, String text, boolean refusal) {
    boolean known =
        OWN.matcher(text).matches() || MEMBERS.contains(name) || refusal && name.equals("message");
    return known ? plain(text) : hidden(text);
  }

  private static String hidden(String text) {
    return "(" + text.length() + " characters)";
  }

  private String plain(String text) {
    // First: looking for addresses in a long text without any takes the square of its length.
    String start = text.substring(0, Math.min(text.length(), 4 * LONGEST_TEXT));
    String named = REPOSITORY.matcher(start.replace(place, stand)).replaceAll("/repos/OWNER/REPO");
    String unnumbered = RUN.matcher(named).replaceAll("/runs/RUN");
    String unsigned = ADDRESS.matcher(unnumbered).replaceAll("(address)");
    String clean = HOST.matcher(unsigned).replaceAll("https://HOST");
    return text.length() <= LONGEST_TEXT
        ? clean
        : clean.substring(0, Math.min(clean.length(), LONGEST_TEXT))
            + "… ("
            + text.length()
            + " characters)";
  }
}
