package dev.baton.alibaba.fake;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/** What an account has, and what it may have. Guarded by the server. */
final class Account {
  final Supplier<Instant> clock;
  final Map<String, Thing> things = new LinkedHashMap<>();
  final Map<Kind, Integer> quotas = new EnumMap<>(Kind.class);
  final Set<String> soldOut = new HashSet<>();
  Duration slowness = Duration.ZERO;
  Duration invisible = Duration.ZERO;

  /** Whether Cloud Assistant has come up on machines. */
  boolean assistants = true;

  private int ids;

  Account(Supplier<Instant> clock) {
    this.clock = clock;
  }

  Instant now() {
    return clock.get();
  }

  /** A new one that gets ready by and by. */
  Thing create(Kind kind, String id, String first, String then) {
    int there = all(kind).size();
    if (there >= quotas.getOrDefault(kind, Integer.MAX_VALUE)) {
      throw new ApiRefusal(
          403, kind.quota, "The maximum number of resources of this kind is exceeded.");
    }
    Thing made = new Thing(kind, id.isEmpty() ? newId(kind) : id, now());
    made.becomes(first, then, now().plus(slowness));
    things.put(key(kind, made.id), made);
    return made;
  }

  private String newId(Kind kind) {
    return String.format(Locale.ROOT, "%s-bp1fake%010d", kind.prefix, ++ids);
  }

  private static String key(Kind kind, String id) {
    return kind + " " + id;
  }

  Optional<Thing> find(Kind kind, String id) {
    return Optional.ofNullable(things.get(key(kind, id)));
  }

  Thing get(Kind kind, String id) {
    return find(kind, id).orElseThrow(() -> ApiRefusal.notFound(kind.missing));
  }

  /** On its way out: still listed, and still in the way of others, for a while. */
  void leave(Thing thing, String status, Duration time) {
    thing.becomes(status, null, now());
    thing.goneAt = now().plus(time);
  }

  /** What was on its way out, and is gone by now. */
  List<Thing> gone() {
    return things.values().stream()
        .filter(t -> t.goneAt != null && !now().isBefore(t.goneAt))
        .toList();
  }

  void remove(Thing thing) {
    things.remove(key(thing.kind, thing.id));
  }

  List<Thing> all(Kind kind) {
    return things.values().stream().filter(t -> t.kind == kind).toList();
  }

  /** Those that a list shows: new ones may come late. */
  List<Thing> listed(Kind kind) {
    Instant seen = now().minus(invisible);
    return all(kind).stream().filter(t -> !t.created.isAfter(seen)).toList();
  }

  void change(Thing thing, String first, String then) {
    thing.becomes(first, then, now().plus(slowness));
  }

  List<Thing> usersOf(Thing thing) {
    List<Thing> users = new ArrayList<>();
    for (Thing other : things.values()) {
      if (other.uses.containsValue(thing)) {
        users.add(other);
      }
    }
    return users;
  }

  void requireUnused(Thing thing, String code) {
    for (Thing user : usersOf(thing)) {
      throw new ApiRefusal(
          400,
          code + (thing.kind == Kind.VPC ? "." + word(user.kind) : ""),
          "The specified resource is still used by " + user.id + ".");
    }
  }

  private static String word(Kind kind) {
    return switch (kind) {
      case VSWITCH -> "VSwitch";
      case SECURITY_GROUP -> "SecurityGroup";
      default -> kind.toString();
    };
  }
}
