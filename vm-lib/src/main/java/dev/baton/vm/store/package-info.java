/** Places where the journals of VMs are kept, and the files that people and other tools read. */
package dev.baton.vm.store;
