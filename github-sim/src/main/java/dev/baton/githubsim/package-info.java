/**
 * A GitHub on loopback: issues and comments, contents, refs, branches, git objects, workflows and
 * runs, conditional ref updates by GraphQL, conditional requests, limits, faults and stale reads.
 * State and rules know nothing of HTTP; {@link dev.baton.githubsim.GitHubSim} is the way in.
 *
 * <p>It follows GitHub's documentation and recorded answers; where neither says what GitHub does, a
 * comment says that it is inferred. A method, path, media type or part of GraphQL that it does not
 * have is a 501 that names it, never a 404.
 *
 * <p>Three things answer on its port:
 *
 * <ul>
 *   <li>the API, at the root or below {@code /api/v3};
 *   <li>pages for a browser: {@code /owner/repo}, {@code /owner/repo/issues/1}, {@code
 *       /owner/repo/blob/branch/file}, {@code /owner/repo/actions/runs/1}. They need no token, cost
 *       nothing and are never late;
 *   <li>{@code /_sim}, only if it was asked for, with which another process steers the sim; {@code
 *       GET /_sim} lists what it can do.
 * </ul>
 */
package dev.baton.githubsim;
