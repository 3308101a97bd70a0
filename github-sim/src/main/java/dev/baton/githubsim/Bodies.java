package dev.baton.githubsim;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What GitHub writes about each thing: names, order and types as its answers have them. */
final class Bodies {
  private final String api;
  private final String html;

  Bodies(String api, String html) {
    this.api = api;
    this.html = html;
  }

  String api(Repository repository) {
    return api + "/repos/" + repository.name();
  }

  /** The address that a repository keeps whatever its name is. */
  String byId(Repository repository) {
    return api + "/repositories/" + repository.id();
  }

  String html(Repository repository) {
    return html + "/" + repository.name();
  }

  Map<String, Object> error(
      int status, String message, List<Map<String, Object>> errors, String documentation) {
    Map<String, Object> body = object("message", message);
    if (!errors.isEmpty()) {
      body.put("errors", errors);
    }
    body.put("documentation_url", "https://docs.github.com/rest" + documentation);
    body.put("status", Integer.toString(status));
    return body;
  }

  Map<String, Object> user(String login) {
    String url = api + "/users/" + encode(login);
    // Any stable number will do.
    int id = 100_000 + Math.floorMod(login.hashCode(), 10_000_000);
    return object(
        "login", login,
        "id", id,
        "node_id", nodeId("User", id),
        "avatar_url", html + "/avatars/u/" + id + "?v=4",
        "gravatar_id", "",
        "url", url,
        "html_url", html + "/" + encode(login),
        "followers_url", url + "/followers",
        "following_url", url + "/following{/other_user}",
        "gists_url", url + "/gists{/gist_id}",
        "starred_url", url + "/starred{/owner}{/repo}",
        "subscriptions_url", url + "/subscriptions",
        "organizations_url", url + "/orgs",
        "repos_url", url + "/repos",
        "events_url", url + "/events{/privacy}",
        "received_events_url", url + "/received_events",
        "type", login.endsWith("[bot]") ? "Bot" : "User",
        "site_admin", false);
  }

  // ---- small parts

  static Map<String, Object> quota(Budget.Quota quota) {
    return object(
        "limit", quota.limit(),
        "used", quota.used(),
        "remaining", quota.remaining(),
        "reset", quota.reset().getEpochSecond());
  }

  /** Names and values in turn; a null value stays as JSON's null. */
  static Map<String, Object> object(Object... namesAndValues) {
    Map<String, Object> made = new LinkedHashMap<>();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      made.put((String) namesAndValues[i], namesAndValues[i + 1]);
    }
    return made;
  }

  static String time(Instant at) {
    return at.truncatedTo(ChronoUnit.SECONDS).toString();
  }

  static String nodeId(String kind, Object id) {
    return kind
        + "_"
        + Base64.getUrlEncoder()
            .withoutPadding()
            .encodeToString(id.toString().getBytes(StandardCharsets.UTF_8));
  }

  static String encode(String segment) {
    return URLEncoder.encode(segment, StandardCharsets.UTF_8).replace("+", "%20");
  }
}
