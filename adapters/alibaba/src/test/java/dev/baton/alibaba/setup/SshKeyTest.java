package dev.baton.alibaba.setup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Base64;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SshKeyTest {

  private static byte[] part(ByteBuffer in) {
    byte[] bytes = new byte[in.getInt()];
    in.get(bytes);
    return bytes;
  }

  private static ByteBuffer body(SshKey key) {
    return ByteBuffer.wrap(
        Base64.getMimeDecoder().decode(key.privateText().replaceAll("-----[A-Z ]+-----", "")));
  }

  /** Field by field, as PROTOCOL.key of OpenSSH has it. */
  @Test
  void bothHalvesAreOneKey() throws Exception {
    SshKey key = SshKey.create("ann@desk");
    ByteBuffer in = body(key);
    byte[] magic = new byte[15];
    in.get(magic);
    assertThat(new String(magic, StandardCharsets.US_ASCII)).isEqualTo("openssh-key-v1\0");
    assertThat(part(in)).asString().isEqualTo("none");
    assertThat(part(in)).asString().isEqualTo("none");
    assertThat(part(in)).isEmpty();
    assertThat(in.getInt()).isEqualTo(1);
    byte[] blob = part(in);
    assertThat(key.publicLine())
        .isEqualTo("ssh-rsa " + Base64.getEncoder().encodeToString(blob) + " ann@desk");
    byte[] secret = part(in);
    assertThat(in.hasRemaining()).isFalse();
    assertThat(secret.length % 8).isZero();
    ByteBuffer s = ByteBuffer.wrap(secret);
    assertThat(s.getInt()).isEqualTo(s.getInt());
    assertThat(part(s)).asString().isEqualTo("ssh-rsa");
    BigInteger n = number(s);
    BigInteger e = number(s);
    BigInteger d = number(s);
    BigInteger inverse = number(s);
    BigInteger p = number(s);
    BigInteger q = number(s);
    assertThat(part(s)).asString().isEqualTo("ann@desk");
    for (int i = 1; s.hasRemaining(); i++) {
      assertThat(s.get()).isEqualTo((byte) i);
    }
    assertThat(n.bitLength()).isEqualTo(3072);
    assertThat(p.multiply(q)).isEqualTo(n);
    assertThat(q.multiply(inverse).mod(p)).isEqualTo(BigInteger.ONE);
    BigInteger message = BigInteger.valueOf(42);
    assertThat(message.modPow(e, n).modPow(d, n)).isEqualTo(message);
    ByteBuffer open = ByteBuffer.wrap(blob);
    assertThat(part(open)).asString().isEqualTo("ssh-rsa");
    assertThat(number(open)).isEqualTo(e);
    assertThat(number(open)).isEqualTo(n);
    assertThat(open.hasRemaining()).isFalse();
  }

  private static BigInteger number(ByteBuffer in) {
    return new BigInteger(part(in));
  }

  @Test
  void thePublicHalfIsReadBack() {
    SshKey key = SshKey.create("baton");
    assertThat(SshKey.of(key.privateText(), "baton").publicLine()).isEqualTo(key.publicLine());
    assertThat(SshKey.create("baton").publicLine()).isNotEqualTo(key.publicLine());
    assertThat(key.toString()).doesNotContain("PRIVATE");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "secret",
        "-----BEGIN RSA PRIVATE KEY-----\nsecret\n-----END RSA PRIVATE KEY-----",
        "-----BEGIN OPENSSH PRIVATE KEY-----\nsecret!\n-----END OPENSSH PRIVATE KEY-----",
        "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1r\n-----END OPENSSH PRIVATE KEY-----",
        "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAf////w==\n"
            + "-----END OPENSSH PRIVATE KEY-----"
      })
  void whatIsNoKeyIsNotRepeated(String text) {
    assertThatThrownBy(() -> SshKey.of(text, "baton"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageNotContaining("secret")
        .hasNoCause();
  }

  @Test
  void openSshTakesIt(@TempDir Path directory) throws Exception {
    assumeTrue(Files.isExecutable(Path.of("/usr/bin/ssh-keygen")), "there is no ssh-keygen here");
    SshKey key = SshKey.create("baton");
    Path file = directory.resolve("ssh_key");
    Files.createFile(
        file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    Files.writeString(file, key.privateText());
    Process keygen =
        new ProcessBuilder("/usr/bin/ssh-keygen", "-y", "-f", file.toString())
            .redirectErrorStream(true)
            .start();
    keygen.getOutputStream().close();
    String said = new String(keygen.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(keygen.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(said.strip()).isEqualTo(key.publicLine());
  }
}
