package dev.baton.alibaba.account;

import dev.baton.core.BadSetting;
import dev.baton.core.Checkout;
import dev.baton.core.HostEnvironment;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * {@code ~/.alibabacloud/credentials.ini}, which Alibaba Cloud's own chain reads. Here it is only
 * looked at whether the chain would find anything in it: many have one that is empty, or for other
 * programs.
 */
final class ProfileFile {
  private static final String NAME = ".alibabacloud/credentials.ini";
  private static final String PROFILE = "[default]";
  private static final List<String> KEY = List.of("access_key_id", "access_key_secret");

  /** What the chain asks of each type; of any other a key. */
  private static final Map<String, List<String>> NEEDED =
      Map.of(
          "ram_role_arn",
          List.of("access_key_id", "access_key_secret", "role_arn", "role_session_name"),
          "rsa_key_pair",
          List.of("public_key_id", "private_key_file"),
          "ecs_ram_role",
          List.of("role_name"),
          "oidc_role_arn",
          List.of("role_arn"));

  private final Path file;
  private final Path directory;

  private ProfileFile(Path file, Path directory) {
    this.file = file;
    this.directory = directory;
  }

  static Optional<ProfileFile> in(HostEnvironment host) {
    Path file = host.home().resolve(NAME);
    return Files.isRegularFile(file)
        ? Optional.of(new ProfileFile(file, host.directory()))
        : Optional.empty();
  }

  /**
   * For whoever asks the chain: it looks at the profile whatever else says that there are keys, and
   * in the home that the system knows rather than {@code HOME}.
   *
   * @throws BadSetting when that profile may have come with a checkout
   */
  static void requireOutsideOfCheckout(HostEnvironment host) {
    Stream.of(host.home(), Path.of(System.getProperty("user.home")))
        .map(home -> home.resolve(NAME))
        .filter(Files::exists)
        .forEach(file -> Checkout.requireOutside(file, host.directory()));
  }

  boolean isUsable() {
    Checkout.requireOutside(file, directory);
    Map<String, String> profile = profile();
    String type = profile.getOrDefault("type", "");
    return profile.getOrDefault("enable", "").equalsIgnoreCase("true")
        && !type.isEmpty()
        && NEEDED.getOrDefault(type, KEY).stream()
            .noneMatch(field -> profile.getOrDefault(field, "").isEmpty());
  }

  private Map<String, String> profile() {
    Map<String, String> fields = new HashMap<>();
    try {
      boolean ours = false;
      for (String line : Files.readAllLines(file)) {
        String text = line.strip();
        if (text.startsWith("[")) {
          ours = text.equals(PROFILE);
        } else if (ours && !text.startsWith("#") && !text.startsWith(";")) {
          String[] parts = text.split("[=:]", 2);
          fields.put(parts[0].strip(), parts.length < 2 ? "" : parts[1].strip());
        }
      }
      return fields;
    } catch (IOException e) {
      // The chain could not read it either.
      return Map.of();
    }
  }

  @Override
  public String toString() {
    return file.toString();
  }
}
