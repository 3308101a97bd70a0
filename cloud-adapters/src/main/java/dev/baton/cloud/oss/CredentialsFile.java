package dev.baton.cloud.oss;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;

/**
 * {@code ~/.baton/credentials}: lines {@code access_key_id=…}, {@code access_key_secret=…} and
 * {@code region=…}. Nobody but its owner may read it.
 */
final class CredentialsFile {
  private static final Set<PosixFilePermission> OWNERS =
      EnumSet.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE);

  private final Path file;
  private Properties read;

  CredentialsFile(Path file) {
    this.file = file;
  }

  boolean isThere() {
    return Files.exists(file);
  }

  Keys.Pair pair() {
    return new Keys.Pair(
        required("access_key_id"),
        required("access_key_secret"),
        value("security_token").orElse(""));
  }

  Optional<String> region() {
    return value("region");
  }

  private String required(String name) {
    return value(name)
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    file + " has no " + name + ". Add a line " + name + "=…"));
  }

  private Optional<String> value(String name) {
    if (read == null) {
      read = load();
    }
    return Optional.ofNullable(read.getProperty(name)).map(String::strip).filter(v -> !v.isEmpty());
  }

  private Properties load() {
    requireOwnersAlone();
    Properties found = new Properties();
    try (Reader in = Files.newBufferedReader(file)) {
      found.load(in);
    } catch (IOException | IllegalArgumentException e) {
      // Without the cause: it may quote the file.
      throw new IllegalArgumentException(
          file + " cannot be read. It must have lines such as region=cn-hangzhou.");
    }
    return found;
  }

  private void requireOwnersAlone() {
    PosixFileAttributeView view = Files.getFileAttributeView(file, PosixFileAttributeView.class);
    if (view == null) {
      return; // a file system without such rights
    }
    try {
      if (!OWNERS.containsAll(view.readAttributes().permissions())) {
        throw new IllegalArgumentException(
            "others may read the keys in " + file + ". Run: chmod 600 " + file);
      }
    } catch (IOException e) {
      throw new IllegalArgumentException(file + " cannot be read: " + e.getMessage(), e);
    }
  }

  @Override
  public String toString() {
    return file.toString();
  }
}
