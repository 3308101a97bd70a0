package dev.baton.vm;

import dev.baton.core.Checks;
import dev.baton.core.Extra;
import java.time.Instant;
import java.util.Objects;

/**
 * A finished snapshot that a VM can be deployed from.
 *
 * @param batonVersion the format of the state that it was made with
 * @param diskSize in GB; 0 when the provider does not say
 * @param instance the id of the instance whose disk it is
 * @param withMemory others start from it without booting
 */
public record Backup(
    String snapshotId,
    String batonVersion,
    Instant createdAt,
    String region,
    int diskSize,
    String instance,
    boolean withMemory,
    Extra extra) {

  /** Of a disk alone. */
  public Backup(
      String snapshotId,
      String batonVersion,
      Instant createdAt,
      String region,
      int diskSize,
      String instance,
      Extra extra) {
    this(snapshotId, batonVersion, createdAt, region, diskSize, instance, false, extra);
  }

  public Backup {
    Texts.id("snapshot_id", snapshotId);
    Checks.line("version", batonVersion, 1, 40);
    Objects.requireNonNull(createdAt, "createdAt");
    Checks.line("region", region, 0, 80);
    Checks.notNegative("disk_size", diskSize);
    Checks.line("instance", instance, 0, Texts.MAX_ID);
    Objects.requireNonNull(extra, "extra");
  }
}
