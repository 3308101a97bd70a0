package dev.baton.githubsim;

import static dev.baton.githubsim.Bodies.object;
import static dev.baton.githubsim.Bodies.time;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** What GitHub writes about a repository, of a person and not of an organization. */
final class RepositoryBodies {
  /** Fields whose names end in {@code _url}, and what they add to the repository's address. */
  private static final String[][] LINKS = {
    {"forks", "/forks"},
    {"keys", "/keys{/key_id}"},
    {"collaborators", "/collaborators{/collaborator}"},
    {"teams", "/teams"},
    {"hooks", "/hooks"},
    {"issue_events", "/issues/events{/number}"},
    {"events", "/events"},
    {"assignees", "/assignees{/user}"},
    {"branches", "/branches{/branch}"},
    {"tags", "/tags"},
    {"blobs", "/git/blobs{/sha}"},
    {"git_tags", "/git/tags{/sha}"},
    {"git_refs", "/git/refs{/sha}"},
    {"trees", "/git/trees{/sha}"},
    {"statuses", "/statuses/{sha}"},
    {"languages", "/languages"},
    {"stargazers", "/stargazers"},
    {"contributors", "/contributors"},
    {"subscribers", "/subscribers"},
    {"subscription", "/subscription"},
    {"commits", "/commits{/sha}"},
    {"git_commits", "/git/commits{/sha}"},
    {"comments", "/comments{/number}"},
    {"issue_comment", "/issues/comments{/number}"},
    {"contents", "/contents/{+path}"},
    {"compare", "/compare/{base}...{head}"},
    {"merges", "/merges"},
    {"archive", "/{archive_format}{/ref}"},
    {"downloads", "/downloads"},
    {"issues", "/issues{/number}"},
    {"pulls", "/pulls{/number}"},
    {"milestones", "/milestones{/number}"},
    {"notifications", "/notifications{?since,all,participating}"},
    {"labels", "/labels{/name}"},
    {"releases", "/releases{/id}"},
    {"deployments", "/deployments"}
  };

  private final Bodies bodies;

  RepositoryBodies(Bodies bodies) {
    this.bodies = bodies;
  }

  /** What GraphQL knows the repository by. */
  static String nodeId(Repository repository) {
    return Bodies.nodeId("R", repository.id());
  }

  /** As it stands inside other answers, such as that about a run. */
  Map<String, Object> brief(Repository repository) {
    String url = bodies.api(repository);
    Map<String, Object> body =
        object(
            "id",
            repository.id(),
            "node_id",
            nodeId(repository),
            "name",
            repository.name().repo(),
            "full_name",
            repository.name().toString(),
            "private",
            repository.isPrivate(),
            "owner",
            bodies.user(repository.name().owner()),
            "html_url",
            bodies.html(repository),
            "description",
            null,
            "fork",
            false,
            "url",
            url);
    for (String[] link : LINKS) {
      body.put(link[0] + "_url", url + link[1]);
    }
    return body;
  }

  /**
   * @param token whose permissions the answer names; nobody's where it is empty
   */
  Map<String, Object> whole(Repository repository, Optional<Token> token) {
    String page = bodies.html(repository);
    int issues = (int) repository.issues().list(Instant.MAX).stream().filter(Issue::open).count();
    Map<String, Object> body = brief(repository);
    body.put("created_at", time(repository.createdAt()));
    body.put("updated_at", time(repository.createdAt()));
    body.put("pushed_at", time(repository.pushedAt()));
    body.put("git_url", page.replaceFirst("^https?:", "git:") + ".git");
    body.put("ssh_url", "git@" + page.replaceFirst("^https?://[^/]+/", "127.0.0.1:") + ".git");
    body.put("clone_url", page + ".git");
    body.put("svn_url", page);
    body.put("homepage", null);
    body.put("size", 7);
    body.put("stargazers_count", 0);
    body.put("watchers_count", 0);
    body.put("language", null);
    body.put("has_issues", repository.hasIssues());
    body.put("has_projects", true);
    body.put("has_downloads", true);
    body.put("has_wiki", true);
    body.put("has_pages", false);
    body.put("forks_count", 0);
    body.put("mirror_url", null);
    body.put("archived", repository.archived());
    body.put("disabled", false);
    body.put("open_issues_count", issues);
    body.put("license", null);
    body.put("allow_forking", true);
    body.put("is_template", false);
    body.put("web_commit_signoff_required", false);
    body.put("topics", List.of());
    body.put("visibility", repository.isPrivate() ? "private" : "public");
    body.put("forks", 0);
    body.put("open_issues", issues);
    body.put("watchers", 0);
    body.put("default_branch", repository.defaultBranch());
    token.ifPresent(
        known -> {
          body.put("permissions", permissions(repository, known));
          body.put("temp_clone_token", "");
          body.put("allow_squash_merge", true);
          body.put("allow_merge_commit", true);
          body.put("allow_rebase_merge", true);
          body.put("allow_auto_merge", false);
          body.put("delete_branch_on_merge", false);
          body.put("allow_update_branch", false);
          body.put("use_squash_pr_title_as_default", false);
          body.put("squash_merge_commit_message", "COMMIT_MESSAGES");
          body.put("squash_merge_commit_title", "COMMIT_OR_PR_TITLE");
          body.put("merge_commit_message", "PR_TITLE");
          body.put("merge_commit_title", "MERGE_MESSAGE");
        });
    body.put("network_count", 0);
    body.put("subscribers_count", 1);
    return body;
  }

  private static Map<String, Object> permissions(Repository repository, Token token) {
    boolean owner = token.login().equals(repository.name().owner());
    Set<Grant> grants = Access.grants(token, repository).orElse(Set.of());
    return object(
        "admin",
        owner,
        "maintain",
        owner,
        "push",
        grants.contains(Grant.CONTENTS_WRITE),
        "triage",
        grants.contains(Grant.ISSUES_WRITE),
        "pull",
        true);
  }
}
