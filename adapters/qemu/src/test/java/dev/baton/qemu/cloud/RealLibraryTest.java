package dev.baton.qemu.cloud;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.baton.qemu.node.Node;
import dev.baton.qemu.node.NodeSettings;
import dev.baton.qemu.node.RealGuest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Images, as the real qemu-img sees them. */
class RealLibraryTest {
  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

  @TempDir Path root;
  private Node node;
  private Library library;

  @BeforeEach
  void open() {
    assumeThat(RealGuest.image()).exists();
    node = new Node(NodeSettings.in(root), RealGuest.host());
    library = new Library(node);
  }

  private void refused(String name, Path file, String sum, String what) throws Exception {
    assertThatThrownBy(() -> library.add(name, file, Optional.ofNullable(sum), NOW))
        .hasMessageContaining(what);
    assertThat(library.all()).isEmpty();
    assertThat(Files.list(root.resolve("images")).map(p -> p.getFileName().toString()))
        .containsOnly("lock");
  }

  @Test
  void aWholeImageIsKeptUnderItsChecksum() throws Exception {
    Library.Book book = library.add("tiny", RealGuest.image(), Optional.empty(), NOW);
    assertThat(book.format()).isEqualTo("qcow2");
    assertThat(library.add("tiny", RealGuest.image(), Optional.of(book.sha256()), NOW))
        .isEqualTo(book);
    assertThat(library.all()).containsExactly(book);
    Path other = root.resolve("other.qcow2");
    node.disks().create(other, 1 << 20);
    assertThatThrownBy(() -> library.add("tiny", other, Optional.empty(), NOW))
        .hasMessageContaining("there is an image tiny already");
    library.remove("tiny");
    assertThat(library.all()).isEmpty();
  }

  @Test
  void whatIsNoImageOrAnotherOneIsRefusedAndLeavesNothing() throws Exception {
    Files.createDirectories(root.resolve("images"));
    Files.createFile(root.resolve("images/lock"));
    refused("tiny", RealGuest.image(), "0".repeat(64), "has the SHA-256 checksum ");
    refused("tiny", Files.writeString(root.resolve("text"), "hello"), null, "is neither a qcow2");
    Path broken = Files.write(root.resolve("broken"), new byte[] {'Q', 'F', 'I', (byte) 0xfb, 0});
    refused("tiny", broken, null, "is not an image");
    Path on = root.resolve("on.qcow2");
    node.disks().overlay(RealGuest.image(), on, 1L << 30);
    refused("tiny", on, null, "refers to another file");
    refused("tiny", root.resolve("none"), null, "there is no file");
    refused("Tiny", RealGuest.image(), null, "is not a name for an image");
  }
}
