package dev.baton.plugin.bridge;

import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * What a build plugin asks of build VMs. A VM is given as what the build file says about it, those
 * that are set of {@code vm}, {@code vm-store}, {@code cloud}, {@code region}, {@code zone}, {@code
 * type}, {@code disk}, {@code image}, {@code public-key}, {@code script}, {@code max-life}, {@code
 * keep-snapshot}, and {@link QueueTexts#DIRECTORY} and {@link QueueTexts#EXTENSIONS}. A script may
 * hold a secret: these texts are not for logs. Every method may throw {@link EngineFailure}.
 */
public interface VmEngine {

  /** The class that implements this, with a constructor that takes a {@link BuildTool}. */
  String IMPLEMENTATION = "dev.baton.plugin.engine.ClientVmEngine";

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

  /** What came of it. */
  final class Result {

    private final String text;
    private final String ip;

    public Result(String text, String ip) {
      this.text = Objects.requireNonNull(text, "text");
      this.ip = Objects.requireNonNull(ip, "ip");
    }

    /** For people. */
    public String text() {
      return text;
    }

    /** Empty when it has none. */
    public String ip() {
      return ip;
    }
  }

  /**
   * @param say told a line for each step
   */
  Result run(Operation operation, Map<String, String> vm, Consumer<String> say)
      throws InterruptedException;

  /** Moves the end of its life while this build uses it: to be closed when it does not any more. */
  Keeping keep(Map<String, String> vm, Consumer<String> warn);

  /** A VM that is in use. */
  interface Keeping extends AutoCloseable {

    /** To be called when this build may have got a lock: a VM lives no shorter than its lease. */
    void lookAtLocks();

    @Override
    void close();
  }

  String status(Map<String, String> vm) throws InterruptedException;

  /**
   * @param remove false: only say what would be removed
   */
  String sweep(Map<String, String> vm, boolean remove, Consumer<String> say)
      throws InterruptedException;
}
