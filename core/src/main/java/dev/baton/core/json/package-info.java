/** JSON to plain values and back; the only package that sees Jackson. */
package dev.baton.core.json;
