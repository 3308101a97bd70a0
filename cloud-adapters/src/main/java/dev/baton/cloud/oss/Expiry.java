package dev.baton.cloud.oss;

import com.aliyun.oss.model.LifecycleFilter;
import com.aliyun.oss.model.LifecycleRule;
import com.aliyun.oss.model.StorageClass;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * A rule by which the bucket itself deletes objects.
 *
 * @param tags that an object must have; empty: none
 */
record Expiry(String id, String prefix, Map<String, String> tags, int days) {

  /** What is there cannot be read before somebody has restored it. */
  private static final Set<StorageClass> ARCHIVES =
      Set.of(StorageClass.Archive, StorageClass.ColdArchive, StorageClass.DeepColdArchive);

  Expiry {
    Objects.requireNonNull(id, "id");
    Objects.requireNonNull(prefix, "prefix");
    tags = Map.copyOf(tags);
  }

  LifecycleRule rule() {
    LifecycleRule rule = new LifecycleRule(id, prefix, LifecycleRule.RuleStatus.Enabled, days);
    if (!tags.isEmpty()) {
      rule.setTags(tags);
    }
    return rule;
  }

  boolean isIn(List<LifecycleRule> rules) {
    return rules.stream()
        .anyMatch(
            r ->
                id.equals(r.getId())
                    && prefix.equals(prefixOf(r))
                    && tags.equals(tagsOf(r))
                    && r.getStatus() == LifecycleRule.RuleStatus.Enabled
                    && r.getExpirationDays() == days);
  }

  /** Whether a rule of anybody takes objects without tags away that are in this folder. */
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
