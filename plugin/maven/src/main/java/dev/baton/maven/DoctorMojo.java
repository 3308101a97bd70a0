package dev.baton.maven;

import dev.baton.plugin.bridge.Engine;
import org.apache.maven.plugin.MojoExecutionException;
import org.apache.maven.plugin.MojoFailureException;
import org.apache.maven.plugins.annotations.Mojo;
import org.apache.maven.plugins.annotations.Parameter;

/** Says what is wrong and what to do; changes nothing. */
@Mojo(name = "doctor", requiresProject = false, aggregator = true, threadSafe = true)
public final class DoctorMojo extends QueueMojo {

  /** For programs. */
  @Parameter(property = "baton.json", defaultValue = "false")
  private boolean json;

  @Override
  public void execute() throws MojoExecutionException, MojoFailureException {
    Engine.Report report = ask((engine, queue) -> engine.doctor(queue, json));
    show(report.text(), json);
    if (!report.healthy()) {
      throw new MojoFailureException("Baton: Something needs to be done, see above.");
    }
  }
}
