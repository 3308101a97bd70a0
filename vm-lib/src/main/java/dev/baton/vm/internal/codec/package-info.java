/** Records to JSON and back; the only room that sees Jackson. */
package dev.baton.vm.internal.codec;
