/** What an adapter says about itself, as data: which stores and clouds it brings, and for whom. */
package dev.baton.core.adapter;
