package dev.baton.githubsim;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.InflaterInputStream;

/** A file's content. Kept packed: a day of a busy queue has ten thousand versions. */
final class Blob {
  private final String sha;
  private final int size;
  private final byte[] packed;

  private Blob(String sha, int size, byte[] packed) {
    this.sha = sha;
    this.size = size;
    this.packed = packed;
  }

  static Blob of(byte[] content) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    Deflater deflater = new Deflater(Deflater.BEST_SPEED);
    try (DeflaterOutputStream out = new DeflaterOutputStream(bytes, deflater)) {
      out.write(content);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      deflater.end();
    }
    return new Blob(GitHash.blob(content), content.length, bytes.toByteArray());
  }

  String sha() {
    return sha;
  }

  int size() {
    return size;
  }

  byte[] content() {
    try (InflaterInputStream in = new InflaterInputStream(new ByteArrayInputStream(packed))) {
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
