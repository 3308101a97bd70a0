package dev.baton.maven;

import org.apache.maven.plugin.MojoExecutionException;
import org.apache.maven.plugins.annotations.Mojo;
import org.apache.maven.plugins.annotations.Parameter;

/** Shows who builds and who waits. */
@Mojo(name = "status", requiresProject = false, aggregator = true, threadSafe = true)
public final class StatusMojo extends QueueMojo {

  /** For programs. */
  @Parameter(property = "baton.json", defaultValue = "false")
  private boolean json;

  @Override
  public void execute() throws MojoExecutionException {
    show(ask((engine, queue) -> engine.status(queue, json)), json);
  }
}
