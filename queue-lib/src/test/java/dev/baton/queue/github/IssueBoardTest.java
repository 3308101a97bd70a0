package dev.baton.queue.github;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.githubsim.Fault;
import dev.baton.githubsim.Grant;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.board.Board;
import dev.baton.queue.codec.DocumentCodec;
import dev.baton.queue.engine.BoardSite;
import dev.baton.queue.engine.BoardSite.Sight;
import dev.baton.store.StoreException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

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
    assertThatThrownBy(() -> naming(77).open(QUEUE, JSON))
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
  void aBoardThatWasDeletedOrMovedIsGone() throws StoreException {
    int deleted = issue("");
    desk.repository.deleteIssue(deleted);
    int moved = issue("");
    desk.repository.moveIssue(moved, desk.sim.baseUrl() + "/repos/octo/other/issues/1");

    assertThat(site.paint(deleted, QUEUE, JSON))
        .isEqualTo(new Sight.Gone("issue " + deleted + " was deleted"));
    assertThat(site.look(deleted)).isInstanceOf(Sight.Gone.class);
    assertThat(site.paint(moved, QUEUE, JSON))
        .isEqualTo(new Sight.Gone("issue " + moved + " was moved to another repository"));
    assertThat(site.look(moved)).isInstanceOf(Sight.Gone.class);
    assertThat(site.paint(4_711, QUEUE, JSON)).isEqualTo(new Sight.Gone("issue 4711 is not there"));
    assertThat(site.look(4_711)).isInstanceOf(Sight.Gone.class);
  }

  @Test
  void aTokenThatMayOnlyReadIsToldWhatItLacks() {
    int number = issue("");
    BoardSite reader =
        desk.open(desk.workflowToken(Grant.ISSUES_READ, Grant.METADATA_READ)).boardSite();

    assertThatThrownBy(() -> reader.paint(number, QUEUE, JSON))
        .isInstanceOf(GitHubException.MissingPermission.class)
        .hasMessageContaining("`issues: write`");
    assertThatThrownBy(() -> reader.open(QUEUE, JSON))
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
