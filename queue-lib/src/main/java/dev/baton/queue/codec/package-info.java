/** Documents to text and back; the only room that sees Jackson. */
package dev.baton.queue.codec;
