package dev.baton.alibaba.oss;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.store.StoreException;
import dev.baton.store.Version;
import dev.baton.testing.service.Fault;
import dev.baton.vm.VmName;
import dev.baton.vm.store.VmSpaceContract;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;

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

  @Override
  protected boolean loseId() {
    desk.oss.delete(Desk.BUCKET, "vms/team/.journal/vms/space/9999999998-1.json");
    return true;
  }

  private record Stopped() implements OssVmSpace.Clocks {
    @Override
    public Instant now() {
      return Instant.EPOCH;
    }

    @Override
    public long nanos() {
      return 0;
    }
  }

  private OssVmSpace open(String prefix) {
    OssVmSpace space = OssVmSpace.open(new OssPlace(Desk.BUCKET, prefix), desk.access());
    opened.add(space);
    return space;
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
            "vms/team/.journal/vms/space/9999999998-1.json",
            "vms/team/.journal/vms/journal-run-42-1-build/9999999998-1.json");
  }

  @ParameterizedTest
  @ValueSource(strings = {"AccessDenied", "InvalidAccessKeyId", "NoSuchBucket", "Newfangled"})
  void oneRefusalOfWhatAnOperationNeedsIsNotBelieved(String code) throws StoreException {
    OssVmSpace space = open();
    space.put(VmName.DEFAULT, "state.json", "{}");
    space.id();
    desk.oss.failNext(1, c -> true, new Fault.Failed(403, code, false));
    assertThatThrownBy(space::now).satisfies(OssVmSpaceTest::isAskedAgain);
    assertThat(space.now()).isNotNull();
    desk.oss.failNext(1, c -> true, new Fault.Failed(403, code, false));
    assertThatThrownBy(() -> space.get(VmName.DEFAULT, "state.json"))
        .satisfies(OssVmSpaceTest::isAskedAgain);
    assertThat(space.get(VmName.DEFAULT, "state.json")).contains("{}");
  }

  private static void isAskedAgain(Throwable e) {
    assertThat(e)
        .isInstanceOfSatisfying(
            StoreException.class, s -> assertThat(s.isRetryable()).as(s.getMessage()).isTrue());
  }

  @Test
  void whoAsksForTheTimeDoesNotMakeALostIdAnewEither() throws StoreException {
    OssVmSpace earlier = open();
    Desk.written(earlier.journal(OTHER), Version.ABSENT, "{}");
    loseId();

    for (OssVmSpace space : List.of(earlier, open())) {
      assertThatThrownBy(space::now)
          .isInstanceOf(StoreException.class)
          .hasMessageContaining(
              "oss://team-builds/vms/team/.journal/vms/space/9999999998-1.json is missing");
    }
    assertThat(desk.oss.keys(Desk.BUCKET)).hasSize(1);
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

  /** Each of these made VMs vanish that come after it in a list, or before. */
  @Test
  void strayObjectsBetweenTheJournalsHideNoVm() throws StoreException {
    OssVmSpace space = open();
    for (String name : List.of("a", "m", "z")) {
      Desk.written(space.journal(new VmName(name)), Version.ABSENT, "{}");
    }
    for (String stray :
        List.of("", "-", "a", "m/", "m/.keep", "m/0-notes.txt", "notes.txt", "m~", "z/x/y", "ä")) {
      desk.oss.put(Desk.BUCKET, "vms/team/.journal/vms/journal-" + stray, "stray");
    }
    assertThat(open().names()).containsExactly(new VmName("a"), new VmName("m"), new VmName("z"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"history", "-a", "a-"})
  void aJournalOfWhatIsNoNameOfAVmIsNamed(String name) throws StoreException {
    Desk.written(open().journal(OTHER), Version.ABSENT, "{}");
    String key = "vms/team/.journal/vms/journal-" + name + "/9999999998-1.json";
    desk.oss.put(Desk.BUCKET, key, "{}");
    assertThatThrownBy(() -> open().names())
        .isInstanceOf(StoreException.class)
        .hasMessageContaining(key)
        .hasMessageContaining("Move it away");
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
            },
            w -> {});
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

  // ---- the bucket's rules

  private static String rule(String id, String prefix, String rest) {
    return "<Rule><ID>"
        + id
        + "</ID><Prefix>"
        + prefix
        + "</Prefix><Status>Enabled</Status>"
        + rest
        + "</Rule>";
  }

  private static String days(int days) {
    return "<Expiration><Days>" + days + "</Days></Expiration>";
  }

  private void rules(String... some) {
    desk.oss.lifecycle(
        Desk.BUCKET,
        "<LifecycleConfiguration>" + String.join("", some) + "</LifecycleConfiguration>");
  }

  @Test
  void historyExpiresByRulesBesideTheOthers() {
    rules(rule("logs", "logs/", days(7)));
    assertThat(open().historyKept()).isEmpty();
    assertThat(desk.oss.lifecycle(Desk.BUCKET))
        .contains("<ID>logs</ID>", "<Prefix>logs/</Prefix>", "<Days>7</Days>")
        .contains("<Prefix>vms/team/</Prefix>", "<Days>30</Days>")
        .contains("<Key>baton</Key>", "<Value>history</Value>")
        .contains("<Prefix>vms/team/history/</Prefix>");
    assertThat(open("other").historyKept()).isEmpty();
    assertThat(desk.oss.lifecycle(Desk.BUCKET))
        .contains(
            "<Prefix>vms/team/</Prefix>", "<Prefix>other/</Prefix>", "<Prefix>logs/</Prefix>");
    desk.oss.forget();
    assertThat(open().historyKept()).isEmpty();
    assertThat(desk.oss.counts()).containsOnlyKeys("GetBucketLifecycle");
  }

  /** Whoever wrote what is in the default VM's history, with our tag or without any. */
  @Test
  void whatIsInTheFolderOfHistoryNeedsNoTagToExpire() {
    assertThat(open("").historyKept()).isEmpty();
    assertThat(desk.oss.lifecycle(Desk.BUCKET))
        .containsPattern("<Prefix>history/</Prefix>\\s*<Status>Enabled</Status>\\s*<Expiration>");
  }

  @Test
  void theRulesStandBesideOneForTheWholeBucketAndThoseOfPlacesAround() {
    rules(rule("all", "", days(365)));
    for (String prefix : List.of("", "team", "team/a", "")) {
      assertThat(open(prefix).historyKept()).as("rules for " + prefix).isEmpty();
    }
    assertThat(desk.oss.lifecycle(Desk.BUCKET))
        .contains("<ID>all</ID>", "<Days>365</Days>")
        .contains("<Prefix></Prefix>", "<Prefix>history/</Prefix>")
        .contains("<Prefix>team/</Prefix>", "<Prefix>team/history/</Prefix>")
        .contains("<Prefix>team/a/</Prefix>", "<Prefix>team/a/history/</Prefix>");
  }

  @Test
  void nothingOfTheOtherRulesIsLost() throws Exception {
    String everything = Files.readString(Path.of("src/test/resources/lifecycle.xml"));
    desk.oss.lifecycle(Desk.BUCKET, everything);
    assertThat(open().historyKept()).isEmpty();
    Set<String> after = parts(desk.oss.lifecycle(Desk.BUCKET));
    assertThat(after).containsAll(parts(everything));
    assertThat(after).hasSizeGreaterThan(parts(everything).size());
  }

  /** The client does not escape what it sends, so OSS refuses it. */
  @Test
  void rulesThatTheClientCannotSendBackStayAsTheyAreAndClientsRemoveOldHistory() {
    rules(rule("r&amp;d", "logs/", days(7)));
    String before = desk.oss.lifecycle(Desk.BUCKET);
    assertThat(open().historyKept()).contains(Duration.ofDays(30));
    assertThat(desk.oss.lifecycle(Desk.BUCKET)).isEqualTo(before);
  }

  /** Each text with the way to it; rules go by their ids. */
  private static Set<String> parts(String xml) throws Exception {
    Element root =
        DocumentBuilderFactory.newInstance()
            .newDocumentBuilder()
            .parse(new InputSource(new StringReader(xml)))
            .getDocumentElement();
    Set<String> all = new TreeSet<>();
    NodeList rules = root.getElementsByTagName("Rule");
    for (int i = 0; i < rules.getLength(); i++) {
      Element rule = (Element) rules.item(i);
      collect(rule, rule.getElementsByTagName("ID").item(0).getTextContent(), all);
    }
    return all;
  }

  private static void collect(Node node, String way, Set<String> all) {
    if (node.getNodeType() == Node.TEXT_NODE) {
      if (!node.getTextContent().isBlank()) {
        all.add(way + " = " + node.getTextContent().strip());
      }
      return;
    }
    for (Node n = node.getFirstChild(); n != null; n = n.getNextSibling()) {
      collect(n, n.getNodeType() == Node.TEXT_NODE ? way : way + "/" + n.getNodeName(), all);
    }
  }

  private List<String> warnings(String... some) {
    rules(some);
    List<String> warnings = new ArrayList<>();
    OssVmSpace space =
        OssVmSpace.open(
            new OssPlace(Desk.BUCKET, "vms/team"), desk.access(), new Stopped(), warnings::add);
    opened.add(space);
    space.historyKept();
    space.historyKept();
    return warnings;
  }

  @Test
  void rulesThatWouldTakeTheTruthAwayAreToldOfOnce() {
    String archive = "<Transition><Days>60</Days><StorageClass>Archive</StorageClass></Transition>";
    String date =
        "<Expiration><CreatedBeforeDate>2026-01-01T00:00:00.000Z</CreatedBeforeDate></Expiration>";
    assertThat(
            warnings(
                rule("whole", "", days(365)),
                rule("half", "vms/te", archive),
                rule("inner", "vms/team/.journal/vms/journal-a/", date)))
        .hasSize(3)
        .allMatch(
            w -> w.contains("team-builds deletes or archives what is below vms/team/.journal/"))
        .allMatch(w -> w.endsWith("Switch it off, or restrict it to other prefixes."))
        .satisfiesExactly(
            w -> assertThat(w).contains("rule whole of"),
            w -> assertThat(w).contains("rule half of"),
            w -> assertThat(w).contains("rule inner of"));
  }

  @Test
  void rulesThatLeaveTheTruthAloneAreNotToldOf() {
    assertThat(
            warnings(
                rule("elsewhere", "vms/other/", days(7)),
                rule("tagged", "", "<Tag><Key>k</Key><Value>v</Value></Tag>" + days(7)),
                rule(
                    "spared",
                    "vms/",
                    "<Filter><Not><Prefix>vms/team/</Prefix></Not></Filter>" + days(7)),
                rule(
                    "cheaper",
                    "",
                    "<Transition><Days>60</Days><StorageClass>IA</StorageClass></Transition>"),
                rule("parts", "", "<AbortMultipartUpload><Days>7</Days></AbortMultipartUpload>"),
                rule("off", "", days(7)).replace("Enabled", "Disabled")))
        .isEmpty();
    assertThat(warnings()).isEmpty();
    assertThat(
            warnings(
                desk.oss
                    .lifecycle(Desk.BUCKET)
                    .replaceAll("</?LifecycleConfiguration>|<\\?xml[^>]*>", "")))
        .as("of our own rules")
        .isEmpty();
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
