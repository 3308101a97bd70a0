package dev.baton.cli.queue;

import dev.baton.cli.terminal.Baton;
import dev.baton.client.queue.OpenQueue;
import dev.baton.queue.QueueException;
import dev.baton.store.StoreException;
import java.util.concurrent.Callable;
import picocli.CommandLine.ParentCommand;

/** A command that works on a queue. */
public abstract class QueueCommand implements Callable<Integer> {

  @ParentCommand public Baton baton;

  @Override
  public final Integer call() throws QueueException, StoreException, InterruptedException {
    check();
    try (OpenQueue open = baton.open(waits())) {
      return on(open);
    }
  }

  /** What can be told to be wrong before anything is asked of the store. */
  public void check() {}

  /** Whether it may take long, so that trouble with the store is to be told at once. */
  public boolean waits() {
    return false;
  }

  public abstract int on(OpenQueue open)
      throws QueueException, StoreException, InterruptedException;
}
