/**
 * Deploy, suspend, resume, destroy, status, abandon and sweep over a journal: locks, take-over and
 * recovery. {@link dev.baton.vm.operation.Vms} is the way in.
 */
package dev.baton.vm.internal.operation;
