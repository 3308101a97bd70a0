package dev.baton.githubsim;

import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Who may do what, and how GitHub says no. */
final class Access {
  record Denial(int status, String message, Map<String, String> headers) {}

  private Access() {}

  static Optional<Denial> check(Optional<Token> token, Repository repository, Grant needed) {
    if (token.isEmpty()) {
      if (repository.isPrivate()) {
        return notFound();
      }
      return needed.write()
          ? Optional.of(new Denial(401, "Requires authentication", Map.of()))
          : Optional.empty();
    }
    Optional<Set<Grant>> grants = grants(token.get(), repository);
    if (grants.isEmpty() && repository.isPrivate()) {
      return notFound();
    }
    boolean readable = !needed.write() && (!repository.isPrivate() || isMetadata(needed));
    boolean granted =
        grants.stream().flatMap(Set::stream).anyMatch(grant -> grant.includes(needed));
    if (!readable && !granted) {
      return missing(token.get(), needed);
    }
    return needed.write() && repository.archived()
        ? Optional.of(new Denial(403, "Repository was archived so is read-only.", Map.of()))
        : Optional.empty();
  }

  /** What a token may do in a repository, also if it was given for one of its former names. */
  static Optional<Set<Grant>> grants(Token token, Repository repository) {
    return repository.names().stream()
        .filter(token.grants()::containsKey)
        .findFirst()
        .map(token.grants()::get);
  }

  private static boolean isMetadata(Grant needed) {
    return needed == Grant.METADATA_READ;
  }

  private static Optional<Denial> missing(Token token, Grant needed) {
    Map<String, String> header = Map.of("X-Accepted-GitHub-Permissions", needed.headerText());
    return switch (token.kind()) {
      case CLASSIC -> notFound();
      case FINE_GRAINED ->
          Optional.of(new Denial(403, "Resource not accessible by personal access token", header));
      case APP, WORKFLOW ->
          Optional.of(new Denial(403, "Resource not accessible by integration", header));
    };
  }

  private static Optional<Denial> notFound() {
    return Optional.of(new Denial(404, "Not Found", Map.of()));
  }
}
