package dev.baton.cloud.oss;

import com.aliyun.oss.ClientBuilderConfiguration;
import com.aliyun.oss.ClientException;
import com.aliyun.oss.OSS;
import com.aliyun.oss.OSSClientBuilder;
import com.aliyun.oss.OSSErrorCode;
import com.aliyun.oss.OSSException;
import com.aliyun.oss.common.auth.Credentials;
import com.aliyun.oss.common.auth.CredentialsProvider;
import com.aliyun.oss.common.auth.DefaultCredentials;
import com.aliyun.oss.common.comm.NoRetryStrategy;
import com.aliyun.oss.common.comm.SignVersion;
import com.aliyun.oss.model.DeleteObjectsRequest;
import com.aliyun.oss.model.GenericRequest;
import com.aliyun.oss.model.GetObjectRequest;
import com.aliyun.oss.model.ListObjectsV2Request;
import com.aliyun.oss.model.ListObjectsV2Result;
import com.aliyun.oss.model.OSSObject;
import com.aliyun.oss.model.ObjectMetadata;
import com.aliyun.oss.model.PutObjectRequest;
import com.aliyun.oss.model.WebServiceRequest;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.UnknownHostException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.logging.Level;
import java.util.logging.Logger;
import javax.net.ssl.SSLHandshakeException;
import org.apache.http.conn.ConnectTimeoutException;

/**
 * The few requests that a store needs, through Alibaba Cloud's client.
 *
 * <p>The client sends nothing twice of its own accord: a second try of a create that had been done
 * would be answered with "exists already", and a winner would take itself for a loser. It also logs
 * nothing: what it logs about a failure has the signature in it.
 */
final class Bucket implements AutoCloseable {

  /** An object as a list shows it. */
  record Listed(String key, String etag, Instant modified) {}

  /**
   * An object as it was got.
   *
   * @param mark what its writer put on it, or empty
   */
  record Got(byte[] content, String etag, String mark) {}

  /**
   * A part of a list.
   *
   * @param more whether it goes on
   */
  record Page(List<Listed> objects, boolean more) {}

  /** What became of a create. */
  enum Created {
    DONE,
    EXISTS,
    /** Done, but in a bucket that keeps versions, where it may have overwritten something. */
    IN_VERSIONED_BUCKET
  }

  /** More than the largest document has in UTF-8. */
  private static final int LARGEST = 16 << 20;

  static final int MOST_LISTED = 1000;

  private static final String MARK = "baton-write";

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

  private final String name;
  private final Keys keys;
  private final OSS client;

  Bucket(String name, OssAccess access) {
    TALKATIVE.forEach(logger -> logger.setLevel(Level.OFF));
    this.name = name;
    this.keys = access.keys();
    ClientBuilderConfiguration how = new ClientBuilderConfiguration();
    how.setSignatureVersion(SignVersion.V4);
    how.setMaxErrorRetry(0);
    how.setRetryStrategy(new NoRetryStrategy());
    how.setRedirectEnable(false);
    how.setUseReaper(false);
    how.setConnectionTimeout(5_000);
    how.setConnectionRequestTimeout(20_000);
    how.setSocketTimeout(20_000);
    how.setMaxConnections(32);
    how.setSlowRequestsThreshold(Long.MAX_VALUE);
    how.setUserAgent("baton");
    client =
        OSSClientBuilder.create()
            .endpoint(access.endpoint().toString())
            .region(access.region())
            .credentialsProvider(new Provided(keys))
            .clientConfiguration(how)
            .build();
  }

  private record Provided(Keys keys) implements CredentialsProvider {
    @Override
    public void setCredentials(Credentials other) {
      throw new UnsupportedOperationException("the keys are asked for, not set");
    }

    @Override
    public Credentials getCredentials() {
      Keys.Pair pair = keys.pair();
      return pair.token().isEmpty()
          ? new DefaultCredentials(pair.id(), pair.secret())
          : new DefaultCredentials(pair.id(), pair.secret(), pair.token());
    }
  }

  String name() {
    return name;
  }

  // ---- requests

  /** {@code Enabled}, {@code Suspended}, or empty when versions were never kept. */
  String versioning() throws OssFailure {
    return ask(
        () -> {
          String status = client.getBucketVersioning(quiet(new GenericRequest(name))).getStatus();
          return status == null || status.equals("Off") ? "" : status;
        });
  }

  /** The next objects in the order of their names. */
  Page list(String prefix, String after, int atMost) throws OssFailure {
    ListObjectsV2Request request = new ListObjectsV2Request(name, prefix);
    request.setMaxKeys(atMost);
    if (!after.isEmpty()) {
      request.setStartAfter(after);
    }
    return ask(
        () -> {
          ListObjectsV2Result result = client.listObjectsV2(quiet(request));
          List<Listed> found = new ArrayList<>();
          result
              .getObjectSummaries()
              .forEach(
                  s ->
                      found.add(
                          new Listed(s.getKey(), s.getETag(), s.getLastModified().toInstant())));
          return new Page(found, result.isTruncated());
        });
  }

