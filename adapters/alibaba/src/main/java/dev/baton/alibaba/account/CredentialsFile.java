package dev.baton.alibaba.account;

import dev.baton.core.BadSetting;
import dev.baton.core.Checkout;
import dev.baton.core.HostEnvironment;
import java.io.IOException;
import java.io.Reader;
import java.io.StringReader;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;

/**
 * {@code ~/.baton/credentials}: lines {@code access_key_id=…}, {@code access_key_secret=…} and
 * {@code region=…}. Nobody but its owner may read it, and it must not be in the checkout that a
 * command runs in. Those whose keys are elsewhere may have one with the region alone.
 */
public final class CredentialsFile {
  private static final String ID = "access_key_id";
  private static final String SECRET = "access_key_secret";
  private static final String TOKEN = "security_token";
  private static final String REGION = "region";

  private static final String OR_ASK = ", or run `baton vm init --new-keys`";

  private final Path file;
  private final Path directory;
  private final boolean forgiving;
  private Properties read;
  private boolean damaged;

  private CredentialsFile(Path file, Path directory, boolean forgiving) {
    this.file = file;
    this.directory = directory;
    this.forgiving = forgiving;
  }

  public static CredentialsFile in(HostEnvironment host) {
    return new CredentialsFile(host.home().resolve(".baton/credentials"), host.directory(), false);
  }

  /** For a new key: what cannot be read counts as nothing, and is replaced. */
  public CredentialsFile forgiving() {
    return new CredentialsFile(file, directory, true);
  }

  public Path path() {
    return file;
  }

  boolean isThere() {
    return Files.exists(file);
  }

  /**
   * Whether it has keys, or a half of them.
   *
   * @throws IllegalArgumentException when it cannot be read, or others may read it
   */
  public boolean hasKeys() {
    return isThere() && (value(ID).isPresent() || value(SECRET).isPresent());
  }

  /**
   * @throws IllegalArgumentException saying what is missing, never with a part of a key
   */
  Keys.Pair pair() {
    return new Keys.Pair(required(ID), required(SECRET), value(TOKEN).orElse(""));
  }

  public Optional<String> region() {
    return isThere() ? value(REGION) : Optional.empty();
  }

  private String required(String name) {
    return value(name)
        .orElseThrow(
            () ->
                new BadSetting(
                    file + " has no " + name, "Add a line " + name + "=…" + OR_ASK + "."));
  }

  private Optional<String> value(String name) {
    if (read == null) {
      read = load();
    }
    return Optional.ofNullable(read.getProperty(name)).map(String::strip).filter(v -> !v.isEmpty());
  }

  private Properties load() {
    Checkout.requireOutside(file, directory);
    Properties found = new Properties();
    try {
      OwnFiles.requireOwnersAlone(file);
    } catch (IllegalArgumentException e) {
      if (!forgiving) {
        throw e;
      }
      damaged = true;
    }
    try (Reader in = Files.newBufferedReader(file)) {
      found.load(in);
    } catch (IOException | IllegalArgumentException e) {
      if (!forgiving) {
        // Without the cause: it may quote the file.
        throw new BadSetting(
            file + " cannot be read",
            "It must have lines such as region=cn-hangzhou: correct it" + OR_ASK + ".");
      }
      damaged = true;
      return new Properties();
    }
    return found;
  }

  /**
   * Writes the region and, if they are given, the keys; other lines stay. In one step: whoever
   * reads sees the old file or the new one.
   *
   * @return whether anything was different before
   */
  public boolean save(Optional<Keys.Pair> keys, String region) throws IOException {
    Checkout.requireOutside(file, directory);
    Map<String, String> set = new LinkedHashMap<>();
    keys.ifPresent(
        pair -> {
          set.put(ID, pair.id());
          set.put(SECRET, pair.secret());
          set.put(TOKEN, pair.token());
        });
    set.put(REGION, region);
    boolean same =
        set.entrySet().stream()
            .allMatch(e -> isThere() && value(e.getKey()).orElse("").equals(e.getValue()));
    if (same && !damaged) {
      return false;
    }
    StringBuilder text = new StringBuilder(others(set.keySet()));
    set.forEach(
        (name, value) -> {
          if (!value.isEmpty()) {
            text.append(name).append('=').append(value.replace("\\", "\\\\")).append('\n');
          }
        });
    OwnFiles.write(file, text.toString());
    read = null;
    return true;
  }

  /** The lines that stay; none where they are what cannot be read. */
  private String others(Set<String> replaced) throws IOException {
    if (!isThere()) {
      return "";
    }
    StringBuilder text = new StringBuilder();
    try {
      for (String line : Files.readAllLines(file)) {
        if (!replaced.contains(line.strip().split("[=:\\s]", 2)[0])) {
          text.append(line).append('\n');
        }
      }
      new Properties().load(new StringReader(text.toString()));
      return text.toString();
    } catch (CharacterCodingException | IllegalArgumentException e) {
      if (!forgiving) {
        throw new BadSetting(file + " cannot be read", "Correct it" + OR_ASK + ".");
      }
      return "";
    }
  }

  @Override
  public String toString() {
    return file.toString();
  }
}
