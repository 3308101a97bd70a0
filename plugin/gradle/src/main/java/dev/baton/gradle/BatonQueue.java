package dev.baton.gradle;

import org.gradle.api.Named;

/**
 * One more queue, beside the one of the {@code baton} block itself. What is not set here is taken
 * from there, but for the name of the queue: its default is the name of this block.
 */
public interface BatonQueue extends Named, BatonSettings {}
