package dev.baton.githubsim;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * What a person sees in a browser. Needs no token, costs nothing, stands in no log and is never
 * late: it shows the truth that API clients may still be waiting for.
 */
final class Pages {
  /** First parts of paths of the API; no owner has such a name. */
  private static final Map<String, String> PICTURES =
      Map.of("+1", "👍", "-1", "👎", "eyes", "👀", "heart", "❤️", "rocket", "🚀", "hooray", "🎉");

  private static final Set<String> NOT_OWNERS =
      Set.of(
          "api",
          "app",
          "apps",
          "emojis",
          "events",
          "gists",
          "graphql",
          "installation",
          "meta",
          "notifications",
          "octocat",
          "organizations",
          "orgs",
          "rate_limit",
          "repos",
          "repositories",
          "search",
          "user",
          "users",
          "zen",
          "_sim",
          "__admin");

  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("d MMM yyyy HH:mm:ss 'UTC'", Locale.ENGLISH)
          .withZone(ZoneOffset.UTC);
  private static final int RUNS_SHOWN = 20;

  private final Function<RepositoryName, Optional<Repository>> repositories;
  private final Supplier<List<RepositoryName>> names;
  private final RequestLog log;
  private final InstantSource clock;
  private final String api;
  private final String origin;

  /**
   * @param names of all repositories
   * @param api the API's address, which issues that moved name
   */
  Pages(
      Function<RepositoryName, Optional<Repository>> repositories,
      Supplier<List<RepositoryName>> names,
      RequestLog log,
      InstantSource clock,
      String api,
      String origin) {
    this.repositories = repositories;
    this.names = names;
    this.log = log;
    this.clock = clock;
    this.api = api;
    this.origin = origin;
  }

  /** Whether this is a page; everything else is for the API. */
  static boolean owns(String method, String path, Map<String, String> headers) {
    if (!method.equals("GET") && !method.equals("HEAD")) {
      return false;
    }
    if (path.equals("/")) {
      // The API's root has the same address.
      return headers.getOrDefault("accept", "").contains("text/html");
    }
    int end = path.indexOf('/', 1);
    return !NOT_OWNERS.contains(end < 0 ? path.substring(1) : path.substring(1, end));
  }

  Service.Sent answer(String path) {
    List<String> parts =
        Arrays.stream(path.split("/"))
            .filter(part -> !part.isEmpty())
            .map(SimRequest::decodePath)
            .toList();
    if (parts.isEmpty()) {
      return index();
    }
    Optional<Repository> repository =
        parts.size() < 2 ? Optional.empty() : repository(parts.get(0), parts.get(1));
    if (repository.isEmpty()) {
      return message(404, "Not found", "There is no such repository here.", "");
    }
    return answer(repository.get(), parts.subList(2, parts.size()));
  }

  private Service.Sent answer(Repository repository, List<String> parts) {
    String kind = parts.isEmpty() ? "issues" : parts.get(0);
    if (kind.equals("issues") && parts.size() < 2) {
      return overview(repository);
    }
    if (kind.equals("issues") && parts.size() == 2 && parts.get(1).matches("[0-9]{1,9}")) {
      return issue(repository, Integer.parseInt(parts.get(1)));
    }
    if ((kind.equals("blob") || kind.equals("raw")) && parts.size() > 2) {
      return file(repository, parts.subList(1, parts.size()));
    }
    if (kind.equals("actions")
        && parts.size() > 2
        && parts.get(1).equals("runs")
        && parts.get(2).matches("[0-9]{1,18}")) {
      return run(repository, Long.parseLong(parts.get(2)));
    }
    return message(404, "Not found", "There is no such page here.", link(repository));
  }

  private Optional<Repository> repository(String owner, String repo) {
    try {
      return repositories.apply(new RepositoryName(owner, repo));
    } catch (IllegalArgumentException e) {
      // A name that GitHub cannot have is one more repository that is not there.
      return Optional.empty();
    }
  }

  // ---- pages

  private Service.Sent index() {
    String rows =
        names.get().stream()
            .map(RepositoryName::toString)
            .sorted()
            .map(name -> "<div class=\"row\"><b>" + a("/" + name, name) + "</b></div>")
            .collect(Collectors.joining("\n"));
    return page(200, "Repositories", "Repositories", box("<b>Repositories</b>", rows));
  }

