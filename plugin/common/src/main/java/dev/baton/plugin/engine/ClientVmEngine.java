package dev.baton.plugin.engine;

import dev.baton.client.lock.Leases;
import dev.baton.client.problem.Advice;
import dev.baton.client.problem.Vocabulary;
import dev.baton.client.report.TextStyle;
import dev.baton.client.settings.Host;
import dev.baton.client.settings.Setting;
import dev.baton.client.settings.Settings;
import dev.baton.client.vm.StepLines;
import dev.baton.client.vm.VmClient;
import dev.baton.client.vm.VmText;
import dev.baton.client.vm.VmWords;
import dev.baton.core.BadSetting;
import dev.baton.core.Problem.Kind;
import dev.baton.plugin.bridge.BuildTool;
import dev.baton.plugin.bridge.EngineFailure;
import dev.baton.plugin.bridge.QueueTexts;
import dev.baton.plugin.bridge.VmEngine;
import dev.baton.vm.BuildVm;
import dev.baton.vm.Client;
import dev.baton.vm.DeploySpec;
import dev.baton.vm.Keeper;
import dev.baton.vm.Options;
import dev.baton.vm.Outcome;
import dev.baton.vm.Questions;
import dev.baton.vm.StatusReport;
import dev.baton.vm.SweepOptions;
import dev.baton.vm.SweepReport;
import dev.baton.vm.VmException;
import dev.baton.vm.VmName;
import dev.baton.vm.VmState;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/** Build VMs behind the bridge. */
public final class ClientVmEngine implements VmEngine {

  private static final String LABEL = "vm";

  private final BuildTool tool;

  public ClientVmEngine(BuildTool tool) {
    this.tool = tool;
  }

  /** How somebody says it who edits the block for the VM in a build file. */
  private record Words(BuildTool tool) implements Vocabulary {

    @Override
    public String command(String command) {
      return "`" + tool.command("vm status") + "`";
    }

    @Override
    public String setting(Setting setting) {
      return tool.setting(LABEL, setting.id());
    }

    @Override
    public Optional<String> own(Kind kind) {
      return Optional.of("Correct it in the vm block of the build file.")
          .filter(advice -> kind == Kind.USAGE);
    }
  }

  private Words words() {
    return new Words(tool);
  }

  /** What the build tool cannot do is done on the command line. */
  private VmWords commands() {
    return operation ->
        switch (operation) {
          case "deploy", "suspend", "resume", "destroy", "status", "sweep" ->
              tool.command("vm " + operation);
          default -> "baton vm " + operation;
        };
  }

  private VmText text() {
    return new VmText(commands(), TextStyle.PLAIN);
  }

  private interface Work<T> {
    T on(VmClient vmClient, VmName name) throws VmException, InterruptedException;
  }

  private record Open(VmClient vmClient, VmName name, Duration outerHold) {

    static Open of(BuildTool tool, Map<String, String> vm) {
      if (vm.containsKey(QueueTexts.EXTENSIONS)) {
        // They use what the engine has for GitHub, and must not bring a second one.
        tool.allowRemote();
      }
      Host host = Hosts.of(tool, LABEL, vm);
      Settings settings =
          Hosts.settings(host, vm, EnumSet.of(Setting.VM, Setting.VM_STORE, Setting.CLOUD));
      VmName name = settings.get(Setting.VM).map(v -> new VmName(v.text())).orElse(VmName.DEFAULT);
      return new Open(
          VmClient.open(settings, host, Client.ofThisProcess()),
          name,
          VmClient.holdOfOuterLock(host));
    }
  }

  private <T> T with(Map<String, String> vm, Work<T> work) throws InterruptedException {
    ClassLoader before = OwnLoader.enter();
    try {
      Open open = Open.of(tool, vm);
      try (VmClient vmClient = open.vmClient()) {
        return work.on(vmClient, open.name());
      }
    } catch (VmException e) {
      throw Problems.of(Advice.on(commands().spelled(e), words()), e);
    } catch (IllegalArgumentException e) {
      throw Problems.of(Advice.on(e, words()), e);
    } finally {
      OwnLoader.leave(before);
    }
  }

