/**
 * What a build plugin and the engine know of each other. The plugin is in the class loader of its
 * build tool and the engine in one of its own, so that its libraries meet nobody else's; both see
 * this package, which therefore uses types of the JDK only, and those of Java 8: a build tool may
 * run on that.
 *
 * <p>A queue or a VM is a map of texts, as the build file says it: {@link
 * dev.baton.plugin.bridge.QueueTexts} has the keys.
 */
package dev.baton.plugin.bridge;