  private Service.Sent overview(Repository repository) {
    StringBuilder issues = new StringBuilder();
    for (Issue issue : repository.issues().list(Instant.MAX)) {
      if (issue.open()) {
        issues
            .append("<div class=\"row\"><b>")
            .append(a(path(repository) + "/issues/" + issue.number(), issue.title()))
            .append("</b>")
            .append(labels(issue))
            .append("<div class=\"quiet\">#")
            .append(issue.number())
            .append(" opened ")
            .append(time(issue.createdAt()))
            .append(" by ")
            .append(Html.text(issue.author()))
            .append("</div></div>\n");
      }
    }
    StringBuilder runs = new StringBuilder();
    repository.runs().list(Instant.MAX).stream()
        .limit(RUNS_SHOWN)
        .forEach(
            run ->
                runs.append("<div class=\"row\"><b>")
                    .append(
                        a(
                            path(repository) + "/actions/runs/" + run.id(),
                            run.workflow() + " #" + run.number()))
                    .append("</b> ")
                    .append(state(run.last().conclusion()))
                    .append("</div>\n"));
    StringBuilder branches = new StringBuilder();
    String heads = "refs/heads/";
    for (Repository.Ref ref : repository.refs(heads, Instant.MAX)) {
      String branch = ref.name().substring(heads.length());
      String files =
          repository
              .commit(ref.sha(), Instant.MAX)
              .map(Commit::files)
              .orElse(Map.of())
              .keySet()
              .stream()
              .sorted()
              .map(file -> a(path(repository) + "/blob/" + encoded(branch + "/" + file), file))
              .collect(Collectors.joining(", "));
      branches.append("<div class=\"row\"><b>").append(Html.text(branch)).append("</b> ");
      branches.append(files).append("</div>\n");
    }
    String none = "<div class=\"row quiet\">None</div>";
    return page(
        200,
        repository.name().toString(),
        link(repository),
        box("<b>Open issues</b>", issues.isEmpty() ? none : issues.toString())
            + box("<b>Workflow runs</b>", runs.isEmpty() ? none : runs.toString())
            + box("<b>Branches</b>", branches.toString()));
  }

  private static String comments(Repository repository, int number) {
    StringBuilder all = new StringBuilder();
    for (Comment comment : repository.issues().comments().of(number, Instant.MAX)) {
      String reactions =
          repository.issues().reactions().of(comment.id(), Instant.MAX).stream()
              .map(reaction -> PICTURES.getOrDefault(reaction.content(), reaction.content()))
              .collect(Collectors.joining(" "));
      all.append("<div class=\"box\"><div class=\"head\"><b>")
          .append(Html.text(comment.author()))
          .append("</b> commented ")
          .append(time(comment.createdAt()))
          .append("</div>\n<div class=\"markdown\">")
          .append(Markdown.toHtml(comment.body()))
          .append(reactions.isEmpty() ? "" : "<p>" + Html.text(reactions) + "</p>")
          .append("</div></div>\n");
    }
    return all.toString();
  }

  private Service.Sent issue(Repository repository, int number) {
    Optional<Issue> found = repository.issues().get(number, Instant.MAX);
    if (found.isEmpty()) {
      return message(404, "Not found", "There is no issue " + number + ".", link(repository));
    }
    Issue issue = found.get();
    if (issue.deleted()) {
      return message(410, "Deleted", "This issue was deleted.", link(repository));
    }
    if (issue.movedTo().isPresent()) {
      return moved(issue.movedTo().get());
    }
    String article =
        "<h1 class=\"title\">"
            + Html.text(issue.title())
            + " <span class=\"quiet\">#"
            + number
            + "</span></h1>\n<p class=\"about\">"
            + (issue.open()
                ? "<span class=\"state open\">Open</span>"
                : "<span class=\"state closed\">Closed</span>")
            + (issue.locked() ? "Locked · " : "")
            + "updated "
            + time(issue.updatedAt())
            + labels(issue)
            + "</p>\n"
            + "<div class=\"box\"><div class=\"head\"><b>"
            + Html.text(issue.author())
            + "</b> opened "
            + time(issue.createdAt())
            + "</div>\n<div class=\"markdown\">"
            + issue
                .body()
                .map(Markdown::toHtml)
                .orElse("<p class=\"quiet\">No description provided.</p>")
            + "</div></div>"
            + comments(repository, number);
    String title = issue.title() + " · Issue #" + number + " · " + repository.name();
    return page(200, title, link(repository), article);
  }

  private Service.Sent moved(String to) {
    String repos = api + "/repos/";
    String page = to.startsWith(repos) ? origin + "/" + to.substring(repos.length()) : to;
    Map<String, List<String>> headers = new LinkedHashMap<>(Html.headers());
    headers.put("Location", List.of(page));
    return new Service.Sent(302, headers, "");
  }

