package dev.baton.cli.state;

import dev.baton.cli.terminal.Baton;
import dev.baton.cli.terminal.CliException;
import dev.baton.cli.terminal.ExitCode;
import dev.baton.cli.terminal.InertStream;
import dev.baton.cli.terminal.LockOptions;
import dev.baton.client.queue.OpenQueue;
import dev.baton.client.settings.Setting;
import dev.baton.client.state.OuterStateLock;
import dev.baton.client.state.StateClient;
import dev.baton.queue.QueueException;
import dev.baton.state.LockKey;
import dev.baton.state.StateException;
import dev.baton.store.StoreException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** {@code baton state}: what its commands have in common. */
@Command(
    name = "state",
    description = {
      "States of deployments, saved only under a live lock and by its newest token.",
      "The lock of a deployment is a queue: baton run --queue stack:STACK:env:ENVIRONMENT.",
    },
    footer = {
      "  baton init --queue stack:shop:env:production",
      "  baton run --queue stack:shop:env:production -- ./deploy.sh",
      "  baton state show --stack shop --environment production",
      "  baton state locks --stack shop --environment production",
      "  baton state history --stack shop --environment production",
    },
    subcommands = {
      StateShowCommand.class,
      StateSaveCommand.class,
      StateHistoryCommand.class,
      StateBackupCommand.class,
      StateRestoreCommand.class,
      StateLocksCommand.class,
    })
public final class StateCommand implements Callable<Integer> {

  @ParentCommand Baton baton;

  @Spec CommandSpec spec;

  @Option(
      names = "--state-store",
      paramLabel = "URL",
      scope = ScopeType.INHERIT,
      description = "where the states are: ${bundle:state-stores}; default: this user's own")
  String store;

  @Override
  public Integer call() {
    spec.commandLine().usage(InertStream.past(baton.shell().err()));
    return ExitCode.USAGE.code;
  }

  StateClient open() {
    baton.showNoLog();
    baton.set(Setting.STATE_STORE, store);
    return StateClient.open(baton.settings(), baton.host());
  }

  /** One of them. */
  abstract static class Sub implements Callable<Integer> {

    @ParentCommand StateCommand parent;

    @Mixin LockOptions lock;

    @Override
    public final Integer call()
        throws StateException, QueueException, StoreException, InterruptedException {
      check();
      try (StateClient client = parent.open()) {
        return on(client);
      }
    }

    /** What can be told to be wrong before anything is asked. */
    void check() {
      // The lock of a deployment is its queue, whatever the environment says.
      baton().set(Setting.QUEUE, lock.required().text());
    }

    abstract int on(StateClient client)
        throws StateException, QueueException, StoreException, InterruptedException;

    Baton baton() {
      return parent.baton;
    }

    LockKey key() {
      return lock.required();
    }

    /** Work on the queue that is the lock. */
    interface Locked {
      int run(OuterStateLock held) throws StateException, QueueException, InterruptedException;
    }

    /** Under the lock that this process was started under. */
    int underLock(boolean replacesQueue, Locked work)
        throws StateException, QueueException, InterruptedException {
      try (OpenQueue open = openQueue()) {
        return work.run(OuterStateLock.proven(key(), open, baton().host(), replacesQueue));
      }
    }

    OpenQueue openQueue() {
      OpenQueue open = baton().open(false);
      if (!open.place().queue().equals(key().queueName())) {
        open.close();
        throw CliException.usage(
            "--queue names another queue than the lock " + key(), "Leave out --queue.");
      }
      return open;
    }
  }
}
