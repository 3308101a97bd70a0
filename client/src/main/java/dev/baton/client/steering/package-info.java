/**
 * What maintainers say to a queue from outside of a shell: in a comment, by a box on its board, or
 * by the inputs of a workflow; and what comes of it.
 */
package dev.baton.client.steering;