  private Service.Sent run(Repository repository, long id) {
    Optional<Runs.Run> found = repository.runs().get(id, Instant.MAX);
    if (found.isEmpty()) {
      return message(404, "Not found", "There is no run " + id + ".", link(repository));
    }
    Runs.Run run = found.get();
    StringBuilder article =
        new StringBuilder("<h1 class=\"title\">")
            .append(Html.text(run.workflow()))
            .append(" <span class=\"quiet\">#")
            .append(run.number())
            .append("</span></h1>\n<p class=\"about\">")
            .append(state(run.last().conclusion()))
            .append(" · on ")
            .append(Html.text(run.branch()))
            .append(" by ")
            .append(Html.text(run.actor()))
            .append(" · started ")
            .append(time(run.createdAt()))
            .append("</p>\n");
    for (int number = run.attempts().size(); number >= 1; number--) {
      Runs.Attempt attempt = run.attempts().get(number - 1);
      String rows =
          attempt.jobs().stream()
              .map(
                  job ->
                      "<div class=\"row\"><b>"
                          + Html.text(job.name())
                          + "</b> "
                          + state(job.conclusion())
                          + " <span class=\"quiet\">on "
                          + Html.text(job.runnerName())
                          + job.completedAt().map(at -> " · ended " + time(at)).orElse("")
                          + "</span></div>")
              .collect(Collectors.joining("\n"));
      String head = "<b>Attempt " + number + "</b> " + state(attempt.conclusion());
      article.append(box(head, rows));
    }
    String title = run.workflow() + " #" + run.number() + " · " + repository.name();
    return page(200, title, link(repository), article.toString());
  }

  /** Names of branches have slashes too: the longest that is a branch is meant. */
  private Service.Sent file(Repository repository, List<String> parts) {
    for (int length = parts.size() - 1; length >= 1; length--) {
      String ref = String.join("/", parts.subList(0, length));
      String file = String.join("/", parts.subList(length, parts.size()));
      if (repository.history(Optional.of(ref), Optional.empty(), Instant.MAX).isPresent()) {
        return repository
            .file(file, Optional.of(ref), Instant.MAX)
            .map(found -> plain(found.blob()))
            .orElseGet(
                () ->
                    message(
                        404,
                        "Not found",
                        "There is no file " + file + " on " + ref + ".",
                        link(repository)));
      }
    }
    return message(404, "Not found", "There is no such branch.", link(repository));
  }

  private static Service.Sent plain(Blob blob) {
    Map<String, List<String>> headers = new LinkedHashMap<>(Html.headers());
    headers.put("Content-Type", List.of("text/plain; charset=utf-8"));
    return new Service.Sent(
        200, headers, new String(blob.content(), java.nio.charset.StandardCharsets.UTF_8));
  }

  // ---- parts

  private Service.Sent message(int status, String title, String text, String head) {
    String article = "<h1 class=\"title\">" + title + "</h1><p>" + Html.text(text) + "</p>";
    return page(status, title, head.isEmpty() ? "GitHub on loopback" : head, article);
  }

  private Service.Sent page(int status, String title, String head, String article) {
    Map<String, List<String>> headers = new LinkedHashMap<>(Html.headers());
    headers.put("Content-Type", List.of("text/html; charset=utf-8"));
    return new Service.Sent(status, headers, Html.page(title, head, article, footer()));
  }

  private String footer() {
    StringBuilder rows = new StringBuilder();
    log.since(clock.instant().minus(Duration.ofHours(1)))
        .forEach(
            (client, counts) ->
                rows.append("<tr><td>")
                    .append(Html.text(client))
                    .append("</td><td>")
                    .append(counts.charged())
                    .append("</td><td>")
                    .append(counts.free())
                    .append("</td><td>")
                    .append(counts.writes())
                    .append("</td></tr>\n"));
    String title = "<p>Requests to the API in the last hour</p>";
    return rows.isEmpty()
        ? "<p>No request to the API in the last hour.</p>"
        : title
            + "<table><tr><th>client</th><th>charged</th><th>free</th><th>writes</th></tr>\n"
            + rows
            + "</table>";
  }

  private static String box(String head, String rows) {
    return "<div class=\"box\"><div class=\"head\">" + head + "</div>\n" + rows + "</div>\n";
  }

  private static String state(Optional<String> conclusion) {
    String text = conclusion.orElse("in_progress");
    String kind = text.matches("[a-z_]+") ? text : "unknown";
    return "<span class=\"" + kind + "\">" + Html.text(text.replace('_', ' ')) + "</span>";
  }

  private static String labels(Issue issue) {
    StringBuilder all = new StringBuilder();
    for (Label label : issue.labels()) {
      String color = label.color().matches("[0-9a-fA-F]{6}") ? label.color() : "ededed";
      all.append(
              " <span class=\"label\"><svg viewBox=\"0 0 8 8\"><circle cx=\"4\" cy=\"4\" r=\"4\"")
          .append(" fill=\"#")
          .append(color)
          .append("\"/></svg>")
          .append(Html.text(label.name()))
          .append("</span>");
    }
    return all.toString();
  }

  private static String path(Repository repository) {
    return "/" + repository.name();
  }

  private static String link(Repository repository) {
    RepositoryName name = repository.name();
    return Html.text(name.owner()) + " / <b>" + a("/" + name, name.repo()) + "</b>";
  }

  private static String a(String href, String text) {
    return "<a href=\"" + Html.text(href) + "\">" + Html.text(text) + "</a>";
  }

  private static String encoded(String path) {
    return Arrays.stream(path.split("/")).map(Bodies::encode).collect(Collectors.joining("/"));
  }

  private static String time(Instant at) {
    return TIME.format(at);
  }
}
