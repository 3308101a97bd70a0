package dev.baton.vm;

import dev.baton.core.Checks;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What is to be deployed.
 *
 * @param zone empty: the provider chooses; some take several with commas, and so for the type
 * @param image empty: the provider's default
 * @param publicKey in OpenSSH's format; empty: no key pair
 * @param application empty: nothing is installed
 * @param maxLife for a VM of a job: after this time a sweep, or the provider itself, takes it down
 * @param fresh do not start from the snapshot, and delete it
 * @param warm start a new instance from a prepared one, which is made first if there is none: where
 *     that fails, it boots
 */
public record DeploySpec(
    String region,
    String zone,
    String instanceType,
    int diskGb,
    String image,
    String publicKey,
    Optional<Application> application,
    Optional<Duration> maxLife,
    boolean fresh,
    boolean warm) {

  public DeploySpec {
    Checks.line("region", region, 1, 80);
    Checks.line("zone", zone, 0, 200);
    Checks.line("instance type", instanceType, 1, 200);
    if (diskGb < 1 || diskGb > 32_768) {
      throw new IllegalArgumentException("disk must have 1 to 32768 GB: " + diskGb);
    }
    Checks.line("image", image, 0, 200);
    Checks.line("public key", publicKey, 0, 2_000);
    Objects.requireNonNull(application, "application");
    maxLife.ifPresent(life -> Checks.positive("maximum life", life));
  }

  /** Boots. */
  public DeploySpec(
      String region,
      String zone,
      String instanceType,
      int diskGb,
      String image,
      String publicKey,
      Optional<Application> application,
      Optional<Duration> maxLife,
      boolean fresh) {
    this(region, zone, instanceType, diskGb, image, publicKey, application, maxLife, fresh, false);
  }

  public static DeploySpec of(String region, String instanceType) {
    return new DeploySpec(
        region, "", instanceType, 40, "", "", Optional.empty(), Optional.empty(), false);
  }

  public DeploySpec inZone(String other) {
    return new DeploySpec(
        region, other, instanceType, diskGb, image, publicKey, application, maxLife, fresh, warm);
  }

  /** The same without one of the zones that were given; empty when no other was. */
  public Optional<DeploySpec> withoutZone(String soldOut) {
    List<String> left =
        Stream.of(zone.split(","))
            .map(String::strip)
            .filter(one -> !one.isEmpty() && !one.equals(soldOut))
            .toList();
    return left.isEmpty() ? Optional.empty() : Optional.of(inZone(String.join(",", left)));
  }

  public DeploySpec withType(String other) {
    return new DeploySpec(
        region, zone, other, diskGb, image, publicKey, application, maxLife, fresh, warm);
  }

  public DeploySpec withDisk(int gb) {
    return new DeploySpec(
        region, zone, instanceType, gb, image, publicKey, application, maxLife, fresh, warm);
  }

  public DeploySpec withImage(String other) {
    return new DeploySpec(
        region, zone, instanceType, diskGb, other, publicKey, application, maxLife, fresh, warm);
  }

  public DeploySpec withPublicKey(String key) {
    return new DeploySpec(
        region, zone, instanceType, diskGb, image, key, application, maxLife, fresh, warm);
  }

  public DeploySpec withApplication(String script) {
    return new DeploySpec(
        region,
        zone,
        instanceType,
        diskGb,
        image,
        publicKey,
        Optional.of(new Application(script)),
        maxLife,
        fresh,
        warm);
  }

  public DeploySpec livingAtMost(Duration life) {
    return new DeploySpec(
        region,
        zone,
        instanceType,
        diskGb,
        image,
        publicKey,
        application,
        Optional.of(life),
        fresh,
        warm);
  }

  public DeploySpec fromScratch() {
    return new DeploySpec(
        region, zone, instanceType, diskGb, image, publicKey, application, maxLife, true, warm);
  }

  public DeploySpec startingWarm(boolean other) {
    return new DeploySpec(
        region, zone, instanceType, diskGb, image, publicKey, application, maxLife, fresh, other);
  }

  /**
   * A script of the user. It may hold a secret, so nothing but its fingerprint is ever written.
   *
   * @param script run on the instance
   */
  public record Application(String script) {

    private static final int MAX_LENGTH = 100_000;

    public Application {
      Objects.requireNonNull(script, "script");
      if (script.isBlank() || script.length() > MAX_LENGTH) {
        throw new IllegalArgumentException(
            "a script must have 1 to " + MAX_LENGTH + " characters, not " + script.length());
      }
    }

    /** The same for the same script, and says nothing about it. */
    public String fingerprint() {
      try {
        byte[] hash =
            MessageDigest.getInstance("SHA-256").digest(script.getBytes(StandardCharsets.UTF_8));
        return HexFormat.of().formatHex(hash);
      } catch (NoSuchAlgorithmException e) {
        throw new IllegalStateException("every Java platform has SHA-256", e);
      }
    }

    @Override
    public String toString() {
      return "Application[" + fingerprint() + "]";
    }
  }
}
