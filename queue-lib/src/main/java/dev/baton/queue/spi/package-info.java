/** What a module implements that brings another kind of store. */
package dev.baton.queue.spi;
