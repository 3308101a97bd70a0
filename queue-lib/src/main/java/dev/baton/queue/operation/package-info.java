/** The way in: opening a queue in any store, and looking at what the store keeps of it. */
package dev.baton.queue.operation;
