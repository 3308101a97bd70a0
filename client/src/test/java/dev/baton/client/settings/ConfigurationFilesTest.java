package dev.baton.client.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.client.adapter.Extensions;
import dev.baton.client.identity.Who;
import dev.baton.client.queue.Place;
import dev.baton.core.BadSetting;
import dev.baton.core.HostEnvironment;
import dev.baton.queue.spi.StoreProvider;
import dev.baton.store.StoreSpace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** How far each file is trusted. */
class ConfigurationFilesTest {

  @TempDir Path directory;
  private final Map<String, String> environment = new HashMap<>();
  private final Map<Path, String> strangers = new HashMap<>();
  private final List<String> notes = new ArrayList<>();
  private Path home;
  private Path project;
  private Path at;

  @BeforeEach
  void makeProject() throws IOException {
    home = Files.createDirectories(directory.resolve("home"));
    project = Files.createDirectories(directory.resolve("project"));
    Files.createDirectories(project.resolve(".git"));
    at = project;
  }

  private Host host() {
    return new Host(
        environment,
        at,
        home,
        "Linux",
        "ann",
        () -> "desk",
        s -> "--" + s.id(),
        new Extensions(List::of, d -> "Get it."));
  }

  private Settings read() {
    return read((file, options) -> Optional.ofNullable(strangers.get(file)));
  }

  private Settings read(Writers writers) {
    Settings settings = Settings.ofEnvironment(host());
    new ConfigurationFiles(host(), writers, notes::add).addTo(settings, Optional.empty());
    return settings;
  }

  private static Path write(Path file, String... lines) throws IOException {
    Files.createDirectories(file.getParent());
    return Files.writeString(file, String.join("\n", lines) + "\n");
  }

  private Path projectFile(String... lines) throws IOException {
    return write(project.resolve(ConfigurationFiles.PROJECT_FILE), lines);
  }

  private static Optional<String> text(Settings settings, Setting setting) {
    return settings.get(setting).map(Settings.Value::text);
  }

  @ParameterizedTest
  @EnumSource(Setting.class)
  void aProjectSaysWhichQueueAndNothingElse(Setting setting) throws IOException {
    boolean isOfStore = List.of("mode", "issue").contains(setting.id());
    projectFile(setting.id() + "=12", isOfStore ? "store=github:octo/app" : "");
    if (List.of("store", "queue", "mode", "issue").contains(setting.id())) {
      assertThat(text(read(), setting)).contains("12");
      return;
    }
    assertThatThrownBy(this::read)
        .isInstanceOfSatisfying(
            BadSetting.class,
            e ->
                assertThat(e.next())
                    .contains(home.resolve(".config/baton/config.properties").toString())
                    .contains("--" + setting.id())
                    .contains(setting.variable()))
        .hasMessageContaining(setting.id() + " cannot be set in " + project);
    Settings.Value smuggled =
        new Settings.Value("x", "p", Settings.PROJECT, project, Optional.of(project));
    assertThatThrownBy(() -> new Settings().put(setting, smuggled))
        .isInstanceOf(IllegalArgumentException.class);
    projectFile("queue=q");
    write(host().userFile(), setting.id() + "=12");
    assertThat(text(read(), setting)).contains("12");
  }

  @Test
  void modeAndIssueAreForTheStoreBesideThem() throws IOException {
    projectFile("store=github:octo/app", "mode=issue", "issue=1", "queue=q");
    assertThat(text(read(), Setting.ISSUE)).contains("1");
    environment.put("BATON_STORE", "github:octo/precious");
    assertThat(text(read(), Setting.MODE)).isEmpty();
    assertThat(text(read(), Setting.ISSUE)).isEmpty();
    assertThat(text(read(), Setting.QUEUE)).contains("q");
    projectFile("issue=1");
    assertThatThrownBy(this::read)
        .isInstanceOf(BadSetting.class)
        .hasMessageContaining("issue in " + project)
        .hasMessageContaining("store beside it");
  }

  @Test
  void aFileOfAnotherUserIsPassedOverWithANote() throws IOException {
    Path near = write(project.resolve("a/" + ConfigurationFiles.PROJECT_FILE), "queue=near");
    projectFile("queue=far");
    at = Files.createDirectories(project.resolve("a/b"));
    assertThat(text(read(), Setting.QUEUE)).contains("near");
    strangers.put(near, "it belongs to another user (uid 7)");
    assertThat(text(read(), Setting.QUEUE)).contains("far");
    assertThat(notes)
        .containsExactly(
            "Ignored "
                + near
                + ": it belongs to another user (uid 7). Take it over (chown, chmod o-w) to use it,"
                + " or name the queue with --store.");
  }

