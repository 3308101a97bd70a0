package dev.baton.gradle;

import java.time.Duration;
import org.gradle.api.Task;
import org.gradle.api.file.RegularFileProperty;
import org.gradle.api.provider.Property;
import org.gradle.api.provider.Provider;
import org.gradle.api.tasks.TaskProvider;

/**
 * The {@code vm} block: a build VM, and the tasks that need one.
 *
 * <pre>{@code
 * vm {
 *     type = 'sim.large'
 *     use(tasks.named('integrationTest'))
 * }
 * }</pre>
 */
public interface VmExtension {

  /**
   * Where the states of VMs are: {@code file:DIR}, or the address of a store that an adapter
   * brings. Default: {@code BATON_VM_STORE}, else this user's own directory.
   */
  Property<String> getStore();

  /**
   * Which cloud: "simulated", which is in a directory, or one that an adapter brings, in the jars
   * of the configuration {@code batonExtensions}; {@code docs/adapters.md} lists those of this
   * version. Default: {@code BATON_CLOUD}, else "simulated".
   */
  Property<String> getCloud();

  /**
   * Which VM. Default: one of this build's own if some task {@link #use uses} it, else {@code
   * BATON_VM}, else "default".
   */
  Property<String> getVmName();

  /** Default: the cloud's. */
  Property<String> getRegion();

  /** Default: any. */
  Property<String> getZone();

  /** The type of the instance. Default: the cloud's. */
  Property<String> getType();

  /** In GB. Default: the cloud's. */
  Property<Integer> getDisk();

  /** Default: the cloud's. */
  Property<String> getImage();

  /** Who may log in: a file with a key in OpenSSH's format. No default. */
  RegularFileProperty getPublicKey();

  /** What is run on the new instance, read when it is needed and written nowhere. No default. */
  RegularFileProperty getScript();

  /**
   * After this time a sweep, or the cloud itself, takes it down even if nobody asks; it starts
   * again while the build uses the VM. Default: eight hours for a VM that some task {@link #use
   * uses}, else never.
   */
  Property<Duration> getMaxLife();

  /** Whether {@code vmDestroy} keeps the disk as a snapshot. Default: false. */
  Property<Boolean> getKeepSnapshot();

  /**
   * A task that needs the VM: it is deployed before and destroyed after it, whether the task
   * succeeds, fails or is interrupted. A process that the task starts finds {@code BATON_VM} and
   * {@code BATON_VM_IP} in its environment.
   */
  void use(TaskProvider<?> task);

  void use(Task task);

  /** Its address. It has a value only after {@code vmDeploy}. */
  Provider<String> getIp();
}
