package dev.baton.queue.internal.protocol;

import dev.baton.queue.QueueDocument;
import java.util.Objects;

/**
 * A command's next document and its reply.
 *
 * @param changed false: the document is the one that the command was applied to
 */
public record Step(QueueDocument document, boolean changed, Reply reply) {
  public Step {
    Objects.requireNonNull(document, "document");
    Objects.requireNonNull(reply, "reply");
  }
}
