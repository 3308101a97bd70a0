package dev.baton.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.testing.SampleAdapter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** An adapter that this build does not know works in an installation by being in it. */
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "the script is for a Unix")
class SampleAdapterTest {

  @TempDir Path directory;

  private Path jar;
  private Path home;

  @BeforeEach
  void setUp() throws IOException {
    jar = SampleAdapter.jar(directory);
    home = Files.createDirectory(directory.resolve("home"));
  }

  private Installation extended() throws IOException {
    Installation copy = Installation.BUILT.in(home).copiedTo(directory.resolve("baton"));
    Files.copy(jar, copy.extensions().resolve("adapter-shelf.jar"));
    return copy.with(Map.of("SHELF_ROOT", directory.resolve("root").toString()));
  }

  private static String ok(Installation baton, String... arguments) throws Exception {
    Installation.Result result = baton.run(arguments);
    assertThat(result.code()).as(result.text()).isZero();
    return result.text();
  }

  private static void assertRefused(Installation.Result result, String... parts) {
    assertThat(result.code()).as(result.text()).isEqualTo(2);
    assertThat(result.text()).contains(parts);
  }

  @Test
  void itsQueuesVmsAndHelpAreThere() throws Exception {
    Installation baton = extended();
    assertThat(ok(baton, "--store", "shelf:top", "init")).contains("shelf:top#build is created");
    assertThat(ok(baton, "--store", "shelf:top", "run", "--", "echo", "built")).contains("built");
    assertThat(ok(baton, "--store", "shelf:top", "history")).contains("succeeded");
    assertThat(directory.resolve("root/top/build/queue.json")).exists();

    String[] vm = {"--vm-store", "shelf:vms", "--cloud", "carpenter"};
    ok(baton, "vm", "deploy", vm[0], vm[1], vm[2], vm[3]);
    assertThat(ok(baton, "vm", "status", vm[0], vm[1], vm[2], vm[3])).contains("running");
    assertThat(directory.resolve("root/vms/state.json")).exists();
    ok(baton, "vm", "destroy", "--yes", "--no-snapshot", vm[0], vm[1], vm[2], vm[3]);

    assertThat(ok(baton, "help")).containsPattern("or\\s+shelf:BOARD, each\\s+with\\s+#QUEUE");
    assertThat(ok(baton, "help", "init"))
        .containsPattern("baton init --store shelf:top +on a board, see samples/adapter-shelf");
    assertThat(ok(baton, "vm", "--help"))
        .containsPattern("or\\s+shelf:BOARD;[^;]+\\s+--cloud=NAME .* or carpenter;");
  }

  @Test
  void whatIsWrongIsToldInItsWordsAndWithItInTheList() throws Exception {
    Installation baton = extended();
    assertRefused(
        baton.run("--store", "shelf:TOP", "status"), "'TOP' cannot be the name of a board");
    assertRefused(
        baton.run("--store", "ftp:top", "status"),
        "is of an unknown kind",
        "github:OWNER/REPO, oss://BUCKET/PREFIX",
        " or shelf:BOARD, with #QUEUE or without.");
    assertRefused(
        baton.run("vm", "status", "--cloud", "moon"),
        "Use --cloud simulated, aliyun",
        " or carpenter.");
  }

  /** What comes with a checkout is no jar of the installation, and names no store of an adapter. */
  @Test
  void aCheckoutBringsNoAdapter() throws Exception {
    for (String place : new String[] {"extensions", "lib/extensions"}) {
      Path inCheckout = Files.createDirectories(home.resolve(place));
      Files.copy(jar, inCheckout.resolve("adapter-shelf.jar"));
    }
    assertRefused(
        Installation.BUILT.in(home).run("--store", "shelf:top", "init"), "is of an unknown kind");

    Files.createDirectory(home.resolve(".git"));
    Files.writeString(home.resolve(".baton.properties"), "store=shelf:top\n");
    assertRefused(extended().run("init"), "a store of the kind \"shelf\" cannot be named in");
    assertThat(directory.resolve("root")).doesNotExist();
  }
}
