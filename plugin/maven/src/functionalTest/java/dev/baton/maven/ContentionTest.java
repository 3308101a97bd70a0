package dev.baton.maven;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.maven.MavenBed.Build;
import dev.baton.queue.BuildQueue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Builds that race, each on another Maven. */
class ContentionTest {

  @RegisterExtension final MavenBed bed = new MavenBed();

  @Test
  void oneAfterTheOther() throws Exception {
    BuildQueue queue =
        bed.fileQueue(
            "locks", "release", MavenBed.rules(Duration.ofSeconds(60), Duration.ofSeconds(5)));
    List<Build> builds = new ArrayList<>();
    List<String> versions = MavenBed.versions().toList();
    for (int i = 0; i < versions.size(); i++) {
      String name = "app" + i;
      bed.build(
          name,
          "<store>file:../locks</store><queue>release</queue>"
              + "<guards><guard><goals>probe:work</goals></guard></guards>",
          MavenBed.probe("compile", "<witness>../witness.txt</witness><command>sleep 1</command>"));
      builds.add(bed.start(versions.get(i), name, "compile"));
    }
    for (Build build : builds) {
      assertThat(build.result().output()).contains("BUILD SUCCESS");
    }
    List<String> lines =
        bed.read("witness.txt").lines().map(line -> line.split(" \\[")[0]).toList();
    assertThat(lines).hasSize(2 * versions.size());
    for (int i = 0; i < lines.size(); i += 2) {
      assertThat(lines.get(i)).startsWith("begin ");
      assertThat(lines.get(i + 1)).isEqualTo(lines.get(i).replace("begin", "end"));
    }
    assertThat(queue.status().tickets()).isEmpty();
  }
}
