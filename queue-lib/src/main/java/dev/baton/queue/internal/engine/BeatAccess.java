package dev.baton.queue.internal.engine;

import dev.baton.core.DocumentException;
import dev.baton.core.World;
import dev.baton.queue.BeatDocument;
import dev.baton.queue.internal.codec.DocumentCodec;
import dev.baton.queue.internal.protocol.Beats;
import dev.baton.store.Snapshot;
import dev.baton.store.StoreException;
import dev.baton.store.StoreSpace;
import dev.baton.store.Version;
import dev.baton.store.VersionedStore;
import dev.baton.store.WriteResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The heartbeat document of one slot. */
final class BeatAccess {

  /**
   * A heartbeat as it was read.
   *
   * @param document empty when it is missing or cannot be read: then nothing can be proved by it
   */
  record Loaded(Optional<BeatDocument> document, Version version) {

    boolean isBroken() {
      return document.isEmpty() && !version.isAbsent();
    }

    /** The greatest token that it knows of; empty when it is missing or cannot be read. */
    Optional<Long> highestToken() {
      return document.map(BeatDocument::highestToken);
    }

    /** Of the holder that beat last, if it is not known to be over; 0 for none. */
    long beatingToken() {
      return document.filter(d -> d.token() > d.killed()).map(BeatDocument::token).orElse(0L);
    }

    boolean isKilled(long token) {
      return document.filter(d -> d.killed() >= token).isPresent();
    }
  }

  /** More beats than a holder sends between two looks of the next in line. */
  private static final int GUESSES = 6;

  /** Each of them may cost a request. */
  private static final int EARLIER_TRIED = 3;

  private static final Version EARLIER = new Version("earlier");

  /** Two clients that make a document in the same millisecond draw lots. */
  private static final long UNIQUE = 1_000;

  private final int slot;
  private final VersionedStore store;
  private Loaded newest;

  BeatAccess(StoreSpace space, int slot) {
    this(slot, space.document("beat-" + slot));
  }

  private BeatAccess(int slot, VersionedStore store) {
    this.slot = slot;
    this.store = store;
  }

  /** The heartbeat of a lock that is held: it cannot wait. */
  static BeatAccess ofHolder(StoreSpace space, int slot) {
    return new BeatAccess(slot, space.document("beat-" + slot).urgent());
  }

  /** Never goes back: an answer older than an earlier one is ignored. */
  Loaded read() throws StoreException {
    return taken(store.read());
  }

  /** What the store says now, though this client may know better. */
  Loaded look() throws StoreException {
    Loaded shown = decoded(store.read());
    accept(shown);
    return shown;
  }

  /** Like {@link #look}, by a client that expects that token to have beaten meanwhile. */
  Loaded readExpecting(long token) throws StoreException {
    List<String> guesses = new ArrayList<>();
    Optional<BeatDocument> guess = newest().flatMap(Loaded::document);
    for (int i = 0; i <= GUESSES && guess.isPresent(); i++) {
      guesses.add(DocumentCodec.encodeBeat(guess.get()));
      guess = Beats.beat(guess.get(), token);
    }
    Loaded shown = decoded(guesses.isEmpty() ? store.read() : store.readExpecting(guesses));
    accept(shown);
    return shown;
  }

  /** What was read or written last; empty when nothing was. */
  synchronized Optional<Loaded> newest() {
    return Optional.ofNullable(newest);
  }

  private Loaded taken(Snapshot s) {
    return accept(decoded(s));
  }

  private static Loaded decoded(Snapshot s) {
    Optional<BeatDocument> document = Optional.empty();
    if (s.content().isPresent()) {
      try {
        document = Optional.of(DocumentCodec.decodeBeat(s.content().get()));
      } catch (DocumentException e) {
        // Told apart from a missing one by its version alone: neither proves anything.
        document = Optional.empty();
      }
    }
    return new Loaded(document, s.version());
  }

  private synchronized Loaded accept(Loaded loaded) {
    if (newest == null
        || version(loaded) > version(newest)
        || loaded.isBroken()
        || newest.document().isEmpty()) {
      newest = loaded;
    }
    return newest;
  }

  private static long version(Loaded l) {
    return l.document().map(BeatDocument::version).orElse(-1L);
  }

  /** Creates the document; {@link WriteResult.Lost} means that it is there already. */
  WriteResult create(World world) throws StoreException {
    return make(Version.ABSENT, world);
  }

  /** Makes the document in the place of one that is missing or cannot be read. */
  WriteResult make(Version expected, World world) throws StoreException {
    return store.write(
        expected, DocumentCodec.encodeBeat(fresh(world)), "heartbeat of slot " + slot);
  }

  /** A document that no slot has ever had. */
  static BeatDocument fresh(World world) {
    long unique = world.now().toEpochMilli() * UNIQUE + (long) (world.random() * UNIQUE);
    return BeatDocument.made(Math.max(1, unique));
  }

  WriteResult write(Version expected, BeatDocument next) throws StoreException {
    String what =
        next.killed() >= next.token() && next.killed() > 0
            ? "slot " + slot + ": tokens up to " + next.killed() + " are over"
            : "slot " + slot + ": beat " + next.beat() + " of token " + next.token();
    WriteResult result = store.write(expected, DocumentCodec.encodeBeat(next), what);
    if (result instanceof WriteResult.Written w) {
      accept(new Loaded(Optional.of(next), w.version()));
    }
    return result;
  }

  /**
   * Ends all tokens up to one, if the document still is what was seen.
   *
   * @return whether no such token can beat any more; false also when nobody can tell
   */
  boolean kill(Loaded seen, long token) throws StoreException {
    Optional<BeatDocument> next = Beats.kill(seen.document().orElse(BeatDocument.NONE), token);
    if (next.isEmpty() || write(seen.version(), next.get()) instanceof WriteResult.Written) {
      return true;
    }
    // The document may even have been deleted or replaced by an older one: look at it anew.
    forget();
    return read().isKilled(token);
  }

  private synchronized void forget() {
    newest = null;
  }

  /** The greatest token of which the last earlier content knows that can be read; 0 for none. */
  long highestEarlierToken() throws StoreException {
    for (String text : store.earlier(EARLIER_TRIED)) {
      Optional<Long> token = decoded(Snapshot.of(EARLIER, text)).highestToken();
      if (token.isPresent()) {
        return token.get();
      }
    }
    return 0;
  }
}
