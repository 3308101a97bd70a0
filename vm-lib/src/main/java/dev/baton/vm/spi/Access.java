package dev.baton.vm.spi;

import dev.baton.core.Checks;
import java.nio.file.Path;
import java.util.Objects;

/** How a command gets to run on a VM. */
public sealed interface Access {

  /**
   * The simulated cloud has no machines: what is run on a VM runs here.
   *
   * @param directory the instance's own
   */
  record Here(Path directory) implements Access {
    public Here {
      Objects.requireNonNull(directory, "directory");
    }
  }

  /**
   * By OpenSSH's client.
   *
   * @param key the file with the private key
   * @param hostKey what the machine must prove to be, such as {@code ssh-ed25519 AAAA…}
   */
  record Ssh(String host, int port, String user, Path key, String hostKey) implements Access {
    public Ssh {
      if (!host.matches("[0-9A-Fa-f.:]{2,45}")) {
        throw new IllegalArgumentException("host must be an address: " + Checks.shown(host));
      }
      if (port < 1 || port > 65_535) {
        throw new IllegalArgumentException("port must be 1 to 65535: " + port);
      }
      if (!user.matches("[a-z_][a-z0-9_-]{0,31}")) {
        throw new IllegalArgumentException("user must be a plain name: " + Checks.shown(user));
      }
      Objects.requireNonNull(key, "key");
      if (!hostKey.matches("[a-z0-9@.-]+ [A-Za-z0-9+/=]+")) {
        throw new IllegalArgumentException(
            "host key must be a type and a key: " + Checks.shown(hostKey));
      }
    }
  }
}
