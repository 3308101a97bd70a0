package dev.baton.action;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.core.SystemWorld;
import dev.baton.githubsim.Fault;
import dev.baton.githubsim.GitHubSim;
import dev.baton.githubsim.Grant;
import dev.baton.githubsim.SimRepository;
import dev.baton.githubsim.SimRequest;
import dev.baton.githubsim.SimSettings;
import dev.baton.githubsim.Token;
import dev.baton.queue.BuildQueue;
import dev.baton.queue.EngineSettings;
import dev.baton.queue.Entry;
import dev.baton.queue.HistoryEntry;
import dev.baton.queue.Liveness;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.Request;
import dev.baton.queue.Rules;
import dev.baton.queue.RunRef;
import dev.baton.queue.Ticket;
import dev.baton.queue.board.Discussion.Remark;
import dev.baton.queue.github.GitHubConnection;
import dev.baton.queue.github.GitHubPlace;
import dev.baton.queue.github.GitHubSpace;
import dev.baton.testing.Concurrently;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What maintainers do in the issue, with the least permissions that the workflow needs. */
class IssueStepsTest {

  private static final String SECRET = "ghs_thisIsTheSecretOfTheWorkflow0003";
  private static final String PERSONAL = "ghp_thisIsTheSecretOfAPerson00000004";
  private static final String REPOSITORY = "octo/app";
  private static final String BOT = "github-actions[bot]";

  private static final Path SAMPLE =
      Path.of("../samples/actions-steer/.github/workflows/steer-queue.yml");
  private static final Pattern GRANT = Pattern.compile("(?m)^ +([a-z]+: (?:read|write))");

  @TempDir Path directory;
  private GitHubSim sim;
  private SimRepository home;
  private GitHubSpace space;
  private BuildQueue queue;
  private RunnerHarness harness;
  private int board;

  /** Ticket 1 builds; 2 to 4 wait. */
  @BeforeEach
  void start() throws Exception {
    sim = GitHubSim.start(SimSettings.defaults());
    home = sim.addRepository(REPOSITORY, true);
    home.role("ann", "write");
    sim.addToken(Token.workflow("job", SECRET, REPOSITORY, grantsOfTheSample()));
    space =
        GitHubSpace.open(
            GitHubPlace.parse("github:" + REPOSITORY, URI.create(sim.baseUrl())),
            GitHubConnection.builder().token(() -> SECRET).build(),
            new SystemWorld());
    queue = space.queue(EngineSettings.DEFAULT);
    queue.create(Rules.DEFAULT);
    for (int i = 0; i < 4; i++) {
      queue.join(
          new Entry(Request.newNonce(), "bob@laptop", "app", Liveness.BEAT, Optional.empty(), 0));
    }
    board = (int) queue.status().board();
    finishPainting();
    harness = new RunnerHarness(sim, directory, RunnerHarness.THREAD);
  }

  /** All that the workflow which we provide allows its job. */
  private static Grant[] grantsOfTheSample() throws IOException {
    Matcher granted = GRANT.matcher(Files.readString(SAMPLE));
    List<Grant> all = new ArrayList<>();
    while (granted.find()) {
      all.add(Grant.valueOf(granted.group(1).toUpperCase(Locale.ROOT).replace(": ", "_")));
    }
    assertThat(all).hasSize(3);
    return all.toArray(Grant[]::new);
  }

  /** From here on nothing of the test's own queue paints the board. */
  private void finishPainting() {
    queue.close();
    queue = space.queue(EngineSettings.DEFAULT);
  }

  @AfterEach
  void stop() {
    queue.close();
    space.close();
    sim.close();
  }

  // ---- the workflow

  private RunnerHarness.Step run(String event, String payload, String... inputs)
      throws InterruptedException {
    String[] all =
        Stream.concat(Stream.of("command", "comment"), Stream.of(inputs)).toArray(String[]::new);
    return harness
        .job(REPOSITORY, home.startRun("steer", BOT, "steer"), 0, "steer", SECRET)
        .startedBy(event, payload)
        .run(all);
  }

