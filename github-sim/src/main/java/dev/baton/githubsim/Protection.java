package dev.baton.githubsim;

/** How GitHub refuses a direct write to a branch that takes none. No retry cures it. */
public enum Protection {
  /** The older branch protection: {@code 409 Could not update file: …}. */
  BRANCH_RULE(409),
  /** A ruleset, {@code 409 Repository rule violations found}. */
  RULESET(409),
  /** A ruleset, the same words as a 422. */
  RULESET_UNPROCESSABLE(422);

  private static final String REASON = "Changes must be made through a pull request.";

  private final int contentsStatus;

  Protection(int contentsStatus) {
    this.contentsStatus = contentsStatus;
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

  private static String rules() {
    return "Repository rule violations found\n\n" + REASON + "\n\n";
  }
}
