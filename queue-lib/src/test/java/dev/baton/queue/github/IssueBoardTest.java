package dev.baton.queue.github;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.githubsim.Fault;
import dev.baton.githubsim.Grant;
import dev.baton.queue.BoardSite;
import dev.baton.queue.BoardSite.Sight;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.internal.board.Board;
import dev.baton.queue.internal.codec.DocumentCodec;
import dev.baton.store.StoreException;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An issue in which people see a queue. */
class IssueBoardTest {
  private static final QueueDocument QUEUE = Desk.emptyQueue(QueueDocument.MODE_CAS);
  private static final String JSON = DocumentCodec.encode(QUEUE);
  private static final String ISSUES = "/repos/octo/app/issues";

  private final Desk desk = new Desk();
  private final BoardSite site = desk.open().boardSite();

  @AfterEach
  void close() {
    desk.close();
  }

  private int issue(String body) {
    return desk.repository.openIssue("Baton queue: build", body, "ann");
  }

  // ---- opening

  @Test
  void aBoardIsMadeAndPaintedAtOnce() throws StoreException {
    long number = site.open(QUEUE, JSON);

    assertThat(desk.asked()).containsExactly("GET " + ISSUES + " 200", "POST " + ISSUES + " 201");
    assertThat(desk.repository.issueBody((int) number))
        .hasValueSatisfying(
            body -> {
              assertThat(Board.isIntact(body)).isTrue();
              assertThat(body).contains("/octo/app/blob/baton/build/queue.json");
            });
    assertThat(site.look(number)).isEqualTo(new Sight.Shows(QUEUE.version()));
  }

  @Test
  void whatAnEarlierAttemptHasLeftIsUsed() throws StoreException {
    long number = site.open(QUEUE, JSON);
    desk.repository.openIssue("Baton queue: build", "somebody's own", "eve");
    desk.repository.openIssue("Another", "<!-- baton-board -->", "eve");

    assertThat(desk.open().boardSite().open(QUEUE, JSON)).isEqualTo(number);
  }

  @Test
  void anIssueThatSomebodyHasPreparedIsUsed() throws StoreException {
    int prepared = issue("here please\n<!-- baton-board -->");

    assertThat(site.open(QUEUE, JSON)).isEqualTo(prepared);
    assertThat(desk.asked())
        .containsExactly("GET " + ISSUES + " 200", "PATCH " + ISSUES + "/" + prepared + " 200");
  }

  /** In a public repository everybody may open an issue, and edit what they have opened. */
  @Test
  void anIssueOfAnOutsiderIsNeverTheBoard() throws StoreException {
    int placeholder = byOutsider("<!-- baton-board -->");
    int painted = byOutsider(Board.paint(IssueAccess.context(desk.place()), QUEUE, JSON));

    long made = site.open(QUEUE, JSON);

    assertThat(made).isNotIn((long) placeholder, (long) painted);
    assertThat(desk.open().boardSite().open(QUEUE, JSON)).as("and later on").isEqualTo(made);
    assertThat(desk.repository.issueBody(placeholder)).contains("<!-- baton-board -->");
  }

  private int byOutsider(String body) {
    return desk.repository.openIssue("Baton queue: build", body, "eve");
  }

  @Test
  void whatAWorkflowHasLeftIsUsedByAPersonAndTheOtherWayRound() throws StoreException {
    BoardSite workflow =
        desk.open(desk.workflowToken(Grant.ISSUES_WRITE, Grant.METADATA_READ)).boardSite();
    byOutsider("<!-- baton-board -->");
    long number = workflow.open(QUEUE, JSON);

    assertThat(site.open(QUEUE, JSON)).isEqualTo(number);
    assertThat(workflow.open(QUEUE, JSON)).isEqualTo(number);
  }

