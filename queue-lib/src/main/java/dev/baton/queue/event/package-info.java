/** What happens to locks, for audits and metrics. */
package dev.baton.queue.event;
