/** What a module implements that brings another place for states of deployments. */
package dev.baton.state.spi;
