package dev.baton.client.queue;

import dev.baton.client.settings.Host;
import dev.baton.client.settings.ProjectStore;
import dev.baton.client.settings.Setting;
import dev.baton.client.settings.Settings;
import dev.baton.core.BadSetting;
import dev.baton.core.Checks;
import dev.baton.core.CommandText;
import dev.baton.core.adapter.AdapterDescriptor.Use;
import dev.baton.queue.github.GitHubPlace;
import dev.baton.queue.spi.StoreProvider;
import dev.baton.state.LockKey;
import dev.baton.store.StoreSpace;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** Which queue, and where it is kept. Immutable; nothing is asked of the store. */
public sealed interface Place {

  String DEFAULT_API = "https://api.github.com";

  /** The name of the queue. */
  String queue();

  /** As {@code --store} takes it, without the queue. */
  String store();

  /** What a nested {@code baton} needs in its environment to find the same queue. */
  Map<String, String> environment();

  /** What names the queue on the command line, without the hyphens. */
  default Map<String, String> flags() {
    Map<String, String> flags = new LinkedHashMap<>();
    flags.put(Setting.STORE.id(), store());
    flags.put(Setting.QUEUE.id(), queue());
    return flags;
  }

  /** A call of {@code baton} that acts on this queue wherever it is pasted. */
  default String command(String command, String rest) {
    return CommandText.baton(flags(), command, rest);
  }

  /**
   * Where people see the queue.
   *
   * @param number of the board, 0 where there is none
   */
  default Optional<String> boardAddress(long number) {
    return Optional.empty();
  }

  /** For people. */
  default String shown() {
    return store() + "#" + queue();
  }

  /** The same for all who mean the same queue. */
  default String identity() {
    return shown();
  }

  /** A queue in a directory of this machine, below one that may have several queues. */
  record Directory(Path base, String queue) implements Place {
    public Directory {
      Checks.queueName(queue);
    }

    public Path path() {
      return base.resolve(queue);
    }

    @Override
    public String store() {
      return "file:" + base;
    }

    /** A link and the directory that it leads to are one queue. */
    @Override
    public String identity() {
      try {
        Path real = ProjectStore.real(path());
        return "file:" + real.getParent() + "#" + real.getFileName();
      } catch (IOException e) {
        throw new BadSetting(
            "the directory of the queue " + shown() + " cannot be examined",
            "Check that this user may read the directories and links on the way to it.",
            e);
      }
    }

    @Override
    public Map<String, String> environment() {
      return Map.of(Setting.STORE.variable(), store(), Setting.QUEUE.variable(), queue);
    }
  }

  /** A queue in a repository. */
  record Repository(GitHubPlace place) implements Place {
    @Override
    public String queue() {
      return place.queue();
    }

    @Override
    public String store() {
      return "github:" + place.repository();
    }

    @Override
    public Map<String, String> flags() {
      return place.flags();
    }

    @Override
    public Optional<String> boardAddress(long number) {
      return number > 0 ? Optional.of(place.issueUrl(number)) : Optional.empty();
    }

    @Override
    public String identity() {
      return place.api() + " " + shown().toLowerCase(Locale.ROOT);
    }

    @Override
    public Map<String, String> environment() {
      Map<String, String> all = new LinkedHashMap<>();
      all.put(Setting.STORE.variable(), store());
      all.put(Setting.QUEUE.variable(), queue());
      all.put(Setting.API.variable(), place.api().toString());
      if (place.mode() == GitHubPlace.Mode.ISSUE) {
        all.put(Setting.MODE.variable(), "issue");
        all.put(Setting.ISSUE.variable(), Long.toString(place.issue()));
      }
      return all;
    }
  }

  /** A queue in a store of a kind that is found on the class path. */
  record Elsewhere(StoreProvider provider, String store, String queue) implements Place {
    public Elsewhere {
      Checks.queueName(queue);
    }

    @Override
    public Map<String, String> environment() {
      return Map.of(Setting.STORE.variable(), store, Setting.QUEUE.variable(), queue);
    }

    /**
     * Nothing is asked of the store yet. What is {@link AutoCloseable} is to be closed.
     *
     * @throws BadSetting when it can never work
     * @throws BadSetting.NoToken when that is for want of credentials
     */
    public StoreSpace open(Host host) {
      try {
        return provider.open(store, queue, host);
      } catch (IllegalArgumentException e) {
        throw BadSetting.of(e, "Run `baton doctor` for details.");
      }
    }
  }

