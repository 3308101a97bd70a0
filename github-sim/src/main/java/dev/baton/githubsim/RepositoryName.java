package dev.baton.githubsim;

import java.util.regex.Pattern;

/** {@code owner/repo}. */
public record RepositoryName(String owner, String repo) {
  private static final Pattern PART = Pattern.compile("[A-Za-z0-9._-]{1,100}");

  public RepositoryName {
    if (!PART.matcher(owner).matches() || !PART.matcher(repo).matches()) {
      throw new IllegalArgumentException("not a repository: '" + owner + "/" + repo + "'");
    }
  }

  public static RepositoryName of(String fullName) {
    int slash = fullName.indexOf('/');
    if (slash < 0) {
      throw new IllegalArgumentException("not owner/repo: '" + fullName + "'");
    }
    return new RepositoryName(fullName.substring(0, slash), fullName.substring(slash + 1));
  }

  @Override
  public String toString() {
    return owner + "/" + repo;
  }
}