  private String ran(String event, String payload, String... inputs) throws InterruptedException {
    RunnerHarness.Step step = run(event, payload, inputs);
    assertThat(step.exitCode()).as(step.log()).isZero();
    assertThat(step.post().exitCode()).isZero();
    assertThat(step.stdout().lines().filter(l -> !l.startsWith("::add-mask::")).toList().toString())
        .doesNotContain(SECRET);
    return step.stdout();
  }

  private String comments(String text) throws InterruptedException {
    return comments(text, "ann");
  }

  private String comments(String text, String by) throws InterruptedException {
    long comment = home.comment(board, text, by);
    return ran("issue_comment", home.commentEvent(comment, "created"));
  }

  private List<String> reactions(int comment) {
    return home.comments(board).get(comment).reactions();
  }

  /** What was answered to the comments so far. */
  private List<String> answers() {
    return home.comments(board).stream()
        .filter(c -> c.author().equals(BOT))
        .map(SimRepository.CommentView::body)
        .toList();
  }

  private List<Long> line() throws Exception {
    return queue.status().line().stream().map(Ticket::number).toList();
  }

  private long token() throws Exception {
    return queue.status().slots().get(0).token();
  }

  private HistoryEntry last() throws Exception {
    List<HistoryEntry> all = queue.status().history();
    return all.get(all.size() - 1);
  }

  private static Predicate<SimRequest> reacting() {
    return request -> request.method().equals("POST") && request.path().endsWith("/reactions");
  }

  // ---- comments

  /** What somebody wrote is in no expression of it, where it could become a part of a program. */
  @Test
  void theSampleRunsTheCommandAndNothingElse() throws Exception {
    String sample = Files.readString(SAMPLE);
    assertThat(sample).contains("command: comment").doesNotContain("run:");
    assertThat(sample.lines().filter(l -> l.contains("${{")))
        .containsExactly(
            "      group: baton-steer-${{ github.event.comment.id || github.run_id }}");
  }

  @Test
  void aCommandIsCarriedOutInTheNameOfItsAuthor() throws Exception {
    comments("The disk is full, so\n/baton pause disk is full\nSorry!");
    assertThat(queue.status().paused().orElseThrow().by()).isEqualTo("ann");
    assertThat(queue.status().paused().orElseThrow().reason()).isEqualTo("disk is full");
    assertThat(reactions(0)).containsExactly("eyes by " + BOT, "+1 by " + BOT);
    assertThat(home.issueBody(board).orElseThrow())
        .contains("Paused by <b>ann</b>")
        .contains("disk is full");
    comments("/baton resume");
    assertThat(queue.status().paused()).isEmpty();
    comments("/baton bump 4 3");
    assertThat(line()).containsExactly(4L, 3L, 2L);
    assertThat(last().who()).isEqualTo("ann");
    comments("/baton bump 2 before 3");
    assertThat(line()).containsExactly(4L, 2L, 3L);
    comments("/baton drop 4 superseded by 3");
    assertThat(line()).containsExactly(2L, 3L);
    assertThat(last().who()).isEqualTo("ann");
    assertThat(last().note()).isEqualTo("superseded by 3");
    // The board and the reactions say all that.
    assertThat(answers()).isEmpty();
    comments("/baton unlock 1 " + token() + " hangs since noon");
    HistoryEntry end = queue.status().endOf(1).orElseThrow();
    assertThat(end.event()).isEqualTo(HistoryEntry.Event.REVOKED);
    assertThat(end.who()).isEqualTo("ann");
    assertThat(end.note()).isEqualTo("hangs since noon");
    assertThat(answers()).isEmpty();
  }

