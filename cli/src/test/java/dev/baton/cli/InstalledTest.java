package dev.baton.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.alibaba.fake.FakeAccount;
import dev.baton.alibaba.fake.FakeAliyun;
import dev.baton.alibaba.fake.FakeOss;
import dev.baton.githubsim.GitHubSim;
import dev.baton.githubsim.SimSettings;
import dev.baton.githubsim.Token;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code baton} as people install it: the clients of clouds are beside its class path, and are
 * loaded by whoever asks for them.
 */
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "the script is for a Unix")
class InstalledTest {

  private static final String ID = "LTAI5tTheIdOfTheseTests0";
  private static final String SECRET = "TheSecretOfTheseTests0123456789";

  @TempDir Path home;

  private final FakeOss oss = FakeOss.start();
  private final FakeAliyun cloud = FakeAliyun.start("1000000000000001");

  @BeforeEach
  void setUp() {
    oss.addKey(ID, SECRET, "me");
    oss.addBucket("team-builds", "me");
    cloud.addKey(ID, SECRET);
  }

  @AfterEach
  void close() {
    oss.close();
    cloud.close();
  }

  private final Map<String, String> more = new HashMap<>();

  private Installation.Result ok(String... arguments) throws IOException, InterruptedException {
    Installation.Result result =
        Installation.BUILT
            .in(home)
            .with(FakeAccount.variables(oss, cloud, ID, SECRET))
            .with(more)
            .run(arguments);
    assertThat(result.text()).doesNotContain(SECRET);
    assertThat(result.code()).as(result.text()).isZero();
    return result;
  }

  @Test
  void aQueueOnGitHubAndNothingOfTheLogBeside() throws Exception {
    try (GitHubSim github = GitHubSim.start(SimSettings.defaults())) {
      github.addRepository("octo/app", true);
      github.addToken(Token.classic("ann", "ann-token", "octo/app"));
      more.put("GITHUB_API_URL", github.baseUrl());
      more.put("BATON_TOKEN", "ann-token");
      ok("--store", "github:octo/app", "init");
      assertThat(ok("--store", "github:octo/app", "status").text())
          .isEqualTo(
              "Queue build in github:octo/app\nBuilding   nobody\nIn line    nobody\nBoard      "
                  + github.baseUrl()
                  + "/octo/app/issues/1\n");
      assertThat(ok("--store", "github:octo/app", "run", "-v", "--", "echo", "built").text())
          .contains("built", "INFO");
    }
  }

  @Test
  void aQueueInOss() throws Exception {
    assertThat(ok("--store", "oss://team-builds/ci", "init").text())
        .contains("oss://team-builds/ci#build is created");
    assertThat(ok("--store", "oss://team-builds/ci", "run", "--", "echo", "built").text())
        .contains("built");
    assertThat(ok("--store", "oss://team-builds/ci", "history").text()).contains("succeeded");
    Installation.Result doctor = ok("--store", "oss://team-builds/ci", "doctor");
    assertThat(doctor.text()).contains("oss://team-builds/ci").doesNotContain("GitHub", "token");
    assertThat(ok("probe", "oss://team-builds/ci", "--yes").text())
        .containsPattern("\nassumptions: ([0-9]+), held: \\1\n$");
    assertThat(oss.keys("team-builds")).isNotEmpty().allMatch(k -> k.startsWith("ci/build/"));
  }

  @Test
  void aVmOnAlibabaCloudAndItsStateInOss() throws Exception {
    String[] vm = {"--vm-store", "oss://team-builds/vms", "--cloud", "aliyun"};
    ok("vm", "deploy", vm[0], vm[1], vm[2], vm[3]);
    assertThat(cloud.everything()).isNotEmpty();
    assertThat(ok("vm", "status", vm[0], vm[1], vm[2], vm[3]).text()).contains("running");
    ok("vm", "destroy", "--yes", "--no-snapshot", vm[0], vm[1], vm[2], vm[3]);
    assertThat(cloud.everything()).isEmpty();
  }
}
