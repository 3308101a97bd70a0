/** What may be done to a VM in which status, and where that leads. Pure: no clock, no cloud. */
package dev.baton.vm.internal.lifecycle;
