package dev.baton.aws.account;

import dev.baton.core.BadSetting;
import dev.baton.core.Checkout;
import dev.baton.core.Checks;
import dev.baton.core.HostEnvironment;
import dev.baton.core.Proxies;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.auth.credentials.AwsSessionCredentials;
import software.amazon.awssdk.auth.credentials.DefaultCredentialsProvider;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.auth.credentials.WebIdentityTokenFileCredentialsProvider;
import software.amazon.awssdk.awscore.retry.AwsRetryStrategy;
import software.amazon.awssdk.core.client.config.ClientOverrideConfiguration;
import software.amazon.awssdk.http.SdkHttpClient;
import software.amazon.awssdk.http.urlconnection.ProxyConfiguration;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.profiles.Profile;
import software.amazon.awssdk.profiles.ProfileFile;
import software.amazon.awssdk.profiles.ProfileProperty;
import software.amazon.awssdk.regions.Region;

/**
 * As whom, in which region and at which endpoints AWS is asked. Its text form has no secret.
 *
 * <ul>
 *   <li>Credentials: the keys of the environment, else the role of a web identity there, else the
 *       default chain of the SDK, with the profile that the environment names.
 *   <li>Region: {@code AWS_REGION}, else {@code AWS_DEFAULT_REGION}, else that of the profile.
 *   <li>Endpoints: {@code AWS_ENDPOINT_URL_S3} and {@code AWS_ENDPOINT_URL_DYNAMODB}, else {@code
 *       AWS_ENDPOINT_URL}, else those of AWS. They must be {@code https}; only on loopback plain
 *       {@code http} is taken. No address of a store names one.
 * </ul>
 *
 * <p>Asks nobody for anything until a client is used. Safe for use by several threads.
 */
public final class AwsAccount {
  private static final String ID = "AWS_ACCESS_KEY_ID";
  private static final String SECRET = "AWS_SECRET_ACCESS_KEY";
  private static final String TOKEN = "AWS_SESSION_TOKEN";
  private static final String ROLE = "AWS_ROLE_ARN";
  private static final String WEB_TOKEN = "AWS_WEB_IDENTITY_TOKEN_FILE";
  public static final String REGION = "AWS_REGION";
  private static final String OTHER_REGION = "AWS_DEFAULT_REGION";
  private static final String ENDPOINT = "AWS_ENDPOINT_URL";

  private static final Pattern REGION_FORM = Pattern.compile("[a-z]{2,}(-[a-z]+)+-[0-9]{1,2}");
  private static final Duration CONNECT = Duration.ofSeconds(5);
  private static final Duration ANSWER = Duration.ofSeconds(20);

  /** A service that has an endpoint of its own. */
  public enum Service {
    S3,
    DYNAMODB;

    /** The variable that names its endpoint. */
    public String variable() {
      return ENDPOINT + "_" + name();
    }
  }

  private final HostEnvironment host;
  private final AwsCredentialsProvider credentials;
  private final String source;
  private final Region region;
  private final Proxies proxies;

  private AwsAccount(
      HostEnvironment host, AwsCredentialsProvider credentials, String source, Region region) {
    this.host = host;
    this.credentials = credentials;
    this.source = source;
    this.region = region;
    this.proxies = Proxies.of(host.environment());
  }

  /**
   * @throws BadSetting saying what is missing or wrong, and what to do
   */
  public static AwsAccount of(HostEnvironment host) {
    Objects.requireNonNull(host, "host");
    Optional<Profile> profile = profile(host);
    Region region = region(host, profile);
    for (Service service : Service.values()) {
      endpoint(host, service);
    }
    String id = host.variable(ID).strip();
    String secret = host.variable(SECRET).strip();
    if (id.isEmpty() != secret.isEmpty()) {
      throw new BadSetting(
          (id.isEmpty() ? SECRET : ID) + " is set, and " + (id.isEmpty() ? ID : SECRET) + " is not",
          "Set both.");
    }
    if (!id.isEmpty()) {
      return new AwsAccount(host, keys(id, secret, host.variable(TOKEN).strip()), ID, region);
    }
    String role = host.variable(ROLE).strip();
    String file = host.variable(WEB_TOKEN).strip();
    if (!role.isEmpty() && !file.isEmpty()) {
      requireNoPasswordFor(endpointOfAws("sts", region), Proxies.of(host.environment()));
      return new AwsAccount(host, webIdentity(host, role, file), WEB_TOKEN, region);
    }
    if (profile.filter(AwsAccount::asksAws).isPresent()) {
      for (String server : List.of("sts", "oidc", "portal.sso")) {
        requireNoPasswordFor(endpointOfAws(server, region), Proxies.of(host.environment()));
      }
    }
    return new AwsAccount(host, chain(host), "the default chain of the AWS SDK", region);
  }