  @Test
  void otherIssuesAreLeftAlone() throws StoreException {
    int closed = issue("<!-- baton-board -->");
    desk.repository.closeIssue(closed, "ann");
    int plain = issue("my own notes");
    int truth = issue(Board.paintTruth(IssueAccess.context(desk.issuePlace(1)), QUEUE, JSON));

    assertThat(site.open(QUEUE, JSON)).isNotIn((long) closed, (long) plain, (long) truth);
    assertThat(desk.repository.issueBody(plain)).contains("my own notes");
  }

  @Test
  void anIssueThatIsNamedIsUsedWhateverIsInIt() throws StoreException {
    int named = desk.repository.openIssue("Builds", "my own notes", "ann");
    assertThat(naming(named).open(QUEUE, JSON)).isEqualTo(named);
    assertThat(site.look(named)).isEqualTo(new Sight.Shows(QUEUE.version()));
  }

  @Test
  void aNamedIssueThatIsNotThereOrHoldsAQueueIsRefused() {
    BoardSite naming77 = naming(77);
    assertThatThrownBy(() -> desk.patiently(() -> naming77.open(QUEUE, JSON)))
        .isInstanceOf(GitHubException.NoSuchIssue.class)
        .hasMessageContaining("the issue 77 of octo/app is not there");
    String truth = Board.paintTruth(IssueAccess.context(desk.issuePlace(1)), QUEUE, JSON);
    int holder = issue(truth);
    assertThatThrownBy(() -> naming(holder).open(QUEUE, JSON))
        .isInstanceOf(GitHubException.WrongMode.class);
    assertThat(desk.repository.issueBody(holder)).contains(truth);
  }

  private BoardSite naming(long issue) {
    GitHubPlace place = desk.place();
    return desk.open(
            Desk.SECRET,
            new GitHubPlace(
                place.api(), place.repository(), place.queue(), GitHubPlace.Mode.GIT, issue))
        .boardSite();
  }

  @Test
  void onlyTheNewestHundredAreLookedThrough() throws StoreException {
    for (int i = 0; i < 120; i++) {
      desk.repository.openIssue("issue " + i, "", "ann");
    }
    site.open(QUEUE, JSON);

    assertThat(desk.asked()).containsExactly("GET " + ISSUES + " 200", "POST " + ISSUES + " 201");
  }

  // ---- painting

  @Test
  void paintingIsOneRequestAndLookingAtItIsFree() throws StoreException {
    int number = issue("");
    desk.asked();

    assertThat(site.paint(number, QUEUE, JSON)).isEqualTo(new Sight.Shows(QUEUE.version()));
    assertThat(site.look(number)).isEqualTo(new Sight.Shows(QUEUE.version()));
    assertThat(site.look(number)).isEqualTo(new Sight.Shows(QUEUE.version()));

    assertThat(desk.asked())
        .containsExactly(
            "PATCH " + ISSUES + "/" + number + " 200",
            "GET " + ISSUES + "/" + number + " 304",
            "GET " + ISSUES + "/" + number + " 304");
  }

  @Test
  void whatSomebodyHasEditedIsSeen() throws StoreException {
    int number = issue("");
    site.paint(number, QUEUE, JSON);
    site.look(number);
    desk.pass(Duration.ofSeconds(2));
    desk.repository.editIssue(number, "mine now", "eve");

    assertThat(site.look(number)).isEqualTo(new Sight.Other());
  }

  @Test
  void aLockedIssueIsPaintedAllTheSame() throws StoreException {
    int number = issue("");
    desk.repository.lockIssue(number);

    assertThat(site.paint(number, QUEUE, JSON)).isInstanceOf(Sight.Shows.class);
  }

  @Test
  void aBoardThatWasDeletedOrMovedIsGone() {
    int deleted = issue("");
    desk.repository.deleteIssue(deleted);
    int moved = issue("");
    desk.repository.moveIssue(moved, desk.sim.baseUrl() + "/repos/octo/other/issues/1");

    assertGone(deleted, "was deleted");
    assertGone(moved, "was moved to another repository");
    assertGone(4_711, "is not there");
  }

