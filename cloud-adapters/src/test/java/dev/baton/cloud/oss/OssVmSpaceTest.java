package dev.baton.cloud.oss;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.cloud.fake.Fault;
import dev.baton.store.StoreException;
import dev.baton.store.Version;
import dev.baton.vm.VmName;
import dev.baton.vm.store.VmSpaceContract;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What every place for VMs promises, in a bucket, and what only a bucket does. */
class OssVmSpaceTest extends VmSpaceContract {
  private static final VmName OTHER = new VmName("run-42-1-build");

  private final Desk desk = new Desk();
  private final List<OssVmSpace> opened = new ArrayList<>();

  @AfterEach
  void close() {
    opened.forEach(OssVmSpace::close);
    desk.close();
  }

  @Override
  protected OssVmSpace open() {
    return open("vms/team");
  }

  private OssVmSpace open(String prefix) {
    OssVmSpace space = OssVmSpace.open(new OssPlace(Desk.BUCKET, prefix), desk.access());
    opened.add(space);
    return space;
  }

  /** The rules as they were sent last. */
  private String lifecycle() {
    return desk.oss.log().stream()
        .filter(c -> c.kind().equals("PutBucketLifecycle"))
        .reduce((first, second) -> second)
        .map(c -> new String(c.body(), StandardCharsets.UTF_8))
        .orElse("");
  }

  @Test
  void openingAsksNobody() {
    open();
    assertThat(desk.oss.count()).isZero();
  }

  @Test
  void theLayoutIsWhatPeopleExpect() throws StoreException {
    OssVmSpace space = open();
    space.put(VmName.DEFAULT, "state.json", "{}");
    space.put(VmName.DEFAULT, "backup.json", "{}");
    space.put(VmName.DEFAULT, ".lock", "{}");
    space.put(VmName.DEFAULT, "history/2026-02-24T10-00-00.json", "{}");
    space.put(OTHER, "state.json", "{}");
    space.journal(OTHER).write(Version.ABSENT, "{}", "test");
    assertThat(desk.oss.keys(Desk.BUCKET))
        .containsExactlyInAnyOrder(
            "vms/team/.lock",
            "vms/team/backup.json",
            "vms/team/history/2026-02-24T10-00-00.json",
            "vms/team/state.json",
            "vms/team/run-42-1-build/state.json",
            "vms/team/.journal/vms/journal-run-42-1-build/9999999998-1.json");
  }

  @Test
  void aWholeBucketCanBeAPlace() throws StoreException {
    OssVmSpace space = open("");
    space.put(VmName.DEFAULT, "state.json", "x");
    space.journal(VmName.DEFAULT).write(Version.ABSENT, "{}", "test");
    assertThat(desk.oss.keys(Desk.BUCKET)).contains("state.json");
    assertThat(space.names()).containsExactly(VmName.DEFAULT);
    assertThat(space.location()).isEqualTo("oss://" + Desk.BUCKET);
  }

  @Test
  void placesInOneBucketHaveDifferentIds() throws StoreException {
    assertThat(open("a").id()).isNotEqualTo(open("b").id());
  }

  @Test
  void namesThatBeginAlikeAreToldApartAndCostOneRequestEach() throws StoreException {
    OssVmSpace space = open();
    for (String name : List.of("a", "a-b", "ab", "b")) {
      Version version = Version.ABSENT;
      for (int i = 0; i < 3; i++) {
        version = Desk.written(space.journal(new VmName(name)), version, "{\"n\": " + i + "}");
      }
    }
    desk.oss.forget();
    assertThat(space.names())
        .containsExactly(new VmName("a"), new VmName("a-b"), new VmName("ab"), new VmName("b"));
    assertThat(desk.oss.count()).isEqualTo(5);
  }

  @Test
  void itsTimeIsTheServers() throws StoreException {
    Instant before = Instant.now();
    assertThat(Duration.between(before, open().now()).abs()).isLessThan(Duration.ofSeconds(30));
  }