  /** Whether credentials are given for it by a service of AWS. */
  private static boolean asksAws(Profile profile) {
    return profile.properties().keySet().stream()
        .anyMatch(name -> name.equals(ProfileProperty.ROLE_ARN) || name.startsWith("sso_"));
  }

  private static AwsCredentialsProvider keys(String id, String secret, String token) {
    if (!(id + secret + token).matches("[!-~]+")) {
      throw new BadSetting(
          "the access key has a space, a line break or another character in it that keys do not"
              + " have",
          "Copy it again.");
    }
    return StaticCredentialsProvider.create(
        token.isEmpty()
            ? AwsBasicCredentials.create(id, secret)
            : AwsSessionCredentials.create(id, secret, token));
  }

  private static AwsCredentialsProvider webIdentity(
      HostEnvironment host, String role, String file) {
    String session = host.variable("AWS_ROLE_SESSION_NAME").strip();
    return WebIdentityTokenFileCredentialsProvider.builder()
        .roleArn(role)
        .webIdentityTokenFile(host.directory().resolve(file))
        .roleSessionName(session.isEmpty() ? "baton" : session)
        .build();
  }

  private static AwsCredentialsProvider chain(HostEnvironment host) {
    return DefaultCredentialsProvider.builder()
        .profileFile(() -> profiles(host))
        .profileName(profileName(host))
        .build();
  }

  // ---- profiles

  private static String profileName(HostEnvironment host) {
    String name = host.variable("AWS_PROFILE").strip();
    return name.isEmpty() ? "default" : name;
  }

  private static Optional<Profile> profile(HostEnvironment host) {
    Optional<Profile> found = profiles(host).profile(profileName(host));
    if (found.isEmpty() && !host.variable("AWS_PROFILE").isBlank()) {
      throw new BadSetting(
          "there is no profile " + Checks.shown(profileName(host)) + ", which AWS_PROFILE names",
          "Correct AWS_PROFILE, or create the profile with `aws configure`.");
    }
    return found;
  }

  private static ProfileFile profiles(HostEnvironment host) {
    ProfileFile.Aggregator all = ProfileFile.aggregator();
    add(
        all,
        file(host, "AWS_SHARED_CREDENTIALS_FILE", "credentials"),
        ProfileFile.Type.CREDENTIALS);
    add(all, file(host, "AWS_CONFIG_FILE", "config"), ProfileFile.Type.CONFIGURATION);
    return all.build();
  }

  private static Path file(HostEnvironment host, String variable, String name) {
    String set = host.variable(variable).strip();
    if (!set.isEmpty()) {
      return host.directory().resolve(set);
    }
    Path own = host.home().resolve(".aws").resolve(name);
    if (Files.exists(own)) {
      // It has programs started and says where requests go, also where the keys are elsewhere.
      Checkout.requireOutside(own, host.directory());
    }
    return own;
  }

  private static void add(ProfileFile.Aggregator all, Path path, ProfileFile.Type type) {
    if (!Files.isRegularFile(path)) {
      return;
    }
    try {
      all.addFile(ProfileFile.builder().content(path).type(type).build());
    } catch (RuntimeException e) {
      // Without the cause: it may quote a line with a key in it.
      throw new BadSetting(path + " cannot be read as a file of profiles", "Correct it.");
    }
  }

  // ---- region and endpoints

  private static Region region(HostEnvironment host, Optional<Profile> profile) {
    for (String variable : List.of(REGION, OTHER_REGION)) {
      String set = host.variable(variable).strip();
      if (!set.isEmpty()) {
        return checked(set, variable);
      }
    }
    return profile
        .flatMap(p -> p.property(ProfileProperty.REGION))
        .map(r -> checked(r, "region in profile " + profileName(host)))
        .orElseThrow(
            () ->
                new BadSetting(
                    "the AWS region is not set",
                    "Set " + REGION + ", such as eu-central-1, or region in ~/.aws/config."));
  }

