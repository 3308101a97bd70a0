package dev.baton.githubsim;

import java.time.Instant;

/** Who wrote a commit, as it stands in the commit. */
record Person(String name, String email, Instant at) {
  static Person of(String login, Instant at) {
    return new Person(login, login + "@users.noreply.github.com", at);
  }
}
