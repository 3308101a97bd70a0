/**
 * Virtual machines on one machine: processes of QEMU and the monitor that each of them has, disks,
 * ports, networks. It does what it is asked for, and decides nothing: no states of VMs, no owners,
 * no retries.
 */
package dev.baton.qemu.node;
