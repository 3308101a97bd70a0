/** {@code baton aws init}: buckets and tables, made or checked. */
package dev.baton.aws.setup;