  @Test
  void aJobOwnsItsWorkspaceAndNothingElse() throws IOException {
    Path file = projectFile("queue=q");
    strangers.put(file, "it belongs to another user (uid 1001)");
    environment.put("GITHUB_WORKSPACE", project.toString());
    assertThat(text(read(), Setting.QUEUE)).isEmpty();
    environment.put("GITHUB_ACTIONS", "true");
    assertThat(text(read(), Setting.QUEUE)).contains("q");
    environment.put("GITHUB_WORKSPACE", home.toString());
    assertThat(text(read(), Setting.QUEUE)).isEmpty();
    environment.put("GITHUB_WORKSPACE", project + "/../home/not-there");
    assertThat(text(read(), Setting.QUEUE)).isEmpty();
  }

  @Test
  void aUsersFileThatOthersMayWriteIsRefused() throws IOException {
    Path own = write(host().userFile(), "queue=q");
    strangers.put(own, "every user of this machine may write it");
    assertThatThrownBy(this::read)
        .isInstanceOf(BadSetting.class)
        .hasMessageContaining(own + " is not safe: every user");
  }

  @Test
  void aUsersFileThatComesWithACheckoutIsRefused() throws IOException {
    home = Files.createDirectories(project.resolve("home"));
    Path own = write(host().userFile(), "api=https://evil.example");
    assertThatThrownBy(this::read)
        .isInstanceOf(BadSetting.class)
        .hasMessageContaining(own + " is in the checkout " + project);
    // A submodule comes with the checkout around it.
    at = Files.createDirectories(project.resolve("module"));
    write(at.resolve(".git"), "gitdir: ../.git/modules/module");
    assertThatThrownBy(this::read)
        .isInstanceOf(BadSetting.class)
        .hasMessageContaining(own + " is in the checkout " + project);
    at = Files.createDirectories(directory.resolve("elsewhere"));
    assertThat(text(read(), Setting.API)).contains("https://evil.example");
  }

  @Test
  void aUsersFileThatALinkOfTheCheckoutLeadsToIsRefused() throws IOException {
    Path evil = write(directory.resolve("other/baton/config.properties"), "api=https://evil");
    home = project;
    Files.createDirectories(project.resolve(".config/baton"));
    Path link = Files.createSymbolicLink(host().userFile(), evil);
    assertRefusedAsInCheckout();

    Files.delete(link);
    Files.delete(project.resolve(".config/baton"));
    Files.delete(project.resolve(".config"));
    Files.createSymbolicLink(project.resolve(".config"), Path.of("../other"));
    assertRefusedAsInCheckout();

    // A home that is elsewhere, but for a link into the checkout that leads out of it again.
    home = Files.createDirectories(directory.resolve("home"));
    Files.createSymbolicLink(home.resolve(".config"), Path.of("../project/./.config"));
    assertRefusedAsInCheckout();

    Files.delete(home.resolve(".config"));
    Files.createSymbolicLink(home.resolve(".config"), Path.of("../other"));
    assertThat(text(read(), Setting.API)).contains("https://evil");
  }

  private void assertRefusedAsInCheckout() {
    assertThatThrownBy(this::read)
        .isInstanceOf(BadSetting.class)
        .hasMessageContaining(host().userFile() + " is in the checkout " + project);
  }

  @Test
  void aHugeHeadIsNoTitle() throws IOException {
    write(project.resolve(".git/HEAD"), "ref: refs/heads/main");
    assertThat(new Who(host()).title(List.of("make"))).isEqualTo("main");
    write(project.resolve(".git/HEAD"), "ref: refs/heads/" + "x".repeat(70_000));
    assertThat(new Who(host()).title(List.of("make"))).isEqualTo("make");
  }

  @Test
  void thisMachineTellsWhoMayWrite() throws IOException {
    Writers here = Writers.ofThisMachine();
    Path file = projectFile("queue=q");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-rw-r--"));
    assertThat(here.stranger(file)).isEmpty();
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--rw-"));
    assertThat(here.stranger(file)).contains("every user of this machine may write it");
    Path link = Files.createSymbolicLink(project.resolve("link"), file);
    assertThat(here.stranger(link, LinkOption.NOFOLLOW_LINKS)).isEmpty();
    assertThat(here.stranger(link)).isPresent();
    assertThat(text(read(here), Setting.QUEUE)).isEmpty();
    assertThat(notes.get(0)).contains("every user of this machine may write it");
  }

  @Test
  void theSearchEndsAtTheRootOfTheWorkTree() throws IOException {
    write(directory.resolve(ConfigurationFiles.PROJECT_FILE), "queue=above");
    at = Files.createDirectories(project.resolve("a/b"));
    assertThat(text(read(), Setting.QUEUE)).isEmpty();
    projectFile("queue=root");
    assertThat(text(read(), Setting.QUEUE)).contains("root");
    // A submodule or a linked work tree has a file there.
    Files.writeString(project.resolve("a/.git"), "gitdir: ../.git/modules/a\n");
    assertThat(text(read(), Setting.QUEUE)).isEmpty();
  }

