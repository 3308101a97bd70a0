package dev.baton.aws.s3;

import dev.baton.aws.account.AwsFailure;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import software.amazon.awssdk.services.s3.model.ExpirationStatus;
import software.amazon.awssdk.services.s3.model.LifecycleRule;
import software.amazon.awssdk.services.s3.model.LifecycleRuleAndOperator;
import software.amazon.awssdk.services.s3.model.LifecycleRuleFilter;
import software.amazon.awssdk.services.s3.model.Tag;

/**
 * The lifecycle rules of a bucket. S3 takes all of them in one piece, so they are read, merged and
 * written; two who do this at the very same time can undo each other, and the next one puts it
 * right.
 */
public final class BucketRules {
  private final S3Bucket bucket;

  public BucketRules(S3Bucket bucket) {
    this.bucket = Objects.requireNonNull(bucket, "bucket");
  }

  /**
   * A rule by which objects go that have these tags and whose keys begin with that. S3 knows no
   * wildcard: an asterisk in a prefix is an asterisk.
   *
   * @param days after which; at least 1
   */
  public record Expiry(String id, String prefix, Map<String, String> tags, int days) {
    public Expiry {
      Objects.requireNonNull(id, "id");
      Objects.requireNonNull(prefix, "prefix");
      tags = Map.copyOf(tags);
      if (days < 1) {
        throw new IllegalArgumentException("days must be positive: " + days);
      }
    }
  }

  /**
   * Has the bucket delete objects. Its other rules stay; one with the same id is replaced.
   *
   * @param truth a folder whose objects, which have no tags, must stay
   * @param endangering told the id of each rule by which they would not
   * @return whether anything was changed
   */
  public boolean expire(List<Expiry> wanted, String truth, Consumer<String> endangering)
      throws AwsFailure {
    List<LifecycleRule> rules = rules();
    rules.stream()
        .filter(r -> endangers(r, truth))
        .map(r -> String.valueOf(r.id()))
        .forEach(endangering);
    List<LifecycleRule> made = wanted.stream().map(BucketRules::rule).toList();
    if (rules.containsAll(made)) {
      return false;
    }
    Set<String> ids = wanted.stream().map(Expiry::id).collect(Collectors.toSet());
    List<LifecycleRule> next = new ArrayList<>(rules);
    next.removeIf(r -> ids.contains(r.id()));
    next.addAll(made);
    S3Bucket.ask(
        () ->
            bucket
                .client()
                .putBucketLifecycleConfiguration(
                    r -> r.bucket(bucket.name()).lifecycleConfiguration(c -> c.rules(next))));
    return true;
  }

  private List<LifecycleRule> rules() throws AwsFailure {
    try {
      return S3Bucket.ask(
              () -> bucket.client().getBucketLifecycleConfiguration(r -> r.bucket(bucket.name())))
          .rules();
    } catch (AwsFailure e) {
      if (e.is("NoSuchLifecycleConfiguration")) {
        return List.of();
      }
      throw e;
    }
  }

  private static LifecycleRule rule(Expiry e) {
    List<Tag> tags =
        e.tags().entrySet().stream()
            .sorted(Map.Entry.comparingByKey())
            .map(t -> Tag.builder().key(t.getKey()).value(t.getValue()).build())
            .toList();
    LifecycleRuleFilter.Builder filter = LifecycleRuleFilter.builder();
    if (tags.isEmpty()) {
      filter.prefix(e.prefix());
    } else if (tags.size() == 1 && e.prefix().isEmpty()) {
      filter.tag(tags.get(0));
    } else {
      LifecycleRuleAndOperator.Builder and = LifecycleRuleAndOperator.builder().tags(tags);
      if (!e.prefix().isEmpty()) {
        and.prefix(e.prefix());
      }
      filter.and(and.build());
    }
    return LifecycleRule.builder()
        .id(e.id())
        .status(ExpirationStatus.ENABLED)
        .filter(filter.build())
        .expiration(x -> x.days(e.days()))
        .build();
  }

  /** Whether it takes objects without tags away that are in this folder. */
  private static boolean endangers(LifecycleRule r, String folder) {
    boolean deletes =
        r.expiration() != null && (r.expiration().days() != null || r.expiration().date() != null);
    return r.status() == ExpirationStatus.ENABLED
        && deletes
        && !isByTag(r)
        && (folder.startsWith(prefix(r)) || prefix(r).startsWith(folder));
  }

  private static boolean isByTag(LifecycleRule r) {
    LifecycleRuleFilter filter = r.filter();
    return filter != null
        && (filter.tag() != null || filter.and() != null && filter.and().hasTags());
  }

  @SuppressWarnings("deprecation") // older rules have it in this place
  private static String prefix(LifecycleRule r) {
    String prefix = r.prefix();
    if (r.filter() != null) {
      prefix = r.filter().and() != null ? r.filter().and().prefix() : r.filter().prefix();
    }
    return prefix == null ? "" : prefix;
  }
}
