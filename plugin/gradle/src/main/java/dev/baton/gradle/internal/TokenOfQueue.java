package dev.baton.gradle.internal;

import java.util.Map;
import java.util.function.BiFunction;

/** A class rather than a lambda, which the configuration cache of Gradle 7 cannot keep. */
final class TokenOfQueue implements BiFunction<Object, Map<String, String>, String> {

  @Override
  public String apply(Object service, Map<String, String> queue) {
    return SharedService.fencingToken(service, queue);
  }
}
