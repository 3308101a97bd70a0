package dev.baton.client.report;

import dev.baton.client.text.LocalTimes;
import dev.baton.core.Durations;
import dev.baton.queue.HistoryEntry;
import java.util.Locale;

/** What happened in a queue, for people. */
final class HistoryText {

  private HistoryText() {}

  static String line(HistoryEntry h, TextStyle style) {
    StringBuilder text = new StringBuilder(style.dim(LocalTimes.dateAndTime(h.at())));
    text.append(String.format(Locale.ROOT, "  %-12s", words(h)));
    if (h.ticket() > 0) {
      text.append(" #").append(h.ticket()).append(' ').append(h.title());
    }
    text.append(h.who().isEmpty() ? "" : " (" + h.who() + ")");
    h.built().ifPresent(b -> text.append(", built ").append(Durations.shown(b)));
    h.waited().ifPresent(w -> text.append(", waited ").append(Durations.shown(w)));
    text.append(h.note().isEmpty() ? "" : ": " + h.note());
    return text.toString();
  }

  static String words(HistoryEntry h) {
    return h.event().name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }
}
