package dev.baton.githubsim;

import java.time.Instant;

/** A comment on an issue. */
record Comment(
    long id, int issue, String body, String author, Instant createdAt, Instant updatedAt) {

  Comment edited(String newBody, Instant at) {
    return new Comment(id, issue, newBody, author, createdAt, at);
  }
}
