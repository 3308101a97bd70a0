package dev.baton.gradle.internal;

import dev.baton.plugin.bridge.QueueTexts;
import dev.baton.plugin.loader.EngineJars;
import dev.baton.plugin.loader.Kinds;
import java.io.File;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.gradle.api.GradleException;
import org.gradle.api.Project;
import org.gradle.api.artifacts.Configuration;
import org.gradle.api.artifacts.ResolveException;
import org.gradle.api.artifacts.dsl.DependencyHandler;
import org.gradle.api.attributes.Bundling;
import org.gradle.api.attributes.Category;
import org.gradle.api.attributes.LibraryElements;
import org.gradle.api.attributes.Usage;
import org.gradle.api.attributes.java.TargetJvmEnvironment;
import org.gradle.api.model.ObjectFactory;
import org.gradle.api.provider.Property;
import org.gradle.api.provider.ProviderFactory;
import org.gradle.api.provider.ValueSource;
import org.gradle.api.provider.ValueSourceParameters;

/**
 * The jars for stores and clouds that the plugin does not bring along: their clients are large.
 * They are the files of a configuration of the project, which is resolved only for a queue or a VM
 * that needs them; from then on they are texts among the others of that queue or VM.
 */
final class ExtensionJars {

  static final String CONFIGURATION = "batonExtensions";

  /** There when the build file names extensions of its own, which may know any kind of store. */
  static final String DECLARED = "extensions-declared";

  private static final String NOWHERE = "";

  /** There when a queue or VM needs extensions. */
  static final String ELSEWHERE = QueueTexts.ELSEWHERE;

  private final Configuration configuration;
  private final DependencyHandler dependencies;
  private final ProviderFactory providers;

  ExtensionJars(Project project) {
    this.dependencies = project.getDependencies();
    this.providers = project.getProviders();
    Configuration there = project.getConfigurations().findByName(CONFIGURATION);
    this.configuration = there == null ? create(project) : there;
  }

  private static Configuration create(Project project) {
    Configuration made = project.getConfigurations().create(CONFIGURATION);
    made.setDescription("Stores and clouds that the Baton plugin does not bring along.");
    made.setCanBeConsumed(false);
    made.setCanBeResolved(true);
    made.setVisible(false);
    ObjectFactory objects = project.getObjects();
    made.attributes(
        a -> {
          // All that a plugin for Java would choose: there may be none in this project.
          a.attribute(Usage.USAGE_ATTRIBUTE, objects.named(Usage.class, Usage.JAVA_RUNTIME));
          a.attribute(Category.CATEGORY_ATTRIBUTE, objects.named(Category.class, Category.LIBRARY));
          a.attribute(
              LibraryElements.LIBRARY_ELEMENTS_ATTRIBUTE,
              objects.named(LibraryElements.class, LibraryElements.JAR));
          a.attribute(
              Bundling.BUNDLING_ATTRIBUTE, objects.named(Bundling.class, Bundling.EXTERNAL));
          a.attribute(
              TargetJvmEnvironment.TARGET_JVM_ENVIRONMENT_ATTRIBUTE,
              objects.named(TargetJvmEnvironment.class, TargetJvmEnvironment.STANDARD_JVM));
        });
    return made;
  }

  /** Whether the build file names any besides ours. */
  boolean areDeclared() {
    return configuration.getAllDependencies().stream()
        .anyMatch(d -> !Kinds.artifacts().contains(d.getGroup() + ":" + d.getName()));
  }

  /**
   * What a queue or VM needs of this, if it does.
   *
   * @param offline whether nothing may be asked for over the network: then it is left to whoever
   *     uses the texts to refuse
   * @param variables by the keys of texts that name a store or a cloud: the variable that does so
   *     where the build file does not
   */
  void addTo(Map<String, String> texts, boolean offline, Map<String, String> variables) {
    boolean declared = areDeclared();
    Set<String> needed = new TreeSet<>();
    for (Map.Entry<String, String> one : variables.entrySet()) {
      String text = texts.get(one.getKey());
      needed.add(text == null ? ofVariable(one.getValue(), declared) : where(text, declared));
    }
    needed.remove(NOWHERE);
    if (!needed.isEmpty()) {
      texts.put(ELSEWHERE, "true");
      if (!offline) {
        needed.remove(DECLARED);
        texts.put(
            QueueTexts.EXTENSIONS,
            resolve(needed).stream().map(File::getPath).sorted().collect(Collectors.joining("\n")));
      }
    }
  }

  /** The adapter of this version that has it, {@link #DECLARED} or {@link #NOWHERE}. */
  private static String where(String text, boolean declared) {
    return Kinds.adapterOf(text)
        .orElse(
            declared && Kinds.isInAdapter(text).isEmpty() && !text.isBlank() ? DECLARED : NOWHERE);
  }

  private String ofVariable(String variable, boolean declared) {
    return providers
        .of(
            Elsewhere.class,
            spec -> {
              spec.getParameters().getVariable().set(variable);
              spec.getParameters().getDeclared().set(declared);
            })
        .get();
  }

  /**
   * Which adapter has what a variable names. The configuration cache keeps this answer, which it
   * depends on, rather than what the variable says.
   */
  public abstract static class Elsewhere implements ValueSource<String, Elsewhere.Params> {

    /** Which variable, and {@link #areDeclared}. */
    public interface Params extends ValueSourceParameters {
      Property<String> getVariable();

      Property<Boolean> getDeclared();
    }

    @Override
    public String obtain() {
      String text = System.getenv().getOrDefault(getParameters().getVariable().get(), "");
      return where(text.strip(), getParameters().getDeclared().get());
    }
  }

  /** What the build file names, or else the adapters that are needed and no others. */
  private Set<File> resolve(Set<String> adapters) {
    List<String> needed = adapters.stream().map(a -> a + ":" + EngineJars.version()).toList();
    Configuration chosen = configuration;
    if (configuration.getAllDependencies().isEmpty()) {
      chosen = configuration.copy();
      for (String one : needed) {
        chosen.getDependencies().add(dependencies.create(one));
      }
    }
    Set<File> files;
    try {
      files = chosen.resolve();
    } catch (ResolveException e) {
      GradleException failure =
          new GradleException(
              Sentences.joined(
                  "stores and clouds beyond a directory and GitHub are not part of the plugin, and "
                      + (chosen == configuration
                          ? "the dependencies of " + CONFIGURATION
                          : String.join(" and ", needed))
                      + " could not be fetched for them: "
                      + reason(e),
                  "Add where it is: repositories { mavenCentral() }. Or name its jars: dependencies"
                      + " { "
                      + CONFIGURATION
                      + " files(…) }."));
      // As its cause, it would be all that Gradle tells.
      failure.addSuppressed(e);
      throw failure;
    }
    for (File file : files) {
      if (!file.exists()) {
        throw Sentences.badSetting(
            "the file " + file + " is not there",
            "Correct it in the build file: dependencies { " + CONFIGURATION + " files(…) }.");
      }
    }
    return files;
  }

  private static String reason(ResolveException e) {
    Throwable cause = e.getCause() == null ? e : e.getCause();
    String line = String.valueOf(cause.getMessage()).strip().split("\\R", 2)[0];
    return line.replaceFirst("[.:]$", "");
  }
}
