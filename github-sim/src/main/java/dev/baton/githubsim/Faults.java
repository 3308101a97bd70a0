package dev.baton.githubsim;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.Predicate;

/**
 * Which request meets which fault: what was ordered first, then chance by a seed.
 *
 * <p>Thread-safe.
 */
final class Faults {
  private static final class Order {
    final Predicate<SimRequest> which;
    final Fault fault;
    int left;

    Order(int count, Predicate<SimRequest> which, Fault fault) {
      this.left = count;
      this.which = which;
      this.fault = fault;
    }
  }

  private final List<Order> orders = new ArrayList<>();
  private final Random random;
  private List<FaultRate> rates;

  Faults(List<FaultRate> rates, long seed) {
    this.rates = List.copyOf(rates);
    this.random = new Random(seed);
  }

  synchronized void rates(List<FaultRate> next) {
    rates = List.copyOf(next);
  }

  synchronized void next(int count, Predicate<SimRequest> which, Fault fault) {
    if (count < 1) {
      throw new IllegalArgumentException("no request to fail: " + count);
    }
    orders.add(new Order(count, which, fault));
  }

  synchronized Optional<Fault> meets(SimRequest request) {
    for (Iterator<Order> all = orders.iterator(); all.hasNext(); ) {
      Order order = all.next();
      if (order.which.test(request)) {
        order.left--;
        if (order.left == 0) {
          all.remove();
        }
        return Optional.of(order.fault);
      }
    }
    if (rates.isEmpty()) {
      return Optional.empty();
    }
    double drawn = random.nextDouble();
    for (FaultRate rate : rates) {
      drawn -= rate.rate();
      if (drawn < 0) {
        return Optional.of(rate.fault());
      }
    }
    return Optional.empty();
  }
}
