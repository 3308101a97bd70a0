package dev.baton.client.report;

import dev.baton.client.text.LocalTimes;
import dev.baton.core.Durations;
import dev.baton.queue.BuildResult.Ending;
import dev.baton.queue.HistoryEntry;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;

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
    String why =
        Stream.of(h.result().exitCode().map(code -> "exit code " + code).orElse(""), h.note())
            .filter(part -> !part.isEmpty())
            .collect(Collectors.joining(", "));
    return text.append(why.isEmpty() ? "" : ": " + why).toString();
  }

  /** What happened, or for a build how it went if that is known. */
  static String words(HistoryEntry h) {
    Enum<?> said = h.result().ending() == Ending.UNKNOWN ? h.event() : h.result().ending();
    return said.name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }
}