  @Test
  void aQuestionIsAnswered() throws Exception {
    comments("/baton status");
    assertThat(answers().get(0))
        .startsWith(Remark.MARK)
        .contains("Queue build")
        .contains("bob@laptop");
    assertThat(reactions(0)).containsExactly("eyes by " + BOT, "+1 by " + BOT);
    comments("/baton help");
    assertThat(answers().get(1)).contains("/baton unlock TICKET TOKEN REASON");
    comments("/baton wake");
    assertThat(answers().get(2)).contains("There is nothing to wake");
  }

  @Test
  void aStaleTokenIsRefusedAndTheRightOneShown() throws Exception {
    QueueDocument before = queue.status();
    comments("/baton unlock 1 " + (token() - 1) + " hangs");
    comments("/baton unlock 2 " + token() + " hangs");
    assertThat(reactions(0)).containsExactly("eyes by " + BOT, "-1 by " + BOT);
    assertThat(answers()).hasSize(2);
    assertThat(answers())
        .allSatisfy(
            answer ->
                assertThat(answer)
                    .contains("ann: ")
                    .contains("/baton unlock 1 " + before.slots().get(0).token() + " REASON"));
    assertThat(queue.status().version()).isEqualTo(before.version());
  }

  @Test
  void anUnknownTicketIsRefused() throws Exception {
    QueueDocument before = queue.status();
    comments("/baton bump 77");
    comments("/baton bump 2 before 77");
    comments("/baton drop 77 no use");
    comments("/baton drop 1 no use");
    for (int i : new int[] {0, 2, 4, 6}) {
      assertThat(reactions(i)).containsExactly("eyes by " + BOT, "-1 by " + BOT);
    }
    assertThat(answers().get(0)).contains("Ticket 77 is not in line.");
    assertThat(answers().get(1)).contains("77");
    assertThat(answers().get(2)).contains("77");
    assertThat(answers().get(3)).contains("not dropped but unlocked").contains("/baton unlock 1 ");
    assertThat(queue.status().version()).isEqualTo(before.version());
  }

  @Test
  void aRunningJobIsNotUnlockedWithoutBeingCancelled() throws Exception {
    queue.drop(List.of(2L, 3L, 4L), "bob", "");
    queue.release(1, token(), "");
    SimRepository.RunView building = home.startRun("build", "bob", "build");
    queue.join(
        new Entry(
            Request.newNonce(),
            "octo/app run",
            "app",
            Liveness.RUN,
            Optional.of(
                new RunRef(REPOSITORY, building.id(), 1, building.jobs().get(0).id(), "build")),
            0));
    comments("/baton unlock 5 " + token() + " hangs");
    assertThat(answers().get(0)).contains("To do: cancel run ");
    assertThat(queue.status().slots().get(0).ticket()).isEqualTo(5);
  }

  /** As docs/github.md says. */
  @Test
  void aCommentOrATickTakesFewRequests() throws Exception {
    space.discussion().paint(queue.status());
    sim.log().clear();
    comments("/baton pause a");
    assertThat(sim.log().total().charged()).isBetween(6L, 9L);
    sim.log().clear();
    comments("/baton unlock 1 7 hangs");
    assertThat(sim.log().total().charged()).isBetween(5L, 9L);
    sim.log().clear();
    ticks("Resume", "ann");
    assertThat(sim.log().total().charged()).isBetween(4L, 9L);
  }

  @Test
  void aMistakeIsAnsweredWithWhatThereIs() throws Exception {
    comments("/baton unlok 1");
    assertThat(reactions(0)).containsExactly("eyes by " + BOT, "-1 by " + BOT);
    assertThat(answers().get(0)).contains("no such command").contains("/baton bump TICKET");
  }

  // ---- who may not

  @Test
  void anOutsiderAndABotGetNothingAndNoAnswer() throws Exception {
    home.role("tess", "triage");
    home.role("rea", "read");
    QueueDocument before = queue.status();
    assertThat(comments("/baton pause now", "eve")).contains("eve may not steer the queue");
    comments("/baton pause now", "tess");
    comments("/baton pause now", "rea");
    home.role("robot[bot]", "admin");
    assertThat(comments("/baton pause now", "robot[bot]")).contains("is no person");
    assertThat(home.comments(board)).hasSize(4).allMatch(c -> c.reactions().isEmpty());
    assertThat(queue.status().version()).isEqualTo(before.version());
  }

