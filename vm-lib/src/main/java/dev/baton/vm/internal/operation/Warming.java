package dev.baton.vm.internal.operation;

import dev.baton.vm.Backup;
import dev.baton.vm.BuildVm.Disk;
import dev.baton.vm.DeploySpec;
import dev.baton.vm.Journal;
import dev.baton.vm.Kind;
import dev.baton.vm.Options;
import dev.baton.vm.Progress;
import dev.baton.vm.Questions;
import dev.baton.vm.Status;
import dev.baton.vm.VmException;
import dev.baton.vm.VmName;
import dev.baton.vm.VmState;
import dev.baton.vm.spi.ProviderException;
import dev.baton.vm.spi.WarmStarts;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * What VMs start from without booting. For each image, script and size, by their {@link
 * WarmStarts#key}, there is a VM of its own in the same space, {@code warm-KEY}:
 *
 * <ol>
 *   <li>It is deployed like any other, with a longest life, so that a sweep takes it down if nobody
 *       finishes it.
 *   <li>It is destroyed with a snapshot that has its memory too. From then on it is {@code
 *       destroyed}, and its backup is what copies start from.
 *   <li>It has a journal, a lock and an owner's mark as any VM has: whoever is killed leaves what
 *       the next one finishes, and it is listed, swept and removed as any VM is.
 * </ol>
 *
 * <p>What is in it grows old: after {@link #GOOD_FOR} it is made again, and a sweep removes it.
 *
 * <p>It is an optimisation. Whatever goes wrong with it, or if somebody else is at it, is told, and
 * the VM that was to start from it boots.
 */
final class Warming {

  /** What the names of such VMs begin with. */
  static final String PREFIX = "warm-";

  /** How long VMs start from one. */
  static final Duration GOOD_FOR = Duration.ofDays(7);

  private static final int KEY_LENGTH = 12;
  private static final Duration LIFE = Duration.ofHours(8);
  private static final int MOST_STEPS = 4;

  private final VmContext context;
  private final Calls calls;
  private final Progress progress;
  private Optional<String> trouble = Optional.empty();

  Warming(VmContext context, Calls calls, Progress progress) {
    this.context = context;
    this.calls = calls;
    this.progress = progress;
  }

  /** What went wrong, if there is nothing to start from. */
  Optional<String> trouble() {
    return trouble;
  }

  /**
   * The snapshot to start from, made if it is not there yet.
   *
   * @return empty: see {@link #trouble}
   */
  Optional<String> prepared(DeploySpec spec) throws InterruptedException {
    try {
      WarmStarts warm = context.provider().warmStarts().orElseThrow();
      String key = calls.retried(c -> warm.key(spec, c));
      if (!key.matches("[0-9a-f]{" + KEY_LENGTH + ",64}")) {
        throw new IllegalStateException("a provider's key for warm starts: " + key);
      }
      VmName name = new VmName(PREFIX + key.substring(0, KEY_LENGTH));
      return prepared(
          new VmContext(context.space(), context.provider(), context.client(), name), spec);
    } catch (ProviderException e) {
      trouble = Optional.of(e.what());
    } catch (VmException e) {
      trouble = Optional.of(e.what());
    }
    return Optional.empty();
  }

  private Optional<String> prepared(VmContext other, DeploySpec spec)
      throws VmException, ProviderException, InterruptedException {
    VmHandle vm = new VmHandle(other);
    Options options = Options.DEFAULT.asking(Questions.assumeYes()).telling(new Notes(other));
    DeploySpec original =
        new DeploySpec(
            spec.region(),
            spec.zone(),
            spec.instanceType(),
            spec.diskGb(),
            spec.image(),
            spec.publicKey(),
            spec.application(),
            Optional.of(LIFE),
            true);
    for (int i = 0; i < MOST_STEPS; i++) {
      Journal journal = other.file().read().journal();
      Optional<Backup> backup = journal.backup().filter(Backup::withMemory);
      if (journal.status().isEmpty() || journal.status().equals(Optional.of(Status.DEPLOYING))) {
        vm.deploy(original, options);
      } else if (journal.state().filter(VmState::instanceMissing).isPresent()) {
        vm.destroy(Disk.DROP, options);
      } else if (journal.status().equals(Optional.of(Status.RUNNING))) {
        vm.prepare(options);
      } else if (journal.status().equals(Optional.of(Status.DESTROYING))) {
        vm.destroy(Disk.KEEP, options);
      } else if (!journal.status().equals(Optional.of(Status.DESTROYED))) {
        trouble = Optional.of("VM " + other.name() + " is " + journal.status().get());
        return Optional.empty();
      } else if (backup.isPresent()
          && !isOld(backup.get(), other.file().now())
          && calls.describe(Kind.SNAPSHOT, backup.get().snapshotId()).isPresent()) {
        return backup.map(Backup::snapshotId);
      } else {
        vm.destroy(Disk.DROP, options);
      }
    }
    trouble = Optional.of("VM " + other.name() + " changes all the time");
    return Optional.empty();
  }

  /** Whether no VM starts from it any more. */
  static boolean isOld(Backup backup, Instant now) {
    return backup.withMemory() && backup.createdAt().plus(GOOD_FOR).isBefore(now);
  }

  /** Its steps are notes of the one step that they are part of. */
  private final class Notes implements Progress {
    private final VmContext other;

    private Notes(VmContext other) {
      this.other = other;
    }

    @Override
    public void started(Step step) {
      // It is told when it is done.
    }

    @Override
    public void finished(Step step, String result, Duration took) {
      progress.note(other.name() + ": " + step.name() + " " + result);
    }

    @Override
    public void note(String text) {
      progress.note(other.name() + ": " + text);
    }

    @Override
    public void waiting(String text) {
      progress.waiting(other.name() + ": " + text);
    }
  }
}
