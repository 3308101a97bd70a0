package dev.baton.client.report;

import dev.baton.core.Checks;
import dev.baton.queue.HistoryEntry;
import dev.baton.queue.QueueDocument;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * What happened lately in a queue.
 *
 * @param entries the newest last
 */
public record QueueHistory(List<HistoryEntry> entries) {

  public QueueHistory {
    entries = List.copyOf(entries);
  }

  /** The newest entries that the document knows, at most so many. */
  public static QueueHistory of(QueueDocument document, int limit) {
    Checks.positive("limit", limit);
    List<HistoryEntry> all = document.history();
    return new QueueHistory(all.subList(Math.max(0, all.size() - limit), all.size()));
  }

  /** A line for each entry, for people; times are in the time zone of this machine. */
  public String text(TextStyle style) {
    return entries.isEmpty()
        ? "Nothing has happened yet."
        : entries.stream().map(h -> HistoryText.line(h, style)).collect(Collectors.joining("\n"));
  }

  /** For programs: names stay as they are, times are in UTC, durations in seconds. */
  public Map<String, Object> json() {
    return ReportJson.history(this);
  }
}
