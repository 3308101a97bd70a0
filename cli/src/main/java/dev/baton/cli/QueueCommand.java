package dev.baton.cli;

import dev.baton.queue.QueueException;
import dev.baton.queue.front.OpenQueue;
import dev.baton.store.StoreException;
import java.util.concurrent.Callable;
import picocli.CommandLine.ParentCommand;

/** A command that works on a queue. */
abstract class QueueCommand implements Callable<Integer> {

  @ParentCommand Baton baton;

  @Override
  public final Integer call() throws QueueException, StoreException, InterruptedException {
    check();
    try (OpenQueue open = baton.open(waits())) {
      return on(open);
    }
  }

  /** What can be told to be wrong before anything is asked of the store. */
  void check() {}

  /** Whether it may take long, so that trouble with the store is to be told at once. */
  boolean waits() {
    return false;
  }

  abstract int on(OpenQueue open) throws QueueException, StoreException, InterruptedException;
}
