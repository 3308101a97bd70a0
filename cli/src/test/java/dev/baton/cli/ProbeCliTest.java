package dev.baton.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.cli.terminal.ExitCode;
import dev.baton.core.SystemWorld;
import dev.baton.githubsim.Fault;
import dev.baton.githubsim.GitHubSim;
import dev.baton.githubsim.Grant;
import dev.baton.githubsim.SimRepository;
import dev.baton.githubsim.SimSettings;
import dev.baton.githubsim.Token;
import dev.baton.queue.github.GitHubConnection;
import dev.baton.queue.github.GitHubPlace;
import dev.baton.queue.github.GitHubSpace;
import dev.baton.store.StoreException;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code baton probe} and what {@code baton doctor} takes from it, on a GitHub on loopback. */
class ProbeCliTest {

  private static final String SECRET = "ghp_ann-secret-token";
  private static final String HERE = "github:octo/app";

  @TempDir Path home;
  private GitHubSim sim;
  private SimRepository repository;
  private Cli cli;

  /** A first answer takes longest, and on a busy machine perhaps longer than a client waits. */
  @BeforeAll
  static void answerOnce() {
    try (GitHubSim first = GitHubSim.start(SimSettings.defaults())) {
      first.addRepository("octo/app", true);
      first.addToken(Token.classic("ann", SECRET, "octo/app"));
      GitHubPlace place = GitHubPlace.parse(HERE, URI.create(first.baseUrl()));
      GitHubConnection patient =
          GitHubConnection.builder()
              .token(() -> SECRET)
              .connectTimeout(BatonProcesses.PATIENCE)
              .callTimeout(BatonProcesses.PATIENCE)
              .build();
      try (GitHubSpace space = GitHubSpace.open(place, patient, new SystemWorld())) {
        assertThat(space.document("queue").read().content()).isEmpty();
      } catch (StoreException e) {
        throw new AssertionError("no answer in " + BatonProcesses.PATIENCE, e);
      }
    }
  }

  @BeforeEach
  void start() {
    sim = GitHubSim.start(SimSettings.defaults());
    repository = sim.addRepository("octo/app", true);
    sim.addToken(Token.classic("ann", SECRET, "octo/app"));
    SimRepository.RunView run = repository.startRun("probe", "ann", "probe");
    cli =
        new Cli(home)
            .with("GITHUB_API_URL", sim.baseUrl())
            .with("BATON_TOKEN", SECRET)
            .with("RUNNER_NAME", run.jobs().get(0).runnerName())
            .inRun("octo/app", run.id(), 1);
  }

  @AfterEach
  void stop() {
    sim.close();
  }

  private int asked() {
    return sim.log().entries().size();
  }

  private static String last(String text) {
    List<String> lines = text.lines().toList();
    return lines.get(lines.size() - 1);
  }

  @Test
  void everythingHoldsAndTheLastLineCounts() {
    Cli.Result result = cli.ok("probe", HERE, "--yes");
    int assumptions = (int) result.out().lines().filter(l -> l.startsWith("held ")).count();
    assertThat(assumptions).isGreaterThan(30);
    assertThat(last(result.out()))
        .isEqualTo("assumptions: " + assumptions + ", held: " + assumptions);
    assertThat(result.out())
        .contains("update-conflict: A write with an older sha is refused")
        .contains("seen: 409 queue.json does not match")
        .containsPattern("write a file, refused +3 x   median +[0-9]+ ms")
        .contains("Requests: " + asked() + ", announced: at most 60.");
    assertThat(result.err())
        .contains("a branch baton/probe-")
        .contains("tokens delete no issue, so it stays among the closed ones; --no-issue")
        .contains("at most 60 requests");
    assertThat(result.out() + result.err()).doesNotContain(SECRET);
  }

  @Test
  void itAsksBeforeItWrites() {
    Cli.Result no = cli.typing("n\n").run("probe", HERE);
    assertThat(no.code()).isEqualTo(ExitCode.REFUSED.code);
    assertThat(no.err()).contains("Go on? [y/N]").contains("Nothing was changed.");
    Cli.Result nobody = cli.piping("y\n").run("probe", HERE);
    assertThat(nobody.code()).isEqualTo(ExitCode.USAGE.code);
    assertThat(nobody.err()).contains("no terminal to ask on").contains("Add --yes");
    assertThat(asked()).as("nothing is sent without a yes").isZero();
    assertThat(cli.typing("y\n").run("probe", HERE).code()).isZero();
  }

  @Test
  void whatIsNotAsAssumedHasACodeOfItsOwnAndSaysWhatItMeans() {
    sim.reword(409, Optional.of("Conflict"));
    Cli.Result result = cli.run("probe", HERE, "--yes", "--no-issue");
    assertThat(result.code()).isEqualTo(ExitCode.NOT_AS_ASSUMED.code);
    assertThat(result.out())
        .containsPattern("broken +update-conflict: ")
        .contains("seen: 409 Conflict")
        .contains("for you: If it is accepted, two builds can hold one lock")
        .containsPattern("not applicable +issue-body: ");
    assertThat(last(result.out())).contains("broken: 2").contains("not applicable: 7");
  }