  @Test
  void howMuchSomebodyMustBeAllowedIsSetByTheWorkflow() throws Exception {
    home.role("mia", "maintain");
    home.role("rob", "release-team");
    String ann = home.commentEvent(home.comment(board, "/baton pause a", "ann"), "created");
    String rob = home.commentEvent(home.comment(board, "/baton pause a", "rob"), "created");
    String mia = home.commentEvent(home.comment(board, "/baton pause a", "mia"), "created");
    String octo = home.commentEvent(home.comment(board, "/baton resume", "octo"), "created");
    ran("issue_comment", ann, "comment-permission", "maintain");
    ran("issue_comment", rob, "comment-permission", "maintain");
    ran("issue_comment", mia, "comment-permission", "admin");
    assertThat(queue.status().paused()).isEmpty();
    ran("issue_comment", mia, "comment-permission", "maintain");
    assertThat(queue.status().paused().orElseThrow().by()).isEqualTo("mia");
    ran("issue_comment", octo, "comment-permission", "admin");
    assertThat(queue.status().paused()).isEmpty();
    RunnerHarness.Step wrong = run("issue_comment", ann, "comment-permission", "read");
    assertThat(wrong.exitCode()).isEqualTo(1);
    assertThat(wrong.stdout()).contains("comment-permission must be one of write, maintain, admin");
  }

  // ---- what asks for nothing

  @Test
  void anotherIssueAnotherRepositoryAndProseAskForNothing() throws Exception {
    QueueDocument before = queue.status();
    int other = home.openIssue("Another", "text", "ann");
    long comment = home.comment(other, "/baton pause now", "ann");
    assertThat(ran("issue_comment", home.commentEvent(comment, "created")))
        .contains("issue " + other + " is not the board");
    long here = home.comment(board, "/baton pause now", "ann");
    String elsewhere = home.commentEvent(here, "created").replace("\"octo/app\"", "\"eve/app\"");
    assertThat(ran("issue_comment", elsewhere)).contains("another repository");
    assertThat(ran("issue_comment", home.commentEvent(here, "edited"))).contains("edited");
    sim.log().clear();
    comments("I would /baton pause this");
    assertThat(queue.status().version()).isEqualTo(before.version());
    assertThat(home.comments(board)).allMatch(c -> c.reactions().isEmpty());
  }

  @Test
  void aCommentIsCarriedOutAsItWasWrittenFirst() throws Exception {
    long comment = home.comment(board, "/baton pause first", "ann");
    String event = home.commentEvent(comment, "created");
    String edited = event.replace("pause first", "drop 2 later");
    assertThat(edited).isNotEqualTo(event);
    ran("issue_comment", edited.replace("\"created\"", "\"edited\""));
    assertThat(line()).containsExactly(2L, 3L, 4L);
    ran("issue_comment", event);
    assertThat(queue.status().paused().orElseThrow().reason()).isEqualTo("first");
  }

  @Test
  void textOfSixtyKilobytesWithShellAndHtmlIsButText() throws Exception {
    String nasty =
        "$(touch /tmp/x) `id` ::set-output name=a::b <img src=x onerror=alert(1)> @ann ${{ secrets"
            + " }}";
    String log = comments("/baton pause " + nasty + "\n" + "::error::x\n".repeat(5_400));
    assertThat(queue.status().paused().orElseThrow().reason()).isEqualTo(nasty);
    assertThat(log.lines()).noneMatch(line -> line.matches("::(set-output|error).*"));
    assertThat(home.issueBody(board).orElseThrow())
        .contains("\\<img src=x")
        .doesNotContain("\n<img")
        .doesNotContainPattern("[^\\\\]<img");
    comments("/baton resume");
    String long60k = comments("/baton pause " + "x<b>".repeat(15_000));
    assertThat(long60k).doesNotContain("x<b>");
    assertThat(answers().get(0)).contains("longer than 500 characters").doesNotContain("x<b>");
    String turned = comments("/baton drop 2 \u202etxt\u0007");
    assertThat(turned).doesNotContain("\u202e").doesNotContain("\u0007");
  }

