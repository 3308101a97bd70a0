package dev.baton.alibaba.ecs;

import dev.baton.vm.Trouble;
import dev.baton.vm.spi.ProviderException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;

/** Which public keys ECS imports. OpenSSH's own choice, ed25519, is not among them. */
final class PublicKeys {
  private static final List<String> TYPES =
      List.of(
          "ssh-rsa",
          "ecdsa-sha2-nistp256",
          "ecdsa-sha2-nistp384",
          "ecdsa-sha2-nistp521",
          "ssh-dss");

  private PublicKeys() {}

  /**
   * @param line as in {@code ssh_key.pub}
   * @throws ProviderException saying what to do; without the line, which may be anything
   */
  static void require(String line) throws ProviderException {
    String[] words = line.strip().split("\\s+", 3);
    String type = words[0];
    if (type.matches("[a-z0-9@.-]*(ssh|ecdsa)-[a-z0-9@.-]+") && !TYPES.contains(type)) {
      throw bad(
          "ECS does not take public keys of type " + type + ", only " + String.join(", ", TYPES));
    }
    if (words.length < 2 || !isOfType(type, words[1])) {
      throw bad("the public key is not in the format of OpenSSH");
    }
  }

  private static ProviderException bad(String what) {
    return new ProviderException(
        Trouble.BAD_REQUEST,
        what,
        "Make one with `ssh-keygen -t rsa -b 3072`, or move ~/.baton/ssh_key and ssh_key.pub away"
            + " and run `baton vm init`.");
  }

  /** A key begins with its own type. */
  private static boolean isOfType(String type, String encoded) {
    byte[] bytes;
    try {
      bytes = Base64.getDecoder().decode(encoded);
    } catch (IllegalArgumentException e) {
      return false;
    }
    byte[] name = type.getBytes(StandardCharsets.US_ASCII);
    ByteBuffer start =
        ByteBuffer.allocate(Integer.BYTES + name.length).putInt(name.length).put(name).flip();
    int length = start.remaining();
    return bytes.length > 2 * length && ByteBuffer.wrap(bytes, 0, length).equals(start);
  }
}
