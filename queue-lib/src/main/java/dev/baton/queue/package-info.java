/**
 * The queue: what programs use, and the records that its document consists of.
 *
 * <p>{@link dev.baton.queue.BuildQueue} is one queue; {@code Queues} in {@link
 * dev.baton.queue.operation} opens it in any store, {@code GitHubSpace} in {@link
 * dev.baton.queue.github} in a repository. A {@link dev.baton.queue.Request} asks for the lock; the
 * answer is an {@link dev.baton.queue.Acquisition}, and with luck a {@link dev.baton.queue.Grant}
 * in it, which has the fencing token and is to be closed.
 *
 * <p>{@link dev.baton.queue.QueueDocument} is the whole truth about a queue, with its {@link
 * dev.baton.queue.Ticket}s and {@link dev.baton.queue.Slot}s; {@link dev.baton.queue.Estimates}
 * guesses from its history how long things will take.
 *
 * <p>Not to get the lock is a value and no exception. A {@link dev.baton.queue.QueueException} has
 * a {@link dev.baton.core.Problem} that says what is wrong and what to do.
 */
package dev.baton.queue;
