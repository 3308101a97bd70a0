package dev.baton.vm.internal.operation;

import dev.baton.store.StoreException;
import dev.baton.vm.HistoryRecord;
import dev.baton.vm.Journal;
import dev.baton.vm.VmName;
import dev.baton.vm.internal.codec.VmCodec;
import dev.baton.vm.spi.VmSpace;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Copies the journal into the files that people and other tools read. They are never read back as
 * truth, so a copy that could not be made is told and made by the next operation or status.
 */
final class Publisher {

  static final String STATE = "state.json";
  static final String BACKUP = "backup.json";
  static final String LOCK = ".lock";
  static final String HISTORY = "history";

  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH-mm-ss").withZone(ZoneOffset.UTC);
  private static final int TIME_LENGTH = 19;

  private final VmSpace space;
  private final VmName name;
  private final Consumer<String> trouble;
  private final Map<String, Optional<String>> published = new HashMap<>();

  Publisher(VmSpace space, VmName name, Consumer<String> trouble) {
    this.space = space;
    this.name = name;
    this.trouble = trouble;
  }

  /** Makes the files say what the journal says. Those that do already are left alone. */
  void publish(Journal journal) {
    ensure(STATE, journal.state().map(s -> VmCodec.stateFile(s, journal)));
    ensure(BACKUP, journal.backup().map(VmCodec::backupFile));
    ensure(LOCK, journal.lock().map(VmCodec::lockFile));
    publishHistory(journal.unpublished());
  }

  /** Whoever has not published yet learns what is there, so that only differences are written. */
  void look() {
    for (String file : List.of(STATE, BACKUP, LOCK)) {
      try {
        published.put(file, space.get(name, file));
      } catch (StoreException e) {
        published.remove(file);
      }
    }
  }

  private void ensure(String file, Optional<String> content) {
    if (content.equals(published.get(file))) {
      return;
    }
    try {
      if (content.isPresent()) {
        space.put(name, file, content.get());
      } else {
        space.remove(name, file);
      }
      published.put(file, content);
    } catch (StoreException e) {
      told(file, e);
    }
  }

  /**
   * @return whether all of them are in their files now
   */
  boolean publishHistory(List<HistoryRecord> records) {
    try {
      for (HistoryRecord record : records) {
        publish(record);
      }
      return true;
    } catch (StoreException e) {
      told(HISTORY, e);
      return false;
    }
  }

  private void publish(HistoryRecord record) throws StoreException {
    String content = VmCodec.historyFile(record);
    String time = HISTORY + "/" + TIME.format(record.timestamp());
    for (int n = 1; ; n++) {
      String file = time + (n == 1 ? "" : "_" + n) + ".json";
      if (published.getOrDefault(file, Optional.empty()).equals(Optional.of(content))) {
        return;
      }
      Optional<String> there = space.get(name, file);
      if (there.isEmpty()) {
        space.put(name, file, content);
      }
      if (there.isEmpty() || there.get().equals(content)) {
        published.put(file, Optional.of(content));
        return;
      }
    }
  }

  /** Removes what is too old, where the place does not do so by itself. */
  void prune(Instant now) {
    Optional<Duration> kept = space.historyKept();
    if (kept.isEmpty()) {
      return;
    }
    try {
      for (String file : space.list(name, HISTORY)) {
        Optional<Instant> at = timeOf(file);
        if (at.isPresent() && at.get().isBefore(now.minus(kept.get()))) {
          space.remove(name, file);
        }
      }
    } catch (StoreException e) {
      told(HISTORY, e);
    }
  }

  private static Optional<Instant> timeOf(String file) {
    String base = file.substring(HISTORY.length() + 1);
    if (base.length() < TIME_LENGTH) {
      return Optional.empty();
    }
    try {
      return Optional.of(Instant.from(TIME.parse(base.substring(0, TIME_LENGTH))));
    } catch (DateTimeParseException e) {
      // Not a file of ours: not ours to remove.
      return Optional.empty();
    }
  }

  private void told(String file, StoreException e) {
    trouble.accept(
        file
            + " could not be brought up to date ("
            + e.getMessage()
            + ") The next operation or status does that; the journal is safe.");
  }
}
