/**
 * Finds stores and clouds that are modules of their own by {@link java.util.ServiceLoader}, and
 * knows by their descriptors those that are not here.
 */
package dev.baton.client.adapter;
