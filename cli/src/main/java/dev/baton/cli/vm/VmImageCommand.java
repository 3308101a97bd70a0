package dev.baton.cli.vm;

import dev.baton.cli.terminal.Baton;
import dev.baton.cli.terminal.CliException;
import dev.baton.cli.terminal.ExitCode;
import dev.baton.cli.terminal.InertStream;
import dev.baton.cli.terminal.Prompts;
import dev.baton.client.vm.VmJson;
import dev.baton.vm.spi.Images;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/** The images that a cloud keeps itself. */
@Command(
    name = "image",
    description = {
      "Images for new VMs, where the cloud keeps them itself: `baton vm deploy --image NAME`.",
    },
    footer = {
      "  baton vm image add debian debian-12.qcow2",
      "  baton vm image list",
      "  baton vm image remove debian",
    },
    subcommands = {
      VmImageCommand.Add.class,
      VmImageCommand.All.class,
      VmImageCommand.Remove.class,
    })
final class VmImageCommand implements Callable<Integer> {

  @ParentCommand VmCommand parent;

  @Spec CommandSpec spec;

  @Override
  public Integer call() {
    spec.commandLine().usage(InertStream.past(baton().shell().err()));
    return ExitCode.USAGE.code;
  }

  private Baton baton() {
    return parent.baton;
  }

  /** Adds one. */
  @Command(
      name = "add",
      description = {
        "Copy a file to where the cloud keeps its images.",
        "With --sha256, a file that has another checksum is refused.",
      },
      footer = "  baton vm image add debian debian-12.qcow2")
  static final class Add implements Callable<Integer> {

    @ParentCommand VmImageCommand image;

    @Parameters(index = "0", paramLabel = "NAME", description = "what to call it")
    String name;

    @Parameters(index = "1", paramLabel = "FILE", description = "a disk image")
    Path file;

    @Option(
        names = "--sha256",
        paramLabel = "SUM",
        description = "the checksum that the file must have; default: none is checked")
    String sum;

    @Override
    public Integer call() throws InterruptedException {
      return image.parent.with(
          vmClient -> {
            Path here = image.baton().shell().directory().resolve(file);
            Images.Image added = vmClient.images().add(name, here, Optional.ofNullable(sum));
            image
                .baton()
                .result(
                    VmJson.of(added),
                    "Image "
                        + added.name()
                        + " is there (sha256 "
                        + added.sha256()
                        + "). `"
                        + image.parent.words().command("deploy")
                        + " --image "
                        + added.name()
                        + "` starts from it.");
            return ExitCode.OK.code;
          });
    }
  }

  /** Lists them. */
  @Command(
      name = "list",
      description = "The images that there are, their checksums, and what uses them.",
      footer = "  baton vm image list")
  static final class All implements Callable<Integer> {

    @ParentCommand VmImageCommand image;

    @Override
    public Integer call() throws InterruptedException {
      return image.parent.with(
          vmClient -> {
            List<Images.Image> all = vmClient.images().list();
            image
                .baton()
                .result(all.stream().map(VmJson::of).toList(), image.parent.text().ofImages(all));
            return ExitCode.OK.code;
          });
    }
  }

  /** Removes one. */
  @Command(
      name = "remove",
      description = "Delete an image. One that a VM uses is refused.",
      footer = "  baton vm image remove debian --yes")
  static final class Remove implements Callable<Integer> {

    @ParentCommand VmImageCommand image;

    @Parameters(paramLabel = "NAME", description = "which one")
    String name;

    @Option(
        names = {"-y", "--yes"},
        description = "do not ask")
    boolean yes;

    @Override
    public Integer call() throws InterruptedException {
      Prompts prompts = new Prompts(image.baton());
      if (!yes && !prompts.canAsk()) {
        throw CliException.usage(
            "image remove deletes image " + name + ", and there is no terminal to ask on",
            "Add --yes.");
      }
      return image.parent.with(
          vmClient -> {
            if (!yes && !isMeant(prompts)) {
              image.baton().say("Nothing was changed.");
              return ExitCode.REFUSED.code;
            }
            vmClient.images().remove(name);
            image.baton().result(Map.of("removed", name), "Image " + name + " is gone.");
            return ExitCode.OK.code;
          });
    }

    private boolean isMeant(Prompts prompts) throws InterruptedException {
      return prompts
          .line("Delete image " + name + "? [y/N] ")
          .filter(a -> a.matches("(?i)y|yes"))
          .isPresent();
    }
  }
}
