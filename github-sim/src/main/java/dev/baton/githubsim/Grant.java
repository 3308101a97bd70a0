package dev.baton.githubsim;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** A permission of a token on a repository; write includes read. */
public enum Grant {
  CONTENTS_READ,
  CONTENTS_WRITE,
  ISSUES_READ,
  ISSUES_WRITE,
  ACTIONS_READ,
  ACTIONS_WRITE,
  METADATA_READ;

  /** As people write it, for example {@code contents=write}. */
  static Grant of(String text) {
    for (Grant grant : values()) {
      if (grant.headerText().equals(text)) {
        return grant;
      }
    }
    throw new IllegalArgumentException("not a permission: '" + text + "'; there are " + all());
  }

  private static String all() {
    return Arrays.stream(values()).map(Grant::headerText).collect(Collectors.joining(", "));
  }

  boolean write() {
    return name().endsWith("_WRITE");
  }

  boolean includes(Grant wanted) {
    return this == wanted || write() && area().equals(wanted.area());
  }

  /** As the header {@code X-Accepted-GitHub-Permissions} names it. */
  String headerText() {
    return area() + (write() ? "=write" : "=read");
  }

  private String area() {
    return name().substring(0, name().indexOf('_')).toLowerCase(Locale.ROOT);
  }
}
