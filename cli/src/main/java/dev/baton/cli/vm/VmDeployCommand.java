package dev.baton.cli.vm;

import dev.baton.cli.terminal.CliException;
import dev.baton.client.vm.VmClient;
import dev.baton.core.BadSetting;
import dev.baton.core.Checkout;
import dev.baton.core.Problem.Kind;
import dev.baton.vm.BuildVm;
import dev.baton.vm.DeploySpec;
import dev.baton.vm.Operation;
import dev.baton.vm.Options;
import dev.baton.vm.Outcome;
import dev.baton.vm.VmException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Creates what is missing of a VM. */
@Command(
    name = "deploy",
    description = {
      "Create a VM: everything, the rest of a deploy that was interrupted, a VM from its snapshot,"
          + " or what was deleted by hand.",
    },
    footer = {
      "  baton vm deploy",
      "  baton vm deploy --vm nightly --type sim.large --script setup.sh --max-life 8h",
      "  baton vm deploy --script setup.sh --warm   without booting, from the second time on",
      "  baton vm deploy --fresh            not from the snapshot, which goes",
    })
final class VmDeployCommand extends VmChange {

  @Option(names = "--region", paramLabel = "NAME", description = "default: the cloud's")
  String region;

  @Option(
      names = "--zone",
      paramLabel = "NAME",
      description = "several with commas, where the cloud takes them; default: any")
  String zone;

  @Option(
      names = "--type",
      paramLabel = "NAME",
      description =
          "of the instance; several with commas, where the cloud takes them: the first in stock")
  String type;

  @Option(names = "--disk", paramLabel = "GB", description = "its size; default: 40")
  Integer disk;

  @Option(
      names = "--image",
      paramLabel = "ID",
      description = "or the NAME of `baton vm image add`; default: the cloud's")
  String image;

  @Option(
      names = "--script",
      paramLabel = "FILE",
      description = "run on the new instance; - is standard input")
  String script;

  @Option(
      names = "--public-key",
      paramLabel = "FILE",
      description = "who may log in; default: ~/.baton/ssh_key.pub, if it is there")
  Path publicKey;

  @Option(
      names = "--max-life",
      paramLabel = "TIME",
      description =
          "after this time a sweep, or the cloud itself, deletes it; starts again while `vm exec`"
              + " or `vm ssh` uses it; default: never")
  Duration maxLife;

  @Option(names = "--fresh", description = "do not start from the snapshot, and delete it")
  boolean fresh;

  @Option(
      names = "--warm",
      description =
          "start a new VM from one that is kept booted, with the script done; prepares that the"
              + " first time")
  boolean warm;

  @Override
  Operation operation() {
    return Operation.DEPLOY;
  }

  @Override
  Outcome change(VmClient vmClient, BuildVm vm, Options options)
      throws VmException, InterruptedException {
    return vm.deploy(spec(vmClient.cloud().defaults()), options);
  }

  private DeploySpec spec(DeploySpec base) {
    try {
      DeploySpec spec =
          new DeploySpec(
              region == null ? base.region() : region,
              zone == null ? base.zone() : zone,
              type == null ? base.instanceType() : type,
              disk == null ? base.diskGb() : disk,
              image == null ? base.image() : image,
              key(),
              base.application(),
              base.maxLife(),
              fresh,
              warm);
      if (script != null) {
        spec = spec.withApplication(text(script));
      }
      return maxLife == null ? spec : spec.livingAtMost(maxLife);
    } catch (IllegalArgumentException e) {
      throw BadSetting.of(e, "See `baton vm deploy --help`.");
    }
  }

  private String key() {
    Path own = baton().shell().home().resolve(".baton/ssh_key.pub");
    if (publicKey == null && !Files.exists(own)) {
      return "";
    }
    if (publicKey == null) {
      Checkout.requireOutside(own, baton().shell().directory());
    }
    return text((publicKey == null ? own : publicKey).toString()).strip();
  }

  private String text(String file) {
    try {
      return file.equals("-")
          ? new String(baton().shell().in().readAllBytes(), StandardCharsets.UTF_8)
          : Files.readString(baton().shell().directory().resolve(file));
    } catch (IOException e) {
      throw new CliException(
          Kind.USAGE,
          "the file " + file + " cannot be read",
          "Check that it is there, readable, and plain text.",
          e);
    }
  }
}
