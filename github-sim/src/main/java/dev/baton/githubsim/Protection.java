package dev.baton.githubsim;

/** How GitHub refuses a write to a branch that a rule protects. No retry cures it. */
public enum Protection {
  /** The older branch protection: {@code 409 Could not update file: …}. */
  BRANCH_RULE(409),
  /** A ruleset, {@code 409 Repository rule violations found}. */
  RULESET(409),
  /** A ruleset, the same words as a 422. */
  RULESET_UNPROCESSABLE(422),
  /** A ruleset that blocks force pushes, and nothing else. */
  NO_FORCE_PUSH(409);

  private static final String REASON = "Changes must be made through a pull request.";

  private final int contentsStatus;

  Protection(int contentsStatus) {
    this.contentsStatus = contentsStatus;
  }

  /**
   * @param forced whether commits are left behind
   */
  boolean stops(boolean forced) {
    return forced || this != NO_FORCE_PUSH;
  }

  <T> Outcome<T> ofFile() {
    return Outcome.refused(
        contentsStatus, this == BRANCH_RULE ? "Could not update file: " + REASON : rules());
  }

  <T> Outcome<T> ofRef() {
    return Outcome.refused(422, textOfRef());
  }

  String textOfRef() {
    return this == BRANCH_RULE ? REASON : rules();
  }

  private String rules() {
    String rule = this == NO_FORCE_PUSH ? "Cannot force-push to this branch" : REASON;
    return "Repository rule violations found\n\n" + rule + "\n\n";
  }
}
