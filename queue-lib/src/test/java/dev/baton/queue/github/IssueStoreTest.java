package dev.baton.queue.github;

import static dev.baton.queue.github.Desk.written;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.core.BrokenDocumentException;
import dev.baton.core.json.PlainJson;
import dev.baton.githubsim.Fault;
import dev.baton.githubsim.Grant;
import dev.baton.githubsim.Staleness;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.Rules;
import dev.baton.queue.internal.board.Board;
import dev.baton.queue.internal.codec.DocumentCodec;
import dev.baton.store.Snapshot;
import dev.baton.store.StoreException;
import dev.baton.store.StoreSpace;
import dev.baton.store.Version;
import dev.baton.store.VersionedStore;
import dev.baton.store.WriteResult.Lost;
import dev.baton.store.WriteResult.Unknown;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A queue in the body of an issue. */
class IssueStoreTest {
  private static final String ONE = queue(1);
  private static final String TWO = queue(2);

  private final Desk desk = new Desk();
  private final int issue = desk.repository.openIssue("Queue", "for the builds", "ann");
  private final String path = "/repos/octo/app/issues/" + issue;
  private final GitHubSpace space = desk.open(Desk.SECRET, desk.issuePlace(issue));
  private final VersionedStore queue = space.document("queue");

  @AfterEach
  void close() {
    desk.close();
  }

  private static String queue(int slots) {
    return DocumentCodec.encode(
        QueueDocument.empty(QueueDocument.MODE_ISSUE, Rules.DEFAULT.withSlots(slots)));
  }

  @Test
  void anIssueWithoutADocumentIsAbsent() throws StoreException {
    assertThat(queue.read()).isEqualTo(Snapshot.ABSENT);
    assertThat(desk.asked()).containsExactly("GET " + path + " 200");
  }

  @Test
  void theDocumentIsWrittenBelowABoardAndReadBack() throws StoreException {
    Version one = written(queue, Version.ABSENT, ONE);

    assertThat(queue.read()).isEqualTo(Snapshot.of(one, ONE));
    assertThat(desk.repository.issueBody(issue))
        .hasValueSatisfying(
            body -> {
              assertThat(Board.isIntact(body)).isTrue();
              assertThat(body).contains(desk.place().webUrl() + "/octo/app/issues/" + issue);
            });
    Version two = written(queue, one, TWO);
    assertThat(desk.open(Desk.SECRET, desk.issuePlace(issue)).document("queue").read())
        .isEqualTo(Snapshot.of(two, TWO));
  }

  @Test
  void aWriteReadsComparesAndEdits() throws StoreException {
    Version one = written(queue, Version.ABSENT, ONE);
    written(desk.open(Desk.SECRET, desk.issuePlace(issue)).document("queue"), one, TWO);
    desk.asked();

    assertThat(queue.write(one, ONE, "late")).isEqualTo(new Lost());
    assertThat(queue.write(Version.ABSENT, ONE, "again")).isEqualTo(new Lost());

    assertThat(desk.asked()).containsExactly("GET " + path + " 200", "GET " + path + " 304");
  }

  @Test
  void aMachineThatSleepsBetweenLookingAndEditingEditsNothing() throws StoreException {
    Version one = written(queue, Version.ABSENT, ONE);
    GitHubSpace sleepy =
        desk.open(
            () -> {
              desk.world.sleepMachine(Duration.ofMinutes(1));
              return Desk.SECRET;
            },
            desk.issuePlace(issue));
    assertThat(sleepy.document("queue").write(one, TWO, "late")).isEqualTo(new Lost());
    assertThat(queue.read().content()).contains(ONE);
  }

  /** A copy that counts as fresh for a second after an edit would hide who came second. */
  @Test
  void anEditOfSomebodyElseInTheSameSecondIsSeen() throws StoreException {
    Version one = written(queue, Version.ABSENT, ONE);
    VersionedStore other = desk.open(Desk.SECRET, desk.issuePlace(issue)).document("queue");
    written(other, one, TWO);

    assertThat(queue.read().content()).contains(TWO);
  }

