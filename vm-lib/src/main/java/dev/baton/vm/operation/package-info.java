/** {@link dev.baton.vm.operation.Vms} is the way in to the VMs of a place. */
package dev.baton.vm.operation;
