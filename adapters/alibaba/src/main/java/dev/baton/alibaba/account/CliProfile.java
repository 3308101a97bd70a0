package dev.baton.alibaba.account;

import com.aliyun.credentials.provider.AlibabaCloudCredentialsProvider;
import com.aliyun.credentials.provider.EcsRamRoleCredentialProvider;
import com.aliyun.credentials.provider.RamRoleArnCredentialProvider;
import dev.baton.core.BadSetting;
import dev.baton.core.BrokenDocumentException;
import dev.baton.core.Checkout;
import dev.baton.core.Checks;
import dev.baton.core.HostEnvironment;
import dev.baton.core.json.Fields;
import dev.baton.core.json.PlainJson;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * {@code ~/.aliyun/config.json}, where {@code aliyun configure} of the Alibaba Cloud CLI saves: the
 * profile that {@code ALIBABA_CLOUD_PROFILE} names, else the current one.
 *
 * <p>Of its modes those are used that need nothing but the file and Alibaba Cloud itself: a key, a
 * temporary key, a role that a key may take, and the role of an ECS instance. The others start
 * programs, ask other addresses or sign in with a browser; who uses them is told what to do.
 */
final class CliProfile {

  static final String PROFILE = "ALIBABA_CLOUD_PROFILE";

  /** The CLI obeys it too. */
  static final String IGNORE = "ALIBABA_CLOUD_IGNORE_PROFILE";

  private static final String NAME = ".aliyun/config.json";
  private static final String DEFAULT = "default";
  private static final int MAX_BYTES = 256 * 1024;

  private final Path file;
  private final String name;
  private final Map<String, Object> fields;

  private CliProfile(Path file, String name, Map<String, Object> fields) {
    this.file = file;
    this.name = name;
    this.fields = fields;
  }

  /**
   * @return empty: there is no such file, or nothing was configured yet
   * @throws BadSetting when it cannot be used, never with a part of a key
   */
  static Optional<CliProfile> in(HostEnvironment host) {
    Path file = host.home().resolve(NAME);
    if (!Files.isRegularFile(file) || host.variable(IGNORE).equalsIgnoreCase("true")) {
      return Optional.empty();
    }
    Checkout.requireOutside(file, host.directory());
    OwnFiles.requireOwnersAlone(file);
    Content content = read(file);
    String chosen = host.variable(PROFILE).strip();
    String name = chosen.isEmpty() ? content.current() : chosen;
    Optional<Map<String, Object>> fields =
        content.profiles().stream().filter(p -> name.equals(p.get("name"))).findFirst();
    if (fields.isEmpty() && !chosen.isEmpty()) {
      throw new BadSetting(
          file + " has no profile " + Checks.shown(chosen),
          "Correct " + PROFILE + ", or run `aliyun configure --profile " + chosen + "`.");
    }
    return fields.map(f -> new CliProfile(file, name, f)).filter(CliProfile::isConfigured);
  }

  private record Content(String current, List<Map<String, Object>> profiles) {}

  private static Content read(Path file) {
    try (InputStream in = Files.newInputStream(file)) {
      byte[] bytes = in.readNBytes(MAX_BYTES + 1);
      if (bytes.length > MAX_BYTES) {
        throw new BrokenDocumentException("larger than " + MAX_BYTES + " bytes");
      }
      String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
      Fields f = Fields.ofDocument(PlainJson.object(text));
      return new Content(
          f.string("current", DEFAULT), f.objects("profiles", p -> p.rest().fields()));
    } catch (IOException | BrokenDocumentException e) {
      // Without the cause: it may quote the file.
      throw new BadSetting(
          file + " cannot be read",
          "Repair it with `aliyun configure`, or set " + IGNORE + "=true.");
    }
  }

  private boolean isConfigured() {
    return mode().equals("EcsRamRole")
        || List.of("access_key_id", "ram_role_arn", "ram_role_name").stream()
            .anyMatch(field -> !value(field).isEmpty())
        || !List.of("", "AK").contains(mode());
  }

  private String mode() {
    return value("mode");
  }

  private String value(String field) {
    return fields.get(field) instanceof String s ? s.strip() : "";
  }

  private String required(String field) {
    String value = value(field);
    if (value.isEmpty()) {
      throw new BadSetting(
          this + " has no " + field, "Run `aliyun configure --profile " + name + "`.");
    }
    return value;
  }

  /** Where the CLI would work, if it says so. */
  Optional<String> region() {
    return Optional.of(value("region_id")).filter(r -> !r.isEmpty());
  }

  /**
   * @throws BadSetting when its mode cannot be used here, or something is missing
   */
  Keys keys() {
    return switch (mode()) {
      case "", "AK" -> fixed("");
      case "StsToken" -> fixed(required("sts_token"));
      case "RamRoleArn" -> {
        Supplier<AlibabaCloudCredentialsProvider> role = role();
        yield Keys.chain(toString(), role);
      }
      case "EcsRamRole" ->
          Keys.chain(
              toString(),
              () ->
                  EcsRamRoleCredentialProvider.builder().roleName(value("ram_role_name")).build());
      default ->
          throw new BadSetting(
              this + " has the mode " + Checks.shown(mode()) + ", which Baton does not support",
              "Choose a profile with AK, StsToken, RamRoleArn or EcsRamRole by "
                  + PROFILE
                  + ", or set "
                  + Keys.ID
                  + " and "
                  + Keys.SECRET
                  + ".");
    };
  }

  private Keys fixed(String token) {
    Keys.Pair pair = new Keys.Pair(required("access_key_id"), required("access_key_secret"), token);
    return Keys.given(toString(), () -> pair);
  }

  /** The client of the SDK keeps what it got until it expires. */
  private Supplier<AlibabaCloudCredentialsProvider> role() {
    RamRoleArnCredentialProvider.Builder role =
        RamRoleArnCredentialProvider.builder()
            .accessKeyId(required("access_key_id"))
            .accessKeySecret(required("access_key_secret"))
            .roleArn(required("ram_role_arn"))
            .roleSessionName(
                value("ram_session_name").isEmpty() ? "baton" : value("ram_session_name"));
    if (fields.get("expired_seconds") instanceof Long seconds && seconds > 0) {
      role.durationSeconds(seconds.intValue());
    }
    if (!value("external_id").isEmpty()) {
      role.externalId(value("external_id"));
    }
    if (!value("sts_region").isEmpty()) {
      role.STSEndpoint(
          "sts." + Region.checked(value("sts_region"), this + ", sts_region") + ".aliyuncs.com");
    }
    return role::build;
  }

  @Override
  public String toString() {
    return file + " (profile " + name + ")";
  }
}
