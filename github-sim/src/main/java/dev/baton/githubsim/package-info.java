/**
 * A GitHub on loopback: issues, contents, refs, runs, conditional requests, limits, faults and
 * stale reads. State and rules know nothing of HTTP; {@link dev.baton.githubsim.GitHubSim} is the
 * way in.
 */
package dev.baton.githubsim;
