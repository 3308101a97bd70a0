/** Who stands in line: a workflow run, or a person in a work tree. */
package dev.baton.client.identity;
