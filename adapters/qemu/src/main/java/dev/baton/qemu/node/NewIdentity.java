package dev.baton.qemu.node;

import java.security.SecureRandom;
import java.time.Instant;
import java.util.HexFormat;

/**
 * What a guest does that was copied while it ran, so that it is another one than its origin: host
 * key, login key, machine id, name, MAC address, and randomness of its own, and the right time.
 *
 * <p>A guest without OpenSSH and {@code /etc/machine-id} brings {@code /etc/baton/new-identity}: it
 * is given a directory with {@code host_key}, {@code host_key.pub}, {@code machine-id}, {@code
 * hostname} and {@code instance-id}, and does the first, the third and the fourth itself.
 */
final class NewIdentity {
  /** What reads the script: it has a private key in it, which is on no command line. */
  static final String COMMAND = "sh -s";

  private static final int MACHINE_ID = 16;
  private static final int RANDOMNESS = 32;

  private static final String SCRIPT =
      """
      set -eu
      umask 077
      PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
      d=$(mktemp -d /run/baton.XXXXXX)
      cat > "$d/host_key" << 'BATON'
      @HOST_KEY@
      BATON
      echo '@HOST_KEY_PUBLIC@ baton' > "$d/host_key.pub"
      echo '@MACHINE_ID@' > "$d/machine-id"
      echo '@ID@' > "$d/instance-id"
      echo '@NAME@' > "$d/hostname"
      date -u -s '@@NOW@' > /dev/null
      echo '@RANDOM@' > /dev/urandom
      for f in /root/.ssh/authorized_keys /home/*/.ssh/authorized_keys; do
        [ ! -f "$f" ] || sed -i 's|@OLD_LOGIN@|@NEW_LOGIN@|' "$f"
      done
      for f in /etc/netplan/*.yaml /etc/systemd/network/* /run/systemd/network/*; do
        [ ! -f "$f" ] || sed -i 's/@OLD_MAC@/@NEW_MAC@/g' "$f"
      done
      if [ -x /etc/baton/new-identity ]; then
        /etc/baton/new-identity "$d"
      else
        rm -f /etc/ssh/ssh_host_*_key /etc/ssh/ssh_host_*_key.pub
        cp "$d/host_key" /etc/ssh/ssh_host_ed25519_key
        cp "$d/host_key.pub" /etc/ssh/ssh_host_ed25519_key.pub
        chmod 644 /etc/ssh/ssh_host_ed25519_key.pub
        cat "$d/machine-id" > /etc/machine-id
        if [ -f /var/lib/dbus/machine-id ] && [ ! -L /var/lib/dbus/machine-id ]; then
          cat "$d/machine-id" > /var/lib/dbus/machine-id
        fi
        old=$(hostname)
        hostname '@NAME@'
        cat "$d/hostname" > /etc/hostname
        [ ! -f /etc/hosts ] || sed "s/\\b$old\\b/@NAME@/g" /etc/hosts > "$d/hosts"
        [ ! -s "$d/hosts" ] || cat "$d/hosts" > /etc/hosts
        systemctl restart ssh.service > /dev/null 2>&1 \\
          || systemctl restart sshd.service > /dev/null 2>&1 || kill -HUP "$(cat /run/sshd.pid)"
      fi
      for link in /sys/class/net/*; do
        if [ "$(cat "$link/address")" = '@OLD_MAC@' ]; then
          name=${link##*/}
          # It tells the network that its address has moved.
          echo 1 > "/proc/sys/net/ipv4/conf/$name/arp_notify" || true
          ip link set dev "$name" address '@NEW_MAC@' 2> /dev/null || {
            ip link set dev "$name" down
            ip link set dev "$name" address '@NEW_MAC@'
            ip link set dev "$name" up
          }
        fi
      done
      rm -rf "$d"
      sync
      """;

  private NewIdentity() {}

  /**
   * @param id of the copy
   * @param name of its guest
   * @param now what the time is
   * @param hostKey its host key
   * @param loginKey the public half of the key that opens it
   */
  static String script(
      Origin origin,
      MachineConfig config,
      String id,
      String name,
      Instant now,
      String hostKey,
      String loginKey) {
    if (!name.matches("[a-zA-Z0-9-]{1,200}")) {
      throw new IllegalArgumentException("not the name of a guest: " + name);
    }
    return SCRIPT
        .replace("@HOST_KEY@", hostKey.strip())
        .replace("@HOST_KEY_PUBLIC@", config.hostKey())
        .replace("@MACHINE_ID@", random(MACHINE_ID))
        .replace("@RANDOM@", random(RANDOMNESS))
        .replace("@ID@", id)
        .replace("@NAME@", name)
        .replace("@NOW@", Long.toString(now.getEpochSecond()))
        .replace("@OLD_LOGIN@", blob(origin.loginKey()))
        .replace("@NEW_LOGIN@", blob(loginKey.strip()))
        .replace("@OLD_MAC@", origin.mac())
        .replace("@NEW_MAC@", config.mac());
  }

  private static String blob(String line) {
    return line.substring(line.indexOf(' ') + 1);
  }

  private static String random(int bytes) {
    byte[] random = new byte[bytes];
    new SecureRandom().nextBytes(random);
    return HexFormat.of().formatHex(random);
  }
}