  @Test
  void aTimeIsGoodForSomeSecondsUnlessTheMachineHasSlept() throws StoreException {
    Instant[] wall = {Instant.parse("2026-01-01T12:00:00Z")};
    long[] nanos = {7};
    OssVmSpace space =
        OssVmSpace.open(
            new OssPlace(Desk.BUCKET, "vms"),
            desk.access(),
            new OssVmSpace.Clocks() {
              @Override
              public Instant now() {
                return wall[0];
              }

              @Override
              public long nanos() {
                return nanos[0];
              }
            });
    opened.add(space);
    Instant first = space.now();
    desk.oss.forget();

    nanos[0] += Duration.ofSeconds(19).toNanos();
    wall[0] = wall[0].plusSeconds(19);
    assertThat(space.now()).isEqualTo(first.plusSeconds(19));
    assertThat(desk.oss.count()).isZero();

    // Asleep for an hour: only one of the clocks has gone on.
    wall[0] = wall[0].plusSeconds(3600);
    assertThat(Duration.between(first, space.now())).isLessThan(Duration.ofMinutes(5));
    assertThat(desk.oss.count()).isEqualTo(1);

    nanos[0] += Duration.ofSeconds(21).toNanos();
    wall[0] = wall[0].plusSeconds(21);
    space.now();
    assertThat(desk.oss.count()).isEqualTo(2);
  }

  @Test
  void historyExpiresByARuleBesideTheOthers() throws OssFailure {
    try (OssFiles files = new OssFiles(Desk.BUCKET, desk.access())) {
      files.expire("logs", "logs/", Map.of(), 7);
    }
    assertThat(open().historyKept()).isEmpty();
    assertThat(lifecycle())
        .contains("<ID>logs</ID>", "<Prefix>logs/</Prefix>", "<Days>7</Days>")
        .contains("<Prefix>vms/team/</Prefix>", "<Days>30</Days>")
        .contains("<Key>baton</Key>", "<Value>history</Value>");
    assertThat(open("other").historyKept()).isEmpty();
    assertThat(lifecycle())
        .contains(
            "<Prefix>vms/team/</Prefix>", "<Prefix>other/</Prefix>", "<Prefix>logs/</Prefix>");
    desk.oss.forget();
    assertThat(open().historyKept()).isEmpty();
    assertThat(desk.oss.counts()).containsOnlyKeys("GetBucketLifecycle");
  }

  @Test
  void onlyHistoryHasTheTagThatTheRuleLooksFor() throws StoreException {
    OssVmSpace space = open();
    space.put(OTHER, "history/2026-02-24T10-00-00.json", "{}");
    space.put(OTHER, "state.json", "{}");
    assertThat(desk.oss.log().stream().filter(c -> c.kind().equals("PutObject")))
        .extracting(c -> c.headers().getOrDefault("x-oss-tagging", ""))
        .containsExactly("baton=history", "");
  }

  @Test
  void whereTheRuleIsNotAllowedClientsRemoveOldHistory() {
    desk.oss.failNext(
        1,
        c -> c.kind().equals("PutBucketLifecycle"),
        new Fault.Failed(403, "AccessDenied", false));
    OssVmSpace space = open();
    assertThat(space.historyKept()).contains(Duration.ofDays(30));
    assertThat(space.historyKept()).contains(Duration.ofDays(30));
  }

  @Test
  void aBucketThatKeepsVersionsIsRefusedBeforeAnythingIsWritten() {
    desk.oss.versioning(Desk.BUCKET, "Suspended");
    assertThatThrownBy(() -> open().put(VmName.DEFAULT, "state.json", "{}"))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("versioning");
    assertThat(desk.oss.keys(Desk.BUCKET)).isEmpty();
  }

  @Test
  void aBrokenIdIsNotReplaced() throws StoreException {
    Desk.written(
        OssSpace.open(new OssPlace(Desk.BUCKET, "vms/team/.journal"), "vms", desk.access())
            .document("space"),
        Version.ABSENT,
        "no id");
    assertThatThrownBy(() -> open().id())
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("is broken");
  }
}
