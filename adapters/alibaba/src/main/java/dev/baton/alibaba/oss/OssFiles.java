package dev.baton.alibaba.oss;

import com.aliyun.oss.model.GenericRequest;
import com.aliyun.oss.model.HeadObjectRequest;
import com.aliyun.oss.model.LifecycleFilter;
import com.aliyun.oss.model.LifecycleRule;
import com.aliyun.oss.model.ObjectMetadata;
import com.aliyun.oss.model.PutObjectRequest;
import com.aliyun.oss.model.SetBucketLifecycleRequest;
import com.aliyun.oss.model.StorageClass;
import java.io.ByteArrayInputStream;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

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
   * @param truth a folder whose objects, which have no tags, must stay
   * @param endangering told the id of each rule by which they would not
   */
  void expire(List<Expiry> wanted, String truth, Consumer<String> endangering) throws OssFailure {
    List<LifecycleRule> rules = rules();
    rules.stream()
        .filter(r -> Rules.endangers(r, truth))
        .map(LifecycleRule::getId)
        .forEach(endangering);
    if (wanted.stream().allMatch(w -> Rules.have(rules, w))) {
      return;
    }
    List<LifecycleRule> next = new ArrayList<>(rules);
    for (Expiry one : wanted) {
      next.removeIf(r -> one.id().equals(r.getId()));
      next.add(Rules.of(one));
    }
    SetBucketLifecycleRequest request = new SetBucketLifecycleRequest(bucket);
    request.setLifecycleRules(next);
    // Else OSS refuses rules one of whose prefixes begins with the other's, as all do with that of
    // a rule for the whole bucket.
    request.addHeader("x-oss-allow-same-action-overlap", "true");
    client.ask(oss -> oss.setBucketLifecycle(OssClient.quiet(request)));
  }

  private List<LifecycleRule> rules() throws OssFailure {
    try {
      return client.ask(oss -> oss.getBucketLifecycle(OssClient.quiet(new GenericRequest(bucket))));
    } catch (OssFailure e) {
      if (e.code().equals("NoSuchLifecycle")) {
        return List.of();
      }
      throw e;
    }
  }

  /** What the rules of a bucket say. */
  private static final class Rules {
    /** What is there cannot be read before somebody has restored it. */
    private static final Set<StorageClass> ARCHIVES =
        Set.of(StorageClass.Archive, StorageClass.ColdArchive, StorageClass.DeepColdArchive);

    private Rules() {}

    static LifecycleRule of(Expiry e) {
      LifecycleRule rule =
          new LifecycleRule(e.id(), e.prefix(), LifecycleRule.RuleStatus.Enabled, e.days());
      if (!e.tags().isEmpty()) {
        rule.setTags(e.tags());
      }
      return rule;
    }

    static boolean have(List<LifecycleRule> rules, Expiry e) {
      return rules.stream()
          .anyMatch(
              r ->
                  e.id().equals(r.getId())
                      && e.prefix().equals(prefixOf(r))
                      && e.tags().equals(tagsOf(r))
                      && r.getStatus() == LifecycleRule.RuleStatus.Enabled
                      && r.getExpirationDays() == e.days());
    }

    /** Whether it takes objects without tags away that are in this folder. */
    static boolean endangers(LifecycleRule r, String folder) {
      boolean deletes = r.hasExpirationDays() || r.hasExpirationTime() || r.hasCreatedBeforeDate();
      boolean archives =
          r.hasStorageTransition()
              && r.getStorageTransition().stream()
                  .anyMatch(t -> ARCHIVES.contains(t.getStorageClass()));
      return r.getStatus() == LifecycleRule.RuleStatus.Enabled
          && (deletes || archives)
          && tagsOf(r).isEmpty()
          && (folder.startsWith(prefixOf(r)) || prefixOf(r).startsWith(folder))
          && !spares(r.getFilter(), folder);
    }

    private static boolean spares(LifecycleFilter filter, String folder) {
      return filter != null
          && filter.getNotList() != null
          && filter.getNotList().stream()
              .anyMatch(
                  not ->
                      not.getTag() == null
                          && not.getPrefix() != null
                          && folder.startsWith(not.getPrefix()));
    }

    private static String prefixOf(LifecycleRule r) {
      return r.getPrefix() == null ? "" : r.getPrefix();
    }

    private static Map<String, String> tagsOf(LifecycleRule r) {
      return r.getTags() == null ? Map.of() : r.getTags();
    }
  }

  @Override
  public void close() {
    client.close();
  }
}
