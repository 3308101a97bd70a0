package dev.baton.qemu.node;

import dev.baton.core.json.Fields;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What a machine was copied from while that ran, and how far the copy has come since.
 *
 * @param hostKey the public half of its host key
 * @param loginKey the public half of the key that opens it
 * @param mac of its network card
 * @param renamed the copy has its own host key, address and ids
 * @param booted the copy has booted since, so that it has all that by itself
 */
public record Origin(String hostKey, String loginKey, String mac, boolean renamed, boolean booted) {
  private static final String KEY = "[a-z0-9-]+ [A-Za-z0-9+/=]+";

  public Origin {
    if (!hostKey.matches(KEY) || !loginKey.matches(KEY)) {
      throw new IllegalArgumentException("an SSH public key must be a type and a key");
    }
    if (!mac.matches("([0-9a-f]{2}:){5}[0-9a-f]{2}")) {
      throw new IllegalArgumentException("not a MAC address: " + mac);
    }
  }

  static Origin of(MachineConfig config, String loginKey) {
    return new Origin(config.hostKey(), loginKey, config.mac(), false, false);
  }

  Origin havingName() {
    return new Origin(hostKey, loginKey, mac, true, booted);
  }

  Origin havingBooted() {
    return new Origin(hostKey, loginKey, mac, renamed, true);
  }

  Map<String, Object> fields() {
    Map<String, Object> m = new LinkedHashMap<>();
    m.put("host_key", hostKey);
    m.put("login_key", loginKey);
    m.put("mac", mac);
    m.put("renamed", renamed);
    m.put("booted", booted);
    return m;
  }

  static Origin of(Fields f) {
    return f.checked(
        () ->
            new Origin(
                f.string("host_key"),
                f.string("login_key"),
                f.string("mac"),
                f.flag("renamed"),
                f.flag("booted")));
  }
}
