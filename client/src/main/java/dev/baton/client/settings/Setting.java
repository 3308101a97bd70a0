package dev.baton.client.settings;

import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

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
  STATE_STORE,
  AUDIT_LOG,
  METRICS_LOG,
  METRICS_FILE,
  CLOUD;

  private static final Set<Setting> OF_PROJECTS = EnumSet.of(STORE, QUEUE, MODE, ISSUE);

  /**
   * Whether the file of a project may set it. Such a file comes with a checkout, which may be
   * anybody's: it says which queue is meant. Where a token is sent, whose certificates are trusted,
   * which file is read as a token and which machines are used is for the user to say.
   */
  public boolean isForProjects() {
    return OF_PROJECTS.contains(this);
  }

  /** As in {@code token-file=FILE}. */
  public String id() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** As in {@code BATON_TOKEN_FILE}. */
  public String variable() {
    return "BATON_" + name();
  }
}
