package dev.baton.cli.vm;

import dev.baton.cli.terminal.CliException;
import dev.baton.client.vm.VmClient;
import dev.baton.core.BadSetting;
import dev.baton.core.Checks;
import dev.baton.core.Problem.Kind;
import dev.baton.vm.BuildVm;
import dev.baton.vm.Operation;
import dev.baton.vm.Options;
import dev.baton.vm.Outcome;
import dev.baton.vm.SizeChange;
import dev.baton.vm.VmException;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Gives a VM another size. */
@Command(
    name = "resize",
    description = {
      "Give the VM more or less of processors and memory.",
      "One that runs is stopped and started for it. If it does not come up, it gets its old size"
          + " back.",
      "Run without options, it finishes a resize that was interrupted.",
    },
    footer = {
      "  baton vm resize --cpus 2 --memory 4G",
      "  baton vm resize --type sim.large",
    })
final class VmResizeCommand extends VmChange {

  private static final Pattern MEMORY = Pattern.compile("([0-9]{1,8})(?i:([MG])i?B?)");

  @Option(names = "--cpus", paramLabel = "N", description = "virtual processors")
  Integer cpus;

  @Option(names = "--memory", paramLabel = "SIZE", description = "such as 512M or 4G")
  String memory;

  @Option(
      names = "--type",
      paramLabel = "NAME",
      description = "of the instance, where the cloud has types")
  String type;

  @Override
  Operation operation() {
    return Operation.RESIZE;
  }

  @Override
  void check() {
    size();
  }

  private SizeChange size() {
    try {
      return new SizeChange(
          Optional.ofNullable(type), Optional.ofNullable(cpus), megabytes(memory));
    } catch (IllegalArgumentException e) {
      throw BadSetting.of(e, "See `baton vm resize --help`.");
    }
  }

  private static Optional<Integer> megabytes(String size) {
    if (size == null) {
      return Optional.empty();
    }
    Matcher m = MEMORY.matcher(size);
    if (!m.matches()) {
      throw new IllegalArgumentException(
          "memory must be a size such as 512M or 4G: " + Checks.shown(size));
    }
    long number = Long.parseLong(m.group(1)) * (m.group(2).equalsIgnoreCase("G") ? 1_024 : 1);
    return Optional.of((int) Math.min(Integer.MAX_VALUE, number));
  }

  @Override
  Outcome change(VmClient vmClient, BuildVm vm, Options options)
      throws VmException, InterruptedException {
    SizeChange size = size();
    try {
      return vm.resize(size, options);
    } catch (VmException.Impossible e) {
      if (!size.isEmpty()) {
        throw e;
      }
      throw new CliException(
          Kind.USAGE,
          e.what(),
          "Give --cpus, --memory or --type, such as --cpus 2 --memory 4G.",
          e);
    }
  }
}
