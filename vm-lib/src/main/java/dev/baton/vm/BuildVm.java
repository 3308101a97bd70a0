package dev.baton.vm;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

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

  /**
   * Stops the instance so that it costs little. Where the cloud keeps its memory, a resume goes on
   * where it was.
   */
  Outcome suspend(Options options) throws VmException, InterruptedException;

  Outcome resume(Options options) throws VmException, InterruptedException;

  /**
   * Shuts the VM down: its disks are kept, its memory is not. Of one that is suspended, asks first.
   *
   * @throws VmException.Impossible where the cloud cannot do that apart from a suspend
   */
  Outcome stop(Options options) throws VmException, InterruptedException;

  /**
   * Boots a VM that was stopped.
   *
   * @throws VmException.Impossible where the cloud cannot do that apart from a resume
   */
  Outcome start(Options options) throws VmException, InterruptedException;

  /**
   * Gives the VM another size. One that runs is stopped and started for it; if it does not come up,
   * it gets its old size back and the operation fails.
   *
   * @param change {@link SizeChange#AS_BEFORE} goes on with one that was interrupted
   * @throws VmException.Impossible where the cloud cannot do that, or there is no such size
   */
  Outcome resize(SizeChange change, Options options) throws VmException, InterruptedException;

  /**
   * Gives a VM that is stopped a further disk: a new one, or one that was detached and kept.
   *
   * @param disk see {@link VmState.DataDisk}
   * @param gigabytes of a new one; empty: it is there
   * @throws VmException.Impossible where the cloud has no such disks
   */
  Outcome attach(String disk, Optional<Integer> gigabytes, Options options)
      throws VmException, InterruptedException;

  /**
   * Takes a further disk from a VM that is stopped.
   *
   * @param delete with all that is on it, after a yes; otherwise it is kept beside the VM, goes
   *     with it when that is destroyed without a snapshot, and can be attached again
   */
  Outcome detach(String disk, boolean delete, Options options)
      throws VmException, InterruptedException;

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

  /**
   * Needs no lock. Puts right the status that an interrupted suspend, resume, stop or start has
   * left.
   */
  StatusReport status() throws VmException, InterruptedException;

  /** The latest first. */
  List<HistoryRecord> history(int limit) throws VmException, InterruptedException;

  /**
   * What became of a {@link BuildVm#push}.
   *
   * @param life what it is given each time; empty: it has no end, or is no more
   */
  public record Push(Result result, Optional<Duration> life) {

    /** What was done. */
    public enum Result {
      /** It has its whole life before it again. */
      PUSHED,
      /** Enough of it is left. */
      ENOUGH_LEFT,
      /** Somebody works on the VM, or has just written. */
      BUSY,
      /** It does not run, or has no end. */
      NOT_MEANT
    }

    public Push {
      Objects.requireNonNull(result, "result");
      Objects.requireNonNull(life, "life");
    }
  }
}
