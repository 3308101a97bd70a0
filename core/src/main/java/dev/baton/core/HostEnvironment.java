package dev.baton.core;

import java.nio.file.Path;
import java.util.Map;

/** The machine as an adapter sees it: variables and directories, and no setting of a front end. */
public interface HostEnvironment {

  /** The environment variables, unmodifiable. */
  Map<String, String> environment();

  /** Where relative paths start. */
  Path directory();

  /** The user's home directory. */
  Path home();

  /** Empty when it is not set or empty: a workflow cannot unset a variable. */
  default String variable(String name) {
    return environment().getOrDefault(name, "");
  }
}
