package dev.baton.cli.setup;

import dev.baton.cli.terminal.Paint;
import dev.baton.client.text.JsonOutput;
import dev.baton.core.adapter.StoreSetup.Part;
import dev.baton.core.adapter.StoreSetup.State;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** What is there, and what is made of it, for people and for programs. */
record SetupText(List<String> stores) {

  private static final String INDENT = "    ";

  // ---- for people

  /** Before anything is changed. */
  String announcement(List<Part> parts, Paint paint) {
    return listed(parts, paint) + "\n" + count(parts.stream().filter(Part::isToChange).count());
  }

  private static String count(long changes) {
    return changes == 1
        ? "One of these will be changed."
        : changes + " of these will be created or changed.";
  }

  static String done(Part part, Paint paint) {
    return paint.good("✓") + " " + part.place() + ", " + part.name() + ": " + part.there();
  }

  /**
   * @param changed what was done, told already
   */
  String text(List<Part> parts, List<Part> changed, Paint paint) {
    boolean ready = parts.stream().allMatch(p -> p.state() == State.READY);
    String end;
    if (ready) {
      end = changed.isEmpty() ? "Ready: nothing is to be changed." : "Ready.";
    } else if (parts.stream().anyMatch(Part::isToChange)) {
      end = "Not ready. Run it without --check to change that.";
    } else {
      end = "Not ready: what is marked with ! is to be done by hand.";
    }
    return listed(parts, paint) + "\n" + end;
  }

  private static String listed(List<Part> parts, Paint paint) {
    List<String> lines = new ArrayList<>();
    String place = "";
    for (Part part : parts) {
      if (!part.place().equals(place)) {
        place = part.place();
        lines.add(place);
      }
      lines.add(
          "  "
              + mark(part.state(), paint)
              + " "
              + part.name()
              + ": "
              + part.there()
              + (part.isToChange() ? "; " + part.next() : ""));
      if (part.state() == State.BY_HAND) {
        lines.add(INDENT + part.next());
      }
    }
    return String.join("\n", lines);
  }

  private static String mark(State state, Paint paint) {
    return switch (state) {
      case READY -> paint.good("✓");
      case MISSING -> paint.warn("+");
      case DIFFERENT -> paint.warn("~");
      case BY_HAND -> paint.bad("!");
    };
  }

  // ---- for programs

  Map<String, Object> json(List<Part> parts, List<Part> changed) {
    return JsonOutput.object(
        "stores", stores,
        "ready", parts.stream().allMatch(p -> p.state() == State.READY),
        "changed", changed.stream().map(p -> p.place() + ", " + p.name()).toList(),
        "parts", parts.stream().map(SetupText::json).toList());
  }

  private static Map<String, Object> json(Part part) {
    return JsonOutput.object(
        "place", part.place(),
        "name", part.name(),
        "state", part.state().name().toLowerCase(Locale.ROOT),
        "there", part.there(),
        "next", part.next().isEmpty() ? Optional.empty() : Optional.of(part.next()));
  }
}
