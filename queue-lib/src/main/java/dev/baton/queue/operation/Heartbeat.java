package dev.baton.queue.operation;

import dev.baton.queue.BeatDocument;

/** What a store has as the heartbeat of one slot. */
public sealed interface Heartbeat {

  /** Counted from 0. */
  int slot();

  /** The document is there; see {@link BeatDocument#isNew} for one in which nobody has beaten. */
  record Readable(int slot, BeatDocument document) implements Heartbeat {}

  /** The document is there and cannot be read; the next beat replaces it. */
  record Unreadable(int slot, String why) implements Heartbeat {}

  /** There is no document: no build can hold the slot until one is made. */
  record Missing(int slot) implements Heartbeat {}
}
