package dev.baton.qemu.node;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;

/**
 * A key for SSH, in the format of OpenSSH. Its text form has no secret.
 *
 * @param privateText what {@code ssh -i} reads
 * @param publicLine type and key
 */
public record SshKeyPair(String privateText, String publicLine) {
  private static final String TYPE = "ssh-ed25519";
  private static final int LENGTH = 32;
  private static final int LINE = 70;

  /** A new one. */
  public static SshKeyPair create() {
    KeyPair pair;
    try {
      pair = KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK since 15 has Ed25519", e);
    }
    // Both encodings of the JDK end with the key itself.
    byte[] open = last(pair.getPublic().getEncoded());
    byte[] secret = last(pair.getPrivate().getEncoded());
    byte[] blob = bytes(out -> put(put(out, TYPE.getBytes(StandardCharsets.US_ASCII)), open));
    byte[] file = bytes(out -> file(out, open, secret, blob));
    String body = Base64.getMimeEncoder(LINE, new byte[] {'\n'}).encodeToString(file);
    return new SshKeyPair(
        "-----BEGIN OPENSSH PRIVATE KEY-----\n" + body + "\n-----END OPENSSH PRIVATE KEY-----\n",
        TYPE + " " + Base64.getEncoder().encodeToString(blob));
  }

  private static byte[] last(byte[] encoded) {
    return Arrays.copyOfRange(encoded, encoded.length - LENGTH, encoded.length);
  }

  private static void file(DataOutputStream out, byte[] open, byte[] secret, byte[] blob)
      throws IOException {
    byte[] none = "none".getBytes(StandardCharsets.US_ASCII);
    out.write("openssh-key-v1\0".getBytes(StandardCharsets.US_ASCII));
    put(put(put(out, none), none), new byte[0]);
    out.writeInt(1);
    put(out, blob);
    int check = new SecureRandom().nextInt();
    byte[] both = Arrays.copyOf(secret, 2 * LENGTH);
    System.arraycopy(open, 0, both, LENGTH, LENGTH);
    put(
        out,
        bytes(
            inner -> {
              inner.writeInt(check);
              inner.writeInt(check);
              put(put(inner, TYPE.getBytes(StandardCharsets.US_ASCII)), open);
              put(put(inner, both), "baton".getBytes(StandardCharsets.US_ASCII));
              for (int i = 1; inner.size() % 8 != 0; i++) {
                inner.write(i);
              }
            }));
  }

  private interface Writing {
    void to(DataOutputStream out) throws IOException;
  }

  private static byte[] bytes(Writing writing) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      writing.to(out);
    } catch (IOException e) {
      throw new UncheckedIOException("memory cannot be written to", e);
    }
    return bytes.toByteArray();
  }

  private static DataOutputStream put(DataOutputStream out, byte[] part) throws IOException {
    out.writeInt(part.length);
    out.write(part);
    return out;
  }

  @Override
  public String toString() {
    return "SshKeyPair[" + publicLine + "]";
  }
}
