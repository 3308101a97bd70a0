package dev.baton.alibaba.oss;

import com.aliyun.oss.ClientBuilderConfiguration;
import com.aliyun.oss.ClientException;
import com.aliyun.oss.OSS;
import com.aliyun.oss.OSSClientBuilder;
import com.aliyun.oss.OSSErrorCode;
import com.aliyun.oss.OSSException;
import com.aliyun.oss.common.auth.Credentials;
import com.aliyun.oss.common.auth.CredentialsProvider;
import com.aliyun.oss.common.auth.DefaultCredentials;
import com.aliyun.oss.common.comm.RequestMessage;
import com.aliyun.oss.common.comm.ResponseMessage;
import com.aliyun.oss.common.comm.RetryStrategy;
import com.aliyun.oss.common.comm.SignVersion;
import com.aliyun.oss.model.GenericResult;
import com.aliyun.oss.model.WebServiceRequest;
import dev.baton.alibaba.account.AlibabaAccount;
import dev.baton.alibaba.account.Keys;
import dev.baton.core.Proxies;
import java.io.IOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.logging.Level;
import java.util.logging.Logger;
import javax.net.ssl.SSLHandshakeException;
import org.apache.http.conn.ConnectTimeoutException;

/**
 * Alibaba Cloud's client, and what its failures mean.
 *
 * <p>The client sends nothing twice of its own accord: a second try of a create that had been done
 * would be answered with "exists already", and a winner would take itself for a loser. It also logs
 * nothing: what it logs about a failure has the signature in it.
 */
final class OssClient implements AutoCloseable {

  /** Codes that do not say whether the deed was done. */
  private static final Set<String> UNSURE =
      Set.of(
          "",
          "InternalError",
          "ServiceUnavailable",
          "RequestTimeout",
          "Unknown",
          OSSErrorCode.INVALID_RESPONSE);

  /**
   * The HTTP client below would log whole requests at its finest level, and with them temporary
   * credentials. Kept here because the logging system forgets loggers that nobody holds.
   */
  private static final List<Logger> TALKATIVE =
      List.of(
          Logger.getLogger("org.apache.http.wire"), Logger.getLogger("org.apache.http.headers"));

  /** Sees every answer, on the thread that asked. */
  interface Listener {
    void answered(int status, Map<String, String> headers);
  }

  private final AlibabaAccount account;
  private final Listener listener;
  private final OSS oss;

  /** Whether a proxy on the way may want a password, which it does not get. */
  private final boolean keepsPassword;

  OssClient(OssAccess access) {
    this(access, (status, headers) -> {});
  }

  OssClient(OssAccess access, Listener listener) {
    TALKATIVE.forEach(logger -> logger.setLevel(Level.OFF));
    this.account = access.account();
    this.listener = listener;
    ClientBuilderConfiguration how = new ClientBuilderConfiguration();
    how.setSignatureVersion(SignVersion.V4);
    how.setRetryStrategy(new NothingTwice(listener));
    how.setRedirectEnable(false);
    how.setUseReaper(false);
    how.setConnectionTimeout(5_000);
    how.setConnectionRequestTimeout(20_000);
    how.setSocketTimeout(20_000);
    how.setMaxConnections(32);
    how.setSlowRequestsThreshold(Long.MAX_VALUE);
    how.setUserAgent("baton");
    Optional<Proxies.Hop> proxy = account.proxies().to(access.endpoint());
    Optional<Proxies.Hop> asking = proxy.filter(hop -> !hop.user().isEmpty());
    // Through a tunnel the client would send the password to OSS, with every request.
    keepsPassword = asking.isPresent() && access.endpoint().getScheme().equals("https");
    proxy.ifPresent(
        hop -> {
          how.setProxyHost(hop.host());
          how.setProxyPort(hop.port());
        });
    asking
        .filter(hop -> !keepsPassword)
        .ifPresent(
            hop -> {
              how.setProxyUsername(hop.user());
              how.setProxyPassword(hop.password());
            });
    oss =
        OSSClientBuilder.create()
            .endpoint(access.endpoint().toString())
            .region(access.region())
            .credentialsProvider(new Provided(account))
            .clientConfiguration(how)
            .build();
  }

  /**
   * Sends nothing twice. It is asked about each failure, and the only one that is told the status,
   * so it puts that on the exception.
   */
  private static final class NothingTwice extends RetryStrategy {
    private static final String STATUS = "baton-status";

