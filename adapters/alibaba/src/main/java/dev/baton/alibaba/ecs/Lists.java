package dev.baton.alibaba.ecs;

import java.util.Arrays;
import java.util.List;

/** Lists as people write them: with commas. */
final class Lists {
  private Lists() {}

  static List<String> of(String text) {
    return Arrays.stream(text.split(",")).map(String::strip).filter(s -> !s.isEmpty()).toList();
  }
}
