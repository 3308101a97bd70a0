package dev.baton.plugin.engine;

import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;

/**
 * What the clients of clouds log. Those who have a build tool debug see all that any library logs,
 * and these log the requests that they sign, with the token of a role in them.
 */
final class ClientLogs {

  /** Held here: the JDK forgets a logger that nobody holds, with its settings. */
  private static final List<Logger> OF_REQUESTS =
      Stream.of(
              "software.amazon.awssdk",
              "com.aliyun",
              "org.apache.http",
              "sun.net.www.protocol.http.HttpURLConnection")
          .map(Logger::getLogger)
          .toList();

  private ClientLogs() {}

  /** To be called again for each build: a build tool sets the levels of all loggers anew. */
  static void leaveOutRequests() {
    for (Logger logger : OF_REQUESTS) {
      Level level = logger.getLevel();
      if (level == null || level.intValue() < Level.INFO.intValue()) {
        logger.setLevel(Level.INFO);
      }
    }
  }
}
