package dev.baton.qemu.node;

import java.time.Duration;
import java.util.Map;

/** A connection to the monitor of one QEMU process. Safe for use by several threads. */
public interface Monitor extends AutoCloseable {

  /**
   * Runs a command of QMP.
   *
   * @return what came back, as plain values
   * @throws NodeException {@code BROKEN} when QEMU refuses, with its words; {@code SILENT} when it
   *     does not answer in time; {@code MISSING} when the connection, and most likely QEMU, is gone
   */
  Object execute(String command, Map<String, ?> arguments, Duration patience)
      throws NodeException, InterruptedException;

  /**
   * Waits for something to happen in QEMU: any event, also one that came since the last call.
   *
   * @return false: the time was over first
   */
  boolean awaitEvent(Duration atMost) throws InterruptedException;

  /** Whether the connection still stands, as far as this end can tell. */
  boolean isOpen();

  @Override
  void close();
}
