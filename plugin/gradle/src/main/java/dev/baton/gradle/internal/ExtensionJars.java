package dev.baton.gradle.internal;

import dev.baton.plugin.bridge.QueueTexts;
import dev.baton.plugin.loader.EngineJars;
import dev.baton.plugin.loader.Kinds;
import java.io.File;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.gradle.api.GradleException;
import org.gradle.api.Project;
import org.gradle.api.artifacts.Configuration;
import org.gradle.api.artifacts.ResolveException;
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

  /** There when a queue or VM needs extensions. */
  static final String ELSEWHERE = QueueTexts.ELSEWHERE;

  private final Configuration configuration;
  private final ProviderFactory providers;

  ExtensionJars(Project project) {
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
    made.defaultDependencies(
        d -> ours().forEach(one -> d.add(project.getDependencies().create(one))));
    return made;
  }

  private static List<String> ours() {
    return Kinds.artifacts().stream().map(a -> a + ":" + EngineJars.version()).toList();
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
    boolean elsewhere = false;
    for (Map.Entry<String, String> one : variables.entrySet()) {
      String text = texts.get(one.getKey());
      elsewhere |=
          text == null ? variableIs(one.getValue(), declared) : isElsewhere(text, declared);
    }
    if (elsewhere) {
      texts.put(ELSEWHERE, "true");
      if (!offline) {
        texts.put(
            QueueTexts.EXTENSIONS,
            resolve().stream().map(File::getPath).sorted().collect(Collectors.joining("\n")));
      }
    }
  }

  private static boolean isElsewhere(String text, boolean declared) {
    return Kinds.isInAdapter(text).orElse(declared && !text.isBlank());
  }

  private boolean variableIs(String variable, boolean declared) {
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
   * Whether a variable names something elsewhere. The configuration cache keeps this answer, which
   * it depends on, rather than what the variable says.
   */
  public abstract static class Elsewhere implements ValueSource<Boolean, Elsewhere.Params> {

    /** Which variable, and {@link #areDeclared}. */
    public interface Params extends ValueSourceParameters {
      Property<String> getVariable();

      Property<Boolean> getDeclared();
    }

    @Override
    public Boolean obtain() {
      String text = System.getenv().getOrDefault(getParameters().getVariable().get(), "");
      return isElsewhere(text.strip(), getParameters().getDeclared().get());
    }
  }

  private Set<File> resolve() {
    Set<File> files;
    try {
      files = configuration.resolve();
    } catch (ResolveException e) {
      GradleException failure =
          new GradleException(
              Sentences.joined(
                  "stores and clouds beyond a directory and GitHub are not part of the plugin, and "
                      + String.join(" and ", ours())
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