    private final Listener listener;

    NothingTwice(Listener listener) {
      this.listener = listener;
    }

    @Override
    public boolean shouldRetry(
        Exception e, RequestMessage request, ResponseMessage response, int retries) {
      if (e instanceof OSSException refusal && response != null) {
        listener.answered(response.getStatusCode(), response.getHeaders());
        refusal.setErrorFields(Map.of(STATUS, Integer.toString(response.getStatusCode())));
      }
      return false;
    }

    static boolean isServersFault(OSSException e) {
      Map<String, String> fields = e.getErrorFields();
      return fields != null && fields.getOrDefault(STATUS, "").startsWith("5");
    }
  }

  private record Provided(AlibabaAccount account) implements CredentialsProvider {
    @Override
    public void setCredentials(Credentials other) {
      throw new UnsupportedOperationException("the keys are asked for, not set");
    }

    @Override
    public Credentials getCredentials() {
      Keys.Pair pair = account.pair();
      return pair.token().isEmpty()
          ? new DefaultCredentials(pair.id(), pair.secret())
          : new DefaultCredentials(pair.id(), pair.secret(), pair.token());
    }
  }

  /** A request through the client. */
  interface Request<T> {
    T send(OSS oss) throws IOException, OssFailure;
  }

  <T> T ask(Request<T> request) throws OssFailure {
    try {
      return request.send(oss);
    } catch (OSSException e) {
      throw refusal(e);
    } catch (ClientException e) {
      throw broken(e.getCause() == null ? e : e.getCause());
    } catch (IOException e) {
      throw broken(e);
    } catch (Keys.Missing e) {
      throw OssFailure.withoutKeys(shown(e.what()), account.hidden(e.next()));
    }
  }

  /** Shows a success to the listener; a failure needs no help. */
  <R extends GenericResult> R shown(R result) {
    ResponseMessage response = result.getResponse();
    if (response != null) {
      listener.answered(response.getStatusCode(), response.getHeaders());
    }
    return result;
  }

  static <R extends WebServiceRequest> R quiet(R request) {
    request.setLogEnabled(false);
    return request;
  }

  /** The SDK's exception stays behind: its message has the answer in it, and that the signature. */
  private OssFailure refusal(OSSException e) {
    String code = e.getErrorCode() == null ? "" : e.getErrorCode();
    OssFailure.Kind kind = OssFailure.Kind.REFUSED;
    if (UNSURE.contains(code)) {
      kind = OssFailure.Kind.UNSURE;
    } else if (code.endsWith("LimitExceeded") || code.startsWith("Throttling")) {
      kind = OssFailure.Kind.BUSY;
    } else if (NothingTwice.isServersFault(e)) {
      kind = OssFailure.Kind.UNSURE;
    }
    return new OssFailure(
        kind,
        code.matches("[A-Za-z0-9.]{1,80}") ? code : "no code",
        code.equals(OSSErrorCode.INVALID_RESPONSE) ? noneOfOss() : shown(e.getErrorMessage()),
        e.getRequestId() == null ? "" : shown(e.getRequestId()));
  }

  private String noneOfOss() {
    return "the answer is none of OSS"
        + (keepsPassword
            ? ", perhaps one of the proxy: it does not get the password of HTTPS_PROXY, which the"
                + " client would send to OSS too; use a proxy without one, or NO_PROXY"
            : "");
  }

  private OssFailure broken(Throwable cause) {
    boolean unsent =
        cause instanceof ConnectTimeoutException
            || cause instanceof ConnectException
            || cause instanceof UnknownHostException
            || cause instanceof NoRouteToHostException
            || cause instanceof SSLHandshakeException;
    return new OssFailure(
        unsent ? OssFailure.Kind.UNREACHABLE : OssFailure.Kind.UNSURE,
        cause.getClass().getSimpleName(),
        shown(cause.getMessage()),
        "");
  }

  /** In one line, short, and without secrets. */
  private String shown(String text) {
    if (text == null) {
      return "";
    }
    String line = account.hidden(text).replaceAll("[\\s\\p{Cntrl}]+", " ").strip();
    return line.length() <= 200 ? line : line.substring(0, 200) + "…";
  }

  @Override
  public void close() {
    oss.shutdown();
  }
}
