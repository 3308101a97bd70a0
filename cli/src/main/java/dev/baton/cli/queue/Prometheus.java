package dev.baton.cli.queue;

import dev.baton.client.queue.Place;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.TicketState;
import java.time.Duration;
import java.time.Instant;

/** A queue in the text exposition format of Prometheus. */
final class Prometheus {

  private final StringBuilder out = new StringBuilder();
  private final String labels;

  private Prometheus(Place place) {
    this.labels =
        "store=\"" + escaped(place.store()) + "\",queue=\"" + escaped(place.queue()) + "\"";
  }

  static String of(Place place, QueueDocument d, Instant now) {
    Prometheus p = new Prometheus(place);
    long away = d.line().stream().filter(t -> t.state() == TicketState.AWAY).count();
    long oldest = d.line().stream().mapToLong(t -> seconds(t.joinedAt(), now)).max().orElse(0);
    p.metric("baton_queue_waiting", "gauge", "Tickets in line.", d.line().size() - away);
    p.metric("baton_queue_away", "gauge", "Tickets in line that did not answer.", away);
    p.metric(
        "baton_queue_building",
        "gauge",
        "Build locks that are taken.",
        d.slots().stream().filter(s -> !s.isFree()).count());
    p.metric("baton_queue_slots", "gauge", "Build locks that there are.", d.rules().slots());
    p.metric("baton_queue_paused", "gauge", "1 while paused.", d.paused().isPresent() ? 1 : 0);
    p.metric(
        "baton_queue_oldest_wait_seconds", "gauge", "How long the longest has waited.", oldest);
    p.head("baton_build_lock_held_seconds", "gauge", "How long each lock is held; 0 when free.");
    for (int i = 0; i < d.slots().size(); i++) {
      long held = d.ticket(d.slots().get(i).ticket()).map(t -> seconds(t.since(), now)).orElse(0L);
      p.sample("baton_build_lock_held_seconds", ",slot=\"" + i + "\"", held);
    }
    p.metric("baton_tickets_drawn_total", "counter", "Tickets drawn so far.", d.nextTicket() - 1);
    p.metric("baton_newest_fencing_token", "gauge", "The newest fencing token.", d.nextToken() - 1);
    return p.out.toString().stripTrailing();
  }

  private void metric(String name, String type, String help, long value) {
    head(name, type, help);
    sample(name, "", value);
  }

  private void head(String name, String type, String help) {
    out.append("# HELP ").append(name).append(' ').append(help).append('\n');
    out.append("# TYPE ").append(name).append(' ').append(type).append('\n');
  }

  private void sample(String name, String more, long value) {
    out.append(name).append('{').append(labels).append(more).append("} ").append(value);
    out.append('\n');
  }

  private static long seconds(Instant since, Instant now) {
    return Math.max(0, Duration.between(since, now).toSeconds());
  }

  private static String escaped(String text) {
    return text.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
  }
}
