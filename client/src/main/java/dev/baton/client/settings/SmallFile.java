package dev.baton.client.settings;

import java.io.IOException;
import java.io.InputStream;
import java.io.StringReader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Properties;

/** Reads what a person has written. No message has anything of the content. */
public final class SmallFile {

  /** Enough for settings with comments; a file that is larger is something else. */
  static final int MAX_BYTES = 64 * 1024;

  private SmallFile() {}

  /**
   * @throws IOException also when it is too large, or not UTF-8
   */
  public static String text(Path file, LinkOption... options) throws IOException {
    byte[] bytes;
    try (InputStream in = Files.newInputStream(file, options)) {
      bytes = in.readNBytes(MAX_BYTES + 1);
    }
    if (bytes.length > MAX_BYTES) {
      throw new IOException(file + " has more than " + MAX_BYTES + " bytes");
    }
    String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    // Some editors put a mark before the first name.
    return text.startsWith("\uFEFF") ? text.substring(1) : text;
  }

  /**
   * @throws IllegalArgumentException when an escape in it is broken
   */
  static Properties properties(Path file, LinkOption... options) throws IOException {
    Properties read = new Properties();
    read.load(new StringReader(text(file, options)));
    return read;
  }
}
