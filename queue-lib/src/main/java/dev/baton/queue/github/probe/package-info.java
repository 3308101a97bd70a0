/**
 * The probe of a real GitHub: {@code GitHubAssumptions} is the list of what {@link
 * dev.baton.queue.github} takes for granted, {@link dev.baton.queue.github.probe.GitHubProbe} tries
 * all of it.
 */
package dev.baton.queue.github.probe;
