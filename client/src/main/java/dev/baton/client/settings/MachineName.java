package dev.baton.client.settings;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;

/** How this machine calls itself: the one place that reads it out of what the system says. */
final class MachineName {

  private MachineName() {}

  static String get() {
    try {
      Path named = Path.of("/etc/hostname");
      if (Files.isReadable(named)) {
        String name = Files.readString(named).strip();
        if (!name.isEmpty()) {
          return name;
        }
      }
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      return unresolved(e);
    } catch (IOException e) {
      return "unknown";
    }
  }

  /** Java knows the name and tells it only here: {@code name: name: what went wrong}. */
  static String unresolved(UnknownHostException e) {
    String said = e.getMessage();
    return said == null ? "unknown" : said.split(":", 2)[0];
  }
}
