package dev.baton.demo;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;

/** {@code baton-demo} on the command line. */
public final class Main {

  private static final String USAGE =
      """
      Usage: baton-demo [--stay] [--break=overlap]
             baton-demo sim [OPTIONS]

      Plays a minute of builds on a GitHub on loopback, with a board to watch in a browser. Exits
      with 0 if every promise was kept, and with 1 if one was broken.

        --stay            keep the pages until Ctrl-C
        --break=overlap   let one build run without the lock: the demo must notice

      sim starts a GitHub on loopback to try things out with; Ctrl-C stops it.

        baton-demo sim --port 8080 --repository octo/app --token ann=ann-token
        baton-demo sim --help

      Then, in another shell:

        export GITHUB_API_URL=http://127.0.0.1:8080 BATON_TOKEN=ann-token
        baton init --store github:octo/app
      """;

  private Main() {}

  public static void main(String[] args) throws IOException, InterruptedException {
    List<String> words = List.of(args);
    if (!words.isEmpty() && words.get(0).equals("sim")) {
      dev.baton.githubsim.Main.main(Arrays.copyOfRange(args, 1, args.length));
    } else if (words.contains("--help") || words.contains("-h")) {
      System.out.print(USAGE);
    } else {
      System.exit(Demo.run(words));
    }
  }
}
