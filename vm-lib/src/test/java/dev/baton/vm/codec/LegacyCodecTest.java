package dev.baton.vm.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.queue.BrokenDocumentException;
import dev.baton.queue.UnknownFormatException;
import dev.baton.vm.Kind;
import dev.baton.vm.Legacy;
import dev.baton.vm.Resource;
import dev.baton.vm.Status;
import dev.baton.vm.VmState;
import java.time.Instant;
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
    return LegacyCodec.decode(
        "~/.cloudcode", Optional.ofNullable(state), Optional.ofNullable(backup), NOW);
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
        .isEqualTo(
            new Resource(
                Kind.INSTANCE, "i-1", Map.of("instance_type", "ecs.e-c1m2.large", "cores", "2")));
    assertThat(legacy.extra().fields())
        .containsOnlyKeys("cloudcode", "migrated_from", "unknown_resources");
    assertThat(legacy.extra().fields().get("unknown_resources").toString())
        .contains("d-1")
        .contains("tags");
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

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{                                                   |",
        "[]                                                  |",
        "{\"version\": \"0.2.0\"}                            |neither a resource nor a snapshot",
        "{\"resources\": {\"vpc\": {\"id\": \"\"}}}          |neither a resource nor a snapshot",
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
