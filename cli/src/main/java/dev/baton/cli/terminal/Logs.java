package dev.baton.cli.terminal;

/** How much of the log is shown on stderr. */
final class Logs {

  private static final String PREFIX = "org.slf4j.simpleLogger.";

  private Logs() {}

  /** Works until something is logged for the first time. */
  static void set(Shell shell, int verbosity, boolean warnings) {
    String wanted = shell.variable("BATON_LOG");
    String level =
        switch (verbosity) {
          case 0 -> warnings ? "warn" : "off";
          case 1 -> "info";
          default -> "debug";
        };
    System.setProperty(PREFIX + "log.dev.baton", wanted.isEmpty() ? level : wanted);
    // Who asked for a record of the lock has to know that there is none, also with -q.
    System.setProperty(PREFIX + "log.dev.baton.reports", verbosity == 0 ? "warn" : level);
    System.setProperty(PREFIX + "defaultLogLevel", verbosity > 1 ? "info" : "error");
    System.setProperty(PREFIX + "showThreadName", "false");
    System.setProperty(PREFIX + "showLogName", "false");
    System.setProperty(PREFIX + "levelInBrackets", "false");
    if (verbosity > 0) {
      System.setProperty(PREFIX + "showDateTime", "true");
      // Whoever names a format gets a calendar ready, which takes a tenth of a short command.
      System.setProperty(PREFIX + "dateTimeFormat", "HH:mm:ss.SSS");
    }
  }
}
