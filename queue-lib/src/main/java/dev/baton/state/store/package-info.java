/** States of deployments in a directory. */
package dev.baton.state.store;
