package dev.baton.githubsim;

import java.time.Instant;
import java.util.List;

/** What somebody thinks of a comment, in a picture. */
record Reaction(long id, String content, String author, Instant at) {

  static final List<String> CONTENTS =
      List.of("+1", "-1", "laugh", "hooray", "confused", "heart", "rocket", "eyes");
}