  private void assertGone(int number, String why) {
    Sight gone = new Sight.Gone("issue " + number + " " + why);
    assertThat(lasting(() -> site.paint(number, QUEUE, JSON))).isEqualTo(gone);
    assertThat(lasting(() -> site.look(number))).isEqualTo(gone);
  }

  private Sight lasting(Callable<Sight> look) {
    AtomicReference<Sight> seen = new AtomicReference<>();
    assertThatCode(() -> desk.patiently(() -> seen.set(look.call()))).doesNotThrowAnyException();
    return seen.get();
  }

  @ParameterizedTest
  @ValueSource(ints = {301, 404, 410})
  void oneOddAnswerTakesNoBoardAway(int status) throws StoreException {
    int number = issue("");
    site.paint(number, QUEUE, JSON);
    Fault odd = Fault.Odd.saying(status, "Gone", false);

    desk.sim.failNext(1, r -> true, odd);
    assertThatThrownBy(() -> site.look(number)).satisfies(GitStoreTest::isAskedAgain);
    desk.sim.failNext(1, r -> true, odd);
    assertThatThrownBy(() -> site.paint(number, QUEUE, JSON)).satisfies(GitStoreTest::isAskedAgain);

    assertThat(site.look(number)).isEqualTo(new Sight.Shows(QUEUE.version()));
  }

  @Test
  void oneOddAnswerAboutANamedIssueIsNotBelieved() throws StoreException {
    int named = desk.repository.openIssue("Builds", "my own notes", "ann");
    BoardSite naming = naming(named);
    desk.sim.failNext(1, r -> r.path().endsWith("/" + named), Fault.Odd.saying(404, "No", false));

    assertThatThrownBy(() -> naming.open(QUEUE, JSON)).satisfies(GitStoreTest::isAskedAgain);
    assertThat(naming.open(QUEUE, JSON)).isEqualTo(named);
  }

  @ParameterizedTest
  @ValueSource(ints = {401, 403, 404})
  void oneOddAnswerToAPaintingMeansNoMissingPermission(int status) {
    int number = issue("");
    desk.sim.failNext(1, r -> r.method().equals("PATCH"), Fault.Odd.saying(status, "No", false));

    assertThatThrownBy(() -> site.paint(number, QUEUE, JSON)).satisfies(GitStoreTest::isAskedAgain);
  }

  @Test
  void aTokenThatMayOnlyReadIsToldWhatItLacks() {
    int number = issue("");
    BoardSite reader =
        desk.open(desk.workflowToken(Grant.ISSUES_READ, Grant.METADATA_READ)).boardSite();

    assertThatThrownBy(() -> desk.patiently(() -> reader.paint(number, QUEUE, JSON)))
        .isInstanceOf(GitHubException.MissingPermission.class)
        .hasMessageContaining("`issues: write`");
    assertThatThrownBy(() -> desk.patiently(() -> reader.open(QUEUE, JSON)))
        .isInstanceOf(GitHubException.MissingPermission.class);
  }

  @Test
  void aQueueOfItsOwnIsNoBoard() {
    int number = issue(Board.paintTruth(IssueAccess.context(desk.issuePlace(1)), QUEUE, JSON));

    assertThatThrownBy(() -> site.look(number))
        .isInstanceOf(GitHubException.WrongMode.class)
        .hasMessageContaining("holds a queue of its own");
  }

  @Test
  void aPaintingThatFailsMayPass() {
    int number = issue("");
    desk.sim.failNext(1, r -> true, new Fault.Unavailable(502, true));
    assertThatThrownBy(() -> site.paint(number, QUEUE, JSON)).satisfies(GitStoreTest::isPassing);
    desk.sim.failNext(1, r -> true, new Fault.DroppedBefore());
    assertThatThrownBy(() -> site.paint(number, QUEUE, JSON)).satisfies(GitStoreTest::isPassing);
  }
}
