package dev.baton.githubsim;

import java.util.List;
import java.util.Map;

/** What somebody may do in a repository. */
final class CollaboratorEndpoints {
  private static final String PAGE =
      "/collaborators/collaborators#get-repository-permissions-for-a-user";

  private final Bodies bodies;

  CollaboratorEndpoints(Bodies bodies) {
    this.bodies = bodies;
  }

  List<Route> routes() {
    return List.of(
        Route.of(
            "GET",
            "/collaborators/([^/]+)/permission",
            Grant.METADATA_READ,
            PAGE,
            call -> Reply.of(200, permission(call.repository(), call.part(1)))));
  }

  /** The role by its name, and the one of the four old ones that includes it. */
  private Map<String, Object> permission(Repository repository, String login) {
    String role = repository.role(login);
    String permission =
        switch (role) {
          case "maintain" -> "write";
          case "triage" -> "read";
          case "admin", "write", "read", "none" -> role;
          // A role of the organization's own, made on top of one of these.
          default -> "write";
        };
    Map<String, Object> user = bodies.user(login);
    user.put("role_name", role);
    return Bodies.object("permission", permission, "role_name", role, "user", user);
  }
}