  @Test
  void anAnswerThatAPersonsTokenHasWrittenIsNoCommand() throws Exception {
    sim.addToken(Token.classic("ann", PERSONAL, REPOSITORY));
    long comment = home.comment(board, "/baton unlock 1 7 hangs", "ann");
    ran("issue_comment", home.commentEvent(comment, "created"), "token", PERSONAL);
    SimRepository.CommentView answer = home.comments(board).get(1);
    assertThat(answer.author()).isEqualTo("ann");
    assertThat(answer.body()).contains("/baton unlock 1 " + token());
    QueueDocument before = queue.status();
    assertThat(ran("issue_comment", home.commentEvent(answer.id(), "created")))
        .contains("no line that starts with /baton");
    assertThat(queue.status().version()).isEqualTo(before.version());
  }

  // ---- once

  @Test
  void aCommandIsCarriedOutOnceHoweverOftenItIsDelivered() throws Exception {
    long comment = home.comment(board, "/baton pause a", "ann");
    String event = home.commentEvent(comment, "created");
    ran("issue_comment", event);
    comments("/baton resume");
    assertThat(ran("issue_comment", event)).contains("was taken before");
    assertThat(queue.status().paused()).isEmpty();
  }

  @Test
  void ofSeveralDeliveriesAtOnceOneIsCarriedOut() throws Exception {
    queue.pause("bob", "");
    long comment = home.comment(board, "/baton status", "ann");
    String event = home.commentEvent(comment, "created");
    Callable<String> delivery = () -> ran("issue_comment", event);
    Concurrently.allOf(Duration.ofMinutes(1), List.of(delivery, delivery, delivery, delivery));
    assertThat(answers()).hasSize(1);
  }

  @Test
  void aReactionWhoseAnswerIsLostCarriesOutNothing() throws Exception {
    sim.failNext(1, reacting(), new Fault.DroppedAfter());
    comments("/baton pause a");
    assertThat(queue.status().paused()).isEmpty();
    assertThat(answers().get(0)).contains("comment again");
    assertThat(reactions(0)).containsExactly("eyes by " + BOT, "-1 by " + BOT);
    sim.failNext(1, reacting(), new Fault.DroppedBefore());
    comments("/baton pause b");
    assertThat(queue.status().paused().orElseThrow().reason()).isEqualTo("b");
  }

  @Test
  void aPersonWhomGitHubDoesNotKnowMayDoNothing() throws Exception {
    Predicate<SimRequest> asking = request -> request.path().contains("/collaborators/");
    sim.failNext(1, asking, Fault.Odd.saying(404, "Not Found", false));
    assertThat(comments("/baton pause a")).contains("ann may not steer the queue");
    assertThat(comments("/baton pause a", "a%2fb")).contains("may not steer the queue");
    // A server in trouble is asked again.
    sim.failNext(1, asking, new Fault.Unavailable(502, false));
    comments("/baton pause a");
    assertThat(queue.status().paused()).isPresent();
  }

  @Test
  void withoutIssuesWriteTheStepSaysWhatIsMissing() throws Exception {
    String poor = "ghs_thisIsTheSecretOfTheWorkflow0005";
    sim.addToken(Token.workflow("poor", poor, REPOSITORY, Grant.CONTENTS_WRITE, Grant.ISSUES_READ));
    long comment = home.comment(board, "/baton pause a", "ann");
    RunnerHarness.Step step =
        run("issue_comment", home.commentEvent(comment, "created"), "token", poor);
    assertThat(step.exitCode()).isEqualTo(1);
    assertThat(step.stdout()).contains("issues").contains("write");
    assertThat(queue.status().paused()).isEmpty();
  }

