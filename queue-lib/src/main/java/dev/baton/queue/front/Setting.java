package dev.baton.queue.front;

import java.util.Locale;

/** What can be set to say which queue, or which VM, is meant and how it is reached. */
public enum Setting {
  STORE,
  QUEUE,
  MODE,
  ISSUE,
  API,
  TOKEN_FILE,
  CA_FILE,
  VM,
  VM_STORE,
  CLOUD;

  /** As in {@code token-file=FILE}. */
  public String id() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** As in {@code BATON_TOKEN_FILE}. */
  public String variable() {
    return "BATON_" + name();
  }
}
