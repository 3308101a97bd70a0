/** States of deployments as text, and what their checksums are of. Pure. */
package dev.baton.state.internal;
