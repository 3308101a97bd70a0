package dev.baton.qemu.cloud;

import dev.baton.qemu.node.Guest;
import dev.baton.qemu.node.NodeException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.OptionalInt;

/**
 * Runs a script in a guest, once for each token: what began is left to run, also when the one who
 * began it is gone. The script goes through SSH and is on no disk of this machine.
 */
final class Scripts {
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  private Scripts() {}

  /** The same for the same token; safe in a path. */
  static String directory(String token) {
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.UTF_8));
      return "/var/lib/baton/" + HexFormat.of().formatHex(hash, 0, 8);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  /** Begins, unless it was begun before. */
  static void begin(Guest guest, String token, String script)
      throws NodeException, InterruptedException {
    String d = directory(token);
    guest.run(
        "umask 077; [ -e "
            + d
            + "/begun ] && exit 0; mkdir -p "
            + d
            + " && cat > "
            + d
            + "/script && chmod 700 "
            + d
            + "/script && : > "
            + d
            + "/begun"
            + " && (setsid sh -c 'cd / && if [ \"$(head -c 2 "
            + d
            + "/script)\" = \"#!\" ];"
            + " then "
            + d
            + "/script; else sh "
            + d
            + "/script; fi"
            + " > "
            + d
            + "/output 2>&1 < /dev/null;"
            + " echo $? > "
            + d
            + "/exit.tmp; rm -f "
            + d
            + "/script;"
            + " mv "
            + d
            + "/exit.tmp "
            + d
            + "/exit; sync'"
            + " > /dev/null 2>&1 < /dev/null &)",
        script,
        PATIENCE);
  }

  /** Its exit code; empty: it has not ended. */
  static OptionalInt result(Guest guest, String token) throws NodeException, InterruptedException {
    String d = directory(token);
    String said = guest.run("cat " + d + "/exit 2> /dev/null || true", "", PATIENCE).strip();
    return said.matches("[0-9]{1,3}")
        ? OptionalInt.of(Integer.parseInt(said))
        : OptionalInt.empty();
  }
}
