/** Records to JSON and back. */
package dev.baton.vm.internal.codec;
