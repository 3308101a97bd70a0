package dev.baton.maven.internal;

import java.util.Optional;
import java.util.function.Supplier;
import javax.inject.Inject;
import javax.inject.Named;
import javax.inject.Provider;
import javax.inject.Singleton;
import org.apache.maven.execution.MavenSession;
import org.apache.maven.lifecycle.LifecycleExecutor;
import org.apache.maven.model.Plugin;
import org.apache.maven.plugin.BuildPluginManager;
import org.apache.maven.plugin.descriptor.PluginDescriptor;
import org.apache.maven.project.MavenProject;
import org.apache.maven.settings.Server;
import org.apache.maven.settings.crypto.DefaultSettingsDecryptionRequest;
import org.apache.maven.settings.crypto.SettingsDecrypter;
import org.eclipse.aether.RepositorySystem;

/** The parts of Maven that guarding needs, made on first need. */
@Named
@Singleton
public final class MavenParts {

  private final Provider<LifecycleExecutor> executor;
  private final Provider<BuildPluginManager> plugins;
  private final Provider<SettingsDecrypter> decrypter;
  private final Provider<RepositorySystem> repositories;

  @Inject
  public MavenParts(
      Provider<LifecycleExecutor> executor,
      Provider<BuildPluginManager> plugins,
      Provider<SettingsDecrypter> decrypter,
      Provider<RepositorySystem> repositories) {
    this.executor = executor;
    this.plugins = plugins;
    this.decrypter = decrypter;
    this.repositories = repositories;
  }

  LifecycleExecutor lifecycleExecutor() {
    return in(null, executor::get);
  }

  /**
   * Maven's injector shows what the class loader of the thread sees: that of the project has what
   * its extensions bring, that of this plugin lacks parts of Maven, and one that is not Maven's
   * shows all.
   *
   * @param project null: all that Maven has
   */
  static <T> T in(MavenProject project, Supplier<T> lookup) {
    ClassLoader realm = project == null ? null : project.getClassRealm();
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    thread.setContextClassLoader(realm == null ? ClassLoader.getSystemClassLoader() : realm);
    try {
      return lookup.get();
    } finally {
      thread.setContextClassLoader(before);
    }
  }

  /** What the plugin has; empty when that cannot be found out now. */
  Optional<PluginDescriptor> descriptor(MavenSession session, MavenProject project, Plugin plugin) {
    return in(
        project,
        () -> {
          try {
            return Optional.of(
                plugins
                    .get()
                    .loadPlugin(
                        plugin,
                        project.getRemotePluginRepositories(),
                        session.getRepositorySession()));
          } catch (Exception e) { // Maven says why when it needs the plugin itself
            return Optional.empty();
          }
        });
  }

  RepositorySystem repositorySystem() {
    return in(null, repositories::get);
  }

  /** That of a server in the settings, decrypted. */
  Optional<String> password(MavenSession session, String server) {
    Server found = session.getSettings().getServer(server);
    return found == null
        ? Optional.empty()
        : Optional.ofNullable(
            in(null, decrypter::get)
                .decrypt(new DefaultSettingsDecryptionRequest(found))
                .getServer()
                .getPassword());
  }
}
