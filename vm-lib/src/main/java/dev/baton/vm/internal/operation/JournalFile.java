package dev.baton.vm.internal.operation;

import dev.baton.core.BrokenDocumentException;
import dev.baton.core.UnknownFormatException;
import dev.baton.store.Snapshot;
import dev.baton.store.StoreException;
import dev.baton.store.Version;
import dev.baton.store.VersionedStore;
import dev.baton.store.WriteResult;
import dev.baton.vm.Journal;
import dev.baton.vm.VmException;
import dev.baton.vm.VmName;
import dev.baton.vm.VmState;
import dev.baton.vm.internal.codec.VmCodec;
import dev.baton.vm.spi.VmSpace;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/**
 * The journal of one VM as the store has it. Failures that may pass are tried again a few times;
 * what is left of them is a {@link VmException.StoreFailed}.
 */
public final class JournalFile {

  /** A journal as it was read; empty where there was none. */
  public record Loaded(Journal journal, Version version) {}

  private final VmSpace space;
  private final VmName name;
  private final VersionedStore store;
  private final Pauses pauses;
  private final int attempts;

  private JournalFile(VmSpace space, VmName name, Pauses pauses, int attempts) {
    this.space = space;
    this.name = name;
    this.store = space.journal(name);
    this.pauses = pauses;
    this.attempts = attempts;
  }

  static JournalFile patient(VmSpace space, VmName name, Pauses pauses) {
    return new JournalFile(space, name, pauses, Pauses.ATTEMPTS);
  }

  /** Tries but once, for those who come again anyway and must not keep others waiting. */
  JournalFile once() {
    return new JournalFile(space, name, pauses, 1);
  }

  Instant now() throws VmException, InterruptedException {
    return retried("ask the time of", () -> space.now().truncatedTo(ChronoUnit.MILLIS));
  }

  public Loaded read() throws VmException, InterruptedException {
    Snapshot snapshot = retried("read", store::read);
    if (snapshot.content().isEmpty()) {
      refuseForeignState();
      return new Loaded(Journal.empty(name), Version.ABSENT);
    }
    String where = "the journal of VM " + name + " in " + space.location();
    try {
      Journal journal = VmCodec.decode(snapshot.content().get());
      if (!journal.name().equals(name)) {
        throw new VmException.BrokenState(
            where, "it is that of VM " + journal.name(), "Put the right one back.");
      }
      return new Loaded(journal, snapshot.version());
    } catch (UnknownFormatException e) {
      throw new VmException.NewerFormat(where, e.getMessage(), Journal.LATER_FORMAT);
    } catch (BrokenDocumentException e) {
      throw new VmException.BrokenState(
          where,
          e.getMessage(),
          "Nothing was changed. Put back an earlier copy of it, or repair it by hand; state.json"
              + " beside it tells what the VM consisted of.");
    }
  }

  /** A state without a journal is somebody else's, and it must not be overwritten. */
  private void refuseForeignState() throws VmException, InterruptedException {
    Optional<String> state = retried("read", () -> space.get(name, Publisher.STATE));
    if (state.isEmpty()) {
      return;
    }
    String where = Publisher.STATE + " of VM " + name + " in " + space.location();
    try {
      VmCodec.inspectForeign(state.get());
    } catch (UnknownFormatException e) {
      throw new VmException.NewerFormat(where, e.getMessage(), VmState.LATER_FORMAT);
    } catch (BrokenDocumentException e) {
      throw new VmException.BrokenState(
          where,
          e.getMessage(),
          "Nothing was changed. Repair it, or move it away if nothing in the cloud belongs to it.");
    }
    throw new VmException.ForeignState(where);
  }

  /**
   * Compare-and-set. Where nobody can tell whether it was written, the document itself can: no two
   * writes have the same content.
   *
   * @return empty: somebody else has written
   */
  Optional<Version> write(Version expected, Journal next, String message)
      throws VmException, InterruptedException {
    String text = VmCodec.encode(next);
    for (int attempt = 1; ; attempt++) {
      WriteResult result = retried("write", () -> store.write(expected, text, message));
      if (result instanceof WriteResult.Written written) {
        return Optional.of(written.version());
      }
      Snapshot now = retried("read", store::read);
      if (now.content().equals(Optional.of(text))) {
        return Optional.of(now.version());
      }
      if (result instanceof WriteResult.Lost || !now.version().equals(expected)) {
        return Optional.empty();
      }
      if (attempt >= attempts) {
        throw new VmException.StoreFailed(
            "it is unknown whether the state of VM "
                + name
                + " was written to "
                + space.location()
                + ": "
                + ((WriteResult.Unknown) result).reason(),
            "What was created is kept. Run the same command again.",
            null);
      }
      pauses.backOff(attempt, Optional.empty());
    }
  }

  interface Access<T> {
    T run() throws StoreException;
  }

  private <T> T retried(String doing, Access<T> access) throws VmException, InterruptedException {
    for (int attempt = 1; ; attempt++) {
      try {
        return access.run();
      } catch (StoreException e) {
        if (!e.isRetryable() || attempt >= attempts) {
          throw new VmException.StoreFailed(
              e.problem()
                  .within("cannot " + doing + " the state of VM " + name + ": ")
                  .then(
                      "What was created is kept. Run the same command again when "
                          + space.location()
                          + " can be used."),
              e);
        }
        pauses.backOff(attempt, e.retryAfter());
      }
    }
  }
}
