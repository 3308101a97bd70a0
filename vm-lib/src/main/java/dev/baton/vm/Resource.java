package dev.baton.vm;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/**
 * Something that exists in the cloud and belongs to the VM.
 *
 * @param id the provider's own
 * @param attributes what is worth knowing about it, such as an address, and the ids of what it was
 *     built on by their {@link Kind#key}
 */
public record Resource(Kind kind, String id, Map<String, String> attributes) {

  public Resource {
    Objects.requireNonNull(kind, "kind");
    Texts.id("id", id);
    attributes = Texts.fields(kind.key(), attributes);
  }

  /** Whether there may be such an attribute. */
  public static boolean takes(String name, String value) {
    try {
      Texts.fields("", Map.of(name, value));
      return true;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  public Resource with(String name, String value) {
    Map<String, String> more = new LinkedHashMap<>(attributes);
    more.put(name, value);
    return new Resource(kind, id, more);
  }

  @Override
  public String toString() {
    return kind.words() + " " + id;
  }
}
