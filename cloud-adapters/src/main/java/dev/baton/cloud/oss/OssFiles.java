package dev.baton.cloud.oss;

import com.aliyun.oss.ClientBuilderConfiguration;
import com.aliyun.oss.ClientException;
import com.aliyun.oss.OSS;
import com.aliyun.oss.OSSClientBuilder;
import com.aliyun.oss.OSSException;
import com.aliyun.oss.common.auth.Credentials;
import com.aliyun.oss.common.auth.CredentialsProvider;
import com.aliyun.oss.common.auth.DefaultCredentials;
import com.aliyun.oss.common.comm.NoRetryStrategy;
import com.aliyun.oss.common.comm.SignVersion;
import com.aliyun.oss.model.GenericRequest;
import com.aliyun.oss.model.HeadObjectRequest;
import com.aliyun.oss.model.LifecycleRule;
import com.aliyun.oss.model.ObjectMetadata;
import com.aliyun.oss.model.PutObjectRequest;
import com.aliyun.oss.model.SetBucketLifecycleRequest;
import com.aliyun.oss.model.WebServiceRequest;
import java.io.ByteArrayInputStream;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What is done in a bucket besides compare-and-set: files that are overwritten, the server's time,
 * and the rule by which old files go. All of it may be done twice, so whether a request that failed
 * was carried out does not matter.
 */
final class OssFiles implements AutoCloseable {
  private final String bucket;
  private final Keys keys;
  private final OSS client;

  OssFiles(String bucket, OssAccess access) {
    this.bucket = bucket;
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

  /**
   * @param tags by which rules of the bucket find it
   */
  void put(String key, byte[] content, Map<String, String> tags) throws OssFailure {
    ObjectMetadata about = new ObjectMetadata();
    about.setContentLength(content.length);
    about.setContentType("application/json");
    if (!tags.isEmpty()) {
      about.setObjectTagging(tags);
    }
    PutObjectRequest request =
        new PutObjectRequest(bucket, key, new ByteArrayInputStream(content), about);
    ask(() -> client.putObject(quiet(request)));
  }

  /**
   * The server's time of day.
   *
   * @param key of an object; empty when there is none
   */
  Optional<Instant> time(String key) throws OssFailure {
    try {
      Object date =
          ask(() -> client.headObject(quiet(new HeadObjectRequest(bucket, key))))
              .getRawMetadata()
              .get("Date");
      if (date instanceof Date d) {
        return Optional.of(d.toInstant());
      }
      throw new OssFailure(OssFailure.Kind.UNSURE, "NoDate", "the answer has no date", "");
    } catch (OssFailure e) {
      if (e.code().equals("NoSuchKey") || e.code().equals("NotFound")) {
        return Optional.empty();
      }
      throw e;
    }
  }

  /**
   * Has the bucket itself delete objects. Its other rules stay; one with the same id is replaced.
   * OSS takes all rules in one piece, so two who do this at the very same time can undo each other;
   * the next one puts it right.
   */
  void expire(String id, String prefix, Map<String, String> tags, int days) throws OssFailure {
    List<LifecycleRule> rules = new ArrayList<>(rules());
    if (rules.stream().anyMatch(r -> isSame(r, id, prefix, tags, days))) {
      return;
    }
    rules.removeIf(r -> id.equals(r.getId()));
    LifecycleRule ours = new LifecycleRule(id, prefix, LifecycleRule.RuleStatus.Enabled, days);
    ours.setTags(tags);
    rules.add(ours);
    SetBucketLifecycleRequest request = new SetBucketLifecycleRequest(bucket);
    request.setLifecycleRules(rules);
    ask(() -> client.setBucketLifecycle(quiet(request)));
  }

  private static boolean isSame(
      LifecycleRule r, String id, String prefix, Map<String, String> tags, int days) {
    return id.equals(r.getId())
        && prefix.equals(r.getPrefix() == null ? "" : r.getPrefix())
        && tags.equals(r.getTags())
        && r.getStatus() == LifecycleRule.RuleStatus.Enabled
        && r.getExpirationDays() == days;
  }

  private List<LifecycleRule> rules() throws OssFailure {
    try {
      return ask(() -> client.getBucketLifecycle(quiet(new GenericRequest(bucket))));
    } catch (OssFailure e) {
      if (e.code().equals("NoSuchLifecycle")) {
        return List.of();
      }
      throw e;
    }
  }

  private static <R extends WebServiceRequest> R quiet(R request) {
    request.setLogEnabled(false);
    return request;
  }

  private interface Request<T> {
    T send();
  }

  private <T> T ask(Request<T> request) throws OssFailure {
    try {
      return request.send();
    } catch (OSSException e) {
      throw refusal(e);
    } catch (ClientException e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      boolean unsent = cause instanceof ConnectException || cause instanceof UnknownHostException;
      throw new OssFailure(
          unsent ? OssFailure.Kind.UNREACHABLE : OssFailure.Kind.UNSURE,
          cause.getClass().getSimpleName(),
          shown(cause.getMessage()),
          "");
    } catch (IllegalStateException e) {
      throw new OssFailure(OssFailure.Kind.REFUSED, "NoCredentials", shown(e.getMessage()), "");
    }
  }

  private OssFailure refusal(OSSException e) {
    String code = e.getErrorCode() == null ? "" : e.getErrorCode();
    OssFailure.Kind kind =
        switch (code) {
          case "",
              "InternalError",
              "ServiceUnavailable",
              "RequestTimeout",
              "Unknown",
              "InvalidResponse" ->
              OssFailure.Kind.UNSURE;
          default ->
              code.endsWith("LimitExceeded") || code.startsWith("Throttling")
                  ? OssFailure.Kind.BUSY
                  : OssFailure.Kind.REFUSED;
        };
    return new OssFailure(
        kind,
        code.matches("[A-Za-z0-9.]{1,80}") ? code : "no code",
        shown(e.getErrorMessage()),
        e.getRequestId() == null ? "" : shown(e.getRequestId()));
  }

  private String shown(String text) {
    if (text == null) {
      return "";
    }
    String line = keys.hidden(text).replaceAll("[\\s\\p{Cntrl}]+", " ").strip();
    return line.length() <= 200 ? line : line.substring(0, 200) + "…";
  }

  @Override
  public void close() {
    client.shutdown();
  }
}
