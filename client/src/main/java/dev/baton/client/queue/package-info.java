/**
 * Queues as the front ends use them, so that the command line, the action and the build plugins
 * mean the same queue by the same words: where a queue is and how it is opened, a lock that an
 * outer process holds, and what is said while waiting.
 */
package dev.baton.client.queue;
