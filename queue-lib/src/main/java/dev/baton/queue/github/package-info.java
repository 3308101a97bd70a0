/**
 * A queue in a GitHub repository; the only room that sees the GitHub client and its HTTP client.
 *
 * <p>{@link dev.baton.queue.github.GitHubSpace} is the place, opened with a {@link
 * dev.baton.queue.github.GitHubPlace} (where) and a {@link dev.baton.queue.github.GitHubConnection}
 * (how). What stays wrong until somebody does something is a {@link
 * dev.baton.queue.github.GitHubException}; everything else is retryable or no exception at all.
 *
 * <p>Inside, every request passes {@code Wire}: it makes reads conditional, obeys limits, keeps the
 * token to itself and lets nobody repeat a write unasked. {@code Remote} asks through it, {@code
 * GitStore}, {@code IssueStore}, {@code IssueBoard} and {@code GitHubRunStatus} know what the
 * answers mean.
 */
package dev.baton.queue.github;
