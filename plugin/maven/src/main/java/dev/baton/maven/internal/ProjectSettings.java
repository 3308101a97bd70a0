package dev.baton.maven.internal;

import dev.baton.plugin.bridge.QueueTexts;
import java.io.File;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.apache.maven.execution.MavenSession;
import org.apache.maven.model.Plugin;
import org.apache.maven.plugin.MojoExecution;
import org.apache.maven.plugin.PluginParameterExpressionEvaluator;
import org.apache.maven.plugin.descriptor.MojoDescriptor;
import org.apache.maven.project.MavenProject;
import org.codehaus.plexus.component.configurator.expression.ExpressionEvaluationException;
import org.codehaus.plexus.util.xml.Xpp3Dom;

/** What each project of a build says. One that says nothing is guarded as the first one is. */
public final class ProjectSettings {

  static final String GROUP = "dev.baton";
  static final String ARTIFACT = "baton-maven-plugin";

  private final MavenSession session;
  private final Map<String, PomSettings> all = new HashMap<>();

  ProjectSettings(MavenSession session) {
    this.session = session;
    for (MavenProject project : session.getProjects()) {
      all.put(project.getId(), read(project));
    }
  }

  private PomSettings read(MavenProject project) {
    Plugin own = plugin(project);
    MavenProject says = own == null ? session.getTopLevelProject() : project;
    Plugin plugin = own == null ? plugin(says) : own;
    return of(session, says, plugin == null ? null : (Xpp3Dom) plugin.getConfiguration());
  }

  private static Plugin plugin(MavenProject project) {
    String key = GROUP + ":" + ARTIFACT;
    Plugin plugin = project.getPlugin(key);
    return plugin == null && project.getPluginManagement() != null
        ? project.getPluginManagement().getPluginsAsMap().get(key)
        : plugin;
  }

  /** What an execution of one of the plugin's goals says. */
  static PomSettings of(MavenSession session, MojoExecution execution) {
    return of(
        session,
        session.getCurrentProject(),
        PomSettings.ofExecution(execution.getConfiguration()));
  }

  /** The queue of an execution of one of the plugin's goals, with what it takes to get there. */
  public static Map<String, String> queue(
      MavenSession session, MavenParts parts, MojoExecution execution, String name) {
    PomSettings own = of(session, execution);
    return new Adapters(session, parts)
        .located(own.queue(name), own.adapters(), session.getCurrentProject());
  }

  private static PomSettings of(MavenSession session, MavenProject project, Xpp3Dom configuration) {
    Map<String, String> build = new LinkedHashMap<>();
    build.put(QueueTexts.DIRECTORY, directory(session));
    build.put(QueueTexts.BUILD, session.getTopLevelProject().getArtifactId());
    if (session.isOffline()) {
      build.put(QueueTexts.OFFLINE, "true");
    }
    return PomSettings.of(
        configuration, session.getUserProperties(), build, evaluator(session, project));
  }

  /** Where .mvn is, whichever module the build is started in. */
  private static String directory(MavenSession session) {
    File root = session.getRequest().getMultiModuleProjectDirectory();
    return root == null ? session.getExecutionRootDirectory() : root.getAbsolutePath();
  }

  private static UnaryOperator<String> evaluator(MavenSession session, MavenProject project) {
    MavenSession own = session.clone();
    own.setCurrentProject(project);
    return text -> {
      try {
        Object value =
            new PluginParameterExpressionEvaluator(own, new MojoExecution(new MojoDescriptor()))
                .evaluate(text);
        return value == null ? null : value.toString();
      } catch (ExpressionEvaluationException e) {
        return null; // it stays as unknown as it is
      }
    };
  }

  PomSettings of(MavenProject project) {
    PomSettings own = all.get(project.getId());
    return own == null ? all.computeIfAbsent(project.getId(), id -> read(project)) : own;
  }

  Iterable<PomSettings> all() {
    return all.values();
  }

  MavenSession session() {
    return session;
  }
}