  @Override
  public Result run(Operation operation, Map<String, String> vm, Consumer<String> say)
      throws InterruptedException {
    return with(
        vm,
        (vmClient, name) -> {
          BuildVm one = vmClient.vms().vm(name);
          StepLines lines = lines(say);
          Options options = Options.DEFAULT.asking(Questions.assumeYes()).telling(lines);
          Outcome outcome =
              switch (operation) {
                case DEPLOY -> one.deploy(spec(vmClient.cloud().defaults(), vm), options);
                case SUSPEND -> one.suspend(options);
                case RESUME -> one.resume(options);
                case DESTROY ->
                    one.destroy(
                        vm.containsKey("keep-snapshot") ? BuildVm.Disk.KEEP : BuildVm.Disk.DROP,
                        options);
                case TAKE_DOWN -> one.takeDown(options.forcing());
              };
          String ip = outcome.state().flatMap(VmState::ip).orElse("");
          return new Result(text().of(name, outcome, vmClient), ip);
        });
  }

  @Override
  public Keeping keep(Map<String, String> vm, Consumer<String> warn) {
    ClassLoader before = OwnLoader.enter();
    try {
      return new Kept(Open.of(tool, vm), warn);
    } catch (BadSetting e) {
      throw Problems.of(Advice.on(e, words()), e);
    } finally {
      OwnLoader.leave(before);
    }
  }

  private static final class Kept implements Keeping {

    private final Open open;
    private final Consumer<String> warn;
    private Duration atLeast;
    private Keeper keeper;

    Kept(Open open, Consumer<String> warn) {
      this.open = open;
      this.warn = warn;
      this.atLeast = needed();
      this.keeper = start();
    }

    /** By the locks of this build, or of the outer process that it runs under. */
    private Duration needed() {
      Duration own = Leases.longest();
      return own.compareTo(open.outerHold()) < 0 ? open.outerHold() : own;
    }

    private Keeper start() {
      return open.vmClient().keepAlive(open.name(), atLeast, warn);
    }

    @Override
    public synchronized void lookAtLocks() {
      Duration now = needed();
      if (now.compareTo(atLeast) > 0) {
        atLeast = now;
        ClassLoader before = OwnLoader.enter();
        try {
          keeper.close();
          keeper = start();
        } finally {
          OwnLoader.leave(before);
        }
      }
    }

    @Override
    public synchronized void close() {
      keeper.close();
      open.vmClient().close();
    }
  }

  private static DeploySpec spec(DeploySpec base, Map<String, String> settings) {
    DeploySpec spec =
        new DeploySpec(
            settings.getOrDefault("region", base.region()),
            settings.getOrDefault("zone", base.zone()),
            settings.getOrDefault("type", base.instanceType()),
            settings.containsKey("disk") ? Integer.parseInt(settings.get("disk")) : base.diskGb(),
            settings.getOrDefault("image", base.image()),
            settings.getOrDefault("public-key", base.publicKey()),
            base.application(),
            Optional.ofNullable(settings.get("max-life")).map(Duration::parse),
            false);
    return settings.containsKey("script") ? spec.withApplication(settings.get("script")) : spec;
  }

  @Override
  public String status(Map<String, String> vm) throws InterruptedException {
    return with(
        vm,
        (vmClient, name) -> {
          StatusReport report = vmClient.vms().vm(name).status();
          return text().of(report, vmClient);
        });
  }

  @Override
  public String sweep(Map<String, String> vm, boolean remove, Consumer<String> say)
      throws InterruptedException {
    return with(
        vm,
        (vmClient, name) -> {
          SweepOptions options = SweepOptions.DRY_RUN.telling(lines(say));
          SweepReport report = vmClient.vms().sweep(remove ? options.forReal() : options);
          String text =
              text().of(report, vmClient.location(), tool.command("vm sweep") + " --remove");
          if (!report.with(SweepReport.Result.FAILED).isEmpty()) {
            throw new EngineFailure(
                Kind.FAILED.name(),
                "could not remove everything:\n" + text,
                "Try again later, or run " + words().command("status") + " for details.",
                null);
          }
          return text;
        });
  }

  private static StepLines lines(Consumer<String> say) {
    return new StepLines(line -> say.accept("VM: " + line));
  }
}
