package dev.baton.githubsim;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class PagesTest extends SimTest {
  private Client browser;

  @BeforeEach
  void openBrowser() {
    browser = new Client(sim.serverUrl(), null);
  }

  private String html(String path) {
    Client.Got got = browser.get(path);
    assertThat(got.status()).isEqualTo(200);
    assertThat(got.header("content-type")).isEqualTo("text/html; charset=utf-8");
    return got.http().body();
  }

  private void open(String title, String body) {
    ann.post(ISSUES, Map.of("title", title, "body", body, "labels", List.of("ba<ton")));
  }

  @Test
  void issueIsShown() {
    open("The <board>", "<!-- hidden -->\n## Free\n\n| a |\n| - |\n| b |");
    assertThat(html("/octo/app/issues/1"))
        .contains("<title>The &lt;board&gt; · Issue #1 · octo/app</title>")
        .contains("The &lt;board&gt; <span class=\"quiet\">#1</span>")
        .contains("<span class=\"state open\">Open</span>")
        .contains("ba&lt;ton</span>")
        .contains("<b>ann</b> opened 5 Mar 2026 10:00:00 UTC")
        .contains("<h2>Free</h2>")
        .contains("<td>b</td>")
        .doesNotContain("hidden -->");
    ann.patch(ISSUES + "/1", Map.of("state", "closed"));
    assertThat(html("/octo/app/issues/1")).contains("<span class=\"state closed\">Closed</span>");
  }

  @Test
  void onlyThePagesOwnScriptMayRun() {
    open("t", "<script>alert(1)</script>");
    Client.Got got = browser.get("/octo/app/issues/1");
    String page = got.http().body();
    assertThat(page.split("<script", -1)).hasSize(2);
    String script = page.substring(page.indexOf("<script>") + 8, page.indexOf("</script>"));
    String style = page.substring(page.indexOf("<style>") + 7, page.indexOf("</style>"));
    assertThat(got.header("content-security-policy"))
        .startsWith("default-src 'none';")
        .contains("script-src 'sha256-" + GitHash.sha256Base64(script) + "';")
        .contains("style-src 'sha256-" + GitHash.sha256Base64(style) + "';")
        .contains("base-uri 'none'")
        .doesNotContain("unsafe");
    assertThat(got.header("x-content-type-options")).isEqualTo("nosniff");
    assertThat(got.header("cache-control")).isEqualTo("no-store");
    assertThat(page).doesNotContain("https://").doesNotContain(" style=");
  }

  @Test
  void refreshesWithAndWithoutScript() {
    open("t", "b");
    assertThat(html("/octo/app/issues/1"))
        .contains("<noscript><meta http-equiv=\"refresh\" content=\"2\"></noscript>")
        .contains("setTimeout(refresh, 2000)");
  }

  @Test
  void pageCostsNothingAndShowsWhatTheClientsCost() {
    open("t", "b");
    String tag = ann.get(ISSUES + "/1").header("etag");
    ann.get(ISSUES + "/1", "If-None-Match", tag);
    RequestLog.Counts before = sim.log().total();
    String page = html("/octo/app/issues/1");
    assertThat(page).contains("<tr><td>ann</td><td>2</td><td>1</td><td>1</td></tr>");
    assertThat(sim.log().total()).isEqualTo(before);
    clock.pass(Duration.ofMinutes(61));
    assertThat(html("/octo/app/issues/1")).contains("No request to the API in the last hour");
  }

  @Test
  void pageIsNeverLateAndMeetsNoFault() {
    sim.staleness(Staleness.of(Duration.ofSeconds(10)));
    sim.faultRates(new FaultRate(new Fault.Unavailable(502, false), 1));
    repository.openIssue("now", "body", "ann");
    assertThat(html("/octo/app/issues/1")).contains("now");
  }

  @Test
  void deletedMovedAndUnknownIssues() {
    open("a", "b");
    open("c", "d");
    repository.deleteIssue(1);
    repository.moveIssue(2, sim.baseUrl() + "/repos/octo/other/issues/7");
    assertThat(browser.get("/octo/app/issues/1").status()).isEqualTo(410);
    Client.Got moved = browser.get("/octo/app/issues/2");
    assertThat(moved.status()).isEqualTo(302);
    assertThat(moved.header("location")).isEqualTo(sim.serverUrl() + "/octo/other/issues/7");
    for (String path :
        List.of(
            "/octo/app/issues/3",
            "/octo/app/issues/99999999999999999999",
            "/octo/app/pulls",
            "/octo/none/issues/1",
            "/octo",
            "/o%3Cscript%3E/x",
            "/octo/app/actions/runs/5",
            "/octo/app/blob/none/x")) {
      assertThat(browser.get(path).status()).as(path).isEqualTo(404);
    }
  }

  @Test
  void repositoryListsOpenIssuesRunsAndBranches() {
    open("one", "");
    open("two", "");
    ann.patch(ISSUES + "/2", Map.of("state", "closed"));
    long run = repository.startRun("build", "ann", "linux").id();
    assertThat(html("/octo/app"))
        .contains("<a href=\"/octo/app/issues/1\">one</a>")
        .doesNotContain(">two<")
        .contains("<a href=\"/octo/app/actions/runs/" + run + "\">build #1</a>")
        .contains("<a href=\"/octo/app/blob/main/README.md\">README.md</a>");
    assertThat(browser.get("/", "Accept", "text/html,*/*").http().body())
        .contains("<a href=\"/octo/app\">octo/app</a>");
    assertThat(browser.get("/").header("content-type")).contains("json");
  }

  @Test
  void fileOnABranchWithSlashesIsPlainText() {
    String head = repository.head("main").orElseThrow();
    ann.post(REFS, Map.of("ref", "refs/heads/baton/main", "sha", head));
    Map<String, String> body =
        Map.of("message", "m", "content", Client.base64("<b>ä"), "branch", "baton/main");
    ann.put("/repos/octo/app/contents/d/a%20b.json", body);
    Client.Got got = browser.get("/octo/app/blob/baton/main/d/a%20b.json");
    assertThat(got.status()).isEqualTo(200);
    assertThat(got.header("content-type")).isEqualTo("text/plain; charset=utf-8");
    assertThat(got.http().body()).isEqualTo("<b>ä");
    assertThat(browser.get("/octo/app/blob/main/d/a%20b.json").status()).isEqualTo(404);
    assertThat(browser.get("/octo/app/blob/" + head + "/README.md").http().body())
        .isEqualTo("# app\n");
    Client.Got written = ann.get("/repos/octo/app/contents/d/a%20b.json?ref=baton/main");
    String page = written.text("/html_url").substring(sim.serverUrl().length());
    assertThat(browser.get(page).status()).isEqualTo(200);
  }

  @Test
  void runShowsItsAttemptsAndJobs() {
    SimRepository.RunView run = repository.startRun("build", "ann", "linux", "mac");
    repository.finishJob(run.id(), run.jobs().get(0).id(), "success");
    assertThat(html("/octo/app/actions/runs/" + run.id()))
        .contains("<b>linux</b> <span class=\"success\">success</span>")
        .contains("<b>mac</b> <span class=\"in_progress\">in progress</span>")
        .contains(run.jobs().get(1).runnerName());
    repository.cancelRun(run.id());
    repository.rerun(run.id());
    assertThat(html("/octo/app/actions/runs/" + run.id() + "/job/" + run.jobs().get(0).id()))
        .contains("<b>Attempt 2</b> <span class=\"in_progress\">")
        .contains("<b>Attempt 1</b> <span class=\"cancelled\">");
  }

  @Test
  void enterpriseServerHasItsPagesBesideTheApi() {
    try (GitHubSim ghes = GitHubSim.start(settings().withGhes(true))) {
      ghes.addRepository(REPO, true).openIssue("board", "b", "ann");
      Client web = new Client(ghes.serverUrl(), null);
      assertThat(web.get("/octo/app/issues/1").status()).isEqualTo(200);
      assertThat(new Client(ghes.baseUrl(), null).get("/octo/app/issues/1").status())
          .isEqualTo(501);
    }
  }

  @Test
  void commentsAreShownWithTheReactionsToThem() {
    open("board", "body");
    long comment = repository.comment(1, "/baton <b>status</b> <script>", "eve");
    ann.post(ISSUES + "/comments/" + comment + "/reactions", Map.of("content", "eyes"));
    assertThat(html("/octo/app/issues/1"))
        .contains("<b>eve</b> commented 5 Mar 2026 10:00:00 UTC")
        .contains("/baton <b>status</b> &lt;script&gt;")
        .contains("<p>👀</p>");
  }
}
