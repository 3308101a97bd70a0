package dev.baton.alibaba.oss;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.client.adapter.Extensions;
import dev.baton.client.queue.OpenQueue;
import dev.baton.client.queue.Place;
import dev.baton.client.settings.Host;
import dev.baton.client.settings.Setting;
import dev.baton.client.settings.Settings;
import dev.baton.core.BadSetting;
import dev.baton.queue.Rules;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code oss://} as the command line, the action and the plugins take it. */
class OssFrontTest {
  @TempDir private Path home;

  private Host host(Map<String, String> environment) {
    return new Host(
        environment,
        home,
        home,
        "Linux",
        "ann",
        () -> "laptop",
        s -> "--" + s.id(),
        Extensions.NONE);
  }

  private static Place place(Host host) {
    return Place.of(Settings.ofEnvironment(host), host);
  }

  @Test
  void aQueueIsMadeAndFoundAgainByAnInnerProcess() throws Exception {
    try (Desk desk = new Desk()) {
      Map<String, String> environment = new HashMap<>();
      environment.put("BATON_STORE", "oss://team-builds/ci/#nightly");
      environment.put("BATON_OSS_ENDPOINT", desk.oss.endpoint());
      environment.put("ALIBABA_CLOUD_REGION_ID", "cn-hangzhou");
      environment.put("ALIBABA_CLOUD_ACCESS_KEY_ID", Desk.ID);
      environment.put("ALIBABA_CLOUD_ACCESS_KEY_SECRET", Desk.SECRET);
      Host outer = host(environment);
      Place place = place(outer);
      assertThat(place.shown()).isEqualTo("oss://team-builds/ci#nightly");
      try (OpenQueue open = OpenQueue.open(place, Settings.ofEnvironment(outer), outer, "test")) {
        assertThat(desk.oss.count()).isZero();
        assertThat(open.quick().create(Rules.DEFAULT)).isTrue();
      }
      assertThat(desk.oss.keys(Desk.BUCKET))
          .isNotEmpty()
          .allMatch(k -> k.startsWith("ci/nightly/"));

      environment.putAll(place.environment());
      Host inner = host(environment);
      assertThat(place(inner).identity()).isEqualTo(place.identity());
      try (OpenQueue open =
          OpenQueue.open(place(inner), Settings.ofEnvironment(inner), inner, "test")) {
        assertThat(open.quick().status().tickets()).isEmpty();
      }
    }
  }

  /** Whoever names a token himself, as a build file does, is heard here too. */
  @Test
  void withinAWorkflowTheTokenThatWasGivenAsksGitHubWhichJobsHaveEnded() {
    try (Desk desk = new Desk()) {
      Host host =
          host(
              Map.of(
                  "BATON_STORE", "oss://team-builds/ci",
                  "BATON_OSS_ENDPOINT", desk.oss.endpoint(),
                  "ALIBABA_CLOUD_REGION_ID", "cn-hangzhou",
                  "ALIBABA_CLOUD_ACCESS_KEY_ID", Desk.ID,
                  "ALIBABA_CLOUD_ACCESS_KEY_SECRET", Desk.SECRET,
                  "GITHUB_ACTIONS", "true",
                  "GITHUB_REPOSITORY", "octo/app",
                  "GITHUB_RUN_ID", "17",
                  "GITHUB_RUN_ATTEMPT", "1",
                  "GITHUB_JOB", "build"));
      Settings settings = Settings.ofEnvironment(host);
      try (OpenQueue open = OpenQueue.open(place(host), settings, host, "test")) {
        assertThat(open.workflows()).as("there is no token").isEmpty();
      }
      try (OpenQueue open =
          OpenQueue.open(place(host), settings, host, "test", () -> () -> "ghs_given")) {
        assertThat(open.workflows()).isPresent();
      }
    }
  }

