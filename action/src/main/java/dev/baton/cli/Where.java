package dev.baton.cli;

import dev.baton.queue.Checks;
import dev.baton.queue.github.GitHubPlace;
import java.net.URI;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Which queue, and where it is kept. */
sealed interface Where {

  String DEFAULT_API = "https://api.github.com";

  /** The name of the queue. */
  String queue();

  /** As {@code --store} takes it, without the queue. */
  String store();

  /** What a nested {@code baton} needs in its environment to find the same queue. */
  Map<String, String> environment();

  /** For people. */
  default String shown() {
    return store() + "#" + queue();
  }

  /** The same for all who mean the same queue. */
  default String identity() {
    return shown();
  }

  /** A queue in a directory of this machine, below one that may have several queues. */
  record Directory(Path base, String queue) implements Where {
    public Directory {
      Checks.queueName(queue);
    }

    Path path() {
      return base.resolve(queue);
    }

    @Override
    public String store() {
      return "file:" + base;
    }

    @Override
    public Map<String, String> environment() {
      return Map.of(Key.STORE.variable(), store(), Key.QUEUE.variable(), queue);
    }
  }

  /** A queue in a repository. */
  record Repository(GitHubPlace place) implements Where {
    @Override
    public String queue() {
      return place.queue();
    }

    @Override
    public String store() {
      return "github:" + place.repository();
    }

    @Override
    public String identity() {
      return place.api() + " " + shown().toLowerCase(Locale.ROOT);
    }

    @Override
    public Map<String, String> environment() {
      Map<String, String> all = new LinkedHashMap<>();
      all.put(Key.STORE.variable(), store());
      all.put(Key.QUEUE.variable(), queue());
      all.put(Key.API.variable(), place.api().toString());
      if (place.mode() == GitHubPlace.Mode.ISSUE) {
        all.put(Key.MODE.variable(), "issue");
        all.put(Key.ISSUE.variable(), Long.toString(place.issue()));
      }
      return all;
    }
  }

  static Where of(Settings settings, Shell shell) {
    Optional<Settings.Value> store = settings.get(Key.STORE);
    String text = store.map(Settings.Value::text).orElse("file:");
    String[] parts = text.split("#", 2);
    String queue = queue(settings, store, parts);
    if (parts[0].startsWith("file:")) {
      refuse(settings, Key.MODE, Key.ISSUE);
      return directory(parts[0], store, shell, queue);
    }
    if (parts[0].startsWith("github:")) {
      return repository(parts[0].substring("github:".length()), settings, queue);
    }
    throw CliException.usage(
        "the store " + Checks.shown(text) + " is of no known kind" + from(store),
        "Use file:DIR or github:OWNER/REPO[#QUEUE].");
  }

  private static String queue(
      Settings settings, Optional<Settings.Value> store, String[] storeParts) {
    Optional<Settings.Value> named = settings.get(Key.QUEUE);
    if (storeParts.length < 2) {
      return named.map(Settings.Value::text).orElse(GitHubPlace.DEFAULT_QUEUE);
    }
    if (named.isEmpty() || store.orElseThrow().rank() < named.get().rank()) {
      return storeParts[1];
    }
    if (store.orElseThrow().rank() == named.get().rank()
        && !named.get().text().equals(storeParts[1])) {
      throw CliException.usage(
          "the store names the queue "
              + Checks.shown(storeParts[1])
              + " and "
              + named.get().source()
              + " the queue "
              + Checks.shown(named.get().text()),
          "Name the queue once.");
    }
    return named.get().text();
  }

  private static Where directory(
      String text, Optional<Settings.Value> store, Shell shell, String queue) {
    String path = text.substring("file:".length()).replaceFirst("^//(?=/)", "");
    try {
      if (path.isEmpty()) {
        return new Directory(Settings.stateDirectory(shell), queue);
      }
      Path written =
          path.equals("~") || path.startsWith("~/")
              ? shell.home().resolve(path.substring(1).replaceFirst("^/+", ""))
              : Path.of(path);
      Path start = store.map(Settings.Value::base).orElse(shell.directory());
      Path base = start.resolve(written).toAbsolutePath().normalize();
      if (base.toString().contains("#")) {
        // A nested baton would take what follows for the name of a queue.
        throw CliException.usage(
            "the directory " + base + " has a # in its name", "Choose another with --store.");
      }
      return new Directory(base, queue);
    } catch (InvalidPathException e) {
      throw CliException.usage(
          "the store " + Checks.shown(text) + " is no directory" + from(store), "Use file:DIR.");
    } catch (IllegalArgumentException e) {
      throw CliException.usage(e.getMessage(), "Choose another name with --queue.");
    }
  }

  private static Where repository(String repository, Settings settings, String queue) {
    String api = settings.get(Key.API).map(Settings.Value::text).orElse(DEFAULT_API);
    Optional<Settings.Value> issueText = settings.get(Key.ISSUE);
    long issue = issueText.map(Where::issue).orElse(0L);
    String modeText = settings.get(Key.MODE).map(Settings.Value::text).orElse("git");
    GitHubPlace.Mode mode =
        switch (modeText) {
          case "git" -> GitHubPlace.Mode.GIT;
          case "issue" -> GitHubPlace.Mode.ISSUE;
          default ->
              throw CliException.usage(
                  "there is no mode " + Checks.shown(modeText) + from(settings.get(Key.MODE)),
                  "Use git, or issue where the token may not write contents.");
        };
    try {
      return new Repository(new GitHubPlace(URI.create(api), repository, queue, mode, issue));
    } catch (IllegalArgumentException e) {
      throw new CliException(
          ExitCode.USAGE,
          e.getMessage(),
          mode == GitHubPlace.Mode.ISSUE && issue == 0
              ? "Add --issue N, the number of an issue that is kept for this."
              : "Use --store github:OWNER/REPO[#QUEUE], and --api for a GitHub of your own.",
          e);
    }
  }

  private static long issue(Settings.Value value) {
    if (!value.text().matches("[1-9][0-9]{0,8}")) {
      throw CliException.usage(
          Checks.shown(value.text()) + " is no number of an issue (" + value.source() + ")",
          "Give the number from the address of the issue, such as 12.");
    }
    return Long.parseLong(value.text());
  }

  private static void refuse(Settings settings, Key... keys) {
    for (Key key : keys) {
      // A file or the environment may serve several stores; a flag is meant for this one.
      settings
          .get(key)
          .filter(v -> v.rank() == 0)
          .ifPresent(
              v -> {
                throw CliException.usage(
                    key.flag() + " is for queues on GitHub, and this one is in a directory",
                    "Add --store github:OWNER/REPO, or leave out " + key.flag() + ".");
              });
    }
  }

  private static String from(Optional<Settings.Value> value) {
    return value.map(v -> " (" + v.source() + ")").orElse("");
  }
}
