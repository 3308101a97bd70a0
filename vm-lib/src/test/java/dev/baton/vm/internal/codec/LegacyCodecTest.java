package dev.baton.vm.internal.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.core.BrokenDocumentException;
import dev.baton.core.Extra;
import dev.baton.core.UnknownFormatException;
import dev.baton.vm.Backup;
import dev.baton.vm.Kind;
import dev.baton.vm.Legacy;
import dev.baton.vm.Resource;
import dev.baton.vm.Status;
import dev.baton.vm.VmState;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Records of an earlier tool, which had no status and no journal. */
class LegacyCodecTest {
  private static final Instant NOW = Instant.parse("2026-02-24T10:00:00Z");

  private static final String STATE =
      """
      {
        "version": "0.2.1",
        "region": "ap-southeast-1",
        "resources": {
          "vpc": {"id": "vpc-1", "cidr": "192.168.0.0/16"},
          "vswitch": {"id": "vsw-1", "zone_id": "ap-southeast-1a"},
          "security_group": {"id": "sg-1"},
          "ssh_key_pair": {"name": "cloudcode-ssh-key"},
          "ecs": {"id": "i-1", "instance_type": "ecs.e-c1m2.large", "cores": 2, "tags": ["a"]},
          "eip": {"id": "", "ip": ""},
          "dns": {"id": "d-1"}
        },
        "cloudcode": {"domain": "oc.example.com", "username": "admin"},
        "status": "suspended",
        "sequence": 99,
        "updated_at": "2026-02-20T10:00:00Z"
      }
      """;

  private static final String BACKUP =
      """
      {"snapshot_id": "s-1", "cloudcode_version": "0.2.1", "created_at": "2026-02-22T10:00:00Z",
       "region": "ap-southeast-1", "disk_size": 60, "note": "kept"}
      """;

  private static Legacy decode(String state, String backup) {
    return read(state, backup).orElseThrow();
  }

  private static Optional<Legacy> read(String state, String backup) {
    return LegacyCodec.decode(
        "~/.cloudcode", Optional.ofNullable(state), Optional.ofNullable(backup), NOW);
  }

  /** What became of a resource that is not looked at. */
  private static Object unknown(Legacy legacy, String key) {
    return ((Map<?, ?>) legacy.extra().fields().get("unknown_resources")).get(key);
  }

  @Test
  void whatIsKnownIsReadAndTheRestIsKept() {
    Legacy legacy = decode(STATE, BACKUP);
    assertThat(legacy.version()).isEqualTo("0.2.1");
    assertThat(legacy.region()).isEqualTo("ap-southeast-1");
    assertThat(legacy.resources().keySet())
        .containsExactly(
            Kind.NETWORK, Kind.SUBNET, Kind.SECURITY_GROUP, Kind.KEY_PAIR, Kind.INSTANCE);
    assertThat(legacy.resources().get(Kind.KEY_PAIR).id()).isEqualTo("cloudcode-ssh-key");
    assertThat(legacy.resources().get(Kind.INSTANCE))
        .isEqualTo(new Resource(Kind.INSTANCE, "i-1", Map.of("instance_type", "ecs.e-c1m2.large")));
    assertThat(legacy.extra().fields())
        .containsOnlyKeys("cloudcode", "migrated_from", "unknown_resources");
    assertThat(unknown(legacy, "dns")).isEqualTo(Map.of("id", "d-1"));
    assertThat(unknown(legacy, "ecs")).isEqualTo(Map.of("cores", 2L, "tags", List.of("a")));
    assertThat(legacy.backup().orElseThrow().snapshotId()).isEqualTo("s-1");
    assertThat(legacy.backup().orElseThrow().extra().fields()).containsOnlyKeys("note");
  }

