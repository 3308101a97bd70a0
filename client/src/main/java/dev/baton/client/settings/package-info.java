/**
 * What can be set, where settings come from and how far each source is trusted. No front end's own
 * words are here: each says how its users spell a setting.
 */
package dev.baton.client.settings;
