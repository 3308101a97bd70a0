package dev.baton.plugin.engine;

import dev.baton.client.adapter.Extensions;
import dev.baton.client.adapter.KnownAdapters;
import dev.baton.core.BadSetting;
import dev.baton.core.adapter.AdapterDescriptor;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;

/**
 * What the clients of clouds log. Those who have a build tool debug see all that any library logs,
 * and these log the requests that they sign, with the token of a role in them.
 */
final class ClientLogs {

  private static final String OF_JDK = "sun.net.www.protocol.http.HttpURLConnection";

  /** The JDK forgets a logger that nobody holds, with its settings. */
  private static final Map<String, Logger> HELD = new ConcurrentHashMap<>();

  private ClientLogs() {}

  /** To be called again for each build: a build tool sets the levels of all loggers anew. */
  static void leaveOutRequests(Extensions extensions) {
    Stream.concat(
            Stream.of(OF_JDK), adapters(extensions).stream().flatMap(a -> a.requestLogs().stream()))
        .map(name -> HELD.computeIfAbsent(name, Logger::getLogger))
        .forEach(ClientLogs::leaveOutRequests);
  }

  private static List<AdapterDescriptor> adapters(Extensions extensions) {
    try {
      return extensions.adapters();
    } catch (BadSetting e) {
      return KnownAdapters.all(); // Told when it is to be used.
    }
  }

  private static void leaveOutRequests(Logger logger) {
    Level level = logger.getLevel();
    if (level == null || level.intValue() < Level.INFO.intValue()) {
      logger.setLevel(Level.INFO);
    }
  }
}