  @Test
  void aPasswordInTheAddressOfTheWorkflowsServerIsNotShown() {
    try (Desk desk = new Desk()) {
      Host host =
          host(
              Map.of(
                  "BATON_STORE", "oss://team-builds/ci",
                  "BATON_OSS_ENDPOINT", desk.oss.endpoint(),
                  "ALIBABA_CLOUD_REGION_ID", "cn-hangzhou",
                  "ALIBABA_CLOUD_ACCESS_KEY_ID", Desk.ID,
                  "ALIBABA_CLOUD_ACCESS_KEY_SECRET", Desk.SECRET,
                  "GITHUB_API_URL", "https://me:pa55w0rd^@ghe.example/api/v3",
                  "GITHUB_REPOSITORY", "octo/app",
                  "GITHUB_RUN_ID", "17"));
      assertThatThrownBy(
              () ->
                  OpenQueue.open(
                      place(host),
                      Settings.ofEnvironment(host),
                      host,
                      "test",
                      () -> () -> "ghs_given"))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("api must be such as")
          .hasNoCause()
          .hasMessageNotContaining("pa55w0rd");
    }
  }

  /** A file of a checkout may name a bucket; the endpoint, the region and the keys it cannot. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "oss://evil.example/q",
        "oss://evil.example:443",
        "oss://team-builds.evil.example/q",
        "oss://key@evil.example/q",
        "oss://team-builds/q?endpoint=evil.example",
        "oss://team-builds/q/../../x",
        "oss:team-builds",
      })
  void aProjectNamesABucketAndNoServer(String address) {
    Host host = host(Map.of());
    assertThat(Place.of(ofProject("oss://team-builds/ci"), host).store())
        .isEqualTo("oss://team-builds/ci");
    assertThatThrownBy(() -> Place.of(ofProject(address), host)).isInstanceOf(BadSetting.class);
  }

  private Settings ofProject(String store) {
    Settings settings = new Settings();
    settings.put(
        Setting.STORE,
        new Settings.Value(store, "FILE", Settings.PROJECT, home, Optional.of(home)));
    return settings;
  }

  @Test
  void whatIsWrongIsToldBeforeAnythingIsAsked() {
    assertThatThrownBy(() -> place(host(Map.of("BATON_STORE", "oss://Team"))))
        .isInstanceOf(BadSetting.class)
        .hasMessageContaining("is not a valid bucket name");
    Host nothing = host(Map.of("BATON_STORE", "oss://team-builds"));
    assertThatThrownBy(
            () -> OpenQueue.open(place(nothing), Settings.ofEnvironment(nothing), nothing, "test"))
        .isInstanceOfSatisfying(
            BadSetting.NoToken.class,
            e -> assertThat(e.next()).startsWith("Set ALIBABA_CLOUD_ACCESS_KEY_ID and "))
        .hasMessageStartingWith("there are no credentials for Alibaba Cloud. ");
  }

  /** As for VMs: without a key it is permission that lacks, otherwise something is set wrong. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "                       | x | the region is not set",
        "ALIBABA_CLOUD_REGION_ID=Hangzhou | x | is not the name of a region",
        "ALIBABA_CLOUD_REGION_ID=cn-hangzhou |  | ALIBABA_CLOUD_ACCESS_KEY_SECRET is not",
        "BATON_OSS_ENDPOINT=http://oss-cn-hangzhou.aliyuncs.com | x | would send everything",
      })
  void whatIsSetWrongIsNoMatterOfPermission(String more, String secret, String what) {
    Map<String, String> environment = new HashMap<>();
    environment.put("BATON_STORE", "oss://team-builds");
    environment.put("ALIBABA_CLOUD_ACCESS_KEY_ID", "LTAIx");
    environment.put("ALIBABA_CLOUD_ACCESS_KEY_SECRET", secret == null ? "" : secret);
    if (more != null) {
      environment.put(more.split("=", 2)[0], more.split("=", 2)[1]);
    }
    Host host = host(environment);
    assertThatThrownBy(
            () -> OpenQueue.open(place(host), Settings.ofEnvironment(host), host, "test"))
        .isExactlyInstanceOf(BadSetting.class)
        .hasMessageContaining(what);
  }
}
