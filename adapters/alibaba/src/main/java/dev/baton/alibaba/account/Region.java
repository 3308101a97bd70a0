package dev.baton.alibaba.account;

import dev.baton.core.BadSetting;
import dev.baton.core.HostEnvironment;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * In which region the bucket and the VMs are: {@code ALIBABA_CLOUD_REGION_ID}, else {@code
 * ALIBABA_CLOUD_REGION}, else {@code region} in {@code ~/.baton/credentials}, else what the name of
 * the endpoint of OSS says, else that of the profile of the Alibaba Cloud CLI.
 */
public final class Region {
  public static final String VARIABLE = "ALIBABA_CLOUD_REGION_ID";

  /** The first that is set. */
  public static final List<String> VARIABLES = List.of(VARIABLE, "ALIBABA_CLOUD_REGION");

  private static final Pattern FORM = Pattern.compile("[a-z0-9]+(-[a-z0-9]+)+");
  private static final Pattern HOST =
      Pattern.compile("(?:https?://)?oss-([a-z0-9-]+?)(?:-internal)?\\.aliyuncs\\.com[:/]?.*");

  private Region() {}

  /**
   * @throws IllegalArgumentException when it is none, or nobody says which
   */
  static String of(HostEnvironment host, CredentialsFile file) {
    return set(host, file)
        .orElseThrow(
            () ->
                new BadSetting(
                    "the region is not set", "Set " + VARIABLE + ", such as cn-hangzhou."));
  }

  /**
   * @throws IllegalArgumentException when what is said is no region
   */
  public static Optional<String> set(HostEnvironment host, CredentialsFile file) {
    Map<String, String> environment = host.environment();
    for (String variable : VARIABLES) {
      String set = environment.getOrDefault(variable, "").strip();
      if (!set.isEmpty()) {
        return Optional.of(checked(set, variable));
      }
    }
    if (file.isThere() && file.region().isPresent()) {
      return Optional.of(checked(file.region().get(), "region in " + file));
    }
    Matcher m = HOST.matcher(environment.getOrDefault(Endpoint.OSS, "").strip());
    return m.matches()
        ? Optional.of(m.group(1))
        : CliProfile.in(host).flatMap(p -> p.region().map(r -> checked(r, "region_id in " + p)));
  }

  /** Which region an endpoint of OSS belongs to, if its name says so. */
  public static Optional<String> ofEndpoint(String host) {
    Matcher m = HOST.matcher(host);
    return m.matches() ? Optional.of(m.group(1)) : Optional.empty();
  }

  /**
   * @param source for people: where it was said
   * @throws IllegalArgumentException when it cannot be one
   */
  public static String checked(String region, String source) {
    // People copy it from the endpoint, or from the console, where it begins with "oss-".
    String bare = region.startsWith("oss-") ? region.substring(4) : region;
    if (!FORM.matcher(bare).matches()) {
      throw new BadSetting(
          source + " is not the name of a region",
          "Use a name such as cn-hangzhou. It is not shown here, in case it is a secret.");
    }
    return bare;
  }
}
