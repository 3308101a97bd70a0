/** What happens to locks, as lines for an audit and as metrics. */
package dev.baton.client.monitoring;
