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
import software.amazon.awssdk.services.s3.model.GetBucketLifecycleConfigurationResponse;
import software.amazon.awssdk.services.s3.model.LifecycleRule;
import software.amazon.awssdk.services.s3.model.LifecycleRuleAndOperator;
import software.amazon.awssdk.services.s3.model.LifecycleRuleFilter;
import software.amazon.awssdk.services.s3.model.NoncurrentVersionExpiration;
import software.amazon.awssdk.services.s3.model.Tag;
import software.amazon.awssdk.services.s3.model.TransitionDefaultMinimumObjectSize;

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
   * @param noncurrent whether it is about versions that others have followed, and about those alone
   */
  public record Expiry(
      String id, String prefix, Map<String, String> tags, int days, boolean noncurrent) {
    public Expiry {
      Objects.requireNonNull(id, "id");
      Objects.requireNonNull(prefix, "prefix");
      tags = Map.copyOf(tags);
      if (days < 1) {
        throw new IllegalArgumentException("days must be positive: " + days);
      }
    }

    public Expiry(String id, String prefix, Map<String, String> tags, int days) {
      this(id, prefix, tags, days, false);
    }
  }

  /** The rules as they are. */
  public static final class Seen {
    private final List<LifecycleRule> rules;
    private final TransitionDefaultMinimumObjectSize smallest;

    private Seen(List<LifecycleRule> rules, TransitionDefaultMinimumObjectSize smallest) {
      this.rules = List.copyOf(rules);
      this.smallest = smallest;
    }

    /** The ids of all of them. */
    public List<String> ids() {
      return rules.stream().map(r -> String.valueOf(r.id())).toList();
    }

    /** Which of these do not do what they should, or are not there. */
    public List<Expiry> lacking(List<Expiry> wanted) {
      return wanted.stream().filter(e -> rules.stream().noneMatch(r -> does(r, e))).toList();
    }

    /**
     * The ids of rules by which objects without tags would be deleted.
     *
     * @param truth a folder whose objects must stay
     */
    public List<String> endangering(String truth) {
      return rules.stream()
          .filter(r -> endangers(r, truth))
          .map(r -> String.valueOf(r.id()))
          .toList();
    }
  }

  /** Needs {@code s3:GetLifecycleConfiguration}. */
  public Seen look() throws AwsFailure {
    try {
      GetBucketLifecycleConfigurationResponse there =
          S3Bucket.ask(
              () -> bucket.client().getBucketLifecycleConfiguration(r -> r.bucket(bucket.name())));
      return new Seen(there.rules(), there.transitionDefaultMinimumObjectSize());
    } catch (AwsFailure e) {
      if (e.is("NoSuchLifecycleConfiguration")) {
        return new Seen(List.of(), null);
      }
      throw e;
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
    Seen seen = look();
    seen.endangering(truth).forEach(endangering);
    List<Expiry> lacking = seen.lacking(wanted);
    if (lacking.isEmpty()) {
      return false;
    }
    Set<String> ids = lacking.stream().map(Expiry::id).collect(Collectors.toSet());
    List<LifecycleRule> next = new ArrayList<>(seen.rules);
    next.removeIf(r -> ids.contains(r.id()));
    lacking.stream().map(BucketRules::rule).forEach(next::add);
    S3Bucket.ask(
        () ->
            bucket
                .client()
                .putBucketLifecycleConfiguration(
                    r ->
                        r.bucket(bucket.name())
                            .lifecycleConfiguration(c -> c.rules(next))
                            // Else it would become what is usual now.
                            .transitionDefaultMinimumObjectSize(seen.smallest)));
    return true;
  }

  /** Whether a rule does that and nothing else, whatever it is called. */
  private static boolean does(LifecycleRule r, Expiry e) {
    boolean same =
        r.status() == ExpirationStatus.ENABLED
            && prefix(r).equals(e.prefix())
            && tags(r).equals(e.tags())
            && !isBySize(r);
    if (!same) {
      return false;
    }
    NoncurrentVersionExpiration old = r.noncurrentVersionExpiration();
    return e.noncurrent()
        ? old != null
            && old.newerNoncurrentVersions() == null
            && Objects.equals(old.noncurrentDays(), e.days())
        : r.expiration() != null && Objects.equals(r.expiration().days(), e.days());
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
    LifecycleRule.Builder rule =
        LifecycleRule.builder().id(e.id()).status(ExpirationStatus.ENABLED).filter(filter.build());
    return e.noncurrent()
        ? rule.noncurrentVersionExpiration(x -> x.noncurrentDays(e.days())).build()
        : rule.expiration(x -> x.days(e.days())).build();
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
    return !tags(r).isEmpty();
  }

  private static boolean isBySize(LifecycleRule r) {
    LifecycleRuleFilter filter = r.filter();
    LifecycleRuleAndOperator and = filter == null ? null : filter.and();
    return filter != null
            && (filter.objectSizeGreaterThan() != null || filter.objectSizeLessThan() != null)
        || and != null && (and.objectSizeGreaterThan() != null || and.objectSizeLessThan() != null);
  }

  private static Map<String, String> tags(LifecycleRule r) {
    LifecycleRuleFilter filter = r.filter();
    if (filter == null) {
      return Map.of();
    }
    List<Tag> tags =
        filter.tag() != null
            ? List.of(filter.tag())
            : filter.and() != null ? filter.and().tags() : List.of();
    return tags.stream().collect(Collectors.toMap(Tag::key, Tag::value, (one, other) -> other));
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
