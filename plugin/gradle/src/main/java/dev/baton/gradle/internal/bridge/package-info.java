/**
 * What the plugin and the engine know of each other. The plugin is in Gradle's class loader and the
 * engine in one of its own, so that its libraries meet nobody else's; both see this package, which
 * therefore uses types of the JDK only.
 */
package dev.baton.gradle.internal.bridge;
