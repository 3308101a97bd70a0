package dev.baton.vm;

import java.time.Duration;
import java.util.List;

/**
 * One VM. Safe for use by several threads; any number of clients, in any number of processes and
 * machines, may use the same VM, and its lock lets one of them work at a time.
 *
 * <p>An operation that was killed, at whatever instruction, is finished by running it again. Every
 * operation leaves a record in the history, unless it was refused: then nothing was changed.
 */
public interface BuildVm {

  VmName name();

  /**
   * Creates what is missing: everything, the rest of a deploy that was interrupted, a VM from its
   * snapshot, or what was deleted by hand.
   */
  Outcome deploy(DeploySpec spec, Options options) throws VmException, InterruptedException;

  /** Stops the instance so that it costs little. */
  Outcome suspend(Options options) throws VmException, InterruptedException;

  Outcome resume(Options options) throws VmException, InterruptedException;

  /** What becomes of the disk of a VM that is destroyed. */
  enum Disk {
    /** It is kept as a snapshot, from which the VM can be deployed again. */
    KEEP,
    /** It goes, and so does a snapshot that was kept earlier. */
    DROP,
    /** Ask. */
    ASK
  }

  Outcome destroy(Disk disk, Options options) throws VmException, InterruptedException;

  /**
   * Gives up what was not finished: removes what a deploy has created, or lets a VM be that was
   * about to be destroyed.
   */
  Outcome abandon(Options options) throws VmException, InterruptedException;

  /**
   * Brings the VM down without its disk whatever its status is: destroy or abandon, whichever fits.
   * For whoever cleans up after a job.
   */
  Outcome takeDown(Options options) throws VmException, InterruptedException;

  /** Moves the end of a VM of a job: that long from now. */
  Outcome extend(Duration life, Options options) throws VmException, InterruptedException;

  /**
   * Gives a VM of a job that somebody uses its whole life again, when less than three quarters of
   * it are left. Takes no lock and leaves no record; where an operation is at work it does nothing.
   *
   * @param atLeast how long it must go on living, even if its longest life is shorter
   * @param anyway tell the cloud again whatever is left, since it may have missed the last time
   */
  Push push(Duration atLeast, boolean anyway) throws VmException, InterruptedException;

  /** Needs no lock. Puts right the status that an interrupted suspend or resume has left. */
  StatusReport status() throws VmException, InterruptedException;

  /** The latest first. */
  List<HistoryRecord> history(int limit) throws VmException, InterruptedException;
}
