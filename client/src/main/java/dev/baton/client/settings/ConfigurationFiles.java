package dev.baton.client.settings;

import dev.baton.core.BadSetting;
import dev.baton.core.Checkout;
import dev.baton.core.Checks;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Settings in files, and how far each file is trusted:
 *
 * <ol>
 *   <li>A file that the user names for this call is the only one that is read, and may set
 *       everything: the user has chosen it.
 *   <li>Else the <b>project's file</b>, the nearest {@value #PROJECT_FILE} from the working
 *       directory up to the root of its git work tree; outside of one, the working directory alone.
 *       It comes with the checkout, which may be a stranger's pull request, so it may say only
 *       {@linkplain Setting#isForProjects which queue is meant}. A file of another user of this
 *       machine is ignored, with a note.
 *   <li>And the <b>user's own file</b>, {@link Host#userFile}, for what the project's file does not
 *       or may not say. It may set everything, so it must not be in a checkout, and another user
 *       must not be able to write it.
 * </ol>
 *
 * <p>Queue, mode and issue in the user's file belong to the store there: where the project's file
 * names a store, they are left out. Mode and issue in the project's file need a store beside them,
 * and are left out where a flag or the environment names another.
 */
public final class ConfigurationFiles {

  public static final String PROJECT_FILE = ".baton.properties";

  private static final Set<Setting> OF_A_STORE =
      EnumSet.of(Setting.QUEUE, Setting.MODE, Setting.ISSUE);

  private static final Set<Setting> OF_ONE_QUEUE = EnumSet.of(Setting.MODE, Setting.ISSUE);

  private static final Map<String, Setting> KNOWN =
      Arrays.stream(Setting.values()).collect(Collectors.toUnmodifiableMap(Setting::id, k -> k));

  /** Terminals obey them, and in names they cannot be seen. */
  private static final Pattern INVISIBLE = Pattern.compile("[\\p{Cc}\\p{Cf}\\p{Cs}]");

  private final Host host;
  private final Writers writers;
  private final Consumer<String> notes;

  ConfigurationFiles(Host host, Writers writers, Consumer<String> notes) {
    this.host = Objects.requireNonNull(host, "host");
    this.writers = Objects.requireNonNull(writers, "writers");
    this.notes = Objects.requireNonNull(notes, "notes");
  }

  /**
   * @param notes told, in a sentence, about each file that is ignored
   */
  public static ConfigurationFiles of(Host host, Consumer<String> notes) {
    return new ConfigurationFiles(host, Writers.ofThisMachine(), notes);
  }

  /**
   * Adds what the files say and nothing stronger has set.
   *
   * @param named by the user, for this call
   * @throws BadSetting when a file cannot be read, or says what it may not say
   */
  public void addTo(Settings settings, Optional<Path> named) {
    if (named.isPresent()) {
      addTrusted(named.get(), settings, EnumSet.noneOf(Setting.class));
      return;
    }
    Set<Setting> elsewhere = EnumSet.noneOf(Setting.class);
    Optional<ProjectFile> project =
        ProjectFile.nearest(host.directory(), host.home(), this::isOurs);
    if (project.isPresent() && addProject(project.get(), settings).contains(Setting.STORE)) {
      elsewhere.addAll(OF_A_STORE);
    }
    Path own = host.userFile();
    if (Files.isRegularFile(own)) {
      requireOurs(own);
      addTrusted(own, settings, elsewhere);
    }
  }

  // ---- whose files they are

  private boolean isOurs(Path file) {
    try {
      Optional<String> stranger =
          isInWorkspace(file)
              ? Optional.empty()
              : writers.stranger(file, LinkOption.NOFOLLOW_LINKS);
      stranger.ifPresent(
          why ->
              notes.accept(
                  "Ignored "
                      + file
                      + ": "
                      + why
                      + ". Take it over (chown, chmod o-w) to use it, or name the queue with "
                      + host.spelled(Setting.STORE)
                      + "."));
      return stranger.isEmpty();
    } catch (IOException e) {
      throw unreadable(file, e);
    }
  }

  /**
   * In a container of a workflow, the checkout belongs to the user that the runner has outside of
   * it. Whatever is in the workspace, the job itself has put there.
   */
  private boolean isInWorkspace(Path file) throws IOException {
    String workspace = host.variable("GITHUB_WORKSPACE");
    return host.variable("GITHUB_ACTIONS").equals("true")
        && !workspace.isEmpty()
        && Files.isDirectory(Path.of(workspace))
        && file.toAbsolutePath()
            .getParent()
            .toRealPath()
            .startsWith(Path.of(workspace).toRealPath());
  }

  private void requireOurs(Path own) {
    try {
      requireOutsideOfCheckout(own);
      Optional<String> stranger = writers.stranger(own);
      if (stranger.isPresent()) {
        throw new BadSetting(
            "the configuration file " + own + " is not safe: " + stranger.get(),
            "Look at what is in it, and take it over: chown it, and chmod go-w it.");
      }
    } catch (IOException e) {
      throw unreadable(own, e);
    }
  }

  /** Where {@code HOME} is the checkout, as in some containers, its author would be the user. */
  private void requireOutsideOfCheckout(Path own) throws IOException {
    Optional<Checkout> checkout = Checkout.around(host.directory());
    if (checkout.isPresent() && checkout.get().isOnTheWayTo(own)) {
      throw new BadSetting(
          "the configuration file "
              + own
              + " is in the checkout "
              + checkout.get().root()
              + ", and may have come with it",
          "Keep it elsewhere (HOME says where), or name it with --config if you trust it.");
    }
  }

  // ---- what is in them

  private void addTrusted(Path file, Settings settings, Set<Setting> without) {
    Properties read = read(file);
    Path base = file.toAbsolutePath().getParent();
    for (Setting setting : known(read, file)) {
      String text = read.getProperty(setting.id()).strip();
      if (!text.isEmpty() && !without.contains(setting)) {
        settings.put(setting, new Settings.Value(text, file.toString(), Settings.FILE, base));
      }
    }
  }

  private Set<Setting> addProject(ProjectFile project, Settings settings) {
    Path file = project.file();
    Properties read = read(file, LinkOption.NOFOLLOW_LINKS);
    Set<Setting> known = known(read, file);
    refuseWhatIsNotForProjects(known, file);
    Map<Setting, Settings.Value> said = new EnumMap<>(Setting.class);
    for (Setting setting : known) {
      String text = read.getProperty(setting.id()).strip();
      requireVisible(setting, text, file);
      if (!text.isEmpty()) {
        said.put(
            setting,
            new Settings.Value(
                text,
                file.toString(),
                Settings.PROJECT,
                file.getParent(),
                Optional.of(project.root())));
      }
    }
    requireStoreBeside(said.keySet(), file);
    Optional<Settings.Value> stronger = settings.get(Setting.STORE);
    said.forEach(
        (setting, value) -> {
          // Else a checkout could have an issue overwritten in a repository that the user names.
          if (stronger.isEmpty() || !OF_ONE_QUEUE.contains(setting)) {
            settings.put(setting, value);
          }
        });
    return said.keySet();
  }

  private static void requireVisible(Setting setting, String text, Path file) {
    if (INVISIBLE.matcher(text).find()) {
      throw new BadSetting(
          setting.id() + " in " + file + " has invisible characters: " + Checks.shown(text),
          "Take them out.");
    }
  }

  private static void requireStoreBeside(Set<Setting> said, Path file) {
    List<Setting> alone = said.stream().filter(OF_ONE_QUEUE::contains).toList();
    if (!alone.isEmpty() && !said.contains(Setting.STORE)) {
      throw new BadSetting(
          names(alone) + " in " + file + " cannot be used without the store beside it",
          "Add store=github:OWNER/REPO there, or take it out.");
    }
  }

  private void refuseWhatIsNotForProjects(Set<Setting> known, Path file) {
    List<Setting> refused = known.stream().filter(s -> !s.isForProjects()).toList();
    if (refused.isEmpty()) {
      return;
    }
    throw new BadSetting(
        names(refused)
            + " cannot be set in "
            + file
            + ": a file of a project comes with the checkout and may only say which queue is meant"
            + " ("
            + names(Arrays.stream(Setting.values()).filter(Setting::isForProjects).toList())
            + ")",
        "Take it out of there. If you trust it, put it into "
            + host.userFile()
            + ", or use "
            + host.spelled(refused.get(0))
            + " or "
            + refused.get(0).variable()
            + ".");
  }

  private static String names(List<Setting> settings) {
    return settings.stream().map(Setting::id).sorted().collect(Collectors.joining(", "));
  }

  private Set<Setting> known(Properties read, Path file) {
    Set<Setting> known = EnumSet.noneOf(Setting.class);
    for (String name : new TreeSet<>(read.stringPropertyNames())) {
      if (name.equals("token")) {
        throw new BadSetting(
            "there is a token in " + file,
            "Take it out and revoke it. Put the new one into a file of its own, and name that with "
                + host.spelled(Setting.TOKEN_FILE)
                + " or as token-file in "
                + host.userFile()
                + ".");
      }
      Setting setting = KNOWN.get(name);
      if (setting == null) {
        throw new BadSetting(
            "unknown setting " + Checks.shown(name) + " in " + file,
            "Settings are " + String.join(", ", new TreeSet<>(KNOWN.keySet())) + ".");
      }
      known.add(setting);
    }
    return known;
  }

  private static Properties read(Path file, LinkOption... options) {
    try {
      return SmallFile.properties(file, options);
    } catch (IOException | IllegalArgumentException e) {
      throw unreadable(file, e);
    }
  }

  private static BadSetting unreadable(Path file, Exception cause) {
    return new BadSetting(
        "the configuration file " + file + " cannot be read",
        "Check that it is there, readable, and has lines such as store=github:OWNER/REPO.",
        cause);
  }
}