  @Test
  void aTokenThatMayNotWriteIsToldSo() {
    sim.addToken(Token.fineGrained("reader", "reader-token", "octo/app", Grant.CONTENTS_READ));
    Cli.Result result = cli.with("BATON_TOKEN", "reader-token").run("probe", HERE, "--yes");
    assertThat(result.code()).isEqualTo(ExitCode.NO_PERMISSION.code);
    assertThat(result.out())
        .containsPattern("not allowed +contents-write: ")
        .contains("Give the token `contents: write`");
    Cli.Result unknown = cli.with("BATON_TOKEN", "wrong-token").run("probe", HERE, "--yes");
    assertThat(unknown.code()).isEqualTo(ExitCode.NO_PERMISSION.code);
    assertThat(unknown.err()).contains("does not know the token").doesNotContain("wrong-token");
    Cli.Result none = cli.with("BATON_TOKEN", SECRET).run("probe", "github:octo/none", "--yes");
    assertThat(none.code()).isEqualTo(ExitCode.UNREACHABLE.code);
    assertThat(none.err()).contains("there is no repository octo/none");
  }

  @Test
  void asJson() {
    JsonNode all = cli.json("probe", HERE, "--yes");
    assertThat(all.get("requests").asInt()).isEqualTo(asked());
    assertThat(all.get("counts").get("held").asInt()).isEqualTo(all.get("assumptions").size());
    JsonNode first = all.get("assumptions").get(0);
    assertThat(first.get("id").asText()).isEqualTo("limit-headers");
    assertThat(first.get("verdict").asText()).isEqualTo("held");
    assertThat(first.get("reliedOnBy").get(0).asText()).isEqualTo("Limits.note");
    assertThat(all.get("operations").get(0).get("slowestMillis").isNumber()).isTrue();
  }

  @Test
  void recordingsAreWrittenWithoutSecrets() throws IOException {
    repository.openIssue("Of others", "planted-secret", "bob");
    String out = cli.ok("probe", HERE, "--yes", "--record", "seen").out();
    Path seen = home.resolve("seen");
    try (Stream<Path> files = Files.list(seen)) {
      List<Path> all = files.sorted().toList();
      assertThat(all).hasSize(asked());
      assertThat(out).contains("Recorded: " + asked() + " files in " + seen);
      for (Path file : all) {
        String text = Files.readString(file);
        assertThat(text).doesNotContain(SECRET).doesNotContain("planted-secret");
        JsonNode exchange = Cli.Result.parsed(text);
        assertThat(exchange.get("request").get("url").asText()).startsWith("/");
        assertThat(exchange.get("response").get("status").asInt()).isPositive();
      }
      assertThat(all.get(0)).hasFileName("01-GET-first-look-at-the-repository-200.json");
    }
    int before = asked();
    Cli.Result again = cli.run("probe", HERE, "--yes", "--record", "seen");
    assertThat(again.code()).isEqualTo(ExitCode.USAGE.code);
    assertThat(again.err()).contains("is not empty");
    assertThat(asked()).isEqualTo(before);
  }

  @Test
  void thePlaceIsNamedByTheUserAndByNobodyElse() throws IOException {
    Cli.Result nothing = cli.run("probe", "--yes");
    assertThat(nothing.code()).isEqualTo(ExitCode.USAGE.code);
    assertThat(nothing.err()).contains("baton probe github:octo/app");
    Cli.Result twice = cli.run("probe", HERE, "--store", HERE, "--yes");
    assertThat(twice.err()).contains("named twice");
    Cli.Result file = cli.run("probe", "file:x", "--yes");
    assertThat(file.code()).isEqualTo(ExitCode.USAGE.code);
    assertThat(file.err()).contains("there is no probe for file:");
    Files.writeString(home.resolve(".baton.properties"), "store=" + HERE + "\n");
    Cli.Result checkout = cli.run("probe", "--yes");
    assertThat(checkout.code()).isEqualTo(ExitCode.USAGE.code);
    assertThat(checkout.err()).contains("the probe writes to it");
    assertThat(asked()).isZero();
    cli.ok("probe", HERE, "--yes");
    cli.ok("probe", "--store", HERE, "--yes");
  }

  // ---- doctor

  @Test
  void doctorTakesTwoMoreReads() {
    Cli queue = cli.with("BATON_STORE", HERE);
    queue.ok("init");
    sim.log().clear();
    assertThat(queue.ok("doctor").out())
        .contains("ok       GitHub shows its limits, and looking at an unchanged queue is free");
    assertThat(sim.log().entries().stream().filter(e -> e.path().endsWith("/queue.json")))
        .as("one read by doctor itself")
        .hasSize(3)
        .allMatch(e -> e.method().equals("GET"));
  }

  @Test
  void doctorWarnsOfAGitHubThatDoesNotTakeListsOfTags() {
    Cli queue = cli.with("BATON_STORE", HERE);
    queue.ok("init");
    String document = repository.fileText("queue.json", "baton/build").orElseThrow();
    sim.failNext(
        1,
        r -> r.header("if-none-match").filter(t -> t.split(",").length == 16).isPresent(),
        new Fault.Odd(200, "{\"sha\":\"" + blob(document) + "\"}", false));
    assertThat(queue.ok("doctor").out())
        .contains("warn     not as assumed: A read may name 16 tags")
        .contains("48 requests an hour")
        .contains("`baton probe --store github:octo/app");
  }

  private static String blob(String content) {
    byte[] bytes = content.getBytes(StandardCharsets.UTF_8);
    try {
      MessageDigest sha1 = MessageDigest.getInstance("SHA-1");
      sha1.update(("blob " + bytes.length + "\0").getBytes(StandardCharsets.US_ASCII));
      return HexFormat.of().formatHex(sha1.digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e);
    }
  }
}