  /**
   * @throws BadSetting naming what is wrong and how to set it right
   */
  static Place of(Settings settings, Host host) {
    Optional<Settings.Value> store = settings.get(Setting.STORE);
    String text = store.map(Settings.Value::text).orElse("file:");
    String[] parts = text.split("#", 2);
    String named = queue(settings, store, parts);
    String queue = queueName(named, host);
    if (parts[0].startsWith("file:")) {
      refuse(settings, host, Setting.MODE, Setting.ISSUE);
      return directory(parts[0], store, host, queue);
    }
    if (parts[0].startsWith("github:")) {
      return repository(parts[0].substring("github:".length()), store, settings, host, queue);
    }
    Elsewhere place = elsewhere(parts[0], store, settings, host, queue);
    requireSameLock(place, named, host);
    return place;
  }

  /** Else two who ask for one lock could have it at once, each at another address. */
  private static void requireSameLock(Elsewhere place, String named, Host host) {
    Optional<String> lock = place.provider().lock(place.store());
    if (LockKey.isMeant(named) && lock.filter(key -> !key.equals(named)).isPresent()) {
      throw new BadSetting(
          "the store is the lock " + lock.get() + " and the queue is the lock " + named,
          "Leave out "
              + host.spelled(Setting.QUEUE)
              + ", or name the store of that lock with "
              + host.spelled(Setting.STORE)
              + ".");
    }
  }

  private static Elsewhere elsewhere(
      String address, Optional<Settings.Value> store, Settings settings, Host host, String queue) {
    String scheme = address.split(":", 2)[0];
    StoreProvider provider =
        host.extensions()
            .storeProvider(scheme)
            .orElseThrow(
                () ->
                    new BadSetting(
                        "the store "
                            + Checks.shown(Checks.withoutSecrets(address))
                            + " is of an unknown kind"
                            + from(store),
                        host.extensions()
                            .nextWithout(
                                scheme,
                                Use.QUEUES,
                                known -> "Use " + known + ", with #QUEUE or without.")));
    refuse(settings, host, Setting.MODE, Setting.ISSUE);
    ofProject(store, host).ifPresent(p -> p.requireNoServer(provider));
    try {
      return new Elsewhere(provider, provider.normalized(address), queue);
    } catch (IllegalArgumentException e) {
      throw BadSetting.of(
          e,
          "Correct "
              + host.spelled(Setting.STORE)
              + " or "
              + host.spelled(Setting.QUEUE)
              + from(store)
              + ".");
    }
  }

  /** A lock of a deployment is a queue as well. */
  private static String queueName(String text, Host host) {
    if (!LockKey.isMeant(text)) {
      return text;
    }
    try {
      return LockKey.parse(text).queueName();
    } catch (IllegalArgumentException e) {
      throw BadSetting.of(e, "Correct " + host.spelled(Setting.QUEUE) + ".");
    }
  }

