/**
 * A queue in a GitHub repository; the only package that sees the HTTP client.
 *
 * <p>{@link dev.baton.queue.github.GitHubSpace} is the place, opened with a {@link
 * dev.baton.queue.github.GitHubPlace} (where) and a {@link dev.baton.queue.github.GitHubConnection}
 * (how). What stays wrong until somebody does something is a {@link
 * dev.baton.queue.github.GitHubException}; everything else is retryable or no exception at all.
 *
 * <p>Inside, every request passes {@code Wire}, whose Javadoc names the parts that it passes on its
 * way. {@code Remote} asks through it and says what a failure means; {@code GitStore} (whose writes
 * are a {@code CompareAndSet}), {@code IssueStore}, {@code IssueBoard} and {@code GitHubRunStatus}
 * know what the answers mean.
 */
package dev.baton.queue.github;
