package dev.baton.vm;

import dev.baton.core.Checks;
import dev.baton.core.SystemWorld;
import dev.baton.core.World;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Objects;
import java.util.function.Supplier;

/**
 * Who operates on VMs.
 *
 * @param id for people: who holds a lock
 * @param nonces never the same twice, for anybody: 16 to 40 of {@code [a-z0-9]}
 * @param writeAhead intents are written before the cloud is asked. Only the test that shows why
 *     switches it off
 * @param liveness of this process and of others that hold locks
 */
public record Client(
    String id, World world, Supplier<String> nonces, boolean writeAhead, Liveness liveness) {

  public Client {
    Checks.line("client_id", id, 1, LockRecord.MAX_CLIENT);
    Objects.requireNonNull(world, "world");
    Objects.requireNonNull(nonces, "nonces");
    Objects.requireNonNull(liveness, "liveness");
  }

  /** One that waits out the lease of every lock. */
  public Client(String id, World world, Supplier<String> nonces, boolean writeAhead) {
    this(id, world, nonces, writeAhead, Liveness.UNKNOWN);
  }

  /** The same, which can tell whether those who hold locks still run. */
  public Client with(Liveness other) {
    return new Client(id, world, nonces, writeAhead, other);
  }

  /** This process: the name of its machine, and its number. */
  public static Client ofThisProcess() {
    return named(host() + "-" + ProcessHandle.current().pid());
  }

  public static Client named(String id) {
    return new Client(id, new SystemWorld(), Client::nonce, true);
  }

  private static String nonce() {
    byte[] random = new byte[16];
    new SecureRandom().nextBytes(random);
    return HexFormat.of().formatHex(random);
  }

  private static String host() {
    try {
      String name = InetAddress.getLocalHost().getHostName().replaceAll("[^A-Za-z0-9._-]", "");
      return name.isEmpty() ? "unknown" : name.substring(0, Math.min(80, name.length()));
    } catch (UnknownHostException e) {
      // A machine that does not know its own name; the number of the process is left.
      return "unknown";
    }
  }
}
