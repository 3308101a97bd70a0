package dev.baton.gradle.internal;

import dev.baton.plugin.bridge.EngineFailure;
import dev.baton.plugin.bridge.QueueTexts;
import dev.baton.plugin.bridge.VmEngine;
import dev.baton.plugin.bridge.VmEngine.Operation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import org.gradle.api.GradleException;
import org.gradle.api.Transformer;
import org.gradle.api.logging.Logger;
import org.gradle.api.logging.Logging;
import org.gradle.api.provider.Property;
import org.gradle.api.services.BuildService;
import org.gradle.api.services.BuildServiceParameters;

/**
 * The VM of one project in one build.
 *
 * <p>A VM that the build has brought up for itself is taken down when the build ends, whatever came
 * of it; one that was killed before that is left to its longest life and a sweep.
 */
public abstract class VmService implements BuildService<VmService.Params>, AutoCloseable {

  static final String OWN = "own";
  static final String OFFLINE = "offline";

  private static final Logger LOG = Logging.getLogger("dev.baton.vm");

  /** What is known when the build has been configured. */
  public interface Params extends BuildServiceParameters {

    /** Where the engine is kept. */
    Property<String> getHome();

    /** Where relative paths start. */
    Property<String> getDirectory();
  }

  /** A class rather than a lambda, which the configuration cache of Gradle 7 cannot keep. */
  static final class IpOf implements Transformer<String, VmService> {
    @Override
    public String transform(VmService service) {
      return service.ip();
    }
  }

  private final String ownName = "gradle-" + UUID.randomUUID().toString().substring(0, 13);

  /** Set while a VM of this build's own may exist. */
  private Map<String, String> own;

  /** Set while this build uses the VM. */
  private VmEngine.Keeping keeping;

  private Map<String, String> environment = Map.of();

  /** Does it, and says what came of it. */
  public synchronized String run(String operation, Map<String, String> settings) {
    Map<String, String> vm = vm(settings);
    Operation meant = Operation.valueOf(operation);
    boolean isOwn = settings.containsKey(OWN);
    if (isOwn && meant == Operation.DEPLOY) {
      own = vm;
    }
    stopKeeping();
    // A VM of the build's own is taken down even if its deploy never came to an end.
    Operation done = isOwn && meant == Operation.DESTROY ? takingDown(settings) : meant;
    VmEngine.Result result = ask(engine -> engine.run(done, vm, LOG::lifecycle));
    if (meant == Operation.DEPLOY || meant == Operation.RESUME) {
      Map<String, String> told = new HashMap<>();
      told.put("BATON_VM", vm.getOrDefault("vm", "default"));
      told.put("BATON_VM_IP", result.ip());
      environment = Map.copyOf(told);
      keeping = ask(engine -> engine.keep(vm, LOG::warn));
    } else if (meant == Operation.DESTROY) {
      own = null;
      environment = Map.of();
    }
    return "Baton: " + result.text();
  }

  private static Operation takingDown(Map<String, String> settings) {
    return settings.containsKey("keep-snapshot") ? Operation.DESTROY : Operation.TAKE_DOWN;
  }

  public String status(Map<String, String> settings) {
    Map<String, String> vm = vm(settings);
    return ask(engine -> engine.status(vm));
  }

  public String sweep(Map<String, String> settings, boolean remove) {
    Map<String, String> vm = vm(settings);
    return ask(engine -> engine.sweep(vm, remove, LOG::lifecycle));
  }

  private void stopKeeping() {
    if (keeping != null) {
      keeping.close();
      keeping = null;
    }
  }

  /** For a task that is about to use it. */
  synchronized Map<String, String> environment() {
    if (keeping != null) {
      keeping.lookAtLocks();
    }
    return environment;
  }

  synchronized String ip() {
    String ip = environment.get("BATON_VM_IP");
    if (ip == null) {
      throw new GradleException(
          Sentences.joined(
              "there is no VM yet, and so no vm.ip",
              "It is there after vmDeploy: vm.use(tasks.named('…'))."));
    }
    return ip;
  }

  private Map<String, String> vm(Map<String, String> settings) {
    Map<String, String> all = new LinkedHashMap<>(settings);
    if (all.remove(OWN) != null) {
      all.put("vm", ownName);
    }
    if (all.remove(OFFLINE) != null && all.containsKey(ExtensionJars.ELSEWHERE)) {
      throw Sentences.badSetting(
          "a VM in a cloud cannot be reached with --offline", "Leave out --offline.");
    }
    read(all, "public-key-file", "public-key", "vm.publicKey");
    read(all, "script-file", "script", "vm.script");
    all.put(QueueTexts.DIRECTORY, getParameters().getDirectory().get());
    return all;
  }

  /** Now rather than when the build was configured: what is in it must not be kept. */
  private static void read(Map<String, String> all, String from, String to, String setting) {
    String file = all.remove(from);
    if (file != null) {
      try {
        all.put(to, Files.readString(Path.of(file)).strip());
      } catch (IOException e) {
        throw Sentences.badSetting(
            "the file " + file + " cannot be read", "Correct " + setting + " in the build file.");
      }
    }
  }

  private interface Question<T> {
    T ask(VmEngine engine) throws InterruptedException;
  }

  private <T> T ask(Question<T> question) {
    try {
      return question.ask(GradleTool.vmEngine(getParameters().getHome().get(), LOG));
    } catch (EngineFailure e) {
      throw Sentences.failure(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new GradleException("Baton: Interrupted.", e);
    }
  }

  @Override
  public synchronized void close() {
    stopKeeping();
    if (own == null) {
      return;
    }
    boolean interrupted = Thread.interrupted();
    Map<String, String> left = own;
    own = null;
    try {
      LOG.lifecycle(
          "Baton: " + ask(engine -> engine.run(Operation.TAKE_DOWN, left, LOG::lifecycle)).text());
    } catch (RuntimeException e) {
      // The build has its own end; whoever reads this must know what is left.
      LOG.error(
          Sentences.joined(
              "the VM of this build is still there: " + e.getMessage(),
              "`gradle vmSweep --remove` takes it down when its longest life is over."));
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
