/** What is wrong with a queue, and what to do about it, as data that every front end shows. */
package dev.baton.client.doctor;
