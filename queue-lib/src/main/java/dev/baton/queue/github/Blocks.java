package dev.baton.queue.github;

import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Refusals (403) that have nothing to do with the permissions of a token: policies of organizations
 * and enterprises, and suspensions. Each has advice of its own.
 */
final class Blocks {

  /** What a refusal says. */
  private record Said(String words, boolean isAboutSso) {
    boolean says(String some) {
      return Texts.containsIgnoringCase(words, some);
    }
  }

  private record Block(Predicate<Said> is, String what, String next) {}

  private static final List<Block> ALL =
      List.of(
          new Block(
              r -> r.isAboutSso() || r.says("SAML"),
              "the organization lets tokens in only after single sign-on",
              "Authorize this token for the organization: on GitHub under Settings, Developer"
                  + " settings, beside the token, Configure SSO. A workflow's own token and an"
                  + " app's do not need that."),
          new Block(
              r -> r.says("IP allow list"),
              "the organization lets in only known network addresses, and this machine's is not"
                  + " among them",
              "Work from an allowed network (VPN, self-hosted runner), or ask an owner of the"
                  + " organization to add this machine's address to the IP allow list. Another"
                  + " token does not help."),
          new Block(
              r -> r.says("forbids access via") && r.says("classic"),
              "the organization does not let in classic personal access tokens",
              "Use a fine-grained token, an app's token, or in a workflow its GITHUB_TOKEN."),
          new Block(
              r -> r.says("forbids access via") && r.says("lifetime"),
              "the token is valid for longer than the organization allows",
              "Shorten the lifetime in the token's settings, or make a new token that expires"
                  + " sooner."),
          new Block(
              r -> r.says("forbids access via"),
              "the organization does not let in tokens of this kind",
              "Use an app's token, or in a workflow its GITHUB_TOKEN; or ask an owner of the"
                  + " organization which tokens it allows."),
          new Block(
              r -> r.says("OAuth App access restrictions"),
              "the organization has not approved the app that this token comes from",
              "Ask an owner of the organization to approve the app (the GitHub CLI is one), or use"
                  + " a fine-grained token."),
          new Block(
              r -> r.says("suspended") && r.says("installation"),
              "the app that this token belongs to is suspended",
              "Let an owner end the suspension in the settings of the organization or repository,"
                  + " under GitHub Apps, or use another token."),
          new Block(
              r -> r.says("suspended"),
              "the account that this token belongs to is suspended",
              "Use the token of another account, or contact GitHub's support."),
          new Block(
              r -> r.says("access blocked"),
              "GitHub has blocked the repository",
              "Ask its owner: GitHub has told them why. Or keep the queue in another repository."));

  private Blocks() {}

  static Optional<GitHubException.AccessBlocked> find(WireFailure.Refused r) {
    return find(new Said(r.said(), r.isAboutSso()))
        .map(block -> new GitHubException.AccessBlocked(block.what(), r.said(), block.next()));
  }

  /** Whether these words are about one of these. */
  static boolean isNamedIn(String said) {
    return find(new Said(said, false)).isPresent();
  }

  private static Optional<Block> find(Said said) {
    return ALL.stream().filter(block -> block.is().test(said)).findFirst();
  }
}
