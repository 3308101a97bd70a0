/** The queue's documents to text and back. */
package dev.baton.queue.internal.codec;
