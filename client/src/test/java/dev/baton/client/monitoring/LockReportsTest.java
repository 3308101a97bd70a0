package dev.baton.client.monitoring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.client.adapter.Extensions;
import dev.baton.client.adapter.KnownAdapters;
import dev.baton.client.settings.Host;
import dev.baton.client.settings.Setting;
import dev.baton.client.settings.Settings;
import dev.baton.core.BadSetting;
import dev.baton.queue.event.LockEvent;
import dev.baton.queue.event.LockEvent.Type;
import dev.baton.state.LockKey;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class LockReportsTest {

  private static final Instant NOON = Instant.parse("2026-01-01T12:00:00Z");
  private static final String KEY = "stack:shop:env:production";
  private static final LockIdentity SHOP =
      new LockIdentity(Optional.of(LockKey.parse(KEY)), "file:/locks#shop");
  private static final LockIdentity PLAIN =
      new LockIdentity(Optional.empty(), "github:octo/app#build");

  @TempDir Path home;

  private static LockEvent event(Type type, Duration lasted, String by, String why) {
    boolean granted = type != Type.NOT_ACQUIRED;
    return new LockEvent(
        type,
        NOON,
        57,
        granted ? 19 : 0,
        "octo/app run 7",
        "release",
        Optional.ofNullable(lasted),
        Optional.ofNullable(by),
        why);
  }

  /** All that can happen to a lock. */
  private static List<LockEvent> journey() {
    return List.of(
        event(Type.NOT_ACQUIRED, Duration.ofMinutes(2), null, "timed out"),
        event(Type.ACQUIRED, Duration.ofMillis(1500), null, ""),
        event(Type.HEARTBEAT, null, null, ""),
        event(Type.HEARTBEAT_FAILED, null, null, ""),
        event(Type.STALE, Duration.ofMinutes(3), null, ""),
        event(Type.LOST, Duration.ofMinutes(9), null, "it was taken away"),
        event(Type.FORCE_UNLOCKED, null, "eve", "hangs"),
        event(Type.REAPED, null, null, "no heartbeat"),
        event(Type.RELEASED, Duration.ofSeconds(342), null, ""));
  }

  private Host host(Map<String, String> environment) {
    return host(environment, home);
  }

  private Host hostIn(Path directory) {
    return host(Map.of(), directory);
  }

  private Host host(Map<String, String> environment, Path directory) {
    return new Host(
        environment,
        directory,
        home,
        "Linux",
        "jane",
        () -> "hal",
        setting -> "--" + setting.id(),
        Extensions.NONE);
  }

  private ReportLines lines(LockIdentity lock, Map<String, String> environment) {
    return new ReportLines(
        lock, Map.of("user", "jane@hal"), Redaction.of(host(environment), KnownAdapters.all()));
  }

  @Test
  void theAuditHasALineForEachEvent() {
    ReportLines lines = lines(SHOP, Map.of());
    String start = "{\"timestamp\": \"2026-01-01T12:00:00Z\",\"level\": \"";
    String lock = ",\"lock_key\": \"" + KEY + "\",\"lock_id\": \"57:";
    String who = "\",\"locked_by\": \"octo/app run 7\",\"title\": \"release\"";
    String end = ",\"metadata\": {\"user\": \"jane@hal\"}}";
    assertThat(journey().stream().flatMap(e -> lines.audit(e).stream()))
        .containsExactly(
            start
                + "WARN\",\"event\": \"lock.not_acquired\""
                + lock
                + "0"
                + who
                + ",\"wait_seconds\": 120,\"reason\": \"timed out\""
                + end,
            start
                + "INFO\",\"event\": \"lock.acquired\""
                + lock
                + "19"
                + who
                + ",\"wait_seconds\": 1.5"
                + end,
            start + "WARN\",\"event\": \"lock.heartbeat_failed\"" + lock + "19" + who + end,
            start
                + "WARN\",\"event\": \"lock.stale\""
                + lock
                + "19"
                + who
                + ",\"silence_seconds\": 180"
                + end,
            start
                + "WARN\",\"event\": \"lock.lost\""
                + lock
                + "19"
                + who
                + ",\"duration_seconds\": 540,\"reason\": \"it was taken away\""
                + end,
            start
                + "WARN\",\"event\": \"lock.force_unlocked\""
                + lock
                + "19"
                + who
                + ",\"forced_by\": \"eve\",\"reason\": \"hangs\""
                + end,
            start
                + "WARN\",\"event\": \"lock.reaped\""
                + lock
                + "19"
                + who
                + ",\"reason\": \"no heartbeat\""
                + end,
            start
                + "INFO\",\"event\": \"lock.released\""
                + lock
                + "19"
                + who
                + ",\"duration_seconds\": 342"
                + end);
  }

  @Test
  void metricsForCloudWatchHaveTheDimensionsOfTheLockAndNone() {
    ReportLines lines = lines(SHOP, Map.of());
    assertThat(lines.metrics(event(Type.ACQUIRED, Duration.ofMillis(1500), null, "")))
        .contains(
            "{\"_aws\": {\"Timestamp\": 1767268800000,\"CloudWatchMetrics\": [{\"Namespace\":"
                + " \"Deployer\",\"Dimensions\": [[\"Stack\",\"Environment\",\"LockLevel\"],[]],"
                + "\"Metrics\": [{\"Name\": \"deployer.lock.acquisition.duration\",\"Unit\":"
                + " \"Milliseconds\"},{\"Name\": \"deployer.lock.acquisition.success\",\"Unit\":"
                + " \"Count\"}]}]},\"Stack\": \"shop\",\"Environment\": \"production\","
                + "\"LockLevel\": \"stack\",\"deployer.lock.acquisition.duration\": 1500,"
                + "\"deployer.lock.acquisition.success\": 1}");
    assertThat(lines(PLAIN, Map.of()).metrics(event(Type.HEARTBEAT, null, null, "")).orElseThrow())
        .contains("\"Dimensions\": [[\"Queue\"],[]]", "\"Queue\": \"github:octo/app#build\"");
    assertThat(lines.metrics(event(Type.FORCE_UNLOCKED, null, "eve", "x"))).isEmpty();
    assertThat(
            journey().stream()
                .flatMap(e -> Measure.of(e).stream())
                .map(m -> m.metric().id)
                .distinct())
        .containsExactlyInAnyOrder(
            "deployer.lock.acquisition.duration",
            "deployer.lock.acquisition.success",
            "deployer.lock.acquisition.failure",
            "deployer.lock.held.duration",
            "deployer.lock.heartbeat.success",
            "deployer.lock.heartbeat.failure",
            "deployer.lock.stale.detected");
  }

  @Test
  void aFileForPrometheusAddsUp() {
    String text = "";
    for (int i = 0; i < 2; i++) {
      for (LockEvent event : journey()) {
        text = PrometheusText.with(text, SHOP, Measure.of(event));
      }
    }
    text = PrometheusText.with(text, PLAIN, Measure.of(journey().get(2)));
    String shop = "{stack=\"shop\",environment=\"production\",lock_level=\"stack\"} ";
    assertThat(text.lines())
        .contains(
            "# TYPE deployer_lock_acquisition_duration_seconds summary",
            "deployer_lock_acquisition_duration_seconds_sum" + shop + "243.000",
            "deployer_lock_acquisition_duration_seconds_count" + shop + "4",
            "# TYPE deployer_lock_acquisition_failure_total counter",
            "deployer_lock_acquisition_failure_total" + shop + "2",
            "deployer_lock_held_duration_seconds_sum" + shop + "1764.000",
            "deployer_lock_stale_detected_total" + shop + "2",
            "deployer_lock_heartbeat_success_total{queue=\"github:octo/app#build\"} 1");
    String other = text + "node_load1 3\n";
    for (String foreign : List.of("# HELP x y\nx 1\n", other)) {
      assertThatThrownBy(() -> PrometheusText.with(foreign, SHOP, Measure.of(journey().get(1))))
          .isInstanceOf(PrometheusText.NotOurs.class);
    }
  }

  // ---- secrets

  private static final List<String> SECRETS =
      List.of(
          "ghp_0123456789abcdefghijABCDEFGHIJ012345",
          "github_pat_0123456789abcdefghijABCDEFGHIJ",
          "AKIA0123456789ABCDEF",
          "LTAI0123456789abcdef",
          "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abcdefgh",
          "Bearer 0123456789abcdef0123",
          "a value of a variable",
          "the secret of a key");

  @Test
  void noSecretIsInAnyLine() {
    Map<String, String> environment =
        Map.of(
            "BATON_TOKEN",
            "a value of a variable",
            "ALIBABA_CLOUD_ACCESS_KEY_SECRET",
            "the secret of a key",
            "BATON_FENCING_TOKEN",
            "1795125643807");
    for (String secret : SECRETS) {
      LockIdentity lock =
          new LockIdentity(Optional.empty(), "oss://u:" + secret + "@host/x?key=" + secret);
      Redaction redaction = Redaction.of(host(environment), KnownAdapters.all());
      LockIdentity clean = new LockIdentity(Optional.empty(), redaction.ofAddress(lock.queue()));
      ReportLines lines =
          new ReportLines(clean, Map.of("user", secret, "git_branch", "x" + secret), redaction);
      for (Type type : Type.values()) {
        LockEvent event =
            new LockEvent(
                type,
                NOON,
                1,
                1795125643807L,
                "by " + secret,
                secret,
                Optional.of(Duration.ofSeconds(1)),
                Optional.of(secret),
                "because of " + secret);
        String all =
            lines.audit(event).orElse("")
                + lines.metrics(event).orElse("")
                + PrometheusText.with("", clean, Measure.of(event));
        assertThat(all).as("%s, %s", type, secret).doesNotContain(secret);
        assertThat(type == Type.HEARTBEAT || all.contains("1:1795125643807")).isTrue();
      }
    }
  }

  // ---- files

  private LockReports reports(Map<Setting, String> set, Map<String, String> environment) {
    Settings settings = Settings.ofEnvironment(host(environment));
    set.forEach(
        (setting, text) ->
            settings.put(setting, new Settings.Value(text, "test", Settings.DIRECT, home)));
    return LockReports.of("file:/locks#shop", settings, host(environment)).orElseThrow();
  }

  @Test
  void whatIsAskedForIsWritten() throws IOException {
    Map<Setting, String> files =
        Map.of(
            Setting.QUEUE, KEY,
            Setting.AUDIT_LOG, "audit.log",
            Setting.METRICS_LOG, "metrics.log");
    for (int i = 0; i < 2; i++) {
      try (LockReports reports =
          reports(files, Map.of("BATON_METRICS_FILE", home.resolve("m/baton.prom").toString()))) {
        journey().forEach(reports::on);
      }
    }
    assertThat(Files.readAllLines(home.resolve("audit.log")))
        .hasSize(16)
        .allMatch(line -> line.contains("\"lock_key\": \"" + KEY + "\""));
    assertThat(Files.readAllLines(home.resolve("metrics.log"))).hasSize(14);
    assertThat(Files.readString(home.resolve("m/baton.prom")))
        .contains("deployer_lock_acquisition_success_total{stack=\"shop\"");
    assertThat(LockReports.of("x", new Settings(), host(Map.of()))).isEmpty();
  }

  @Test
  void aPlaceThatCannotBeWrittenHarmsNobody() throws IOException {
    Path foreign = Files.writeString(home.resolve("foreign.prom"), "x 1\n");
    Map<Setting, String> files = new HashMap<>();
    files.put(Setting.AUDIT_LOG, "nowhere/audit.log");
    files.put(Setting.METRICS_LOG, "metrics.log");
    files.put(Setting.METRICS_FILE, "foreign.prom");
    try (LockReports reports = reports(files, Map.of())) {
      journey().forEach(reports::on);
    }
    assertThat(Files.readAllLines(home.resolve("metrics.log"))).hasSize(7);
    assertThat(foreign).hasContent("x 1");
  }

  @Test
  void aFailureSaysMoreThanTheNameOfTheFile() {
    assertThat(LockReports.reason(new NoSuchFileException("/logs/audit.log")))
        .isEqualTo("its directory is missing");
    assertThat(LockReports.reason(new AccessDeniedException("/logs/audit.log")))
        .isEqualTo("permission denied");
    assertThatThrownBy(() -> Files.write(home, new byte[1]))
        .isInstanceOfSatisfying(
            IOException.class, e -> assertThat(LockReports.reason(e)).isEqualTo("Is a directory"));
    assertThat(LockReports.reason(new IOException("the disk is gone")))
        .isEqualTo("the disk is gone");
  }

  @Test
  void countersCannotBeAddedUpOnStandardOutput() {
    Map<Setting, String> files = Map.of(Setting.METRICS_FILE, "-");
    assertThatThrownBy(() -> reports(files, Map.of()))
        .isInstanceOf(BadSetting.class)
        .hasMessageContaining("added up in a file")
        .hasMessageContaining("--metrics-log");
    assertThat(home.resolve("-")).doesNotExist();
  }

  /** The name is the user's, and what is there under it may have come with the checkout. */
  @ParameterizedTest
  @EnumSource(
      value = Setting.class,
      names = {"AUDIT_LOG", "METRICS_LOG", "METRICS_FILE"})
  void aLinkInACheckoutHasNoOtherFileWritten(Setting setting) throws IOException {
    Path work = Files.createDirectories(home.resolve("work"));
    Files.createDirectory(work.resolve(".git"));
    Path profile = Files.writeString(home.resolve("profile"), "");
    Files.createSymbolicLink(work.resolve("report.log"), profile);
    Files.createSymbolicLink(work.resolve("logs"), home);

    for (String name : List.of("report.log", "logs/profile", "logs/made")) {
      Settings settings = Settings.ofEnvironment(host(Map.of()));
      settings.put(setting, new Settings.Value(name, "test", Settings.DIRECT, work));
      try (LockReports reports =
          LockReports.of("file:/locks#shop", settings, hostIn(work)).orElseThrow()) {
        journey().forEach(reports::on);
      }
    }

    assertThat(profile).isEmptyFile();
    assertThat(home.resolve("made")).doesNotExist();
    assertThat(home.resolve(".baton.lock")).doesNotExist();
  }

  /** The command may run beside the checkout, or the name lead there by a link of the user's. */
  @ParameterizedTest
  @EnumSource(
      value = Setting.class,
      names = {"AUDIT_LOG", "METRICS_LOG", "METRICS_FILE"})
  void aLinkInACheckoutHasNoOtherFileWrittenFromOutsideOfIt(Setting setting) throws IOException {
    Path work = Files.createDirectories(home.resolve("work"));
    Files.createDirectory(work.resolve(".git"));
    Path profile = Files.writeString(home.resolve("profile"), "");
    Files.createSymbolicLink(work.resolve("report.log"), profile);
    Files.createSymbolicLink(work.resolve("logs"), home);
    Files.createSymbolicLink(home.resolve("short"), work);
    Path desk = Files.createDirectories(home.resolve("desk"));

    for (String name : List.of("../work/report.log", "../work/logs/made", "../short/report.log")) {
      Settings settings = Settings.ofEnvironment(host(Map.of()));
      settings.put(setting, new Settings.Value(name, "test", Settings.DIRECT, desk));
      try (LockReports reports =
          LockReports.of("file:/locks#shop", settings, hostIn(desk)).orElseThrow()) {
        journey().forEach(reports::on);
      }
    }

    assertThat(profile).isEmptyFile();
    assertThat(Files.isSymbolicLink(work.resolve("report.log"))).isTrue();
    assertThat(home.resolve("made")).doesNotExist();
  }

  @Test
  void aLinkOutsideOfACheckoutIsTheUsersOwn() throws IOException {
    Path work = Files.createDirectories(home.resolve("work"));
    Files.createDirectory(work.resolve(".git"));
    Path disk = Files.createDirectory(home.resolve("disk"));
    Path logs = Files.createSymbolicLink(home.resolve("logs"), disk);
    Settings settings = Settings.ofEnvironment(host(Map.of()));
    settings.put(
        Setting.AUDIT_LOG,
        new Settings.Value(logs.resolve("audit.log").toString(), "test", Settings.DIRECT, work));
    try (LockReports reports =
        LockReports.of("file:/locks#shop", settings, hostIn(work)).orElseThrow()) {
      journey().forEach(reports::on);
    }
    assertThat(disk.resolve("audit.log")).isNotEmptyFile();
  }

  @Test
  void moreEventsThanCanBeWrittenAreDroppedAndNobodyWaits() throws IOException {
    try (LockReports reports = reports(Map.of(Setting.AUDIT_LOG, "audit.log"), Map.of())) {
      for (int i = 0; i < 20_000; i++) {
        reports.on(journey().get(1));
      }
    }
    List<String> written = new ArrayList<>(Files.readAllLines(home.resolve("audit.log")));
    assertThat(written).hasSizeBetween(1, 20_000);
  }
}
