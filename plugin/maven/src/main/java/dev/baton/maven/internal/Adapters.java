package dev.baton.maven.internal;

import dev.baton.plugin.bridge.QueueTexts;
import dev.baton.plugin.loader.Kinds;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.maven.execution.MavenSession;
import org.apache.maven.project.MavenProject;
import org.eclipse.aether.artifact.DefaultArtifact;
import org.eclipse.aether.collection.CollectRequest;
import org.eclipse.aether.graph.Dependency;
import org.eclipse.aether.resolution.ArtifactResult;
import org.eclipse.aether.resolution.DependencyRequest;
import org.eclipse.aether.resolution.DependencyResolutionException;

/**
 * Stores that are not part of the plugin: their jars are fetched as a plugin's are, when a queue is
 * needed that takes them, and are in no class realm of Maven.
 */
final class Adapters {

  private final MavenSession session;
  private final MavenParts parts;
  private final Map<List<String>, String> resolved = new ConcurrentHashMap<>();

  Adapters(MavenSession session, MavenParts parts) {
    this.session = session;
    this.parts = parts;
  }

  /**
   * The queue with what it takes to get there.
   *
   * @param declared what the POM names, {@code GROUP:ARTIFACT:VERSION} each
   */
  Map<String, String> located(
      Map<String, String> queue, List<String> declared, MavenProject project) {
    String store = queue.getOrDefault("store", System.getenv("BATON_STORE"));
    List<String> artifacts = store == null ? Collections.emptyList() : needed(store, declared);
    if (artifacts.isEmpty()) {
      return queue;
    }
    Map<String, String> located = new LinkedHashMap<>(queue);
    located.put(QueueTexts.ELSEWHERE, "true");
    if (!session.isOffline()) {
      located.put(
          QueueTexts.EXTENSIONS, resolved.computeIfAbsent(artifacts, a -> resolve(a, project)));
    }
    return located;
  }

  private static List<String> needed(String store, List<String> declared) {
    Optional<Boolean> known = Kinds.isInAdapter(store);
    if (known.isPresent() && !known.get()) {
      return Collections.emptyList();
    }
    if (!declared.isEmpty()) {
      return declared;
    }
    return Kinds.adapterOf(store)
        .map(artifact -> Collections.singletonList(artifact + ":" + Engines.version()))
        .orElse(Collections.emptyList());
  }

  private String resolve(List<String> artifacts, MavenProject project) {
    CollectRequest what = new CollectRequest();
    what.setRepositories(project.getRemotePluginRepositories());
    for (String artifact : artifacts) {
      what.addDependency(new Dependency(new DefaultArtifact(artifact), "runtime"));
    }
    try {
      List<String> files = new ArrayList<>();
      for (ArtifactResult one :
          parts
              .repositorySystem()
              .resolveDependencies(
                  session.getRepositorySession(), new DependencyRequest(what, null))
              .getArtifactResults()) {
        files.add(one.getArtifact().getFile().getPath());
      }
      return String.join("\n", files);
    } catch (DependencyResolutionException e) {
      throw new BadConfiguration(
          "stores beyond a directory and GitHub are not part of the plugin, and "
              + String.join(" and ", artifacts)
              + " could not be resolved for them: "
              + e.getMessage(),
          "Add a <pluginRepository> that has it, or name another one in <adapters>.");
    }
  }
}
