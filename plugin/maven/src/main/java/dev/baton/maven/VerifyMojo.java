package dev.baton.maven;

import dev.baton.maven.internal.GuardedBuild;
import dev.baton.maven.internal.Sentences;
import java.util.Map;
import org.apache.maven.plugin.MojoFailureException;
import org.apache.maven.plugins.annotations.LifecyclePhase;
import org.apache.maven.plugins.annotations.Mojo;

/**
 * Fails the build when the extension that guards executions is not active in it, or is of another
 * version. An extension that was not loaded cannot say so itself.
 */
@Mojo(
    name = "verify",
    defaultPhase = LifecyclePhase.VALIDATE,
    requiresProject = false,
    threadSafe = true)
public final class VerifyMojo extends QueueMojo {

  @Override
  public void execute() throws MojoFailureException {
    Map<String, String> own = GuardedBuild.notice();
    Object active = session().getRequest().getData().get(BatonExtension.NOTICE);
    if (active == null) {
      throw new MojoFailureException(
          Sentences.joined(
              "nothing guards this build: the extension is not active",
              "Add dev.baton:baton-maven-plugin:"
                  + own.get("version")
                  + " to .mvn/extensions.xml, or <extensions>true</extensions> to the plugin."));
    }
    if (!active.equals(own)) {
      throw new MojoFailureException(
          Sentences.joined(
              "the extension is of version "
                  + ((Map<?, ?>) active).get("version")
                  + " and the plugin of version "
                  + own.get("version"),
              "Use one version in .mvn/extensions.xml and in the POM."));
    }
  }
}
