package dev.baton.gradle.internal.bridge;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;

/** What the plugin asks of build VMs. Every method may throw {@link EngineFailure}. */
public interface VmEngine {

  /** The class that implements this, with a constructor without arguments. */
  String IMPLEMENTATION = "dev.baton.gradle.engine.ClientVmEngine";

  /** What can be done to a VM. */
  enum Operation {
    DEPLOY,
    SUSPEND,
    RESUME,
    /** Leaves no disk, unless {@code keep-snapshot} is set. */
    DESTROY,
    /** Destroy or abandon, whichever fits, also from somebody who is at work. */
    TAKE_DOWN
  }

  /**
   * Which VM, and what is asked of it.
   *
   * @param settings what the build file says, those that are set: {@code vm}, {@code vm-store},
   *     {@code cloud}, {@code region}, {@code zone}, {@code type}, {@code disk}, {@code image},
   *     {@code public-key}, {@code script}, {@code max-life}, {@code keep-snapshot}
   * @param environment of the build
   * @param directory where relative paths start
   * @param extensions jars with further kinds of clouds and of places for states, if it needs them
   */
  record Vm(
      Map<String, String> settings,
      Map<String, String> environment,
      Path directory,
      List<Path> extensions) {
    public Vm {
      settings = Map.copyOf(settings);
      environment = Map.copyOf(environment);
      Objects.requireNonNull(directory, "directory");
      extensions = List.copyOf(extensions);
    }

    @Override
    public String toString() {
      // A script may hold a secret.
      return "Vm[" + settings.getOrDefault("vm", "") + "]";
    }
  }

  /**
   * What came of it.
   *
   * @param text for people
   * @param ip empty when it has none
   */
  record Result(String text, String ip) {}

  /**
   * @param say told a line for each step
   */
  Result run(Operation operation, Vm vm, Consumer<String> say) throws InterruptedException;

  /** Moves the end of its life while this build uses it: to be closed when it does not any more. */
  Keeping keep(Vm vm, Consumer<String> warn);

  /** A VM that is in use. */
  interface Keeping extends AutoCloseable {

    /** To be called when this build may have got a lock: a VM lives no shorter than its lease. */
    void lookAtLocks();

    @Override
    void close();
  }

  String status(Vm vm) throws InterruptedException;

  /**
   * @param remove false: only say what would be removed
   */
  String sweep(Vm vm, boolean remove, Consumer<String> say) throws InterruptedException;
}
