package dev.baton.githubsim;

import java.util.Locale;

/** A permission of a token on a repository; write includes read. */
public enum Grant {
  CONTENTS_READ,
  CONTENTS_WRITE,
  ISSUES_READ,
  ISSUES_WRITE,
  ACTIONS_READ,
  METADATA_READ;

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
