package dev.baton.alibaba.account;

import com.aliyun.credentials.models.CredentialModel;
import com.aliyun.credentials.provider.AlibabaCloudCredentialsProvider;
import com.aliyun.credentials.provider.DefaultCredentialsProvider;
import dev.baton.core.BadSetting;
import dev.baton.core.Failure;
import dev.baton.core.HostEnvironment;
import dev.baton.core.Problem;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Where the keys to a bucket come from; the first of these that is there:
 *
 * <ol>
 *   <li>{@code ALIBABA_CLOUD_ACCESS_KEY_ID} and {@code ALIBABA_CLOUD_ACCESS_KEY_SECRET}, with
 *       {@code ALIBABA_CLOUD_SECURITY_TOKEN} for temporary ones;
 *   <li>what Alibaba Cloud's own chain finds, if something says that there is anything to find: a
 *       role for an OpenID token, the role of this ECS instance, or a {@link ProfileFile} with
 *       something in it. Nobody is asked over the network otherwise;
 *   <li>{@code ~/.baton/credentials};
 *   <li>the Alibaba Cloud CLI's own file, see {@link CliProfile}.
 * </ol>
 */
public final class Keys {
  public static final String ID = "ALIBABA_CLOUD_ACCESS_KEY_ID";
  public static final String SECRET = "ALIBABA_CLOUD_ACCESS_KEY_SECRET";
  public static final String TOKEN = "ALIBABA_CLOUD_SECURITY_TOKEN";

  /** Names the profile that the chain looks at, instead of the one at home. */
  private static final String PROFILE = "ALIBABA_CLOUD_CREDENTIALS_FILE";

  private static final List<String> SIGNS_OF_A_CHAIN =
      List.of("ALIBABA_CLOUD_OIDC_TOKEN_FILE", "ALIBABA_CLOUD_ECS_METADATA", PROFILE);

  /**
   * An access key.
   *
   * @param token empty unless the key is a temporary one
   */
  public record Pair(String id, String secret, String token) {

    /**
     * @throws IllegalArgumentException when it cannot be sent; never with a part of it
     */
    public Pair {
      Objects.requireNonNull(id, "id");
      Objects.requireNonNull(secret, "secret");
      Objects.requireNonNull(token, "token");
      if (id.isEmpty() || secret.isEmpty()) {
        throw new IllegalArgumentException("an access key needs both an id and a secret");
      }
      if (!(id + secret + token).matches("[!-~]+")) {
        throw new BadSetting(
            "the access key has a space, a line break or another character in it that keys do not"
                + " have",
            "Copy it again.");
      }
    }

    @Override
    public String toString() {
      return "an access key";
    }
  }

  /** There are none at the moment. */
  public static final class Missing extends IllegalStateException implements Failure {
    private static final long serialVersionUID = 1;

    private final Problem problem;

    public Missing(String what, String next) {
      this(new Problem(Problem.Kind.NO_TOKEN, what, next));
    }

    private Missing(Problem problem) {
      super(problem.text());
      this.problem = problem;
    }

    @Override
    public Problem problem() {
      return problem;
    }
  }

  private final String source;
  private final Supplier<Pair> pairs;
  private volatile Pair last;

  private Keys(String source, Supplier<Pair> pairs) {
    this.source = Objects.requireNonNull(source, "source");
    this.pairs = Objects.requireNonNull(pairs, "pairs");
  }

  /**
   * @param source for people: where they come from
   * @param pairs asked for each request, so that temporary ones can be renewed
   */
  public static Keys given(String source, Supplier<Pair> pairs) {
    return new Keys(source, pairs);
  }

  /**
   * @throws IllegalArgumentException when there are none, or what there is cannot be one
   */
  static Keys of(HostEnvironment host, CredentialsFile file) {
    return found(host, file)
        .orElseThrow(
            () ->
                new BadSetting.NoToken(
                    "there are no credentials for Alibaba Cloud",
                    "Set "
                        + ID
                        + " and "
                        + SECRET
                        + ", run `aliyun configure`, or run `baton vm init`, which saves them to "
                        + file
                        + ".",
                    null));
  }

