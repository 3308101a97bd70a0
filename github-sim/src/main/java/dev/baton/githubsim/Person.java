package dev.baton.githubsim;

import java.time.Instant;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Who wrote a commit, as it stands in the commit. */
record Person(String name, String email, Instant at) {
  private static final Pattern OWN =
      Pattern.compile("(?:[0-9]+\\+)?(.+)@users\\.noreply\\.github\\.com");

  static Person of(String login, Instant at) {
    return new Person(login, login + "@users.noreply.github.com", at);
  }

  /** Whose account the address belongs to; the sim knows no addresses but GitHub's own. */
  Optional<String> login() {
    Matcher matcher = OWN.matcher(email);
    return matcher.matches() ? Optional.of(matcher.group(1)) : Optional.empty();
  }
}
