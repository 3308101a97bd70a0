/** What a module implements that brings a cloud, or a place for the states of VMs. */
package dev.baton.vm.spi;