  @Test
  void theRepositoryOfAnotherUserMakesNoProject() throws IOException {
    strangers.put(project.resolve(".git"), "it belongs to another user (uid 7)");
    Path mine = Files.createDirectories(project.resolve("me/download"));
    Files.createDirectories(project.resolve("me/private/build"));
    write(mine.resolve(ConfigurationFiles.PROJECT_FILE), "store=file:../private");
    at = mine;
    assertThatThrownBy(() -> Place.of(read(), host()))
        .isInstanceOf(BadSetting.class)
        .hasMessageContaining("is outside of the project");
    assertThat(notes).hasSize(1);
    assertThat(notes.get(0)).startsWith("Ignored " + project.resolve(".git") + ": it belongs");

    // And nothing above the directory counts.
    at = Files.createDirectories(mine.resolve("sub"));
    assertThat(text(read(), Setting.STORE)).isEmpty();
    // In a container of a workflow, the runner's user outside of it owns the workspace.
    environment.put("GITHUB_ACTIONS", "true");
    environment.put("GITHUB_WORKSPACE", project.toString());
    assertThat(text(read(), Setting.STORE)).contains("file:../private");
  }

  @Test
  void outsideOfAWorkTreeTheDirectoryAloneCounts() throws IOException {
    Path plain = Files.createDirectories(directory.resolve("plain/sub"));
    write(plain.resolve("../" + ConfigurationFiles.PROJECT_FILE).normalize(), "queue=above");
    at = plain;
    assertThat(text(read(), Setting.QUEUE)).isEmpty();
    at = plain.getParent();
    assertThat(text(read(), Setting.QUEUE)).contains("above");
    environment.put("GIT_DIR", project.resolve(".git").toString());
    environment.put("GIT_WORK_TREE", plain.getParent().toString());
    at = plain;
    assertThat(text(read(), Setting.QUEUE)).isEmpty();
  }

  /** As with settings that are kept in git: what is unpacked below it is not the user's project. */
  @Test
  void aDownloadBelowAHomeThatIsAWorkTreeIsAboutItselfAlone() throws IOException {
    Files.createDirectories(home.resolve(".git"));
    Path download = home.resolve("Downloads/app");
    write(download.resolve(ConfigurationFiles.PROJECT_FILE), "store=file:../../private");
    at = Files.createDirectories(download.resolve("sub"));
    assertThat(read().get(Setting.STORE).flatMap(Settings.Value::project)).contains(download);
    write(home.resolve(ConfigurationFiles.PROJECT_FILE), "store=file:private");
    at = home;
    assertThat(read().get(Setting.STORE).flatMap(Settings.Value::project)).contains(home);
  }

  @Test
  void aStoreWhoseAddressMayNameAServerIsNotForProjects() {
    Settings.Value store =
        new Settings.Value(
            "attic://evil.example/q", "FILE", Settings.PROJECT, project, Optional.of(project));
    ProjectStore named = new ProjectStore(store, host());
    assertThatThrownBy(() -> named.requireNoServer(new Attic(true)))
        .isInstanceOf(BadSetting.class)
        .hasMessageContaining("\"attic\" cannot be named in FILE");
    named.requireNoServer(new Attic(false));
    // Unless a provider says otherwise.
    assertThatThrownBy(() -> named.requireNoServer(new Unsaid())).isInstanceOf(BadSetting.class);
  }

  private static class Unsaid implements StoreProvider {
    @Override
    public String scheme() {
      return "attic";
    }

    @Override
    public String normalized(String address) {
      return address;
    }

    @Override
    public StoreSpace open(String address, String queue, HostEnvironment host) {
      throw new AssertionError("not opened here");
    }
  }

  private static final class Attic extends Unsaid {
    private final boolean namesServer;

    Attic(boolean namesServer) {
      this.namesServer = namesServer;
    }

    @Override
    public boolean mayNameServer() {
      return namesServer;
    }
  }

  @Test
  void aVeryLongPathIsNoTrouble() throws IOException {
    projectFile("store=file:" + "a/".repeat(30_000));
    assertThat(Place.of(read(), host())).isInstanceOf(Place.Directory.class);
  }

  @Test
  void aFileMayBeginWithAMarkAndNotBeBroken() throws IOException {
    projectFile("\uFEFFqueue=q");
    assertThat(text(read(), Setting.QUEUE)).contains("q");
    projectFile("queue=\\u00zz");
    assertThatThrownBy(this::read).hasMessageContaining("cannot be read");
    Files.write(
        project.resolve(ConfigurationFiles.PROJECT_FILE), new byte[] {'q', '=', (byte) 255});
    assertThatThrownBy(this::read).hasMessageContaining("cannot be read");
  }
}
