package dev.baton.queue.operation;

import dev.baton.core.DocumentException;
import dev.baton.core.World;
import dev.baton.queue.BeatDocument;
import dev.baton.queue.BuildQueue;
import dev.baton.queue.EngineSettings;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.RunStatus;
import dev.baton.queue.internal.board.Board;
import dev.baton.queue.internal.board.BoardContext;
import dev.baton.queue.internal.codec.DocumentCodec;
import dev.baton.queue.internal.engine.QueueEngine;
import dev.baton.queue.internal.protocol.Protocol;
import dev.baton.queue.spi.Waker;
import dev.baton.store.StoreException;
import dev.baton.store.StoreSpace;
import dev.baton.store.VersionedStore;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Queues in stores of any kind. Nothing is kept between calls, so it is safe for use by several
 * threads.
 *
 * <pre>{@code
 * try (BuildQueue queue = Queues.open(FileStores.in(directory))) {
 *   switch (queue.acquire(Request.of("me", "app release"), progress -> show(progress))) { ... }
 * }
 * }</pre>
 */
public final class Queues {

  private Queues() {}

  /**
   * Opens a queue on this machine's clock, with {@link EngineSettings#DEFAULT}, that cannot tell
   * whether workflow jobs have ended. Nothing is asked of the store yet.
   */
  public static BuildQueue open(StoreSpace space) {
    return QueueEngine.open(space);
  }

  /**
   * Opens a queue. Nothing is asked of the store yet; closing the queue leaves the store open.
   *
   * @param runStatus tells which workflow jobs have ended
   */
  public static BuildQueue open(
      StoreSpace space, World world, EngineSettings settings, RunStatus runStatus) {
    return QueueEngine.open(space, world, settings, runStatus);
  }

  /**
   * The same by a client that has the jobs of parked tickets run again.
   *
   * @param waker how it does that
   */
  public static BuildQueue open(
      StoreSpace space, World world, EngineSettings settings, RunStatus runStatus, Waker waker) {
    return QueueEngine.open(space, world, settings, runStatus, Optional.empty(), waker);
  }

  /** Whether this version has every ability that the queue requires of those who change it. */
  public static boolean isUnderstood(QueueDocument document) {
    return Protocol.ABILITIES.containsAll(document.requires());
  }

  /**
   * The queue as its issue shows it, as Markdown. The document is embedded as the store would keep
   * it.
   *
   * @param queue the name of the queue
   * @param flags what names the queue on the command line, without the hyphens, in this order
   * @param server where workflow runs are looked at, such as {@code https://github.com}
   * @param address where the document can be read
   * @throws dev.baton.core.DocumentTooLargeException when the store has no room for the document
   */
  public static String board(
      StoreSpace space,
      QueueDocument document,
      String queue,
      Map<String, String> flags,
      String server,
      Optional<String> address) {
    return Board.paint(
        BoardContext.of(queue, server, address, flags),
        document,
        DocumentCodec.encode(document, space.traits().maxLength()));
  }

  /**
   * What a queue document says, for stores that keep something else in step with it.
   *
   * @throws DocumentException when it cannot be read
   */
  public static QueueDocument document(String text) {
    return DocumentCodec.decode(text);
  }

  /**
   * What a heartbeat document says, for stores that keep something else in step with it.
   *
   * @throws DocumentException when it cannot be read
   */
  public static BeatDocument beat(String text) {
    return DocumentCodec.decodeBeat(text);
  }

  /**
   * The heartbeat of each slot. Writes nothing.
   *
   * @return empty where the store keeps no heartbeats
   */
  public static List<Heartbeat> heartbeats(StoreSpace space, QueueDocument document)
      throws StoreException {
    List<Heartbeat> all = new ArrayList<>();
    if (space.settling().isEmpty()) {
      for (int slot = 0; slot < document.rules().slots(); slot++) {
        all.add(heartbeat(slot, space.document("beat-" + slot).read().content()));
      }
    }
    return all;
  }

  private static Heartbeat heartbeat(int slot, Optional<String> text) {
    if (text.isEmpty()) {
      return new Heartbeat.Missing(slot);
    }
    try {
      return new Heartbeat.Readable(slot, DocumentCodec.decodeBeat(text.get()));
    } catch (DocumentException e) {
      return new Heartbeat.Unreadable(slot, e.getMessage());
    }
  }

  /**
   * The versions of the document that the store still has, the oldest first and the current one
   * last. Writes nothing.
   *
   * @param most how many before the current one
   * @return empty when there is no queue
   * @throws DocumentException when one of them cannot be read
   */
  public static List<QueueDocument> versions(StoreSpace space, int most) throws StoreException {
    VersionedStore store = space.document("queue");
    List<QueueDocument> all = new ArrayList<>();
    Optional<String> current = store.read().content();
    if (current.isPresent()) {
      all.add(DocumentCodec.decode(current.get()));
      store.earlier(most).forEach(text -> all.add(DocumentCodec.decode(text)));
      Collections.reverse(all);
    }
    return all;
  }
}
