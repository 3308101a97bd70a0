/** JSON to plain values and back; the only package of this module that sees Jackson. */
package dev.baton.core.json;
