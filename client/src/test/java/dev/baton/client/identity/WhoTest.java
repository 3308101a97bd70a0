package dev.baton.client.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.baton.client.adapter.Extensions;
import dev.baton.client.settings.Host;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is built, as others see it: the branch of this work tree, and never that of another. */
class WhoTest {

  private static final String COMMAND = "make";

  @TempDir Path directory;
  private Path main;
  private Path tree;

  @BeforeEach
  void makeRepository() throws IOException {
    main = directory.resolve("main");
    head(main.resolve(".git"), "acquire-megacorp");
    tree = Files.createDirectories(directory.resolve("tree"));
  }

  private static void head(Path git, String branch) throws IOException {
    write(git.resolve("HEAD"), "ref: refs/heads/" + branch);
  }

  private static Path write(Path file, String line) throws IOException {
    Files.createDirectories(file.getParent());
    return Files.writeString(file, line + "\n");
  }

  private String title(Path at) {
    Host host =
        new Host(
            Map.of(),
            at,
            directory,
            "Linux",
            "ann",
            () -> "desk",
            s -> "--" + s.id(),
            new Extensions(List::of, d -> "x"));
    return new Who(host).title(List.of(COMMAND));
  }

  @Test
  void theBranchOfARepository() throws IOException {
    assertThat(title(Files.createDirectories(main.resolve("a/b")))).isEqualTo("acquire-megacorp");
    assertThat(title(tree)).isEqualTo(COMMAND);
    write(main.resolve(".git/HEAD"), "0123456789012345678901234567890123456789");
    assertThat(title(main)).isEqualTo(COMMAND);
  }

  /** Git takes some control characters; a ticket takes none. */
  @Test
  void aBranchBecomesAPlainLine() throws IOException {
    head(main.resolve(".git"), "a\u009b31mb\u0085c\u007f");
    assertThat(title(main)).isEqualTo("a 31mb c");
  }

  @Test
  void theBranchOfALinkedWorkTree() throws IOException {
    Path own = main.resolve(".git/worktrees/tree");
    head(own, "feature");
    write(tree.resolve(".git"), "gitdir: " + own);
    write(own.resolve("gitdir"), tree.resolve(".git").toString());
    assertThat(title(Files.createDirectories(tree.resolve("a")))).isEqualTo("feature");
    // With relative paths, as newer versions of git can have them.
    write(tree.resolve(".git"), "gitdir: ../main/.git/worktrees/tree");
    write(own.resolve("gitdir"), "../../../../tree/.git");
    assertThat(title(tree)).isEqualTo("feature");
  }

  @Test
  void theBranchOfASubmodule() throws IOException {
    Path own = main.resolve(".git/modules/lib");
    head(own, "stable");
    write(own.resolve("config"), "[core]\n\tbare = false\n\tworktree = ../../../lib");
    write(main.resolve("lib/.git"), "gitdir: ../.git/modules/lib");
    assertThat(title(main.resolve("lib"))).isEqualTo("stable");
    for (String setting : List.of("worktree=\"../../../lib\"", "  worktree\t=  ../../../lib  \r")) {
      write(own.resolve("config"), "[core]\r\n" + setting + "\n[x]");
      assertThat(title(main.resolve("lib"))).isEqualTo("stable");
    }
    // Another download in the same repository.
    write(main.resolve("evil/.git"), "gitdir: ../.git/modules/lib");
    assertThat(title(main.resolve("evil"))).isEqualTo(COMMAND);
  }

  @ParameterizedTest
  @ValueSource(strings = {"../main/.git", "../main/.git/worktrees/other", "../main/.git/modules/x"})
  void aDownloadDoesNotShowTheBranchOfAnotherRepository(String pointer) throws IOException {
    Path other = main.resolve(".git/worktrees/other");
    head(other, "secret-feature");
    write(other.resolve("gitdir"), directory.resolve("other/.git").toString());
    head(main.resolve(".git/modules/x"), "secret-module");
    write(tree.resolve(".git"), "gitdir: " + pointer);
    assertThat(title(tree)).isEqualTo(COMMAND);
  }

  @Test
  void aLinkInADownloadDoesNotShowTheBranchOfAnotherRepository() throws IOException {
    Files.createSymbolicLink(tree.resolve(".git"), main.resolve(".git"));
    assertThat(title(tree)).isEqualTo(COMMAND);
    Files.delete(tree.resolve(".git"));
    Files.createDirectories(tree.resolve(".git"));
    Files.createSymbolicLink(tree.resolve(".git/HEAD"), main.resolve(".git/HEAD"));
    assertThat(title(tree)).isEqualTo(COMMAND);
  }

  /** On Windows the name alone has a foreign server contacted, with the user's credentials. */
  @ParameterizedTest
  @ValueSource(strings = {"\\\\evil\\share", "//evil/share", "/\\evil\\share", "\\\\?\\UNC\\e\\s"})
  void aNameOnTheNetworkIsNotLookedAt(String pointer) throws IOException {
    assertThat(WorkTree.isOnTheNetwork(pointer)).isTrue();
    write(tree.resolve(".git"), "gitdir: fake");
    head(tree.resolve("fake"), "x");
    write(tree.resolve("fake/gitdir"), pointer);
    assertThat(title(tree)).isEqualTo(COMMAND);
  }

  /** Settings that take a careless reader longer than anybody waits. */
  @ParameterizedTest
  @ValueSource(strings = {"worktree=%sx\"y\"z", "%sworktree", "worktree%s", "%s"})
  @Timeout(value = 10, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void theSettingsOfADownloadHoldUpNobody(String settings) throws IOException {
    write(tree.resolve(".git"), "gitdir: fake");
    head(tree.resolve("fake"), "x");
    for (String filling : List.of(" ", "\n", "\t\"", "worktree=\n")) {
      String filled = filling.repeat(60_000 / filling.length());
      write(tree.resolve("fake/config"), settings.replace("%s", filled));
      assertThat(title(tree)).isEqualTo(COMMAND);
    }
  }

  @Test
  void theBranchOfAnotherUsersRepositoryIsNotShown() throws IOException {
    Path git = main.resolve(".git");
    assumeTrue(isGivenAway(git), "only root can give files away");
    assertThat(title(main)).isEqualTo(COMMAND);
    assertThat(title(Files.createDirectories(main.resolve("mine")))).isEqualTo(COMMAND);
  }

  private static boolean isGivenAway(Path file) throws IOException {
    try {
      Files.setAttribute(file, "unix:uid", 4711);
      return true;
    } catch (IOException | UnsupportedOperationException | IllegalArgumentException e) {
      return false;
    }
  }
}
