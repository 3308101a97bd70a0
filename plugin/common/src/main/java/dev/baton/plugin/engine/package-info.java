/** Queues, locks and VMs behind the bridge: for all build plugins, on what all front ends share. */
package dev.baton.plugin.engine;
