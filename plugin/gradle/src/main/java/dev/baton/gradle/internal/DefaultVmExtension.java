package dev.baton.gradle.internal;

import dev.baton.gradle.VmExtension;
import dev.baton.gradle.VmTask;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import javax.inject.Inject;
import org.gradle.api.Project;
import org.gradle.api.Task;
import org.gradle.api.provider.Property;
import org.gradle.api.provider.Provider;
import org.gradle.api.tasks.TaskProvider;

/** The {@code vm} block of one project. */
public abstract class DefaultVmExtension implements VmExtension {

  private static final String LIFE_OF_A_BUILD = Duration.ofHours(8).toString();

  private final Project project;
  private final Provider<VmService> service;
  private final ExtensionJars extensions;
  private boolean used;

  @Inject
  public DefaultVmExtension(Project project) {
    this.project = project;
    this.extensions = new ExtensionJars(project);
    this.service =
        project
            .getGradle()
            .getSharedServices()
            .registerIfAbsent(
                "dev.baton.vm" + project.getPath(),
                VmService.class,
                spec -> {
                  spec.getParameters()
                      .getHome()
                      .set(
                          project
                              .getGradle()
                              .getGradleUserHomeDir()
                              .toPath()
                              .resolve("caches/baton")
                              .toString());
                  spec.getParameters().getDirectory().set(project.getRootDir().getPath());
                });
  }

  @Override
  public void use(TaskProvider<?> task) {
    used = true;
    task.configure(this::join);
  }

  @Override
  public void use(Task task) {
    used = true;
    join(task);
  }

  private void join(Task task) {
    task.dependsOn("vmDeploy");
    task.finalizedBy("vmDestroy");
    task.usesService(service);
    task.doFirst(new VmEnvironment(service));
  }

  @Override
  public Provider<String> getIp() {
    return service.map(new VmService.IpOf());
  }

  /** What a task needs to know. */
  public void configure(VmTask task) {
    task.getService().set(service);
    task.usesService(service);
    task.getSettings().set(project.provider(this::settings));
  }

  private Map<String, String> settings() {
    Map<String, String> all = new LinkedHashMap<>();
    put(all, "vm-store", getStore());
    put(all, "cloud", getCloud());
    put(all, "vm", getVmName());
    put(all, "region", getRegion());
    put(all, "zone", getZone());
    put(all, "type", getType());
    put(all, "disk", getDisk());
    put(all, "image", getImage());
    if (getPublicKey().isPresent()) {
      all.put("public-key-file", getPublicKey().get().getAsFile().getPath());
    }
    if (getScript().isPresent()) {
      all.put("script-file", getScript().get().getAsFile().getPath());
    }
    if (getMaxLife().isPresent()) {
      Duration life = getMaxLife().get();
      if (life.isNegative() || life.isZero()) {
        throw Sentences.badSetting(
            "the maxLife of the vm block cannot be " + life.toSeconds() + "s",
            "Give a duration greater than zero: vm { maxLife = … }.");
      }
      all.put("max-life", life.toString());
    } else if (used) {
      all.put("max-life", LIFE_OF_A_BUILD);
    }
    if (isOwn()) {
      all.put(VmService.OWN, "true");
    }
    if (getKeepSnapshot().getOrElse(false)) {
      all.put("keep-snapshot", "true");
    }
    boolean offline = project.getGradle().getStartParameter().isOffline();
    if (offline) {
      all.put(VmService.OFFLINE, "true");
    }
    extensions.addTo(all, offline, Map.of("vm-store", "BATON_VM_STORE", "cloud", "BATON_CLOUD"));
    return all;
  }

  /** Whether each build has a VM of its own, so that two builds never share one. */
  private boolean isOwn() {
    return used && !getVmName().isPresent();
  }

  private static void put(Map<String, String> all, String key, Property<?> property) {
    if (property.isPresent()) {
      all.put(key, property.get().toString());
    }
  }
}
