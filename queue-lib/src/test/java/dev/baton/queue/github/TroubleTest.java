package dev.baton.queue.github;

import static dev.baton.queue.github.Desk.QUEUE_FILE;
import static dev.baton.queue.github.Desk.written;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.githubsim.Grant;
import dev.baton.githubsim.Protection;
import dev.baton.githubsim.RepositoryName;
import dev.baton.githubsim.Token;
import dev.baton.queue.BoardSite;
import dev.baton.queue.RunRef;
import dev.baton.queue.RunStatus;
import dev.baton.store.StoreException;
import dev.baton.store.Version;
import dev.baton.store.VersionedStore;
import java.net.URI;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Everything that stays wrong until somebody does something, and what that somebody reads. */
class TroubleTest {
  private static final String EMPTY =
      "{\"message\":\"Git Repository is empty.\",\"status\":\"409\"}";

  private final Desk desk = new Desk();

  @AfterEach
  void close() {
    desk.close();
  }

  @Test
  void aWrongRepository() {
    VersionedStore queue =
        desk.open(Desk.SECRET, GitHubPlace.parse("github:octo/ap", URI.create(desk.sim.baseUrl())))
            .document("queue");

    assertThatThrownBy(() -> desk.patiently(queue::read))
        .isInstanceOf(GitHubException.NoSuchRepository.class)
        .hasMessageContaining("there is no repository octo/ap on " + desk.sim.baseUrl())
        .hasMessageContaining("or the token cannot see it")
        .satisfies(GitStoreTest::isPermanent);
    assertThatThrownBy(() -> desk.patiently(() -> queue.write(Version.ABSENT, "one", "")))
        .isInstanceOf(GitHubException.NoSuchRepository.class);
    assertThatThrownBy(
            () -> desk.patiently(() -> queue.write(new Version("0".repeat(40)), "one", "")))
        .isInstanceOf(GitHubException.NoSuchRepository.class);
  }

  /** Another repository that can be seen says nothing about this one. */
  @Test
  void aWrongRepositoryAfterALookAtAnother() {
    GitHubSpace space =
        desk.open(Desk.SECRET, GitHubPlace.parse("github:octo/ap", URI.create(desk.sim.baseUrl())));
    long run = desk.repository.startRun("ci", "ann", "build").id();
    assertThat(space.runStatus().of(new RunRef(Desk.REPOSITORY, run, 1, 0, "")))
        .isEqualTo(RunStatus.Answer.RUNNING);

    assertThatThrownBy(() -> desk.patiently(() -> space.document("queue").read()))
        .isInstanceOf(GitHubException.NoSuchRepository.class);
  }

  @Test
  void aTokenThatNobodyKnows() {
    VersionedStore queue = desk.open("wrong").document("queue");

    assertThatThrownBy(() -> desk.patiently(queue::read))
        .isInstanceOf(GitHubException.BadToken.class)
        .hasMessageContaining("wrong, has expired or was revoked")
        .hasMessageContaining("Make a new one")
        .satisfies(GitStoreTest::isPermanent);
    assertThatThrownBy(() -> desk.patiently(() -> queue.write(Version.ABSENT, "one", "")))
        .isInstanceOf(GitHubException.BadToken.class);
    assertThat(desk.asked()).as("and is not tried for long").hasSize(4);
  }

  @Test
  void aTokenThatIsRevokedMeanwhile() throws StoreException {
    VersionedStore queue = desk.open().document("queue");
    Version one = written(queue, Version.ABSENT, "one");
    desk.sim.revoke(Token.classic("ann", Desk.SECRET, Desk.REPOSITORY));

    assertThatThrownBy(() -> desk.patiently(() -> queue.write(one, "two", "")))
        .isInstanceOf(GitHubException.BadToken.class);
  }

