/**
 * What the front ends have in common about VMs: where their states are, which cloud they are in,
 * and how one gets into them. Clouds and stores of other kinds are found on the class path, so that
 * nobody carries a client that he does not use.
 */
package dev.baton.vm.front;
