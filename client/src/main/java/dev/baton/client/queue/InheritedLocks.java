package dev.baton.client.queue;

import dev.baton.client.settings.Host;
import dev.baton.client.settings.Setting;
import dev.baton.client.settings.Settings;
import dev.baton.core.BadSetting;
import dev.baton.core.Checks;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The locks that outer processes hold for this one, at most one of each queue, as the environment
 * tells. {@link Inherited#ALL} lists them; {@link Inherited#TICKET} and {@link Inherited#TOKEN} are
 * for scripts and tell the one that was taken last. Immutable.
 */
public final class InheritedLocks {

  private static final String TICKET = Inherited.TICKET;
  private static final String TOKEN = Inherited.TOKEN;
  private static final String ALL = Inherited.ALL;
  private static final int MOST = 64;
  private static final int LONGEST = 16_384;
  private static final String NUMBER = "[1-9][0-9]{0,17}";
  private static final Pattern ENTRY =
      Pattern.compile("(" + NUMBER + "):(" + NUMBER + "):([A-Za-z0-9._+%-]+)");

  /** By {@link Place#identity}, the one that was taken last at the end. */
  private final Map<String, Inherited> listed;

  private final Optional<Inherited> last;

  /** Which queue the last one is of, when the environment says so. */
  private final Optional<String> queueOfLast;

  private InheritedLocks(
      Map<String, Inherited> listed, Optional<Inherited> last, Optional<String> queueOfLast) {
    this.listed = listed;
    this.last = last;
    this.queueOfLast = queueOfLast;
  }

  /** Held for nobody. */
  public static InheritedLocks none() {
    return new InheritedLocks(Map.of(), Optional.empty(), Optional.empty());
  }

  /** Whether the environment tells of any lock; nothing is read closely. */
  public static boolean areTold(Host host) {
    return !host.variable(TICKET).isEmpty() || !host.variable(ALL).isEmpty();
  }

  /**
   * @throws BadSetting when a variable is not what an outer process writes
   */
  public static InheritedLocks of(Host host) {
    Optional<Inherited> last = last(host);
    Optional<String> queueOfLast =
        last.isEmpty() || host.variable(Setting.STORE.variable()).isEmpty()
            ? Optional.empty()
            : Optional.of(Place.of(Settings.ofEnvironment(host), host).identity());
    return new InheritedLocks(listed(host.variable(ALL)), last, queueOfLast);
  }

  private static Optional<Inherited> last(Host host) {
    String ticket = host.variable(TICKET);
    String token = host.variable(TOKEN);
    if (ticket.isEmpty() && token.isEmpty()) {
      return Optional.empty();
    }
    if (!ticket.matches(NUMBER) || !token.matches(NUMBER)) {
      throw new BadSetting(
          TICKET
              + " and "
              + TOKEN
              + " must both be numbers: "
              + Checks.shown(ticket)
              + ", "
              + Checks.shown(token),
          "Unset both, or set both as the outer baton did.");
    }
    return Optional.of(new Inherited(Long.parseLong(ticket), Long.parseLong(token)));
  }

  private static Map<String, Inherited> listed(String text) {
    Map<String, Inherited> listed = new LinkedHashMap<>();
    if (text.isEmpty()) {
      return listed;
    }
    // Each character and each entry costs: what is longer than any that was written is not read.
    String[] entries = text.length() > LONGEST ? new String[0] : text.split(",", MOST + 1);
    if (entries.length == 0 || entries.length > MOST) {
      throw broken("it is too long");
    }
    for (String entry : entries) {
      Matcher parts = ENTRY.matcher(entry);
      if (!parts.matches()) {
        throw broken(Checks.shown(entry));
      }
      Inherited lock =
          new Inherited(Long.parseLong(parts.group(1)), Long.parseLong(parts.group(2)));
      if (listed.put(decoded(parts.group(3)), lock) != null) {
        throw broken("it names a queue twice");
      }
    }
    return listed;
  }

  private static BadSetting broken(String why) {
    return new BadSetting(
        ALL + " is not as baton writes it: " + why,
        "Unset it, or pass it on unchanged from the outer baton.");
  }

  private static String decoded(String text) {
    try {
      return URLDecoder.decode(text, StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      throw broken(Checks.shown(text));
    }
  }

  private static String encoded(String identity) {
    return URLEncoder.encode(identity, StandardCharsets.UTF_8).replace("*", "%2A");
  }

  /**
   * The lock of that queue. One whose queue the environment does not name is taken to be of any.
   */
  public Optional<Inherited> of(Place place) {
    String identity = place.identity();
    Optional<Inherited> unlisted = last.filter(l -> !listed.containsValue(l));
    if (unlisted.isPresent() && queueOfLast.filter(identity::equals).isPresent()) {
      return unlisted;
    }
    Optional<Inherited> entry = Optional.ofNullable(listed.get(identity));
    return entry.isPresent() || queueOfLast.isPresent() ? entry : unlisted;
  }

  /** The same and a lock that was just taken, instead of one of the same queue. */
  public InheritedLocks with(Place place, Inherited lock) {
    Objects.requireNonNull(lock, "lock");
    Map<String, Inherited> next = new LinkedHashMap<>(listed);
    next.remove(place.identity());
    next.put(place.identity(), lock);
    // Nobody nests as deep as that. If so, the outermost would be waited for, not broken into.
    while (next.size() > MOST || text(next).length() > LONGEST) {
      next.remove(next.keySet().iterator().next());
    }
    return new InheritedLocks(next, Optional.of(lock), Optional.of(place.identity()));
  }

  /** The same without a lock that was given back. */
  public InheritedLocks without(Place place) {
    boolean wasLast = isLastOf(place.identity());
    Map<String, Inherited> next = new LinkedHashMap<>(listed);
    next.remove(place.identity());
    return new InheritedLocks(
        next, wasLast ? Optional.empty() : last, wasLast ? Optional.empty() : queueOfLast);
  }

  private boolean isLastOf(String identity) {
    boolean saysSo = queueOfLast.map(identity::equals).orElse(true);
    long listings =
        listed.values().stream().filter(l -> last.filter(l::equals).isPresent()).count();
    // A later step may have named another queue since.
    return listings == 0
        ? saysSo
        : last.equals(Optional.ofNullable(listed.get(identity))) && (saysSo || listings == 1);
  }

  /** What tells the same to a process: empty, where there is nothing to tell. */
  public Map<String, String> environment() {
    Map<String, String> variables = new LinkedHashMap<>();
    variables.put(TICKET, last.map(l -> Long.toString(l.ticket())).orElse(""));
    variables.put(TOKEN, last.map(l -> Long.toString(l.token())).orElse(""));
    variables.put(ALL, text(listed));
    return variables;
  }

  private static String text(Map<String, Inherited> locks) {
    List<String> entries = new ArrayList<>();
    locks.forEach((queue, l) -> entries.add(l.ticket() + ":" + l.token() + ":" + encoded(queue)));
    return String.join(",", entries);
  }
}
