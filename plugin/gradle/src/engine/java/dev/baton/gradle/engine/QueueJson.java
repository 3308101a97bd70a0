package dev.baton.gradle.engine;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import dev.baton.client.queue.Place;
import dev.baton.client.text.LogText;
import dev.baton.queue.Estimates;
import dev.baton.queue.HistoryEntry;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.Slot;
import dev.baton.queue.Ticket;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;

/** A queue for programs, under the names that {@code baton status --json} uses. */
final class QueueJson {

  private interface Body {
    void write(JsonGenerator out) throws IOException;
  }

  private QueueJson() {}

  private static String text(Body body) {
    StringWriter text = new StringWriter();
    try (JsonGenerator out = new JsonFactory().createGenerator(text).useDefaultPrettyPrinter()) {
      out.writeStartObject();
      body.write(out);
      out.writeEndObject();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return LogText.json(text.toString());
  }

  static String status(Place place, QueueDocument d, Instant now) {
    return text(
        out -> {
          out.writeStringField("store", place.store());
          out.writeStringField("queue", place.queue());
          out.writeNumberField("version", d.version());
          out.writeNumberField("slots", d.rules().slots());
          out.writeBooleanField("paused", d.paused().isPresent());
          out.writeBooleanField("recovering", d.quarantine() > 0);
          out.writeArrayFieldStart("building");
          for (int i = 0; i < d.slots().size(); i++) {
            Slot slot = d.slots().get(i);
            if (!slot.isFree()) {
              out.writeStartObject();
              Ticket t = d.ticket(slot.ticket()).orElseThrow();
              ticket(out, t);
              out.writeNumberField("slot", i);
              out.writeStringField("lock", name(slot.state()));
              out.writeNumberField("token", slot.token());
              out.writeNumberField(
                  "heldSeconds", Math.max(0, Duration.between(t.since(), now).toSeconds()));
              var overdue = Estimates.overdue(d, t.number(), now);
              if (overdue.isPresent()) {
                out.writeNumberField("overdueSeconds", overdue.get().toSeconds());
              }
              out.writeEndObject();
            }
          }
          out.writeEndArray();
          out.writeArrayFieldStart("line");
          int position = 0;
          for (Ticket t : d.line()) {
            out.writeStartObject();
            ticket(out, t);
            out.writeNumberField("position", ++position);
            var eta = Estimates.until(d, t.number(), now);
            if (eta.isPresent()) {
              out.writeNumberField("etaSeconds", eta.get().duration().toSeconds());
              out.writeBooleanField("overdue", eta.get().overdue());
            }
            out.writeEndObject();
          }
          out.writeEndArray();
        });
  }

  private static void ticket(JsonGenerator out, Ticket t) throws IOException {
    out.writeNumberField("ticket", t.number());
    out.writeStringField("title", t.title());
    out.writeStringField("owner", t.owner());
    out.writeStringField("state", name(t.state()));
    out.writeNumberField("priority", t.priority());
    out.writeStringField("joinedAt", t.joinedAt().toString());
    out.writeStringField("since", t.since().toString());
  }

  static String history(List<HistoryEntry> entries) {
    return text(
        out -> {
          out.writeArrayFieldStart("history");
          for (HistoryEntry h : entries) {
            out.writeStartObject();
            out.writeStringField("at", h.at().toString());
            out.writeStringField("event", name(h.event()));
            if (h.ticket() > 0) {
              out.writeNumberField("ticket", h.ticket());
            }
            if (h.token() > 0) {
              out.writeNumberField("token", h.token());
            }
            out.writeStringField("title", h.title());
            out.writeStringField("who", h.who());
            out.writeStringField("note", h.note());
            if (h.waited().isPresent()) {
              out.writeNumberField("waitedSeconds", h.waited().get().toSeconds());
            }
            if (h.built().isPresent()) {
              out.writeNumberField("builtSeconds", h.built().get().toSeconds());
            }
            out.writeEndObject();
          }
          out.writeEndArray();
        });
  }

  static String findings(List<Doctor.Finding> findings) {
    return text(
        out -> {
          out.writeArrayFieldStart("findings");
          for (Doctor.Finding f : findings) {
            out.writeStartObject();
            out.writeStringField("grade", name(f.grade()));
            out.writeStringField("what", f.what());
            if (!f.next().isEmpty()) {
              out.writeStringField("next", f.next());
            }
            out.writeEndObject();
          }
          out.writeEndArray();
        });
  }

  private static String name(Enum<?> e) {
    return e.name().toLowerCase(Locale.ROOT);
  }
}
