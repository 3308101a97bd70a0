package dev.baton.vm.simulated;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.vm.Trouble;
import dev.baton.vm.crash.SkippingWorld;
import dev.baton.vm.spi.Cancel;
import dev.baton.vm.spi.Images;
import dev.baton.vm.spi.ProviderException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SimulatedImagesTest {

  /** As {@code printf disk | sha256sum} says. */
  private static final String SUM =
      "1044dec7206e8d7c9fbb4ae8f766668406d2567fc7fc1a160a9d4700fcf8f8e9";

  @TempDir Path directory;

  private final Cancel cancel =
      new Cancel() {
        @Override
        public void check() {}

        @Override
        public void pause(Duration time) {}
      };

  private Images images;
  private Path file;

  @BeforeEach
  void open() throws Exception {
    images =
        SimulatedCloud.in(directory.resolve("cloud"), new SkippingWorld()).images().orElseThrow();
    file = Files.writeString(directory.resolve("disk.img"), "disk");
  }

  private static void troubled(Trouble trouble, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            ProviderException.class, e -> assertThat(e.trouble()).isEqualTo(trouble));
  }

  @Test
  void anImageIsCopiedListedAndRemoved() throws Exception {
    assertThat(images.list(cancel)).isEmpty();
    Images.Image added =
        images.add("debian-12", file, Optional.of(SUM.toUpperCase(Locale.ROOT)), cancel);
    assertThat(added.sha256()).isEqualTo(SUM);
    assertThat(added.bytes()).isEqualTo(4);
    Files.delete(file);
    assertThat(images.list(cancel)).containsExactly(added);
    images.remove("debian-12", cancel);
    assertThat(images.list(cancel)).isEmpty();
    try (var left = Files.list(directory.resolve("cloud/images"))) {
      assertThat(left).isEmpty();
    }
    troubled(Trouble.NOT_FOUND, () -> images.remove("debian-12", cancel));
  }

  @Test
  void theSameFileAgainChangesNothingAndAnotherIsRefused() throws Exception {
    Images.Image added = images.add("debian", file, Optional.empty(), cancel);
    assertThat(images.add("debian", file, Optional.empty(), cancel)).isEqualTo(added);
    Files.writeString(file, "other");
    troubled(Trouble.BAD_REQUEST, () -> images.add("debian", file, Optional.empty(), cancel));
    assertThat(images.list(cancel)).containsExactly(added);
  }

  @Test
  void anotherChecksumLeavesNothing() throws Exception {
    troubled(
        Trouble.BAD_REQUEST, () -> images.add("debian", file, Optional.of("0".repeat(64)), cancel));
    assertThat(images.list(cancel)).isEmpty();
    try (var left = Files.list(directory.resolve("cloud/images"))) {
      assertThat(left).isEmpty();
    }
  }

  @Test
  void noNameReachesAnotherDirectory() {
    for (String name : new String[] {"../x", "a/b", "", ".x", "X", "a".repeat(64)}) {
      troubled(Trouble.BAD_REQUEST, () -> images.add(name, file, Optional.empty(), cancel));
      troubled(Trouble.NOT_FOUND, () -> images.remove(name, cancel));
    }
  }
}
