package dev.baton.plugin.engine;

import dev.baton.plugin.bridge.BuildTool;
import dev.baton.plugin.bridge.QueueTexts;
import dev.baton.queue.Acquisition;
import dev.baton.queue.BuildQueue;
import dev.baton.queue.QueueException;
import dev.baton.queue.Request;
import dev.baton.queue.Rules;
import dev.baton.queue.operation.Queues;
import dev.baton.store.MemoryStores;
import java.util.Map;

/**
 * A turn in a queue in memory, from the settings to giving the lock back: what it loads, the next
 * turn finds loaded.
 */
final class Rehearsal {

  private static final String NAME = "rehearsal";

  private Rehearsal() {}

  static void of(BuildTool tool) {
    Map<String, String> texts =
        Map.of(
            QueueTexts.LABEL,
            "",
            QueueTexts.DIRECTORY,
            System.getProperty("java.io.tmpdir"),
            "store",
            "file:" + NAME,
            "queue",
            NAME);
    new ToolQueue(tool, texts).identity();
    try (BuildQueue queue = Queues.open(new MemoryStores())) {
      queue.create(Rules.DEFAULT);
      if (queue.acquire(Request.of(NAME, NAME), progress -> {})
          instanceof Acquisition.Acquired turn) {
        turn.grant().release(NAME);
      }
    } catch (QueueException e) {
      throw new IllegalStateException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
