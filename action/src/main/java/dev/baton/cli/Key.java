package dev.baton.cli;

import java.util.Locale;

/** What can be set by flag, by environment or in a configuration file. */
enum Key {
  STORE("store"),
  QUEUE("queue"),
  MODE("mode"),
  ISSUE("issue"),
  API("api"),
  TOKEN_FILE("token-file"),
  CA_FILE("ca-file");

  final String id;

  Key(String id) {
    this.id = id;
  }

  /** As in {@code --token-file}. */
  String flag() {
    return "--" + id;
  }

  /** As in {@code BATON_TOKEN_FILE}. */
  String variable() {
    return "BATON_" + id.replace('-', '_').toUpperCase(Locale.ROOT);
  }
}
