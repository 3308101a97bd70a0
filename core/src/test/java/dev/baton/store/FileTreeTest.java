package dev.baton.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileTreeTest {

  @TempDir Path directory;

  /** Others who share the directory, or its checkout, could have any file read or removed. */
  @Test
  void aLinkAmongTheDirectoriesLeadsNowhere() throws Exception {
    Path elsewhere = Files.createDirectory(directory.resolve("elsewhere"));
    Path theirs = Files.writeString(elsewhere.resolve("state.json"), "private");
    Path root = Files.createDirectory(directory.resolve("root"));
    Files.createSymbolicLink(root.resolve("linked"), elsewhere);
    FileTree tree = FileTree.in(root);

    for (String path : new String[] {"linked/state.json", "linked/missing.json"}) {
      assertThatThrownBy(() -> tree.read(path))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("a link leads out of");
      assertThatThrownBy(() -> tree.write(path, Version.ABSENT, "new"))
          .isInstanceOf(StoreException.class);
    }
    Version there = Documents.versionOf(Files.readAllBytes(theirs));
    assertThatThrownBy(() -> tree.remove("linked/state.json", there))
        .isInstanceOf(StoreException.class);
    assertThatThrownBy(() -> tree.list("linked")).isInstanceOf(StoreException.class);
    assertThat(elsewhere).isDirectoryContaining(theirs::equals);
    assertThat(elsewhere.toFile().list()).hasSize(1);
    assertThat(theirs).hasContent("private");
  }

  @Test
  void theRootMayBeALinkOrMissing() throws Exception {
    Path there = Files.createDirectory(directory.resolve("there"));
    FileTree linked = FileTree.in(Files.createSymbolicLink(directory.resolve("root"), there));
    assertThat(linked.write("a/b", Version.ABSENT, "text")).isInstanceOf(WriteResult.Written.class);
    assertThat(linked.read("a/b").content()).hasValue("text");
    assertThat(linked.list("a")).containsExactly("b");

    FileTree missing = FileTree.in(directory.resolve("missing"));
    assertThat(missing.read("a/b")).isEqualTo(Snapshot.ABSENT);
    assertThat(missing.list("a")).isEmpty();
    assertThat(missing.remove("a/b", linked.read("a/b").version())).isFalse();
  }
}
