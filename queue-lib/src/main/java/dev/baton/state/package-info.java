/**
 * The state of deployments, saved only under a live lock and by its newest token: names, records
 * and failures. {@code operation.DeploymentStates} is the way in.
 */
package dev.baton.state;
