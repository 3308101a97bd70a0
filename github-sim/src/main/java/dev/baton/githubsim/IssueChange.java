package dev.baton.githubsim;

import java.util.List;
import java.util.Optional;

/** The fields of an issue that a request names; the others stay as they are. */
record IssueChange(
    Optional<String> title,
    Optional<String> body,
    Optional<String> state,
    Optional<List<String>> labels) {}