  /** Nothing in it may pass for what Baton itself has to say. */
  @Test
  void itsOwnStatusDoesNotGetIntoTheState() {
    VmState state =
        VmState.starting(Status.RUNNING, "ap-southeast-1", NOW)
            .withExtra(decode(STATE, null).extra());
    String file =
        VmCodec.stateFile(
            state, dev.baton.vm.Journal.empty(dev.baton.vm.VmName.DEFAULT).numbered(7));
    assertThat(file)
        .contains("\"status\": \"running\"")
        .contains("\"sequence\": 7")
        .contains("oc.example.com")
        .doesNotContain("suspended");
  }

  @Test
  void aBackupAloneIsEnough() {
    Legacy legacy = decode(null, "{\"snapshot_id\": \"s-1\", \"region\": \"eu\"}");
    assertThat(legacy.region()).isEqualTo("eu");
    assertThat(legacy.backup().orElseThrow().createdAt()).isEqualTo(NOW);
    assertThat(legacy.resources()).isEmpty();
  }

  /** They are the user's own: `destroy` must not delete them. */
  @Test
  void anImageOrASnapshotAmongTheResourcesIsNotTaken() {
    String state =
        """
        {"resources": {"ecs": {"id": "i-1"}, "image": {"id": "m-golden"},
                       "snapshot": {"id": "s-mine"}, "application": {"id": "app"}}}
        """;
    Legacy legacy = decode(state, null);
    assertThat(legacy.resources()).containsOnlyKeys(Kind.INSTANCE);
    assertThat(unknown(legacy, "image")).isEqualTo(Map.of("id", "m-golden"));
    assertThat(unknown(legacy, "snapshot")).isEqualTo(Map.of("id", "s-mine"));
    assertThat(unknown(legacy, "application")).isEqualTo(Map.of("id", "app"));
  }

  @Test
  void aKeyPairMayHaveAnIdForAName() {
    String state = "{\"resources\": {\"ssh_key_pair\": {\"id\": \"k\", \"note\": \"n\"}}}";
    assertThat(decode(state, null).resources().get(Kind.KEY_PAIR))
        .isEqualTo(new Resource(Kind.KEY_PAIR, "k", Map.of("note", "n")));
    String both = "{\"resources\": {\"ssh_key_pair\": {\"name\": \"k\", \"id\": \"kp-1\"}}}";
    assertThat(decode(both, null).resources().get(Kind.KEY_PAIR))
        .isEqualTo(new Resource(Kind.KEY_PAIR, "k", Map.of("id", "kp-1")));
  }

  @Test
  void whatHasNoIdIsKeptAsItIs() {
    String state =
        """
        {"resources": {"ecs": {"id": "i-1"}, "eip": {"ip": "192.0.2.1", "bandwidth": 5},
                       "vpc": {"id": "", "cidr": ""}, "vswitch": null}}
        """;
    Legacy legacy = decode(state, null);
    assertThat(legacy.resources()).containsOnlyKeys(Kind.INSTANCE);
    assertThat((Map<?, ?>) legacy.extra().fields().get("unknown_resources"))
        .isEqualTo(Map.of("eip", Map.of("ip", "192.0.2.1", "bandwidth", 5L)));
  }

  @Test
  void attributesThatDoNotFitAreKeptAsTheyAre() {
    String text = "x".repeat(4_001);
    String state =
        """
        {"resources": {"ecs": {"id": "i-1", "motd": "two\\nlines", "script": "%s", "vpc": "main",
                       "spot": false, "price": 0.25, "owner": null, "zone_id": "eu-1"}}}
        """
            .formatted(text);
    Legacy legacy = decode(state, null);
    assertThat(legacy.resources().get(Kind.INSTANCE).attributes())
        .containsExactlyEntriesOf(Map.of("zone_id", "eu-1"));
    Map<String, Object> kept = new HashMap<>();
    kept.put("motd", "two\nlines");
    kept.put("script", text);
    kept.put("vpc", "main");
    kept.put("spot", false);
    kept.put("price", new BigDecimal("0.25"));
    kept.put("owner", null);
    assertThat(unknown(legacy, "ecs")).isEqualTo(kept);
  }

