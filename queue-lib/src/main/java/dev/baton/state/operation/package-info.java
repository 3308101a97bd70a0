/** The way in: states of deployments in a space of any kind. */
package dev.baton.state.operation;
