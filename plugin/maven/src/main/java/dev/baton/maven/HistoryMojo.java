package dev.baton.maven;

import org.apache.maven.plugin.MojoExecutionException;
import org.apache.maven.plugin.MojoFailureException;
import org.apache.maven.plugins.annotations.Mojo;
import org.apache.maven.plugins.annotations.Parameter;

/** Shows what happened lately. */
@Mojo(name = "history", requiresProject = false, aggregator = true, threadSafe = true)
public final class HistoryMojo extends QueueMojo {

  /** How many events. */
  @Parameter(property = "baton.limit", defaultValue = "20")
  private String limit;

  /** For programs. */
  @Parameter(property = "baton.json", defaultValue = "false")
  private boolean json;

  @Override
  public void execute() throws MojoExecutionException, MojoFailureException {
    int most = (int) Math.min(positive("limit", limit), Integer.MAX_VALUE);
    show(ask((engine, queue) -> engine.history(queue, most, json)), json);
  }
}
