package dev.baton.alibaba.setup;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.KeyPairGenerator;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.security.interfaces.RSAPrivateCrtKey;
import java.util.Arrays;
import java.util.Base64;

/**
 * A key for SSH, in the format of OpenSSH. Its text form has no secret.
 *
 * @param privateText what is in {@code ssh_key}
 * @param publicLine what is in {@code ssh_key.pub}, without a line break
 */
record SshKey(String privateText, String publicLine) {
  private static final String TYPE = "ssh-rsa";
  private static final String BEGIN = "-----BEGIN OPENSSH PRIVATE KEY-----";
  private static final String END = "-----END OPENSSH PRIVATE KEY-----";
  private static final byte[] MAGIC = "openssh-key-v1\0".getBytes(StandardCharsets.US_ASCII);
  private static final int BITS = 3072;
  private static final int BLOCK = 8;
  private static final int LINE = 70;
  private static final int LONGEST_PART = 1 << 16;

  /** A new one, with RSA: ECS takes no ed25519. */
  static SshKey create(String comment) {
    try {
      KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
      generator.initialize(BITS);
      RSAPrivateCrtKey key = (RSAPrivateCrtKey) generator.generateKeyPair().getPrivate();
      byte[] blob = blob(key);
      return new SshKey(
          armored(file(key, blob, comment)),
          TYPE + " " + Base64.getEncoder().encodeToString(blob) + " " + comment);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has RSA", e);
    }
  }

  /**
   * The public half of any private key in this format, also of one with a passphrase.
   *
   * @throws IllegalArgumentException when the text is none; never with a part of it
   */
  static SshKey of(String privateText, String comment) {
    String text = privateText.strip();
    if (!text.startsWith(BEGIN) || !text.endsWith(END)) {
      throw unreadable();
    }
    String body = text.substring(BEGIN.length(), text.length() - END.length());
    try (DataInputStream in =
        new DataInputStream(
            new ByteArrayInputStream(Base64.getDecoder().decode(body.replaceAll("\\s", ""))))) {
      if (!Arrays.equals(in.readNBytes(MAGIC.length), MAGIC)) {
        throw unreadable();
      }
      for (int i = 0; i < 3; i++) {
        part(in); // cipher, function and options of the passphrase
      }
      if (in.readInt() != 1) {
        throw unreadable();
      }
      byte[] blob = part(in);
      String type =
          new String(
              part(new DataInputStream(new ByteArrayInputStream(blob))), StandardCharsets.US_ASCII);
      if (!type.matches("[a-z0-9@.-]{3,80}")) {
        throw unreadable();
      }
      return new SshKey(
          privateText, type + " " + Base64.getEncoder().encodeToString(blob) + " " + comment);
    } catch (IOException | IllegalArgumentException e) {
      // Without the cause: it may quote the key.
      throw unreadable();
    }
  }

  private static IllegalArgumentException unreadable() {
    return new IllegalArgumentException("is not a private key in the format of OpenSSH");
  }

  private static byte[] part(DataInputStream in) throws IOException {
    int length = in.readInt();
    if (length < 0 || length > LONGEST_PART) {
      throw unreadable();
    }
    byte[] bytes = in.readNBytes(length);
    if (bytes.length < length) {
      throw unreadable();
    }
    return bytes;
  }

  private static byte[] blob(RSAPrivateCrtKey key) {
    return bytes(
        out -> {
          put(out, TYPE.getBytes(StandardCharsets.US_ASCII));
          put(out, key.getPublicExponent());
          put(out, key.getModulus());
        });
  }

  private static byte[] file(RSAPrivateCrtKey key, byte[] blob, String comment) {
    int check = new SecureRandom().nextInt();
    byte[] secret =
        bytes(
            out -> {
              out.writeInt(check);
              out.writeInt(check);
              put(out, TYPE.getBytes(StandardCharsets.US_ASCII));
              put(out, key.getModulus());
              put(out, key.getPublicExponent());
              put(out, key.getPrivateExponent());
              put(out, key.getCrtCoefficient());
              put(out, key.getPrimeP());
              put(out, key.getPrimeQ());
              put(out, comment.getBytes(StandardCharsets.UTF_8));
              for (int i = 1; out.size() % BLOCK != 0; i++) {
                out.write(i);
              }
            });
    return bytes(
        out -> {
          out.write(MAGIC);
          put(out, "none".getBytes(StandardCharsets.US_ASCII));
          put(out, "none".getBytes(StandardCharsets.US_ASCII));
          put(out, new byte[0]);
          out.writeInt(1);
          put(out, blob);
          put(out, secret);
        });
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

  private static void put(DataOutputStream out, byte[] part) throws IOException {
    out.writeInt(part.length);
    out.write(part);
  }

  private static void put(DataOutputStream out, BigInteger number) throws IOException {
    put(out, number.toByteArray());
  }

  private static String armored(byte[] file) {
    String body = Base64.getMimeEncoder(LINE, new byte[] {'\n'}).encodeToString(file);
    return BEGIN + "\n" + body + "\n" + END + "\n";
  }

  @Override
  public String toString() {
    return "SshKey[" + publicLine + "]";
  }
}
