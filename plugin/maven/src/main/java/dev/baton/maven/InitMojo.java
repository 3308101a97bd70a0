package dev.baton.maven;

import org.apache.maven.plugin.MojoExecutionException;
import org.apache.maven.plugins.annotations.Mojo;

/** Makes the queue; leaves one that is there alone. */
@Mojo(name = "init", requiresProject = false, aggregator = true, threadSafe = true)
public final class InitMojo extends QueueMojo {

  @Override
  public void execute() throws MojoExecutionException {
    show(ask((engine, queue) -> engine.create(queue)), false);
  }
}
