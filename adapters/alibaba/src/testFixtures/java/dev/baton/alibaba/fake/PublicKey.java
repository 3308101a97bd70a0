package dev.baton.alibaba.fake;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Set;

/** What {@code ImportKeyPair} is documented to take: no ed25519, and nothing that is no key. */
final class PublicKey {
  private static final Set<String> TYPES =
      Set.of(
          "ssh-rsa",
          "ssh-dss",
          "ecdsa-sha2-nistp256",
          "ecdsa-sha2-nistp384",
          "ecdsa-sha2-nistp521");
  private static final int LEAST_PARTS = 3;

  private PublicKey() {}

  static void require(String body) {
    String[] words = body.strip().split("\\s+", 3);
    if (words.length < 2 || !TYPES.contains(words[0]) || !isKey(words[0], words[1])) {
      throw new ApiRefusal(
          400,
          "InvalidPublicKeyBody.Malformed",
          "The specified parameter PublicKeyBody is not valid.");
    }
  }

  private static boolean isKey(String type, String encoded) {
    List<byte[]> parts = new ArrayList<>();
    try {
      ByteBuffer in = ByteBuffer.wrap(Base64.getDecoder().decode(encoded));
      while (in.hasRemaining()) {
        int length = in.getInt();
        if (length < 1 || length > in.remaining()) {
          return false;
        }
        byte[] part = new byte[length];
        in.get(part);
        parts.add(part);
      }
    } catch (IllegalArgumentException | java.nio.BufferUnderflowException e) {
      return false;
    }
    return parts.size() >= LEAST_PARTS
        && new String(parts.get(0), StandardCharsets.US_ASCII).equals(type);
  }
}
