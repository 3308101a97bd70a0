package dev.baton.vm;

import java.util.List;
import java.util.Optional;

/**
 * What a sweep has found, VM by VM.
 *
 * @param dryRun nothing was done about it
 */
public record SweepReport(boolean dryRun, List<Finding> findings) {

  public SweepReport {
    findings = List.copyOf(findings);
  }

  /** What a finding is about. */
  public enum Reason {
    /** In the cloud, and no state claims it. */
    UNCLAIMED,
    /** Was on the list of what is to be deleted. */
    CLEANUP,
    /** A destroy was interrupted. */
    INTERRUPTED_DESTROY,
    /** A VM of a job outlived its time. */
    EXPIRED,
    /** A deploy was interrupted; it is for its owner to continue or abandon it. */
    INTERRUPTED_DEPLOY,
    /** A resize was interrupted; it is for its owner to continue or abandon it. */
    INTERRUPTED_RESIZE,
    /** Somebody works on the VM. */
    BUSY,
    /** Too young to be judged. */
    TOO_YOUNG
  }

  /** What was done about it. */
  public enum Result {
    /** Dry run: it would be removed. */
    WOULD_REMOVE,
    REMOVED,
    /** It is none of a sweep's business. */
    LEFT_ALONE,
    FAILED
  }

  /**
   * One resource, or one VM, and what has become of it.
   *
   * @param kind empty: the whole VM
   * @param id the resource, or empty
   * @param note why, or what went wrong
   */
  public record Finding(
      VmName vm, Reason reason, Optional<Kind> kind, String id, Result result, String note) {}

  public List<Finding> with(Result result) {
    return findings.stream().filter(f -> f.result() == result).toList();
  }
}