  Optional<byte[]> get(String key) throws OssFailure {
    return look(key).map(Got::content);
  }

  Optional<Got> look(String key) throws OssFailure {
    try {
      return ask(
          () -> {
            try (OSSObject found = client.getObject(quiet(new GetObjectRequest(name, key)))) {
              byte[] content = found.getObjectContent().readNBytes(LARGEST + 1);
              if (content.length > LARGEST) {
                throw new OssFailure(
                    OssFailure.Kind.REFUSED, "TooLarge", key + " is no document of Baton", "");
              }
              String etag = found.getObjectMetadata().getETag();
              return Optional.of(new Got(content, etag, mark(found)));
            }
          });
    } catch (OssFailure e) {
      if (e.code().equals(OSSErrorCode.NO_SUCH_KEY)) {
        return Optional.empty();
      }
      throw e;
    }
  }

  /** The client itself knows metadata by lower-case names alone. */
  private static String mark(OSSObject found) {
    return found.getResponse().getHeaders().getOrDefault("x-oss-meta-" + MARK, "");
  }

  /**
   * Creates an object that must not exist.
   *
   * @param mark comes along with the object, so that its writer knows it again
   */
  Created create(String key, byte[] content, String mark) throws OssFailure {
    ObjectMetadata about = new ObjectMetadata();
    about.setContentLength(content.length);
    about.setContentType("application/json");
    about.setContentMD5(md5(content));
    about.addUserMetadata(MARK, mark);
    about.setHeader("x-oss-forbid-overwrite", "true");
    PutObjectRequest request =
        new PutObjectRequest(name, key, new ByteArrayInputStream(content), about);
    try {
      return ask(
          () ->
              client.putObject(quiet(request)).getVersionId() == null
                  ? Created.DONE
                  : Created.IN_VERSIONED_BUCKET);
    } catch (OssFailure e) {
      if (e.code().equals(OSSErrorCode.FILE_ALREADY_EXISTS)) {
        return Created.EXISTS;
      }
      throw e;
    }
  }

  /** Those that do not exist are no trouble. At most {@link #MOST_LISTED}. */
  void delete(List<String> some) throws OssFailure {
    if (some.isEmpty()) {
      return;
    }
    DeleteObjectsRequest request = new DeleteObjectsRequest(name).withKeys(some);
    request.setQuiet(true);
    ask(() -> client.deleteObjects(quiet(request)));
  }

  private static <R extends WebServiceRequest> R quiet(R request) {
    request.setLogEnabled(false);
    return request;
  }

  // ---- failures

  private interface Request<T> {
    T send() throws IOException, OssFailure;
  }

  private <T> T ask(Request<T> request) throws OssFailure {
    try {
      return request.send();
    } catch (OSSException e) {
      throw refusal(e);
    } catch (ClientException e) {
      throw broken(e.getCause() == null ? e : e.getCause());
    } catch (IOException e) {
      throw broken(e);
    } catch (IllegalStateException e) {
      // The keys themselves cannot be had.
      throw new OssFailure(OssFailure.Kind.REFUSED, "NoCredentials", shown(e.getMessage()), "");
    }
  }

  /** The SDK's exception stays behind: its message has the answer in it, and that the signature. */
  private OssFailure refusal(OSSException e) {
    String code = e.getErrorCode() == null ? "" : e.getErrorCode();
    OssFailure.Kind kind = OssFailure.Kind.REFUSED;
    if (UNSURE.contains(code)) {
      kind = OssFailure.Kind.UNSURE;
    } else if (code.endsWith("LimitExceeded") || code.startsWith("Throttling")) {
      kind = OssFailure.Kind.BUSY;
    }
    return new OssFailure(
        kind,
        code.matches("[A-Za-z0-9.]{1,80}") ? code : "no code",
        code.equals(OSSErrorCode.INVALID_RESPONSE)
            ? "the answer is none of OSS"
            : shown(e.getErrorMessage()),
        e.getRequestId() == null ? "" : shown(e.getRequestId()));
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
    String line = keys.hidden(text).replaceAll("[\\s\\p{Cntrl}]+", " ").strip();
    return line.length() <= 200 ? line : line.substring(0, 200) + "…";
  }

  private static String md5(byte[] content) {
    try {
      return Base64.getEncoder().encodeToString(MessageDigest.getInstance("MD5").digest(content));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has MD5", e);
    }
  }

  @Override
  public void close() {
    client.shutdown();
  }

  @Override
  public String toString() {
    return String.format(Locale.ROOT, "Bucket[%s]", name);
  }
}