  @Test
  void theEditOfALostAnswerIsUnknownAndIsSentOnce() throws StoreException {
    desk.sim.failNext(1, r -> r.method().equals("PATCH"), new Fault.DroppedAfter());
    assertThat(queue.write(Version.ABSENT, ONE, "")).isInstanceOf(Unknown.class);
    assertThat(desk.asked()).containsExactly("GET " + path + " 200", "PATCH " + path + " 0");
    assertThat(queue.read().content()).contains(ONE);

    desk.sim.failNext(1, r -> r.method().equals("PATCH"), new Fault.Unavailable(502, false));
    assertThat(queue.write(queue.read().version(), TWO, "")).isInstanceOf(Unknown.class);
  }

  @ParameterizedTest
  @ValueSource(ints = {409, 422})
  void aRefusalInUnknownWordsLeavesAnEditOpen(int status) throws StoreException {
    Version one = written(queue, Version.ABSENT, ONE);
    desk.sim.failNext(
        1, r -> r.method().equals("PATCH"), Fault.Odd.saying(status, "Conflict", false));

    assertThat(queue.write(one, TWO, "")).isInstanceOf(Unknown.class);
    written(queue, one, TWO);
  }

  @ParameterizedTest
  @ValueSource(strings = {"{}", "{\"body\":null}", "{\"number\":7,\"body\":\"my notes\"}"})
  void anEditThatIsAnsweredWithAnotherIssueIsNotBelieved(String other) throws StoreException {
    Version one = written(queue, Version.ABSENT, ONE);
    desk.sim.failNext(1, r -> r.method().equals("PATCH"), new Fault.Odd(200, other, false));

    assertThat(queue.write(one, TWO, "")).isInstanceOf(Unknown.class);
    assertThat(queue.read().content()).contains(ONE);
    written(queue, one, TWO);
  }

  @Test
  void oneLookAtAnotherIssueIsNotBelieved() throws Throwable {
    written(queue, Version.ABSENT, ONE);
    QueueDocument shown = QueueDocument.empty(QueueDocument.MODE_CAS, Rules.DEFAULT);
    String board =
        Board.paint(IssueAccess.context(desk.place()), shown, DocumentCodec.encode(shown));
    String other = PlainJson.text(Map.of("body", board));
    desk.sim.failNext(1, r -> r.method().equals("GET"), new Fault.Odd(200, other, false));
    VersionedStore reader = desk.open(Desk.SECRET, desk.issuePlace(issue)).document("queue");

    assertThatThrownBy(reader::read).satisfies(GitStoreTest::isAskedAgain);
    assertThat(reader.read().content()).contains(ONE);

    desk.sim.failNext(100, r -> r.method().equals("GET"), new Fault.Odd(200, other, false));
    assertThatThrownBy(() -> desk.patiently(reader::read))
        .isInstanceOf(GitHubException.WrongMode.class);
  }

  @ParameterizedTest
  @ValueSource(ints = {301, 401, 403, 404, 410})
  void oneOddAnswerIsNotBelieved(int status) throws StoreException {
    Version one = written(queue, Version.ABSENT, ONE);
    Fault odd = Fault.Odd.saying(status, "No", false);
    desk.sim.failNext(1, r -> true, odd);
    assertThatThrownBy(queue::read).satisfies(GitStoreTest::isAskedAgain);
    desk.sim.failNext(1, r -> r.method().equals("PATCH"), odd);
    assertThatThrownBy(() -> queue.write(one, TWO, "")).satisfies(GitStoreTest::isAskedAgain);

    written(queue, one, TWO);
  }

  @Test
  void anOldAnswerLetsAWriteThroughWhichIsWhyTheLockSettles() throws StoreException {
    Version one = written(queue, Version.ABSENT, ONE);
    desk.pass(Duration.ofMinutes(1));
    desk.sim.staleness(Staleness.of(Duration.ofSeconds(15)));
    VersionedStore other = desk.open(Desk.SECRET, desk.issuePlace(issue)).document("queue");

    written(other, one, TWO);
    written(queue, one, queue(3));

    assertThat(space.settling())
        .contains(new StoreSpace.Settling(Duration.ofSeconds(15), Duration.ofSeconds(12)));
    assertThat(desk.open().settling()).isEmpty();
  }