  // ---- boxes

  /** As GitHub does it when a person taps on a box. */
  private String ticks(String label, String by) throws InterruptedException {
    String before = home.issueBody(board).orElseThrow();
    return ticks(before, label, by);
  }

  private String ticks(String before, String label, String by) throws InterruptedException {
    String box =
        before.lines().filter(l -> l.startsWith("- [ ] ") && l.contains(label)).findFirst().get();
    home.editIssue(board, before.replace(box, box.replace("- [ ]", "- [x]")), by);
    return ran("issues", home.editEvent(board, before, by));
  }

  private void assertPaintedBack() throws Exception {
    assertThat(home.issueBody(board).orElseThrow())
        .contains("- [ ] ")
        .doesNotContain("- [x]")
        .contains("v=" + queue.status().version() + " ");
  }

  @Test
  void aTickIsCarriedOutAndPaintedBack() throws Exception {
    // Until now the board is as those who have joined left it.
    space.discussion().paint(queue.status());
    ticks("Pause", "ann");
    assertThat(queue.status().paused().orElseThrow().by()).isEqualTo("ann");
    assertPaintedBack();
    ticks("Resume", "ann");
    assertThat(queue.status().paused()).isEmpty();
    assertPaintedBack();
    ticks("<code>3</code>", "ann");
    assertThat(line()).containsExactly(3L, 2L, 4L);
    assertThat(last().who()).isEqualTo("ann");
    assertPaintedBack();
    ticks("Take the lock away", "ann");
    assertThat(queue.status().endOf(1).orElseThrow().event()).isEqualTo(HistoryEntry.Event.REVOKED);
    assertThat(queue.status().endOf(1).orElseThrow().note()).isEqualTo("by a box on the board");
    assertPaintedBack();
    assertThat(home.comments(board)).isEmpty();
  }

  @Test
  void aTickThatIsDeliveredAgainOrTooLateChangesNothing() throws Exception {
    space.discussion().paint(queue.status());
    String old = home.issueBody(board).orElseThrow();
    ticks(old, "Pause", "ann");
    String event = home.editEvent(board, old, "ann").replace("- [ ] x", "");
    ticks("Resume", "ann");
    QueueDocument before = queue.status();
    assertThat(ticks(old, "Pause", "ann")).contains("does not fit");
    assertThat(queue.status().paused()).isEmpty();
    assertPaintedBack();
    ran("issues", event);
    assertThat(queue.status().version()).isEqualTo(before.version());
  }

  @Test
  void aTickOfSomebodyWhoMayNotOrWithAnotherEditChangesNothing() throws Exception {
    space.discussion().paint(queue.status());
    QueueDocument before = queue.status();
    String body = home.issueBody(board).orElseThrow();
    assertThat(ticks("Pause", "eve")).contains("eve may not steer the queue");
    home.editIssue(board, body, "ann");
    assertThat(ticks("Pause", "robot[bot]")).contains("is no person");
    home.editIssue(board, body.replace("- [ ]", "- [x]") + "\nand more", "ann");
    assertThat(ran("issues", home.editEvent(board, body, "ann"))).contains("ticked no box");
    home.editIssue(board, body.replace("- [ ]", "- [x]"), "ann");
    assertThat(ran("issues", home.editEvent(board, body, "ann"))).contains("does not fit");
    assertThat(queue.status().version()).isEqualTo(before.version());
    assertPaintedBack();
  }

  /** With the token of a person, each painting starts the workflow. */
  @Test
  void aPaintingCausesNoRequest() throws Exception {
    space.discussion().paint(queue.status());
    String painted = home.issueBody(board).orElseThrow();
    queue.pause("bob", "");
    finishPainting();
    space.discussion().paint(queue.status());
    String event = home.editEvent(board, painted, "ann");
    sim.log().clear();
    assertThat(ran("issues", event)).contains("ticked no box");
    assertThat(sim.log().entries()).isEmpty();
  }
}
