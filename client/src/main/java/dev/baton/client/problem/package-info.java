/** What to do about a problem, in the words of the front end that shows it. */
package dev.baton.client.problem;
