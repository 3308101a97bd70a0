package dev.baton.githubsim;

import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * What a client proves itself with.
 *
 * @param client the client's name in the request log, where the value never stands
 * @param value what goes into {@code Authorization}
 * @param login whose commits and issues these are
 * @param grants what it may do; a repository that is not named may be read if it is public
 * @param hourlyLimit primary limit
 * @param budget tokens of one budget share their limits
 */
public record Token(
    String client,
    String value,
    String login,
    Kind kind,
    Map<RepositoryName, Set<Grant>> grants,
    int hourlyLimit,
    String budget) {

  /** Decides the wording of a refusal. */
  public enum Kind {
    CLASSIC,
    FINE_GRAINED,
    APP,
    WORKFLOW
  }

  public Token {
    Objects.requireNonNull(kind, "kind");
    if (client.isBlank() || value.isBlank() || login.isBlank()) {
      throw new IllegalArgumentException("a token needs a client, a value and a login");
    }
    if (hourlyLimit < 0) {
      throw new IllegalArgumentException("hourlyLimit is negative: " + hourlyLimit);
    }
    Map<RepositoryName, Set<Grant>> copy = new HashMap<>();
    grants.forEach((repository, set) -> copy.put(repository, Set.copyOf(set)));
    grants = Map.copyOf(copy);
  }

  /**
   * A token as GitHub hands out this kind: its login, its limit and whom it shares that with.
   *
   * @param repositories where it has the grants; a workflow's token has exactly one
   */
  public static Token of(
      Kind kind, String client, String value, List<String> repositories, Set<Grant> grants) {
    if (kind == Kind.WORKFLOW && repositories.size() != 1) {
      throw new IllegalArgumentException(
          "a workflow's token is for one repository, not for " + repositories);
    }
    Map<RepositoryName, Set<Grant>> granted = new HashMap<>();
    repositories.forEach(repository -> granted.put(RepositoryName.of(repository), grants));
    return switch (kind) {
      case WORKFLOW ->
          new Token(
              client,
              value,
              "github-actions[bot]",
              kind,
              granted,
              1_000,
              "workflows of " + repositories.get(0));
      case APP -> new Token(client, value, client + "[bot]", kind, granted, 5_000, "app " + client);
      case CLASSIC, FINE_GRAINED ->
          new Token(client, value, client, kind, granted, 5_000, "user " + client);
    };
  }

  /** A person's classic token with every permission on these repositories; 5,000 an hour. */
  public static Token classic(String client, String value, String... repositories) {
    return of(Kind.CLASSIC, client, value, List.of(repositories), EnumSet.allOf(Grant.class));
  }

  /** A person's token for one repository with chosen permissions; 5,000 an hour. */
  public static Token fineGrained(String client, String value, String repository, Grant... grants) {
    return of(Kind.FINE_GRAINED, client, value, List.of(repository), Set.of(grants));
  }

  /**
   * A workflow's {@code GITHUB_TOKEN}; 1,000 an hour for all of a repository's workflows together.
   * A pull request from a fork gets one with read permissions only.
   */
  public static Token workflow(String client, String value, String repository, Grant... grants) {
    return of(Kind.WORKFLOW, client, value, List.of(repository), Set.of(grants));
  }

  public Token withHourlyLimit(int limit) {
    return new Token(client, value, login, kind, grants, limit, budget);
  }

  @Override
  public String toString() {
    return "Token[" + client + "]";
  }
}
