package dev.baton.alibaba.fake;

import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A resource of an account. What the API says about it are its fields. */
final class Thing {
  final Kind kind;
  final String id;
  final Instant created;
  final Map<String, Object> fields = new LinkedHashMap<>();
  final Map<String, String> tags = new LinkedHashMap<>();

  /** Of a security group: what may come in. */
  final List<Map<String, String>> rules = new ArrayList<>();

  /** Of an invocation: what each machine said. */
  final List<Map<String, Object>> results = new ArrayList<>();

  /** What cannot go before this one does, by what it is to it. */
  final Map<String, Thing> uses = new LinkedHashMap<>();

  /** When it is gone, of what is being deleted; null: it stays. */
  Instant goneAt;

  private String status;
  private String next;
  private Instant nextAt;

  Thing(Kind kind, String id, Instant created) {
    this.kind = kind;
    this.id = id;
    this.created = created;
  }

  void becomes(String now, String later, Instant when) {
    status = now;
    next = later;
    nextAt = when;
  }

  String status(Instant now) {
    if (next != null && !now.isBefore(nextAt)) {
      status = next;
      next = null;
    }
    return status;
  }

  String text(String field) {
    return String.valueOf(fields.getOrDefault(field, ""));
  }

  /**
   * @param keyName how this part of the API calls the key of a tag
   */
  Map<String, Object> tagList(String keyName, String valueName) {
    List<Map<String, String>> all = new ArrayList<>();
    tags.forEach((key, value) -> all.add(Map.of(keyName, key, valueName, value)));
    return Map.of("Tag", all);
  }
}
