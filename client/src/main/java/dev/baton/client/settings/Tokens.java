package dev.baton.client.settings;

import dev.baton.core.BadSetting;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** Where the token for GitHub comes from: a file that is named, else the environment. */
public final class Tokens {

  private static final List<String> VARIABLES = List.of("BATON_TOKEN", "GITHUB_TOKEN", "GH_TOKEN");

  private Tokens() {}

  /** Its source, for people. */
  public static Optional<String> source(Settings settings, Host host) {
    return settings
        .path(Setting.TOKEN_FILE)
        .map(Path::toString)
        .or(() -> VARIABLES.stream().filter(t -> !host.variable(t).isBlank()).findFirst());
  }

  /**
   * The token, read again each time from a file, and once from the environment. Safe for use by
   * several threads.
   *
   * @throws BadSetting.NoToken when there is none; later also by the supplier, when the file is
   *     gone
   */
  public static Supplier<String> of(Settings settings, Host host) {
    Optional<Path> file = settings.path(Setting.TOKEN_FILE);
    if (file.isPresent()) {
      read(file.get());
      // Anew for each request: an app's token lives for an hour, and somebody renews the file.
      return () -> read(file.get());
    }
    for (String name : VARIABLES) {
      String token = host.variable(name).strip();
      if (!token.isEmpty()) {
        return () -> token;
      }
    }
    throw new BadSetting.NoToken(
        "there is no token for GitHub",
        "Set BATON_TOKEN, GITHUB_TOKEN or GH_TOKEN, or name a file with "
            + host.spelled(Setting.TOKEN_FILE)
            + ". To look at the queue it needs `contents: read`, to take part in it `contents:"
            + " write` and `issues: write`.",
        null);
  }

  private static String read(Path file) {
    String text;
    if (Files.exists(file) && !Files.isRegularFile(file)) {
      // It is read again and again: a pipe is empty the second time, or never gets that far.
      throw new BadSetting.NoToken(
          "the token file " + file + " is not a plain file, and the token is read more than once",
          "Put the token into the environment instead: GITHUB_TOKEN=$(gh auth token) before the"
              + " command.",
          null);
    }
    try {
      text = SmallFile.text(file).strip();
    } catch (IOException e) {
      throw new BadSetting.NoToken(
          "the token file " + file + " cannot be read",
          "Check that it is there, that this user may read it, and that it has the token in it and"
              + " nothing else.",
          e);
    }
    if (text.isEmpty() || text.contains("\n")) {
      throw new BadSetting.NoToken(
          "the token file " + file + (text.isEmpty() ? " is empty" : " has more than one line"),
          "It must have the token in it and nothing else.",
          null);
    }
    return text;
  }
}
