/** States of deployments: where they are, the lock that saves them, and how both are shown. */
package dev.baton.client.state;
