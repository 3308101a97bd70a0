/**
 * What a cloud must be able to do for a VM to live there. The contract suite among the test
 * fixtures says what each method promises.
 */
package dev.baton.vm.provider;
