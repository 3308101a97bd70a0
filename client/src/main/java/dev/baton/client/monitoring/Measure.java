package dev.baton.client.monitoring;

import dev.baton.queue.event.LockEvent;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** What one event adds to which metric. */
record Measure(Metric metric, BigDecimal value) {

  /** The metrics of locks. */
  enum Metric {
    ACQUISITION_DURATION(
        "deployer.lock.acquisition.duration", "Milliseconds", "How long locks were waited for."),
    ACQUISITION_SUCCESS("deployer.lock.acquisition.success", "Count", "Locks that were acquired."),
    ACQUISITION_FAILURE(
        "deployer.lock.acquisition.failure", "Count", "Waits that ended without the lock."),
    HELD_DURATION("deployer.lock.held.duration", "Seconds", "How long locks were held."),
    HEARTBEAT_SUCCESS("deployer.lock.heartbeat.success", "Count", "Leases that were renewed."),
    HEARTBEAT_FAILURE(
        "deployer.lock.heartbeat.failure", "Count", "Attempts to renew a lease that failed."),
    STALE_DETECTED(
        "deployer.lock.stale.detected", "Count", "Holders whose heartbeat was seen to stop.");

    final String id;

    /** As CloudWatch spells it. */
    final String unit;

    final String help;

    Metric(String id, String unit, String help) {
      this.id = id;
      this.unit = unit;
      this.help = help;
    }

    boolean isCount() {
      return unit.equals("Count");
    }
  }

  static List<Measure> of(LockEvent event) {
    List<Measure> all = new ArrayList<>();
    Duration lasted = event.lasted().orElse(Duration.ZERO);
    switch (event.type()) {
      case ACQUIRED -> {
        all.add(new Measure(Metric.ACQUISITION_DURATION, BigDecimal.valueOf(lasted.toMillis())));
        all.add(once(Metric.ACQUISITION_SUCCESS));
      }
      case NOT_ACQUIRED -> {
        all.add(new Measure(Metric.ACQUISITION_DURATION, BigDecimal.valueOf(lasted.toMillis())));
        all.add(once(Metric.ACQUISITION_FAILURE));
      }
      case RELEASED, LOST ->
          event
              .lasted()
              .ifPresent(
                  held ->
                      all.add(
                          new Measure(
                              Metric.HELD_DURATION, BigDecimal.valueOf(held.toMillis(), 3))));
      case HEARTBEAT -> all.add(once(Metric.HEARTBEAT_SUCCESS));
      case HEARTBEAT_FAILED -> all.add(once(Metric.HEARTBEAT_FAILURE));
      case STALE -> all.add(once(Metric.STALE_DETECTED));
      case FORCE_UNLOCKED, REAPED -> {
        // They end what others have measured.
      }
    }
    return all;
  }

  private static Measure once(Metric metric) {
    return new Measure(metric, BigDecimal.ONE);
  }
}