  /** As a pull request from a fork has it. */
  @Test
  void aTokenThatMayOnlyRead() throws StoreException {
    Version one = written(desk.open().document("queue"), Version.ABSENT, "one");
    VersionedStore queue =
        desk.open(desk.workflowToken(Grant.CONTENTS_READ, Grant.METADATA_READ)).document("queue");
    assertThat(queue.read().content()).contains("one");
    desk.asked();

    assertThatThrownBy(() -> desk.patiently(() -> queue.write(one, "two", "")))
        .isInstanceOfSatisfying(
            GitHubException.MissingPermission.class,
            e -> assertThat(e.permission()).isEqualTo("contents: write"))
        .hasMessageContaining("Give it `contents: write`")
        .hasMessageContaining("Resource not accessible by integration")
        .hasMessageContaining("A pull request from a fork always has a read-only token")
        .satisfies(GitStoreTest::isPermanent);
    assertThat(desk.asked()).containsOnly("PUT " + QUEUE_FILE + " 403").hasSize(3);
  }

  @Test
  void aTokenThatMayNotEvenRead() {
    VersionedStore queue =
        desk.open(desk.workflowToken(Grant.ISSUES_READ, Grant.METADATA_READ)).document("queue");

    assertThatThrownBy(() -> desk.patiently(queue::read))
        .isInstanceOf(GitHubException.MissingPermission.class)
        .hasMessageContaining("contents: read");
  }

  /** A classic token is told "not found" where it must not write. */
  @Test
  void aClassicTokenThatMayOnlyRead() throws StoreException {
    Version one = written(desk.open().document("queue"), Version.ABSENT, "one");
    String secret = Desk.SECRET + "-reader";
    desk.sim.addToken(
        new Token(
            "reader",
            secret,
            "reader",
            Token.Kind.CLASSIC,
            Map.of(
                RepositoryName.of(Desk.REPOSITORY),
                Set.of(Grant.CONTENTS_READ, Grant.ISSUES_READ, Grant.METADATA_READ)),
            5_000,
            "reader"));
    GitHubSpace space = desk.open(secret);

    assertThatThrownBy(() -> desk.patiently(() -> space.document("queue").write(one, "two", "")))
        .isInstanceOf(GitHubException.MissingPermission.class)
        .hasMessageContaining("contents: write");
    assertThatThrownBy(
            () -> desk.patiently(() -> space.document("beat-0").write(Version.ABSENT, "x", "")))
        .isInstanceOf(GitHubException.MissingPermission.class)
        .hasMessageContaining("make the branch baton-side/build/beat-0");
    int issue = desk.repository.openIssue("t", "b", "ann");
    assertThatThrownBy(
            () ->
                desk.patiently(() -> space.boardSite().paint(issue, Desk.emptyQueue("cas"), "{}")))
        .isInstanceOf(GitHubException.MissingPermission.class)
        .hasMessageContaining("issues: write");
  }

  @Test
  void anArchivedRepository() throws StoreException {
    VersionedStore queue = desk.open().document("queue");
    Version one = written(queue, Version.ABSENT, "one");
    desk.repository.archive();

    assertThatThrownBy(() -> desk.patiently(() -> queue.write(one, "two", "")))
        .isInstanceOf(GitHubException.Archived.class)
        .hasMessageContaining("octo/app is archived")
        .satisfies(GitStoreTest::isPermanent);
    assertThat(queue.read().content()).contains("one");
  }

