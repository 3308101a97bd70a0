/** Finds stores and clouds that are modules of their own, by {@link java.util.ServiceLoader}. */
package dev.baton.client.adapter;
