package dev.baton.cloud.oss;

import com.aliyun.oss.model.GenericRequest;
import com.aliyun.oss.model.HeadObjectRequest;
import com.aliyun.oss.model.LifecycleRule;
import com.aliyun.oss.model.ObjectMetadata;
import com.aliyun.oss.model.PutObjectRequest;
import com.aliyun.oss.model.SetBucketLifecycleRequest;
import java.io.ByteArrayInputStream;
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
  private final OssClient client;

  OssFiles(String bucket, OssAccess access) {
    this.bucket = bucket;
    this.client = new OssClient(access);
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
    client.ask(oss -> oss.putObject(OssClient.quiet(request)));
  }

  /**
   * The server's time of day.
   *
   * @param key of an object; empty when there is none
   */
  Optional<Instant> time(String key) throws OssFailure {
    try {
      Object date =
          client
              .ask(oss -> oss.headObject(OssClient.quiet(new HeadObjectRequest(bucket, key))))
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
   *
   * @param rules all that the bucket has now, as {@link #rules} told
   */
  void expire(List<LifecycleRule> rules, List<Expiry> wanted) throws OssFailure {
    if (wanted.stream().allMatch(w -> w.isIn(rules))) {
      return;
    }
    List<LifecycleRule> next = new ArrayList<>(rules);
    for (Expiry one : wanted) {
      next.removeIf(r -> one.id().equals(r.getId()));
      next.add(one.rule());
    }
    SetBucketLifecycleRequest request = new SetBucketLifecycleRequest(bucket);
    request.setLifecycleRules(next);
    // Else OSS refuses rules one of whose prefixes begins with the other's, as all do with that of
    // a rule for the whole bucket.
    request.addHeader("x-oss-allow-same-action-overlap", "true");
    client.ask(oss -> oss.setBucketLifecycle(OssClient.quiet(request)));
  }

  /** Those by which the bucket deletes and archives objects. */
  List<LifecycleRule> rules() throws OssFailure {
    try {
      return client.ask(oss -> oss.getBucketLifecycle(OssClient.quiet(new GenericRequest(bucket))));
    } catch (OssFailure e) {
      if (e.code().equals("NoSuchLifecycle")) {
        return List.of();
      }
      throw e;
    }
  }

  @Override
  public void close() {
    client.close();
  }
}
