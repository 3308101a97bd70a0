/** VMs on this machine, by QEMU: what front ends know of it before they load it. */
package dev.baton.qemu;
