/** What documents are in services that keep no history of them. */
package dev.baton.aws.document;
