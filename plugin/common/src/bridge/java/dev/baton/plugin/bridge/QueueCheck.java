package dev.baton.plugin.bridge;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What can be told to be wrong about a queue from its {@link QueueTexts} alone, before the engine
 * is loaded. Pure.
 */
public final class QueueCheck {

  private static final String STORE = "store";
  private static final String QUEUE = "queue";
  private static final String GITHUB = "github:";

  private static final Pattern REPOSITORY =
      Pattern.compile("(?!\\.{1,2}/)[A-Za-z0-9._-]+/(?!\\.{1,2}$)[A-Za-z0-9._-]+");
  private static final Pattern NAME = Pattern.compile("[a-z0-9][a-z0-9-]{0,38}");
  private static final Pattern ISSUE = Pattern.compile("[1-9][0-9]{0,8}");
  private static final Pattern NUMBER = Pattern.compile("-?[0-9]{1,9}");
  private static final Pattern DURATION =
      Pattern.compile("(?:(\\d{1,5})d)?(?:(\\d{1,5})h)?(?:(\\d{1,5})m)?(?:(\\d{1,7})s)?");

  private static final List<String> TOKENS =
      Arrays.asList("token-file", QueueTexts.TOKEN_VARIABLE, QueueTexts.TOKEN_PROPERTY);

  private QueueCheck() {}

  /** A text that can never work. */
  public static final class Fault {

    private final String key;
    private final String text;
    private final String next;

    Fault(String key, String text, String next) {
      this.key = key;
      this.text = text;
      this.next = next;
    }

    public String key() {
      return key;
    }

    /** As it may be shown: there is no secret in it. */
    public String text() {
      return text;
    }

    /** What to write instead: a sentence without its full stop. */
    public String next() {
      return next;
    }
  }

  /** The first of these that can never work by itself. */
  public static Optional<Fault> check(Map<String, String> texts) {
    for (Map.Entry<String, String> one : texts.entrySet()) {
      Optional<Fault> fault = check(one.getKey(), one.getValue());
      if (fault.isPresent()) {
        return fault;
      }
    }
    return Optional.empty();
  }

  /** Whether this one can never work. Which stores there are is not known here. */
  public static Optional<Fault> check(String key, String text) {
    switch (key) {
      case STORE:
        return store(text);
      case QUEUE:
        return name(key, text, text);
      case "mode":
        return fault(
            text.equals("git") || text.equals("issue"),
            key,
            text,
            "Write git, or issue where the token may not write contents");
      case "issue":
        return fault(
            ISSUE.matcher(text).matches(),
            key,
            text,
            "Give the number from the address of the issue, such as 12");
      case QueueTexts.PRIORITY:
        return fault(NUMBER.matcher(text).matches(), key, text, "Give a whole number");
      case QueueTexts.WAIT_TIMEOUT:
        return fault(
            duration(text).isPresent(),
            key,
            text,
            "Write a duration such as 90s, 20m, 1h30m or 2d");
      case QueueTexts.ON_TIMEOUT:
        return fault(
            text.equals("fail") || text.equals("proceed"), key, text, "Write fail or proceed");
      default:
        return Optional.empty();
    }
  }

  private static Optional<Fault> fault(boolean holds, String key, String text, String next) {
    return holds ? Optional.empty() : Optional.of(new Fault(key, text, next));
  }

  private static Optional<Fault> store(String text) {
    String[] parts = text.split("#", 2);
    if (parts[0].startsWith(GITHUB)
        && !REPOSITORY.matcher(parts[0].substring(GITHUB.length())).matches()) {
      return Optional.of(new Fault(STORE, withoutSecrets(text), "Write 'github:OWNER/REPO'"));
    }
    return parts.length == 2 ? name(STORE, parts[1], withoutSecrets(text)) : Optional.empty();
  }

  private static Optional<Fault> name(String key, String name, String shown) {
    return fault(
        NAME.matcher(name).matches(),
        key,
        shown,
        "The name of a queue has 1 to 39 lower-case letters, digits and hyphens");
  }

  /** An address as it may be shown: before an @, and in parameters, there may be a secret. */
  public static String withoutSecrets(String store) {
    return store.replaceFirst("^.*@", "…@").replaceFirst("\\?.*", "?…");
  }

  /** The queue that the store names, where that is not the one that is named itself. */
  public static Optional<String> otherQueueInStore(Map<String, String> texts) {
    String[] parts = texts.getOrDefault(STORE, "").split("#", 2);
    return parts.length == 2 && !texts.getOrDefault(QUEUE, parts[1]).equals(parts[1])
        ? Optional.of(parts[1])
        : Optional.empty();
  }

  /** Whether the texts say in several ways where the token is. */
  public static boolean hasSeveralTokens(Map<String, String> texts) {
    return TOKENS.stream().filter(texts::containsKey).count() > 1;
  }

  /** The same rule as on the command line: {@code 90s}, {@code 20m}, {@code 1h30m}, {@code 2d}. */
  public static Optional<Duration> duration(String text) {
    String plain = text.trim().toLowerCase(Locale.ROOT).replace(" ", "");
    Matcher m = DURATION.matcher(plain.replace("min", "m"));
    return plain.isEmpty() || !m.matches()
        ? Optional.empty()
        : Optional.of(
            Duration.ofDays(number(m, 1))
                .plusHours(number(m, 2))
                .plusMinutes(number(m, 3))
                .plusSeconds(number(m, 4)));
  }

  private static long number(Matcher m, int group) {
    return m.group(group) == null ? 0 : Long.parseLong(m.group(group));
  }
}
