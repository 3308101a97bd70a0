package dev.baton.cli;

import dev.baton.demo.Demo;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** A minute of builds to watch. */
@Command(
    name = "demo",
    description = {
      "Play a minute of builds on a GitHub on loopback, with a board to watch in a browser.",
      "Ends with 0 when every promise was kept, and with 1 when one was broken.",
    },
    footer = {
      "  baton demo",
      "  baton demo --stay             keeps the pages until Ctrl-C",
      "  baton demo --break=overlap    shows what a broken promise looks like",
    })
final class DemoCommand implements Callable<Integer> {

  @Option(names = "--stay", description = "keep the pages until Ctrl-C")
  boolean stay;

  @Option(
      names = "--break",
      paramLabel = "overlap",
      description = "let one build without the lock: the demo must notice")
  String breaking;

  @Override
  public Integer call() throws IOException, InterruptedException {
    List<String> args = new ArrayList<>();
    if (stay) {
      args.add("--stay");
    }
    if (breaking != null) {
      args.add("--break=" + breaking);
    }
    return Demo.run(args);
  }
}
