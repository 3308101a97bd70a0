package dev.baton.vm;

import dev.baton.core.World;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * Keeps a VM of a job alive while somebody uses it. A task of its own moves the end of the VM, at
 * once when less than three quarters of its life are left, then every quarter of it: at least each
 * hour, at most each minute. A VM without an end, or that is gone, is let be.
 *
 * <p>Nothing is kept once this is closed, or its process has died: then the VM has the rest of its
 * life, and no more.
 */
public final class Keeper implements AutoCloseable {

  private static final Duration SHORTEST = Duration.ofMinutes(1);
  private static final Duration LONGEST = Duration.ofHours(1);
  private static final Duration AGAIN = Duration.ofMinutes(5);

  private final BuildVm vm;
  private final Duration atLeast;
  private final Consumer<String> warn;
  private final World.Signal end;
  private final World.Background task;
  private volatile boolean closed;
  private boolean warned;
  private boolean behind;
  private Duration quarter = SHORTEST;

  private Keeper(BuildVm vm, Duration atLeast, Consumer<String> warn, World world) {
    this.vm = vm;
    this.atLeast = atLeast;
    this.warn = Objects.requireNonNull(warn, "warn");
    this.end = world.newSignal();
    this.task = world.start("baton-vm-keeper-" + vm.name(), this::keep);
  }

  public static Keeper start(BuildVm vm, Duration atLeast, Consumer<String> warn, World world) {
    if (atLeast.isNegative()) {
      throw new IllegalArgumentException("atLeast must not be negative: " + atLeast);
    }
    return new Keeper(vm, atLeast, warn, world);
  }

  private void keep() {
    try {
      Duration wait = beat();
      while (!closed && !wait.isZero()) {
        end.await(wait);
        if (!closed) {
          wait = beat();
        }
      }
    } catch (InterruptedException e) {
      // Whoever uses the VM is on his way out.
      Thread.currentThread().interrupt();
    }
  }

  /** How long to wait for the next one; zero: there is nothing to keep. */
  private Duration beat() throws InterruptedException {
    try {
      BuildVm.Push push = vm.push(atLeast, behind);
      if (push.life().isEmpty()) {
        return Duration.ZERO;
      }
      quarter = bounded(push.life().get().dividedBy(4));
      if (push.result() == BuildVm.Push.Result.BUSY) {
        return shorter(quarter, AGAIN);
      }
      behind = false;
      return quarter;
    } catch (VmException e) {
      return failed(e.what());
    } catch (RuntimeException e) {
      return failed(e.toString());
    }
  }

  private Duration failed(String why) {
    // Perhaps the journal has the new end and the cloud has not.
    behind = true;
    if (!warned && !closed) {
      warned = true;
      warn.accept("The end of VM " + vm.name() + " cannot be moved, and is tried again: " + why);
    }
    return shorter(quarter, AGAIN);
  }

  private static Duration bounded(Duration time) {
    return time.compareTo(SHORTEST) < 0 ? SHORTEST : shorter(time, LONGEST);
  }

  private static Duration shorter(Duration a, Duration b) {
    return a.compareTo(b) < 0 ? a : b;
  }

  /** Lets the VM go on by itself. */
  @Override
  public void close() {
    closed = true;
    end.raise();
    try {
      task.join(Duration.ofSeconds(10));
    } catch (InterruptedException e) {
      // It ends all the same.
      Thread.currentThread().interrupt();
    }
  }
}
