package dev.baton.maven.probe;

import javax.inject.Named;
import javax.inject.Singleton;
import org.apache.maven.AbstractMavenLifecycleParticipant;
import org.apache.maven.execution.MavenSession;

/** As an extension of Maven's core: lets it look as if it ran on another Java. */
@Named("old-java")
@Singleton
public final class OldJava extends AbstractMavenLifecycleParticipant {

  @Override
  public void afterSessionStart(MavenSession session) {
    String version = session.getUserProperties().getProperty("probe.java");
    if (version != null) {
      System.setProperty("java.specification.version", version);
    }
  }
}
