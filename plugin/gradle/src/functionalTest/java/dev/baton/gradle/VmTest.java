package dev.baton.gradle;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.gradle.testkit.runner.BuildResult;
import org.gradle.testkit.runner.TaskOutcome;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A VM for a build. */
class VmTest {

  @TempDir Path directory;
  private Bed bed;

  @BeforeEach
  void open() {
    bed = new Bed(directory);
  }

  @AfterEach
  void close() {
    bed.close();
  }

  private void build(String name, String text) throws IOException {
    bed.write(name + "/settings.gradle", Bed.settings(name));
    bed.write(
        name + "/build.gradle",
        Bed.plugin().replace("'dev.baton'", "'dev.baton.vm'")
            + "vm { store = 'file:../vms' }\n"
            + text);
  }

  private List<String> resources() throws IOException {
    Path all = bed.path("vms/.cloud/resources");
    if (!Files.isDirectory(all)) {
      return List.of();
    }
    try (Stream<Path> files = Files.list(all)) {
      return files.map(f -> f.getFileName().toString()).sorted().toList();
    }
  }

  /** Whether the history of the build's own VM ends with its take-down. */
  private boolean isWrittenDown() throws IOException {
    try (Stream<Path> vms = Files.list(bed.path("vms"))) {
      for (Path vm : vms.filter(v -> v.getFileName().toString().startsWith("gradle-")).toList()) {
        try (Stream<Path> records = Files.list(vm.resolve("history"))) {
          for (Path record : records.filter(r -> r.toString().endsWith(".json")).toList()) {
            if (Files.readString(record).contains("\"to_status\": null")) {
              return true;
            }
          }
        }
      }
    }
    return false;
  }

  private static final String USES =
      """
      def check = tasks.register('check', Exec) {
          commandLine 'sh', '-c', 'echo on $BATON_VM at $BATON_VM_IP; exit ' + (providers.gradleProperty('code').getOrElse('0'))
      }
      vm.use(check)
      """;

  @ParameterizedTest
  @ValueSource(strings = {Bed.NEW, Bed.OLD})
  void aVmOfTheBuildsOwnIsUpForItsTaskAndGoneAfterIt(String version) throws Exception {
    build("app", USES);
    BuildResult first = bed.gradle(version, "app", "check", "--configuration-cache").build();
    assertThat(first.getOutput())
        .containsPattern("on gradle-[0-9a-f-]+ at 203\\.0\\.113\\.")
        .contains("VM: [1/5] network");
    assertThat(first.task(":vmDestroy").getOutcome()).isEqualTo(TaskOutcome.SUCCESS);
    assertThat(resources()).isEmpty();

    BuildResult again = bed.gradle(version, "app", "check", "--configuration-cache").build();
    assertThat(again.getOutput()).contains("Reusing configuration cache");
    String name = first.getOutput().replaceAll("(?s).*on (gradle-[0-9a-f-]+) at.*", "$1");
    assertThat(again.getOutput()).as("another build has another VM").doesNotContain(name);
    assertThat(resources()).isEmpty();

    BuildResult failed = bed.gradle(version, "app", "check", "-Pcode=3").buildAndFail();
    assertThat(failed.task(":check").getOutcome()).isEqualTo(TaskOutcome.FAILED);
    assertThat(resources()).isEmpty();
  }

  @Test
  void whatATaskUsesEndsByItselfAndWhatIsDeployedByHandDoesNot() throws Exception {
    for (String name : List.of("", "vm { vmName = 'shared' }\n")) {
      build("app", name + USES.replace("echo on", "cat ../vms/$BATON_VM/state.json; echo on"));
      assertThat(bed.gradle(Bed.NEW, "app", "check").build().getOutput())
          .as(name)
          .contains("\"max_life\": \"PT8H\"");
    }
    build("app", "vm { vmName = 'shared' }\n");
    bed.gradle(Bed.NEW, "app", "vmDeploy").build();
    assertThat(bed.path("vms/shared/state.json")).content().doesNotContain("PT8H");
  }

  @Test
  void byHandItStaysFromOneBuildToTheNext() throws Exception {
    build("app", "");
    assertThat(bed.gradle(Bed.NEW, "app", "vmDeploy").build().getOutput())
        .contains("VM default is running at 203.0.113.");
    assertThat(bed.gradle(Bed.NEW, "app", "vmSuspend", "vmStatus").build().getOutput())
        .contains("VM default is suspended");
    bed.gradle(Bed.NEW, "app", "vmResume").build();
    assertThat(resources()).hasSize(5);
    assertThat(bed.gradle(Bed.NEW, "app", "vmDestroy", "vmSweep", "--remove").build().getOutput())
        .contains("VM default is gone")
        .contains("Nothing was left behind");
    assertThat(resources()).isEmpty();
  }

  @Test
  void interruptedWhileItsTaskRunsTheVmIsTakenDown() throws Exception {
    build(
        "app",
        """
        def slow = tasks.register('slow', Exec) {
            commandLine 'sh', '-c', 'touch ../running; sleep 300'
        }
        vm.use(slow)
        """);
    Process gradle = bed.gradleProcess(Bed.NEW, "app", "slow");
    Bed.await("the task runs", () -> Files.exists(bed.path("running")));
    assertThat(resources()).hasSize(5);
    // As a terminal does on Ctrl-C.
    new ProcessBuilder("kill", "-INT", Long.toString(gradle.pid())).start().waitFor();
    assertThat(gradle.waitFor(120, TimeUnit.SECONDS)).isTrue();
    Bed.await("nothing is left", () -> resources().isEmpty());
    // The daemon goes on for a moment: it must not write while the directory is being deleted.
    Bed.await("its take-down is written down", this::isWrittenDown);
  }

  @Test
  void wrongSettingsAreNamed() throws Exception {
    build("app", "vm { type = 'huge' }\n");
    assertThat(bed.gradle(Bed.NEW, "app", "vmDeploy").buildAndFail().getOutput())
        .contains("unknown instance type \"huge\"");
    build("app", "vm { cloud = 'moon' }\n");
    assertThat(bed.gradle(Bed.NEW, "app", "vmDeploy").buildAndFail().getOutput())
        .contains("nsupported cloud \"moon\"")
        .contains("vm.cloud");
    build("app", "vm { maxLife = java.time.Duration.ofHours(-1) }\n");
    assertThat(bed.gradle(Bed.NEW, "app", "vmDeploy").buildAndFail().getOutput())
        .contains("The maxLife of the vm block cannot be");
    assertThat(resources()).isEmpty();
  }
}
