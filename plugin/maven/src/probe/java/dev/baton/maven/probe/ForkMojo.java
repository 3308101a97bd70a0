package dev.baton.maven.probe;

import org.apache.maven.plugin.AbstractMojo;
import org.apache.maven.plugins.annotations.Execute;
import org.apache.maven.plugins.annotations.LifecyclePhase;
import org.apache.maven.plugins.annotations.Mojo;

/** Has a part of the lifecycle run before it, of which nobody knows beforehand. */
@Mojo(name = "fork", threadSafe = true)
@Execute(phase = LifecyclePhase.COMPILE)
public final class ForkMojo extends AbstractMojo {

  @Override
  public void execute() {
    getLog().info("forked");
  }
}
