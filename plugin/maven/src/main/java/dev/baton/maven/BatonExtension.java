package dev.baton.maven;

import dev.baton.maven.internal.GuardedBuild;
import dev.baton.maven.internal.HeadStart;
import dev.baton.maven.internal.MavenParts;
import dev.baton.maven.internal.Sentences;
import java.util.Collections;
import java.util.Map;
import java.util.WeakHashMap;
import javax.inject.Inject;
import javax.inject.Named;
import javax.inject.Singleton;
import org.apache.maven.AbstractMavenLifecycleParticipant;
import org.apache.maven.MavenExecutionException;
import org.apache.maven.execution.MavenExecutionRequest;
import org.apache.maven.execution.MavenSession;
import org.apache.maven.execution.MojoExecutionEvent;
import org.apache.maven.execution.MojoExecutionListener;
import org.apache.maven.execution.ProjectExecutionEvent;
import org.apache.maven.execution.ProjectExecutionListener;
import org.apache.maven.plugin.MojoExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What Maven tells about a build, for its {@link GuardedBuild}. As an extension of Maven's core
 * ({@code .mvn/extensions.xml}) and as one of a build ({@code <extensions>}) it is loaded once
 * each: the first that sees a build guards it.
 */
@Named("baton")
@Singleton
public final class BatonExtension extends AbstractMavenLifecycleParticipant
    implements MojoExecutionListener, ProjectExecutionListener {

  /** In the data of a request: the version of the extension that guards the build. */
  static final String NOTICE = "dev.baton.guards";

  private static final Logger LOG = LoggerFactory.getLogger("dev.baton");

  private final MavenParts parts;
  private final Map<MavenExecutionRequest, GuardedBuild> builds =
      Collections.synchronizedMap(new WeakHashMap<>());

  @Inject
  public BatonExtension(MavenParts parts) {
    this.parts = parts;
    HeadStart.ofSettings();
  }

  @Override
  public void afterProjectsRead(MavenSession session) throws MavenExecutionException {
    Map<String, Object> data = session.getRequest().getData();
    Map<String, String> own = GuardedBuild.notice();
    Object other = data.get(NOTICE);
    if (other == null) {
      data.put(NOTICE, own);
      builds.put(session.getRequest(), new GuardedBuild(session, parts, LOG));
    } else if (!other.equals(own)) {
      throw new MavenExecutionException(
          Sentences.joined(
              "this build has two versions of the extension: "
                  + ((Map<?, ?>) other).get("version")
                  + " and "
                  + own.get("version"),
              "Use one version in .mvn/extensions.xml and in the POM."),
          session.getTopLevelProject().getFile());
    }
  }

  @Override
  public void afterSessionEnd(MavenSession session) throws MavenExecutionException {
    GuardedBuild build = builds.remove(session.getRequest());
    if (build != null) {
      build.close();
    }
  }

  /** Whether some copy of this class guards the build. */
  static boolean isActive(MavenSession session) {
    return session.getRequest().getData().containsKey(NOTICE);
  }

  @Override
  public void beforeMojoExecution(MojoExecutionEvent event) throws MojoExecutionException {
    if (!isActive(event.getSession()) && !GuardedBuild.isOwn(event.getExecution())) {
      throw new MojoExecutionException(
          Sentences.joined(
              "the extension was loaded too late to guard this build",
              "Add it to .mvn/extensions.xml."));
    }
    GuardedBuild build = build(event.getSession());
    if (build != null) {
      build.before(event);
    }
  }

  @Override
  public void afterMojoExecutionSuccess(MojoExecutionEvent event) throws MojoExecutionException {
    GuardedBuild build = build(event.getSession());
    if (build != null) {
      build.after(event);
    }
  }

  @Override
  public void afterExecutionFailure(MojoExecutionEvent event) {
    GuardedBuild build = build(event.getSession());
    if (build != null) {
      build.failed(event);
    }
  }

  @Override
  public void beforeProjectExecution(ProjectExecutionEvent event) {}

  @Override
  public void beforeProjectLifecycleExecution(ProjectExecutionEvent event) {}

  @Override
  public void afterProjectExecutionSuccess(ProjectExecutionEvent event) {
    projectEnds(event, false);
  }

  @Override
  public void afterProjectExecutionFailure(ProjectExecutionEvent event) {
    projectEnds(event, true);
  }

  private void projectEnds(ProjectExecutionEvent event, boolean failed) {
    GuardedBuild build = build(event.getSession());
    if (build != null) {
      build.projectEnds(event.getProject(), failed);
    }
  }

  private GuardedBuild build(MavenSession session) {
    return builds.get(session.getRequest());
  }
}
