/** A cloud in a directory: the embedded default, and the test bed. */
package dev.baton.vm.simulated;