  private static Region checked(String region, String where) {
    if (!REGION_FORM.matcher(region).matches()) {
      throw new BadSetting(
          Checks.shown(region) + " (" + where + ") is not the name of an AWS region",
          "Use a name such as eu-central-1.");
    }
    return Region.of(region);
  }

  private static Optional<URI> endpoint(HostEnvironment host, Service service) {
    for (String variable : List.of(service.variable(), ENDPOINT)) {
      String set = host.variable(variable).strip();
      if (!set.isEmpty()) {
        return Optional.of(endpoint(set, variable));
      }
    }
    return Optional.empty();
  }

  private static URI endpoint(String text, String variable) {
    if (text.contains("@")) {
      throw new BadSetting(variable + " has a user or a password in it", "Use https://HOST alone.");
    }
    try {
      URI uri = new URI(text);
      String scheme = String.valueOf(uri.getScheme()).toLowerCase(Locale.ROOT);
      if (uri.getHost() == null || !List.of("https", "http").contains(scheme)) {
        throw notAnEndpoint(text, variable);
      }
      if (scheme.equals("http") && !isLoopback(uri.getHost())) {
        throw new BadSetting(
            Checks.shown(text) + " (" + variable + ") would send everything for all to read",
            "Use https.");
      }
      return uri;
    } catch (URISyntaxException e) {
      throw notAnEndpoint(text, variable);
    }
  }

  private static BadSetting notAnEndpoint(String text, String variable) {
    return new BadSetting(
        Checks.shown(text) + " (" + variable + ") is not an endpoint", "Use https://HOST.");
  }

  private static boolean isLoopback(String host) {
    return host.equals("localhost") || host.equals("[::1]") || host.matches("127(\\.\\d{1,3}){3}");
  }

  // ---- what clients are made of

  public AwsCredentialsProvider credentials() {
    return credentials;
  }

  /** For people: where the credentials come from. */
  public String source() {
    return source;
  }

  public Region region() {
    return region;
  }

  /** The endpoint that the environment names, if any. */
  public Optional<URI> endpoint(Service service) {
    return endpoint(host, service);
  }

  /** For people: where that service is asked. */
  public String place(Service service) {
    return endpoint(service)
        .map(URI::toString)
        .orElse(service.name().toLowerCase(Locale.ROOT) + " in " + region);
  }

  /**
   * A new client, with the proxy that is on the way to that service.
   *
   * @throws BadSetting when the proxy wants a password
   */
  public SdkHttpClient http(Service service) {
    URI to =
        endpoint(service)
            .orElseGet(() -> endpointOfAws(service.name().toLowerCase(Locale.ROOT), region));
    requireNoPasswordFor(to, proxies);
    ProxyConfiguration.Builder proxy =
        ProxyConfiguration.builder()
            .useSystemPropertyValues(false)
            .useEnvironmentVariablesValues(false);
    proxies
        .to(to)
        .ifPresent(hop -> proxy.endpoint(URI.create("http://" + hop.host() + ":" + hop.port())));
    return UrlConnectionHttpClient.builder()
        .connectionTimeout(CONNECT)
        .socketTimeout(ANSWER)
        .proxyConfiguration(proxy.build())
        .build();
  }

  private static URI endpointOfAws(String service, Region region) {
    return URI.create("https://" + service + "." + region + ".amazonaws.com");
  }

  /**
   * The client of the SDK sends a proxy's password through the tunnel, to the service behind it,
   * and the proxy does not get it.
   */
  private static void requireNoPasswordFor(URI service, Proxies proxies) {
    if (proxies.to(service).filter(hop -> !hop.user().isEmpty()).isPresent()) {
      throw new BadSetting(
          "HTTPS_PROXY has a user, whose password the client of AWS would send to "
              + service.getHost()
              + " and not to the proxy",
          "Use a proxy without one, or leave the proxy out for AWS: NO_PROXY=.amazonaws.com.");
    }
  }

  /**
   * Sends nothing twice: a second try of a write that had been done would be answered as if it had
   * been lost.
   */
  public static ClientOverrideConfiguration nothingTwice() {
    return ClientOverrideConfiguration.builder()
        .retryStrategy(AwsRetryStrategy.doNotRetry())
        .apiCallTimeout(ANSWER.plus(CONNECT).plusSeconds(5))
        .build();
  }

  @Override
  public String toString() {
    return "AwsAccount[" + region + ", " + source + "]";
  }
}