  @ParameterizedTest
  @EnumSource(
      value = Protection.class,
      mode = EnumSource.Mode.EXCLUDE,
      names = "NO_FORCE_PUSH") // it lets writes pass
  void aProtectedBranchIsTriedOnce(Protection how) throws StoreException {
    VersionedStore queue = desk.open().document("queue");
    Version one = written(queue, Version.ABSENT, "one");
    desk.repository.protect("baton/build", how);
    desk.asked();

    assertThatThrownBy(() -> desk.patiently(() -> queue.write(one, "two", "")))
        .isInstanceOf(GitHubException.ProtectedBranch.class)
        .hasMessageContaining("protects the branch baton/build")
        .hasMessageContaining("Exclude the branches baton/** and baton-side/**")
        .satisfies(GitStoreTest::isPermanent);
    assertThat(desk.asked()).hasSize(1);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "403 | Protected branch update failed for refs/heads/baton/build.",
        "422 | Cannot update this protected ref.",
        "409 | Repository rule violations found",
        "422 | Could not create file: Changes must be made through a pull request."
      })
  void everyWordingOfAProtectionIsUnderstood(int status, String said) {
    try (ScriptedServer server =
        new ScriptedServer().says(status, "{\"message\":\"" + said + "\"}")) {
      assertThatThrownBy(
              () ->
                  desk.patiently(
                      () ->
                          scripted(server)
                              .document("queue")
                              .write(new Version("0".repeat(40)), "x", "")))
          .isInstanceOf(GitHubException.ProtectedBranch.class)
          .hasMessageContaining(said);
    }
  }

  private GitHubSpace scripted(ScriptedServer server) {
    return desk.open(Desk.SECRET, GitHubPlace.parse("github:octo/app", server.api()));
  }

  @Test
  void aProtectedPatternKeepsTheBranchFromBeingMade() {
    desk.repository.protect("baton/build", Protection.RULESET);

    assertThatThrownBy(
            () ->
                desk.patiently(
                    () -> desk.open().document("queue").write(Version.ABSENT, "one", "")))
        .isInstanceOf(GitHubException.ProtectedBranch.class);
  }

  @Test
  void aRepositoryWithoutACommit() {
    try (ScriptedServer server =
        new ScriptedServer()
            .says(404, "{\"message\":\"Not Found\"}")
            .says(200, "{\"name\":\"app\"}")
            .says(409, EMPTY)
            .says(404, "{\"message\":\"Not Found\"}")
            .says(409, EMPTY)
            .says(404, "{\"message\":\"Not Found\"}")
            .says(409, EMPTY)) {
      VersionedStore queue = scripted(server).document("queue");
      assertThatThrownBy(() -> desk.patiently(() -> queue.write(Version.ABSENT, "one", "")))
          .isInstanceOf(GitHubException.Refused.class)
          .hasMessageContaining("has no commit yet. Push a first one");
    }
  }

  @Test
  void aRefusalByAProxyIsNotTakenForGitHubs() {
    try (ScriptedServer server =
        new ScriptedServer()
            .keepsSaying(403, "<html>blocked</html>", "Content-Type", "text/html")) {
      VersionedStore queue = scripted(server).document("queue");
      assertThatThrownBy(() -> desk.patiently(queue::read))
          .isInstanceOf(GitHubException.MissingPermission.class)
          .hasMessageContaining("is there a proxy in between?");
    }
  }

  @Test
  void wordsThatNobodyKnowsAreShownWithoutTheirTricks() {
    try (ScriptedServer server =
        new ScriptedServer()
            .keepsSaying(400, "{\"message\":\"Inv\\u00e4lid\\n\\u001b[31m \\\"request\\\"\"}")) {
      VersionedStore queue = scripted(server).document("queue");
      assertThatThrownBy(
              () -> desk.patiently(() -> queue.write(new Version("0".repeat(40)), "x", "")))
          .isInstanceOf(GitHubException.Refused.class)
          .hasMessageContaining("(400: Inv\u00e4lid [31m \"request\")");
    }
  }

  // ---- kept out by others than the repository

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "Resource protected by organization SAML enforcement. You must grant your OAuth token"
            + " access to this organization. | single sign-on | Configure SSO",
        "Although you appear to have the correct authorization credentials, the `octo` organization"
            + " has an IP allow list enabled, and your IP address is not permitted to access this"
            + " resource. | network addresses | add this machine's address to the IP allow list",
        "`octo` forbids access via a personal access token (classic). Please use a GitHub App,"
            + " OAuth App, or a personal access token with fine-grained permissions. | classic"
            + " personal access tokens | Use a fine-grained token",
        "The 'octo' organization forbids access via a fine-grained personal access tokens if the"
            + " token's lifetime is greater than 366 days. Please adjust your token's lifetime at"
            + " the following URL: https://github.com/settings/personal-access-tokens/1"
            + " | longer than the organization allows | Shorten the lifetime",
        "Although you appear to have the correct authorization credentials, the `octo` organization"
            + " has enabled OAuth App access restrictions, meaning that data access to"
            + " third-parties is limited. | has not approved the app | approve the app",
        "This installation has been suspended | the app that this token belongs to is suspended"
            + " | end the suspension",
        "Sorry. Your account was suspended. | the account that this token belongs to is suspended"
            + " | another account",
        "Repository access blocked | GitHub has blocked the repository | Ask its owner"
      })
  void whatMorePermissionsWouldNotChangeHasAdviceOfItsOwn(String said, String what, String next) {
    try (ScriptedServer server =
        new ScriptedServer().keepsSaying(403, "{\"message\":\"" + said + "\"}")) {
      VersionedStore queue = scripted(server).document("queue");
      assertThatThrownBy(() -> desk.patiently(queue::read))
          .isInstanceOfSatisfying(
              GitHubException.AccessBlocked.class,
              e -> {
                assertThat(e.what()).contains(what).endsWith("(GitHub says: " + said + ")");
                assertThat(e.next()).contains(next).doesNotContain("permissions:");
                assertThat(e).hasMessage(e.what() + ". " + e.next());
              });
    }
  }

  @Test
  void singleSignOnIsAlsoKnownByItsHeader() {
    try (ScriptedServer server =
        new ScriptedServer()
            .keepsSaying(
                403,
                "{\"message\":\"Forbidden\"}",
                "X-GitHub-SSO",
                "required; url=https://github.com/orgs/octo/sso?authorization_request=A1")) {
      VersionedStore queue = scripted(server).document("queue");
      assertThatThrownBy(() -> desk.patiently(queue::read))
          .isInstanceOf(GitHubException.AccessBlocked.class)
          .hasMessageContaining("Configure SSO")
          .hasMessageNotContaining("authorization_request");
    }
  }

  // ---- issues

  @Test
  void noSuchIssue() {
    VersionedStore queue = desk.open(Desk.SECRET, desk.issuePlace(99)).document("queue");

    assertThatThrownBy(() -> desk.patiently(queue::read))
        .isInstanceOf(GitHubException.NoSuchIssue.class)
        .hasMessageContaining("the issue 99 of octo/app is not there")
        .satisfies(GitStoreTest::isPermanent);
  }

  @Test
  void anIssueThatWasDeletedOrMoved() {
    int deleted = desk.repository.openIssue("t", "", "ann");
    desk.repository.deleteIssue(deleted);
    int moved = desk.repository.openIssue("t", "", "ann");
    desk.repository.moveIssue(moved, desk.sim.baseUrl() + "/repos/octo/other/issues/1");
    VersionedStore inDeleted = desk.open(Desk.SECRET, desk.issuePlace(deleted)).document("queue");
    VersionedStore inMoved = desk.open(Desk.SECRET, desk.issuePlace(moved)).document("queue");

    assertThatThrownBy(() -> desk.patiently(inDeleted::read))
        .isInstanceOf(GitHubException.NoSuchIssue.class)
        .hasMessageContaining("was deleted");
    assertThatThrownBy(() -> desk.patiently(inMoved::read))
        .isInstanceOf(GitHubException.NoSuchIssue.class)
        .hasMessageContaining("was moved to another repository");
  }

  @Test
  void issuesThatAreDisabled() {
    int issue = desk.repository.openIssue("t", "", "ann");
    desk.repository.issuesEnabled(false);
    VersionedStore queue = desk.open(Desk.SECRET, desk.issuePlace(issue)).document("queue");
    BoardSite site = desk.open().boardSite();

    assertThatThrownBy(() -> desk.patiently(queue::read))
        .isInstanceOf(GitHubException.IssuesDisabled.class)
        .hasMessageContaining("Enable them in its settings");
    assertThatThrownBy(() -> desk.patiently(() -> site.open(Desk.emptyQueue("cas"), "{}")))
        .isInstanceOf(GitHubException.IssuesDisabled.class);
    assertThatThrownBy(() -> desk.patiently(() -> site.paint(issue, Desk.emptyQueue("cas"), "{}")))
        .isInstanceOf(GitHubException.IssuesDisabled.class);
  }
}