  /**
   * @return empty: there are none
   * @throws IllegalArgumentException when what there is cannot be one
   */
  public static Optional<Keys> found(HostEnvironment host, CredentialsFile file) {
    Optional<Keys> elsewhere = elsewhere(host);
    if (elsewhere.isPresent()) {
      return elsewhere;
    } else if (!file.hasKeys()) {
      return CliProfile.in(host).map(CliProfile::keys);
    }
    Pair pair = file.pair();
    return Optional.of(new Keys(file.toString(), () -> pair));
  }

  /**
   * Those that come before the saved ones.
   *
   * @throws IllegalArgumentException when what there is cannot be one
   */
  public static Optional<Keys> elsewhere(HostEnvironment host) {
    Map<String, String> environment = host.environment();
    String id = environment.getOrDefault(ID, "").strip();
    String secret = environment.getOrDefault(SECRET, "").strip();
    if (id.isEmpty() != secret.isEmpty()) {
      throw new BadSetting(
          (id.isEmpty() ? SECRET : ID) + " is set, and " + (id.isEmpty() ? ID : SECRET) + " is not",
          "Set both.");
    }
    if (!id.isEmpty()) {
      Pair pair = new Pair(id, secret, environment.getOrDefault(TOKEN, "").strip());
      return Optional.of(new Keys(ID, () -> pair));
    }
    Optional<String> sign =
        SIGNS_OF_A_CHAIN.stream()
            .filter(v -> !environment.getOrDefault(v, "").isBlank())
            .findFirst()
            .or(
                () ->
                    ProfileFile.in(host).filter(ProfileFile::isUsable).map(ProfileFile::toString));
    if (sign.isPresent() && environment.getOrDefault(PROFILE, "").isBlank()) {
      ProfileFile.requireOutsideOfCheckout(host);
    }
    return sign.map(s -> chain(s, DefaultCredentialsProvider::new));
  }

  /**
   * @param sign for people: what says that there is something to find
   */
  static Keys chain(String sign, Supplier<? extends AlibabaCloudCredentialsProvider> provider) {
    return new Keys("Alibaba Cloud's default chain (" + sign + ")", new Chain(sign, provider));
  }

  /** One for all requests: it keeps temporary keys until they expire. */
  private static final class Chain implements Supplier<Pair> {
    private final String sign;
    private final Supplier<? extends AlibabaCloudCredentialsProvider> providers;
    private AlibabaCloudCredentialsProvider provider;

    Chain(String sign, Supplier<? extends AlibabaCloudCredentialsProvider> providers) {
      this.sign = sign;
      this.providers = providers;
    }

    @Override
    public synchronized Pair get() {
      try {
        if (provider == null) {
          provider = providers.get();
        }
        CredentialModel found = provider.getCredentials();
        String token = found.getSecurityToken();
        return new Pair(
            found.getAccessKeyId(), found.getAccessKeySecret(), token == null ? "" : token);
      } catch (RuntimeException | LinkageError e) {
        // In a small Java a part of the chain may be missing. Without the cause: what it says may
        // quote a file or an answer with a key in it.
        throw new Missing(
            "Alibaba Cloud's default chain finds no credentials ("
                + e.getClass().getSimpleName()
                + ")",
            "Set " + ID + " and " + SECRET + ", or correct what the chain looks at, " + sign + ".");
      }
    }
  }

  /** For people: where they come from. */
  public String source() {
    return source;
  }

  /**
   * @throws Missing when there is none at the moment
   */
  Pair pair() {
    try {
      Pair pair = pairs.get();
      last = pair;
      return pair;
    } catch (Missing e) {
      throw e;
    } catch (IllegalStateException e) {
      // Of somebody else who gives the keys.
      throw new Missing(String.valueOf(e.getMessage()), "Correct that.");
    }
  }

  /** The text without anything in it of the key that was asked for last. */
  String hidden(String text) {
    Pair pair = last;
    if (pair == null) {
      return text;
    }
    String clean = text.replace(pair.secret(), "***").replace(pair.id(), "***");
    return pair.token().isEmpty() ? clean : clean.replace(pair.token(), "***");
  }

  @Override
  public String toString() {
    return "Keys[" + source + "]";
  }
}
