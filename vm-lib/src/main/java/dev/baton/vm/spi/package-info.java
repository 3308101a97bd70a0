/**
 * What a module implements that brings a cloud, or a place for the states of VMs. The contract
 * suites among the test fixtures say what each method promises.
 */
package dev.baton.vm.spi;
