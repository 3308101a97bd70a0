package dev.baton.queue.github;

import dev.baton.core.Checks;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Where on a GitHub a queue is kept.
 *
 * @param api where the API is, such as {@code https://api.github.com} or, on a server of one's own,
 *     {@code https://HOST/api/v3}
 * @param repository {@code OWNER/NAME}
 * @param queue the name of the queue; a repository may have several
 * @param mode what holds the document
 * @param issue the issue that holds the document, or shows it; 0 when none is named
 * @param cautious whether the issue is used only if nothing would be lost: the file of a checkout
 *     names it or the repository, which must not have the text of others replaced
 */
public record GitHubPlace(
    URI api, String repository, String queue, Mode mode, long issue, boolean cautious) {

  /** What holds the document. */
  public enum Mode {
    /** A file on a branch of its own: compare-and-set, every change a commit. */
    GIT,
    /** The body of an issue: no compare-and-set, for tokens that may not write contents. */
    ISSUE
  }

  /** The queue of a place that names none. */
  public static final String DEFAULT_QUEUE = "build";

  private static final URI CLOUD = URI.create("https://api.github.com");

  private static final String EXAMPLE = "api must be such as https://api.github.com: ";

  private static final Pattern TEXT = Pattern.compile("github:([^#]*)(?:#(.*))?", Pattern.DOTALL);

  public GitHubPlace {
    api = checkedApi(api);
    Checks.repository(repository);
    Checks.queueName(queue);
    Objects.requireNonNull(mode, "mode");
    Checks.notNegative("issue", issue);
    if (mode == Mode.ISSUE && issue == 0) {
      throw new IllegalArgumentException("a queue in an issue needs the number of the issue");
    }
    if (issue > Integer.MAX_VALUE) {
      throw new IllegalArgumentException("issue is not the number of an issue: " + issue);
    }
  }

  /** One whose issue the user has named, whatever is in it. */
  public GitHubPlace(URI api, String repository, String queue, Mode mode, long issue) {
    this(api, repository, queue, mode, issue, false);
  }

  /**
   * Reads {@code github:OWNER/REPO} or {@code github:OWNER/REPO#QUEUE}; the document is in git.
   *
   * @param api where the API is
   */
  public static GitHubPlace parse(String text, URI api) {
    Objects.requireNonNull(text, "text");
    Matcher m = TEXT.matcher(text);
    if (!m.matches()) {
      throw new IllegalArgumentException(
          "a place on GitHub must be github:OWNER/REPO or github:OWNER/REPO#QUEUE: "
              + Checks.shown(text));
    }
    String queue = m.group(2) == null ? DEFAULT_QUEUE : m.group(2);
    return new GitHubPlace(api, m.group(1), queue, Mode.GIT, 0);
  }

  /**
   * Where the API is, as a person has written it.
   *
   * @throws IllegalArgumentException when it cannot be one; never with a password or token in it
   */
  public static URI api(String text) {
    URI written;
    try {
      written = new URI(text);
    } catch (URISyntaxException e) {
      // Without the cause: it quotes the address, and with it a password.
      throw new IllegalArgumentException(EXAMPLE + shown(text));
    }
    return checkedApi(written);
  }

  private static URI checkedApi(URI api) {
    Objects.requireNonNull(api, "api");
    String scheme = api.getScheme() == null ? "" : api.getScheme().toLowerCase(Locale.ROOT);
    if (!scheme.equals("https") && !scheme.equals("http") || api.getHost() == null) {
      throw new IllegalArgumentException(EXAMPLE + shown(api.toString()));
    }
    if (scheme.equals("http") && !isLoopback(api.getHost())) {
      throw new IllegalArgumentException(
          "api must be https, or the token would be sent in clear: " + shown(api.toString()));
    }
    if (api.getRawUserInfo() != null || api.getRawQuery() != null || api.getRawFragment() != null) {
      throw new IllegalArgumentException(
          "api must have no user, query or fragment: " + shown(api.toString()));
    }
    // As the client library writes it: answers are compared with it.
    return URI.create(
        scheme
            + "://"
            + api.getHost().toLowerCase(Locale.ROOT)
            + (api.getPort() < 0 ? "" : ":" + api.getPort())
            + (api.getRawPath() == null ? "" : api.getRawPath().replaceFirst("/+$", "")));
  }

  private static boolean isLoopback(String host) {
    return host.equals("localhost")
        || host.equals("[::1]")
        || host.matches("127(\\.[0-9]{1,3}){3}");
  }

  private static String shown(String api) {
    return Checks.shown(Checks.withoutSecrets(api));
  }

  String owner() {
    return repository.substring(0, repository.indexOf('/'));
  }

  String name() {
    return repository.substring(repository.indexOf('/') + 1);
  }

  /** What names this place on the command line, without the hyphens. */
  public Map<String, String> flags() {
    Map<String, String> flags = new LinkedHashMap<>();
    flags.put("store", "github:" + repository);
    flags.put("queue", queue);
    if (!api.equals(CLOUD)) {
      flags.put("api", api.toString());
    }
    if (mode == Mode.ISSUE) {
      flags.put("mode", "issue");
      flags.put("issue", Long.toString(issue));
    }
    return flags;
  }

  /** Where GraphQL is asked: beside the API of GitHub Enterprise Server, and below any other. */
  String graphqlUrl() {
    return api.toString().replaceFirst("/api/v3$", "/api") + "/graphql";
  }

  /** Where people look, such as {@code https://github.com}. */
  public String webUrl() {
    String host = api.getHost();
    boolean cloud = host.equals("api.github.com") || host.endsWith(".ghe.com");
    String shown = cloud && host.startsWith("api.") ? host.substring("api.".length()) : host;
    return api.getScheme() + "://" + shown + (api.getPort() < 0 ? "" : ":" + api.getPort());
  }

  /** Where people can read the document. */
  public String documentUrl() {
    return mode == Mode.GIT
        ? home() + "/blob/" + GitStore.branchOf(queue, GitStore.QUEUE) + "/queue.json"
        : issueUrl(issue);
  }

  /** Where people can read an issue of the repository, such as the board. */
  public String issueUrl(long number) {
    return home() + "/issues/" + number;
  }

  private String home() {
    return webUrl() + "/" + repository;
  }

  /** For messages: {@code OWNER/NAME#QUEUE}, or the issue. */
  String shown() {
    return mode == Mode.GIT ? repository + "#" + queue : repository + " issue " + issue;
  }
}
