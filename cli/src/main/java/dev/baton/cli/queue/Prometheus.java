package dev.baton.cli.queue;

import dev.baton.client.report.QueueStatus;
import dev.baton.queue.TicketState;
import java.time.Duration;
import java.time.Instant;

/** A queue in the text exposition format of Prometheus. */
final class Prometheus {

  private final StringBuilder out = new StringBuilder();
  private final String labels;

  private Prometheus(QueueStatus s) {
    this.labels = "store=\"" + escaped(s.store()) + "\",queue=\"" + escaped(s.queue()) + "\"";
  }

  static String of(QueueStatus s) {
    Prometheus p = new Prometheus(s);
    long away = s.line().stream().filter(w -> w.ticket().state() == TicketState.AWAY).count();
    long oldest =
        s.line().stream().mapToLong(w -> seconds(w.ticket().joinedAt(), s.at())).max().orElse(0);
    p.metric("baton_queue_waiting", "gauge", "Tickets in line.", s.line().size() - away);
    p.metric("baton_queue_away", "gauge", "Tickets in line that did not answer.", away);
    p.metric(
        "baton_queue_building",
        "gauge",
        "Build locks that are taken.",
        s.locks().stream().filter(lock -> lock.build().isPresent()).count());
    p.metric("baton_queue_slots", "gauge", "Build locks that there are.", s.slots());
    p.metric("baton_queue_paused", "gauge", "1 while paused.", s.paused().isPresent() ? 1 : 0);
    p.metric(
        "baton_queue_oldest_wait_seconds", "gauge", "How long the longest has waited.", oldest);
    p.head("baton_build_lock_held_seconds", "gauge", "How long each lock is held; 0 when free.");
    for (QueueStatus.Lock lock : s.locks()) {
      long held = lock.build().map(b -> b.lasts().toSeconds()).orElse(0L);
      p.sample("baton_build_lock_held_seconds", ",slot=\"" + lock.slot() + "\"", held);
    }
    p.metric("baton_tickets_drawn_total", "counter", "Tickets drawn so far.", s.nextTicket() - 1);
    p.metric("baton_newest_fencing_token", "gauge", "The newest fencing token.", s.nextToken() - 1);
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
