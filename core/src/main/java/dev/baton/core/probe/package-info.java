/**
 * What Baton assumes about the services that keep its queues, as data, and what a probe of a real
 * service has seen of it.
 *
 * <p>An {@link dev.baton.core.probe.Assumption} says what is assumed, which code relies on it and
 * what it means for users if it does not hold. A {@link dev.baton.core.probe.Probe} tries all of
 * them on one place and reports an {@link dev.baton.core.probe.ProbeOutcome} for each.
 */
package dev.baton.core.probe;
