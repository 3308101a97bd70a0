/**
 * How a build plugin gets at the engine: the plugin's jar carries the engine's jars inside. In the
 * Java 8 of the bridge, but not seen by the engine.
 */
package dev.baton.plugin.loader;
