package dev.baton.githubsim;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashMap;
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

  /** A person's classic token with every permission on these repositories; 5,000 an hour. */
  public static Token classic(String client, String value, String... repositories) {
    Map<RepositoryName, Set<Grant>> grants = new HashMap<>();
    for (String repository : repositories) {
      grants.put(RepositoryName.of(repository), EnumSet.allOf(Grant.class));
    }
    return new Token(client, value, client, Kind.CLASSIC, grants, 5_000, "user " + client);
  }

  /** A person's token for one repository with chosen permissions; 5,000 an hour. */
  public static Token fineGrained(String client, String value, String repository, Grant... grants) {
    return new Token(
        client,
        value,
        client,
        Kind.FINE_GRAINED,
        Map.of(RepositoryName.of(repository), Set.copyOf(Arrays.asList(grants))),
        5_000,
        "user " + client);
  }

  /**
   * A workflow's {@code GITHUB_TOKEN}; 1,000 an hour for all of a repository's workflows together.
   * A pull request from a fork gets one with read permissions only.
   */
  public static Token workflow(String client, String value, String repository, Grant... grants) {
    return new Token(
        client,
        value,
        "github-actions[bot]",
        Kind.WORKFLOW,
        Map.of(RepositoryName.of(repository), Set.copyOf(Arrays.asList(grants))),
        1_000,
        "workflows of " + repository);
  }

  public Token withHourlyLimit(int limit) {
    return new Token(client, value, login, kind, grants, limit, budget);
  }

  @Override
  public String toString() {
    return "Token[" + client + "]";
  }
}
