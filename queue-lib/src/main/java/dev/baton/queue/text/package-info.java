/** Words about a queue that its clients, its board and its refusals share. Pure. */
package dev.baton.queue.text;