  @Test
  void tooManyAttributesAreKeptAsTheyAre() {
    StringBuilder many = new StringBuilder();
    for (int i = 0; i < 80; i++) {
      many.append(", \"a").append(i).append("\": \"v\"");
    }
    Legacy legacy = decode("{\"resources\": {\"ecs\": {\"id\": \"i-1\"" + many + "}}}", null);
    assertThat(legacy.resources().get(Kind.INSTANCE).attributes()).hasSize(30);
    assertThat((Map<?, ?>) unknown(legacy, "ecs")).hasSize(50);
  }

  @Test
  void whatWasUnknownBeforeStaysKnownAsThat() {
    String state =
        "{\"resources\": {\"ecs\": {\"id\": \"i\"}}, \"unknown_resources\": {\"dns\": {\"id\":"
            + " \"d\"}}}";
    assertThat(unknown(decode(state, null), "dns")).isEqualTo(Map.of("id", "d"));
  }

  /** Whatever it is called: the journal has a field of that name, and it is ours. */
  @Test
  void nothingInABackupTakesThePlaceOfWhatIsOurs() {
    Backup backup =
        decode(null, "{\"snapshot_id\": \"s-1\", \"baton_version\": 5, \"version\": \"0.2.1\"}")
            .backup()
            .orElseThrow();
    assertThat(backup.batonVersion()).isEqualTo("0.2.1");
    assertThat(VmCodec.backupFile(backup)).contains("\"baton_version\": \"0.2.1\"");
    Extra theirs = new Extra(Map.of("baton_version", 5L, "note", "kept"));
    Backup loaded = new Backup("s-1", "0.2", NOW, "eu", 0, "", theirs);
    assertThat(VmCodec.backupFile(loaded))
        .contains("\"baton_version\": \"0.2\"")
        .contains("\"note\": \"kept\"");
  }

  @Test
  void aVersionMayBeginWithAV() {
    assertThat(decode(STATE.replace("0.2.1", "v0.2.1"), null).version()).isEqualTo("0.2.1");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{\"version\": \"0.2.1\", \"resources\": {}}         |",
        "{\"version\": \"0.2.1\"}                            | {}",
        "                                                    | {}",
        "                                     | {\"snapshot_id\": \"\", \"region\": \"eu\"}",
        "{\"resources\": {\"vpc\": {\"id\": \"\"}}}          |",
        "{\"resources\": {\"dns\": {\"id\": \"d-1\"}}}       |",
      })
  void whatNamesNothingIsNothing(String state, String backup) {
    assertThat(read(state, backup)).isEmpty();
  }

  @Test
  void anEmptyBackupBesideAStateIsNone() {
    assertThat(decode(STATE, "{}").backup()).isEmpty();
    assertThatThrownBy(() -> decode(STATE, "{\"snapshot\": \"s-1\"}"))
        .isInstanceOf(BrokenDocumentException.class)
        .hasMessageContaining("snapshot_id is missing");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{                                                   |",
        "[]                                                  |",
        "{\"resources\": {\"vpc\": \"vpc-1\"}}               |resources.vpc must be an object",
        "{\"resources\": {\"vpc\": {\"id\": 7}}}             |resources.vpc.id must be a string",
        "{\"version\": 2, \"resources\": {}}                 |version must be a string",
        "{\"version\": \"x\", \"resources\": {}}             |version is not like 0.3.0",
      })
  void whatIsBrokenIsRefused(String state, String why) {
    assertThatThrownBy(() -> decode(state, null))
        .isInstanceOf(BrokenDocumentException.class)
        .hasMessageContaining(why == null ? "" : why);
  }

  @Test
  void aLaterVersionIsRefused() {
    assertThatThrownBy(() -> decode(STATE.replace("0.2.1", "0.4.0"), null))
        .isInstanceOf(UnknownFormatException.class);
  }
}
