package dev.baton.queue.github;

import dev.baton.core.Checks;
import dev.baton.core.Proxies;
import dev.baton.core.World;
import dev.baton.queue.github.internal.http.HttpProxies;
import dev.baton.queue.github.internal.http.PrivateTrust;
import dev.baton.queue.github.internal.http.PromptSockets;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;
import javax.net.SocketFactory;
import okhttp3.ConnectionSpec;
import okhttp3.OkHttpClient;
import okhttp3.Request;

/**
 * How a GitHub is reached: by whom, through which proxy, and whose certificates are believed. One
 * connection may serve several places. It never shows a token or a password, in no message, log or
 * exception.
 */
public final class GitHubConnection {
  private final Supplier<String> token;
  private final String userAgent;
  private final HttpProxies proxies;
  private final Optional<PrivateTrust> trust;

  /**
   * Cannot speak TLS, and so need not know what that takes: reading all the certificates that a
   * Java trusts costs more time than everything else up to the first answer.
   */
  private final OkHttpClient inClear;

  /** Made when it is needed; guarded by this. */
  private OkHttpClient secure;

  private GitHubConnection(Builder builder) {
    this.token = Objects.requireNonNull(builder.token, "token");
    this.userAgent = builder.userAgent;
    this.proxies =
        new HttpProxies(
            builder.loopbackToo
                ? Proxies.alsoOnLoopback(builder.environment)
                : Proxies.of(builder.environment));
    this.trust = builder.caFile.map(PrivateTrust::with);
    this.inClear =
        new OkHttpClient.Builder()
            .connectionSpecs(List.of(ConnectionSpec.CLEARTEXT))
            .connectTimeout(builder.connectTimeout)
            .readTimeout(builder.callTimeout)
            .writeTimeout(builder.callTimeout)
            .callTimeout(builder.callTimeout)
            .proxySelector(proxies)
            .proxyAuthenticator(proxies)
            .followRedirects(false)
            .followSslRedirects(false)
            // It would repeat a write that may have been carried out.
            .retryOnConnectionFailure(false)
            .socketFactory(builder.sockets)
            .build();
  }

  public static Builder builder() {
    return new Builder();
  }

  Wire wire(URI api, World world, boolean rememberPatches) {
    OkHttpClient client = api.getScheme().equalsIgnoreCase("http") ? inClear : secure();
    return new Wire(client, api, token, userAgent, world, rememberPatches);
  }

  private synchronized OkHttpClient secure() {
    if (secure == null) {
      OkHttpClient.Builder made =
          inClear.newBuilder().connectionSpecs(List.of(ConnectionSpec.MODERN_TLS));
      trust.ifPresent(t -> made.sslSocketFactory(t.sockets(), t.manager()));
      secure = made.build();
    }
    return secure;
  }

  /**
   * Loads what the first request needs, such as the tables of host names, for a program that has a
   * thread to spare meanwhile. Sends nothing.
   */
  public void prepare() {
    inClear.newCall(new Request.Builder().url("http://localhost/").build());
  }

  /** Idle connections are closed; those in use are not. */
  void letGo() {
    // Both have the same.
    inClear.connectionPool().evictAll();
  }

  @Override
  public String toString() {
    return "GitHubConnection[" + userAgent + ", " + proxies + "]";
  }

  /** Collects what a connection needs; the token alone is a must. */
  public static final class Builder {
    private Supplier<String> token;
    private Map<String, String> environment = Map.of();
    private boolean loopbackToo;
    private Optional<Path> caFile = Optional.empty();
    private Duration connectTimeout = Duration.ofSeconds(5);
    private Duration callTimeout = Duration.ofSeconds(12);
    private String userAgent = "baton";
    private SocketFactory sockets = new PromptSockets();

    private Builder() {}

    /** For a network that is not that of this machine. */
    Builder sockets(SocketFactory value) {
      sockets = Objects.requireNonNull(value, "sockets");
      return this;
    }

    /** Asked again for each request: an app's token lives for an hour. */
    public Builder token(Supplier<String> value) {
      token = Objects.requireNonNull(value, "token");
      return this;
    }

    /** Where {@code HTTPS_PROXY}, {@code HTTP_PROXY} and {@code NO_PROXY} are looked up. */
    public Builder environment(Map<String, String> value) {
      environment = Map.copyOf(value);
      return this;
    }

    /** Lets a proxy stand before addresses of this machine too; otherwise none ever does. */
    public Builder proxyForLoopback(boolean value) {
      loopbackToo = value;
      return this;
    }

    /** A file with certificates in PEM form, believed beside those that this Java believes. */
    public Builder caFile(Path value) {
      caFile = Optional.of(value);
      return this;
    }

    public Builder connectTimeout(Duration value) {
      connectTimeout = Checks.positive("connectTimeout", value);
      return this;
    }

    /** From the first attempt to connect to the last byte of the answer. */
    public Builder callTimeout(Duration value) {
      callTimeout = Checks.positive("callTimeout", value);
      return this;
    }

    /** How the program calls itself; GitHub demands a name. */
    public Builder userAgent(String value) {
      Checks.line("userAgent", value, 1, 100);
      if (!value.matches("[ -~]+")) {
        throw new IllegalArgumentException("userAgent must be plain ASCII: " + Checks.shown(value));
      }
      userAgent = value;
      return this;
    }

    /**
     * @throws IllegalArgumentException when a proxy or the file of certificates cannot be used
     */
    public GitHubConnection build() {
      return new GitHubConnection(this);
    }
  }
}
