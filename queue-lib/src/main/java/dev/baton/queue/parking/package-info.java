/** What is known of tickets whose job is run again when its turn comes. */
package dev.baton.queue.parking;