  private static String queue(
      Settings settings, Optional<Settings.Value> store, String[] storeParts) {
    Optional<Settings.Value> named = settings.get(Setting.QUEUE);
    if (storeParts.length < 2) {
      return named.map(Settings.Value::text).orElse(GitHubPlace.DEFAULT_QUEUE);
    }
    if (named.isEmpty() || store.orElseThrow().rank() < named.get().rank()) {
      return storeParts[1];
    }
    if (store.orElseThrow().rank() == named.get().rank()
        && !named.get().text().equals(storeParts[1])) {
      throw new BadSetting(
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

  private static Place directory(
      String text, Optional<Settings.Value> store, Host host, String queue) {
    String path = text.substring("file:".length()).replaceFirst("^//(?=/)", "");
    try {
      if (path.isEmpty()) {
        Directory own = new Directory(host.stateDirectory(), queue);
        ProjectStore.requireSafe(own.path(), host);
        return own;
      }
      Path written =
          path.equals("~") || path.startsWith("~/")
              ? host.home().resolve(path.substring(1).replaceFirst("^/+", ""))
              : Path.of(path);
      Path start = store.map(Settings.Value::base).orElse(host.directory());
      Path base = start.resolve(written).toAbsolutePath().normalize();
      if (base.toString().contains("#")) {
        // A nested baton would take what follows for the name of a queue.
        throw new BadSetting(
            "the directory " + base + " has a # in its name",
            "Choose another with " + host.spelled(Setting.STORE) + ".");
      }
      if (base.toString().codePoints().anyMatch(Character::isISOControl)) {
        // A nested baton is told by lines, such as those of GITHUB_ENV: it would be two of them.
        throw new BadSetting(
            "the directory " + Checks.shown(base.toString()) + " has an invisible character in it",
            "Choose another with " + host.spelled(Setting.STORE) + ".");
      }
      Directory directory = new Directory(base, queue);
      ofProject(store, host).ifPresent(p -> p.requireInside(directory.path()));
      return directory;
    } catch (InvalidPathException e) {
      throw new BadSetting(
          "the store " + Checks.shown(text) + " is not a directory" + from(store),
          "Use file:DIR.",
          e);
    } catch (IllegalArgumentException e) {
      throw BadSetting.of(e, "Choose another name with " + host.spelled(Setting.QUEUE) + ".");
    }
  }

  private static Optional<ProjectStore> ofProject(Optional<Settings.Value> store, Host host) {
    return store.filter(v -> v.project().isPresent()).map(v -> new ProjectStore(v, host));
  }

  private static Place repository(
      String repository,
      Optional<Settings.Value> store,
      Settings settings,
      Host host,
      String queue) {
    String api = settings.get(Setting.API).map(Settings.Value::text).orElse(DEFAULT_API);
    Optional<Settings.Value> issueText = settings.get(Setting.ISSUE);
    long issue = issueText.map(Place::issue).orElse(0L);
    String modeText = settings.get(Setting.MODE).map(Settings.Value::text).orElse("git");
    GitHubPlace.Mode mode =
        switch (modeText) {
          case "git" -> GitHubPlace.Mode.GIT;
          case "issue" -> GitHubPlace.Mode.ISSUE;
          default ->
              throw new BadSetting(
                  "unknown mode " + Checks.shown(modeText) + from(settings.get(Setting.MODE)),
                  "Use git, or issue where the token may not write contents.");
        };
    try {
      // What the environment names may be meant for a repository of the user's own.
      boolean byFlag = issueText.filter(v -> v.rank() == Settings.DIRECT).isPresent();
      boolean ofProject =
          Stream.of(issueText, store).anyMatch(v -> v.flatMap(Settings.Value::project).isPresent());
      boolean cautious = ofProject && !byFlag;
      return new Repository(
          new GitHubPlace(GitHubPlace.api(api), repository, queue, mode, issue, cautious));
    } catch (IllegalArgumentException e) {
      throw BadSetting.of(
          e,
          mode == GitHubPlace.Mode.ISSUE && issue == 0
              ? "Add "
                  + host.spelled(Setting.ISSUE)
                  + " N, the number of an issue that is kept for this."
              : "Use "
                  + host.spelled(Setting.STORE)
                  + " github:OWNER/REPO[#QUEUE], and "
                  + host.spelled(Setting.API)
                  + " for a GitHub of your own.");
    }
  }

  private static long issue(Settings.Value value) {
    if (!value.text().matches("[1-9][0-9]{0,8}")) {
      throw new BadSetting(
          Checks.shown(value.text()) + " is not the number of an issue (" + value.source() + ")",
          "Give the number from the address of the issue, such as 12.");
    }
    return Long.parseLong(value.text());
  }

  private static void refuse(Settings settings, Host host, Setting... settingsOfGitHub) {
    for (Setting key : settingsOfGitHub) {
      // A file or the environment may serve several stores; a flag is meant for this one.
      settings
          .get(key)
          .filter(v -> v.rank() == Settings.DIRECT)
          .ifPresent(
              v -> {
                throw new BadSetting(
                    host.spelled(key) + " is for queues on GitHub, and this one is elsewhere",
                    "Add "
                        + host.spelled(Setting.STORE)
                        + " github:OWNER/REPO, or leave out "
                        + host.spelled(key)
                        + ".");
              });
    }
  }

  private static String from(Optional<Settings.Value> value) {
    return value.map(v -> " (" + v.source() + ")").orElse("");
  }
}
