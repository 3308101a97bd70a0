package dev.baton.maven;

import dev.baton.maven.internal.Sentences;
import org.apache.maven.plugin.MojoExecutionException;
import org.apache.maven.plugin.MojoFailureException;
import org.apache.maven.plugins.annotations.Mojo;
import org.apache.maven.plugins.annotations.Parameter;

/**
 * Takes the lock away from its holder. One with a heartbeat stops, and the next one gets the lock
 * when the old lease is over. A workflow job does not stop: while it runs, or cannot be seen, this
 * needs <code>now</code>.
 */
@Mojo(name = "unlock", requiresProject = false, aggregator = true, threadSafe = true)
public final class UnlockMojo extends QueueMojo {

  /** Whose lock, as <code>status</code> says. */
  @Parameter(property = "baton.ticket")
  private String ticket;

  /** Only with this fencing token. Default: the one that the ticket has now. */
  @Parameter(property = "baton.token")
  private String token;

  /** Why, for the history and the holder. */
  @Parameter(property = "baton.reason")
  private String reason;

  /** The next one gets the lock at once: the old build may still run beside it. */
  @Parameter(property = "baton.now", defaultValue = "false")
  private boolean now;

  @Override
  public void execute() throws MojoExecutionException, MojoFailureException {
    long whose = positive("ticket", ticket);
    long held = token == null ? 0 : positive("token", token);
    if (reason == null || reason.trim().isEmpty()) {
      throw new MojoFailureException(
          Sentences.joined("-Dbaton.reason is missing", "Say why: -Dbaton.reason=\"…\"."));
    }
    show(ask((engine, queue) -> engine.unlock(queue, whose, held, reason, now)), false);
  }
}
