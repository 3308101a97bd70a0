package dev.baton.testing;

import java.util.ArrayList;
import java.util.List;

/**
 * Commands for tests that send signals. A process inherits which signals are ignored, and Java
 * keeps to that: in a build that {@code nohup} or a script has started in the background, children
 * do not notice SIGINT.
 */
public final class Signals {
  private Signals() {}

  /** The command with every signal as in a terminal; the process has the same id. */
  public static List<String> noneIgnored(List<String> command) {
    if (!System.getProperty("os.name").equals("Linux")) {
      return command;
    }
    return prefixed(List.of("/usr/bin/env", "--default-signal=HUP,INT,TERM"), command);
  }

  /** The command as {@code COMMAND &} in a script starts it: without SIGINT. */
  public static List<String> interruptIgnored(List<String> command) {
    return prefixed(List.of("sh", "-c", "trap '' INT; exec \"$@\"", "sh"), command);
  }

  private static List<String> prefixed(List<String> prefix, List<String> command) {
    List<String> all = new ArrayList<>(prefix);
    all.addAll(command);
    return all;
  }
}
