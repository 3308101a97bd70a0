package dev.baton.alibaba.oss;

import java.util.Map;
import java.util.Objects;

/**
 * A rule by which the bucket itself deletes objects.
 *
 * @param tags that an object must have; empty: none
 */
record Expiry(String id, String prefix, Map<String, String> tags, int days) {

  Expiry {
    Objects.requireNonNull(id, "id");
    Objects.requireNonNull(prefix, "prefix");
    tags = Map.copyOf(tags);
  }
}
