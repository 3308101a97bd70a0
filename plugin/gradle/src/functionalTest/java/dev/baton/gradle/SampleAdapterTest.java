package dev.baton.gradle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.testing.SampleAdapter;
import java.nio.file.Path;
import org.gradle.testkit.runner.BuildResult;
import org.gradle.testkit.runner.TaskOutcome;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An adapter that the plugin does not know works in a build that names its jar. */
class SampleAdapterTest {

  private static final String STORE = "baton { store = 'shelf:top'; queue = 'release' }\n";

  @TempDir Path directory;
  private Bed bed;
  private String extension;

  @BeforeEach
  void open() throws Exception {
    bed = new Bed(directory);
    bed.variable("SHELF_ROOT", bed.path("root").toString());
    extension = "dependencies { batonExtensions files('" + SampleAdapter.jar(directory) + "') }\n";
  }

  @AfterEach
  void close() {
    bed.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {Bed.NEW, Bed.OLD})
  void aTaskWaitsInItsStore(String version) throws Exception {
    bed.build(
        "app",
        STORE
            + extension
            + """
            def token = baton.fencingToken
            def ship = tasks.register('ship') { doLast { println "shipped under ${token.get()}" } }
            baton.guard(ship)
            """);
    assertThat(bed.gradle(version, "app", "batonInit").build().getOutput())
        .contains("The queue shelf:top#release is created.");
    for (int i = 1; i <= 2; i++) {
      assertThat(bed.gradle(version, "app", "ship", "--configuration-cache").build().getOutput())
          .containsPattern("shipped under [0-9]+")
          .contains("Configuration cache entry " + (i == 1 ? "stored" : "reused"));
    }
    assertThat(bed.path("root/top/release/queue.json")).exists();
  }

  @Test
  void aTaskHasAVmInItsCloud() throws Exception {
    bed.write("app/settings.gradle", Bed.settings("app"));
    bed.write(
        "app/build.gradle",
        Bed.plugin().replace("'dev.baton'", "'dev.baton.vm'")
            + "vm { store = 'shelf:vms'; cloud = 'carpenter' }\n"
            + extension
            + """
            def check = tasks.register('check', Exec) {
                commandLine 'sh', '-c', 'echo on $BATON_VM'
            }
            vm.use(check)
            """);
    BuildResult result = bed.gradle(Bed.NEW, "app", "check").build();
    assertThat(result.getOutput()).containsPattern("on gradle-[0-9a-f-]+");
    assertThat(result.task(":vmDestroy").getOutcome()).isEqualTo(TaskOutcome.SUCCESS);
    assertThat(bed.path("root/workshop")).isDirectory();
  }

  @Test
  void withoutItsJarTheStoreIsUnknown() throws Exception {
    bed.build("app", STORE);
    assertThat(bed.gradle(Bed.NEW, "app", "help").buildAndFail().getOutput())
        .contains("baton.store cannot be 'shelf:top'.")
        .contains("Write 'file:DIR', 'github:OWNER/REPO', 'oss://BUCKET/PREFIX'");
  }
}
