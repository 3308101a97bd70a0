/**
 * What the front ends have in common, so that the command line, the action and the build plugins
 * mean the same queue by the same words: where a queue is, who stands in line, a lock that an outer
 * process holds, and what is said while waiting. No front end's own words are here: each says how
 * its users spell a setting.
 */
package dev.baton.queue.front;
