/**
 * Build VMs that never get lost: the API, and the records that a VM's journal consists of.
 *
 * <p>{@link dev.baton.vm.BuildVm} is one VM; {@code dev.baton.vm.operation.Vms} opens it. What an
 * operation may do in which status is in {@code dev.baton.vm.internal.lifecycle}, what a cloud must
 * be able to do in {@code dev.baton.vm.spi}.
 */
package dev.baton.vm;
