/**
 * The locks that a process works under: several of one build in one order ({@link
 * dev.baton.client.lock.LockSet}), shared by pieces of work that are stopped when one is lost; how
 * a lock is got, proved and handed down to nested processes.
 */
package dev.baton.client.lock;