  @Test
  void aPersonMayWriteAroundTheDocument() throws StoreException {
    Version one = written(queue, Version.ABSENT, ONE);
    String body = desk.repository.issueBody(issue).orElseThrow();
    desk.repository.editIssue(issue, "hello\r\n" + body.replace("\n", "\r\n") + "\r\nbye", "ann");

    assertThat(queue.read()).isEqualTo(Snapshot.of(one, ONE));
    written(queue, one, TWO);
  }

  @Test
  void aBoardWithoutADocumentIsAnotherMode() {
    QueueDocument d = Desk.emptyQueue(QueueDocument.MODE_CAS);
    desk.repository.editIssue(
        issue, Board.paint(IssueAccess.context(desk.place()), d, DocumentCodec.encode(d)), "ann");

    assertThatThrownBy(() -> desk.patiently(queue::read))
        .isInstanceOf(GitHubException.WrongMode.class)
        .hasMessageContaining("shows a queue but does not hold it")
        .satisfies(GitStoreTest::isPermanent);
    assertThatThrownBy(() -> queue.write(Version.ABSENT, ONE, ""))
        .isInstanceOf(GitHubException.WrongMode.class);
  }

  @Test
  void thereIsOneDocumentOnly() {
    VersionedStore other = space.document("beat-0");

    assertThatThrownBy(other::read)
        .satisfies(GitStoreTest::isPermanent)
        .hasMessageContaining("issue mode keeps one document");
    assertThatThrownBy(() -> other.write(Version.ABSENT, ONE, ""))
        .satisfies(GitStoreTest::isPermanent);
    assertThatThrownBy(() -> other.earlier(1)).satisfies(GitStoreTest::isPermanent);
    assertThatThrownBy(() -> other.setAside(Snapshot.ABSENT)).satisfies(GitStoreTest::isPermanent);
    assertThat(desk.asked()).isEmpty();
  }

  @Test
  void thePastIsInTheIssuesEditHistory() throws StoreException {
    written(queue, Version.ABSENT, ONE);

    assertThat(space.keepsHistory()).isFalse();
    assertThat(queue.earlier(10)).isEmpty();
    assertThat(queue.setAside(queue.read()))
        .isEqualTo("the edit history of " + desk.sim.baseUrl() + "/octo/app/issues/" + issue);
    assertThatThrownBy(() -> queue.setAside(Snapshot.ABSENT))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void whatIsNoDocumentOrTooLongIsRefusedBeforeItIsSent() {
    assertThatThrownBy(() -> queue.write(Version.ABSENT, "no JSON", ""))
        .isInstanceOf(BrokenDocumentException.class);
    assertThatThrownBy(() -> queue.write(Version.ABSENT, "x".repeat(40_001), ""))
        .satisfies(GitStoreTest::isPermanent)
        .hasMessageContaining("40001");
    assertThat(space.traits().maxLength()).isEqualTo(40_000);
    assertThat(desk.asked()).isEmpty();
  }

  @Test
  void aTokenThatMayOnlyReadIsToldWhatItLacks() throws StoreException {
    VersionedStore reader =
        desk.open(
                desk.workflowToken(Grant.ISSUES_READ, Grant.METADATA_READ), desk.issuePlace(issue))
            .document("queue");
    assertThat(reader.read()).isEqualTo(Snapshot.ABSENT);

    assertThatThrownBy(() -> desk.patiently(() -> reader.write(Version.ABSENT, ONE, "")))
        .isInstanceOf(GitHubException.MissingPermission.class)
        .hasMessageContaining("`issues: write`");
  }

  @Test
  void aQueueInAnIssueIsItsOwnBoard() {
    assertThatThrownBy(space::boardSite)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("its own board");
  }
}
