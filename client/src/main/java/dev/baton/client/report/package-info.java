/**
 * What there is to tell about a queue, as data with one rendering for people and one for programs,
 * whatever front end shows it.
 */
package dev.baton.client.report;
