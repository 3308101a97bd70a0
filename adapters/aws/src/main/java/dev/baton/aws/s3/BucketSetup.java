package dev.baton.aws.s3;

import dev.baton.aws.account.AwsAccount;
import dev.baton.aws.account.AwsFailure;
import dev.baton.aws.account.AwsTrouble;
import dev.baton.aws.s3.BucketRules.Expiry;
import dev.baton.core.adapter.StoreSetup.Part;
import dev.baton.core.adapter.StoreSetup.State;
import dev.baton.store.StoreException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.BucketVersioningStatus;
import software.amazon.awssdk.services.s3.model.PublicAccessBlockConfiguration;
import software.amazon.awssdk.services.s3.model.ServerSideEncryption;
import software.amazon.awssdk.services.s3.model.ServerSideEncryptionRule;

/**
 * A bucket as states and queues need it: versions, AES256, no public access, and rules that let old
 * versions and old history go. Rules of others stay.
 *
 * <p>Used by one thread.
 */
public final class BucketSetup implements AutoCloseable {

  /** The tag that every copy in a history has, and nothing else. */
  public static final Map<String, String> HISTORY_TAG = Map.of("baton", "history");

  private static final int DAYS = 90;
  private static final List<Expiry> RULES =
      List.of(
          new Expiry("delete-old-versions", "", Map.of(), DAYS, true),
          new Expiry("delete-old-history", "", HISTORY_TAG, DAYS));

  private static final String BUCKET = "bucket";
  private static final String PUBLIC = "public access";
  private static final String ENCRYPTION = "encryption";
  private static final String VERSIONING = "versioning";
  private static final String LIFECYCLE = "lifecycle";

  /** Where buckets have no constraint of their location. */
  private static final String FIRST_REGION = "us-east-1";

  private final AwsAccount account;
  private final S3Bucket bucket;
  private final BucketRules rules;
  private final AwsTrouble trouble;
  private final Set<String> folders;

  /**
   * @param prefixes below which there are queues or states; an empty one is the whole bucket
   */
  public BucketSetup(String name, Set<String> prefixes, AwsAccount account) {
    this.account = account;
    this.bucket = new S3Bucket(name, account);
    this.rules = new BucketRules(bucket);
    this.trouble =
        new AwsTrouble(
            account, AwsAccount.Service.S3, "the bucket " + name, "s3://" + name, System::nanoTime);
    this.folders =
        prefixes.stream()
            // Of a whole bucket only this is known to be ours.
            .map(p -> p.isEmpty() ? "stacks/" : p + "/")
            .collect(Collectors.toCollection(TreeSet::new));
  }

  // ---- looking

  /** What there is, and what is to be changed. */
  public List<Part> look() throws StoreException {
    Optional<BucketVersioningStatus> versioning = versioning();
    return versioning.isEmpty() ? absent() : present(versioning.get());
  }

  /** Empty if there is no bucket. */
  private Optional<BucketVersioningStatus> versioning() throws StoreException {
    return trouble.once(
        () -> {
          try {
            BucketVersioningStatus status =
                S3Bucket.ask(() -> s3().getBucketVersioning(r -> r.bucket(bucket.name()))).status();
            return Optional.of(
                status == null ? BucketVersioningStatus.UNKNOWN_TO_SDK_VERSION : status);
          } catch (AwsFailure e) {
            if (e.is("NoSuchBucket")) {
              return Optional.empty();
            }
            throw e;
          }
        },
        "look at the versioning of the bucket",
        "s3:GetBucketVersioning");
  }

  private List<Part> absent() {
    return List.of(
        part(BUCKET, State.MISSING, "does not exist", "will be created in " + account.region()),
        part(PUBLIC, State.MISSING, "not blocked", "will be blocked"),
        part(ENCRYPTION, State.MISSING, "none", "will be set to AES256"),
        part(VERSIONING, State.MISSING, "off", "will be enabled"),
        part(LIFECYCLE, State.MISSING, "no rules", "will get " + named(RULES)));
  }

  private List<Part> present(BucketVersioningStatus versioning) throws StoreException {
    List<Part> parts = new ArrayList<>();
    parts.add(part(BUCKET, State.READY, "exists", ""));
    parts.add(publicAccess());
    parts.add(encryption());
    parts.add(
        versioning == BucketVersioningStatus.ENABLED
            ? part(VERSIONING, State.READY, "enabled", "")
            : part(
                VERSIONING,
                State.DIFFERENT,
                versioning == BucketVersioningStatus.SUSPENDED ? "suspended" : "off",
                "will be enabled"));
    lifecycle(parts);
    return parts;
  }

  private Part publicAccess() throws StoreException {
    Optional<PublicAccessBlockConfiguration> block =
        optional(
            "NoSuchPublicAccessBlockConfiguration",
            () ->
                s3().getPublicAccessBlock(r -> r.bucket(bucket.name()))
                    .publicAccessBlockConfiguration(),
            "look at the public access of the bucket",
            "s3:GetBucketPublicAccessBlock");
    boolean all =
        block
            .filter(
                b ->
                    yes(b.blockPublicAcls())
                        && yes(b.blockPublicPolicy())
                        && yes(b.ignorePublicAcls())
                        && yes(b.restrictPublicBuckets()))
            .isPresent();
    if (all) {
      return part(PUBLIC, State.READY, "blocked", "");
    }
    return part(
        PUBLIC,
        State.DIFFERENT,
        block.isPresent() ? "blocked in part" : "not blocked",
        "will be blocked");
  }

  private static boolean yes(Boolean set) {
    return Boolean.TRUE.equals(set);
  }

  private Part encryption() throws StoreException {
    Optional<String> algorithm =
        optional(
                "ServerSideEncryptionConfigurationNotFoundError",
                () ->
                    s3().getBucketEncryption(r -> r.bucket(bucket.name()))
                        .serverSideEncryptionConfiguration()
                        .rules(),
                "look at the encryption of the bucket",
                "s3:GetEncryptionConfiguration")
            .flatMap(all -> all.stream().findFirst())
            .map(ServerSideEncryptionRule::applyServerSideEncryptionByDefault)
            .map(e -> e.sseAlgorithmAsString());
    if (algorithm.isEmpty()) {
      return part(ENCRYPTION, State.DIFFERENT, "none", "will be set to AES256");
    }
    String there = algorithm.get();
    // A key of its own is more than AES256, and was somebody's decision.
    return part(
        ENCRYPTION,
        State.READY,
        there.equals("AES256") ? there : "KMS; whoever uses the bucket must be allowed the key",
        "");
  }

  private void lifecycle(List<Part> parts) throws StoreException {
    BucketRules.Seen seen =
        trouble.once(
            rules::look, "look at the lifecycle of the bucket", "s3:GetLifecycleConfiguration");
    List<Expiry> lacking = seen.lacking(RULES);
    if (lacking.isEmpty()) {
      parts.add(part(LIFECYCLE, State.READY, "has the rules for old versions and history", ""));
    } else {
      parts.add(missingRules(seen, lacking));
    }
    Set<String> endangering = new TreeSet<>();
    folders.forEach(folder -> endangering.addAll(seen.endangering(folder)));
    // One that is about to be replaced endangers nothing any more.
    lacking.forEach(e -> endangering.remove(e.id()));
    for (String id : endangering) {
      parts.add(
          part(
              "lifecycle rule " + id,
              State.BY_HAND,
              "deletes what is below " + String.join(" and ", folders) + ", whatever its tags",
              "Restrict it to a tag or another prefix, or disable it, before a state or a queue"
                  + " is as old as it says."));
    }
  }

  private Part missingRules(BucketRules.Seen seen, List<Expiry> lacking) {
    List<String> others = new ArrayList<>(seen.ids());
    boolean replaces = others.removeAll(lacking.stream().map(Expiry::id).toList());
    String next =
        "will get "
            + named(lacking)
            + (replaces ? " in place of what is called so" : "")
            + (others.isEmpty() ? "" : ", and keep " + count(others.size()));
    return part(
        LIFECYCLE,
        State.DIFFERENT,
        seen.ids().isEmpty() ? "no rules" : "lacks " + ids(lacking),
        next);
  }

  private static String count(int rules) {
    return rules == 1 ? "its other rule" : "its " + rules + " other rules";
  }

  private static String ids(List<Expiry> rules) {
    return rules.stream().map(Expiry::id).collect(Collectors.joining(" and "));
  }

  /** As in {@code delete-old-history (tag baton=history, after 90 days)}. */
  private static String named(List<Expiry> rules) {
    return rules.stream()
        .map(
            e ->
                String.format(
                    Locale.ROOT,
                    "%s (%s, after %d days)",
                    e.id(),
                    e.noncurrent() ? "versions that others followed" : "tag baton=history",
                    e.days()))
        .collect(Collectors.joining(" and "));
  }

  // ---- changing

  /**
   * Creates and sets what is missing.
   *
   * @param done told each part as soon as it is as wanted
   */
  public void change(Consumer<Part> done) throws StoreException {
    for (Part part : look()) {
      if (part.isToChange()) {
        done.accept(part(part.name(), State.READY, changed(part.name()), ""));
      }
    }
  }

  private String changed(String part) throws StoreException {
    return switch (part) {
      case BUCKET -> {
        create();
        yield "created in " + account.region();
      }
      case PUBLIC -> {
        block();
        yield "blocked";
      }
      case ENCRYPTION -> {
        encrypt();
        yield "AES256";
      }
      case VERSIONING -> {
        keepVersions();
        yield "enabled";
      }
      case LIFECYCLE -> {
        trouble.once(
            () -> rules.expire(RULES, "", id -> {}),
            "write the lifecycle rules of the bucket",
            "s3:GetLifecycleConfiguration and s3:PutLifecycleConfiguration");
        yield "has " + ids(RULES);
      }
      default -> throw new IllegalStateException("nothing that can be changed: " + part);
    };
  }

  private void create() throws StoreException {
    String region = account.region().id();
    trouble.once(
        () -> {
          try {
            return S3Bucket.ask(
                () ->
                    s3().createBucket(
                            r -> {
                              r.bucket(bucket.name());
                              if (!region.equals(FIRST_REGION)) {
                                r.createBucketConfiguration(c -> c.locationConstraint(region));
                              }
                            }));
          } catch (AwsFailure e) {
            if (e.is("BucketAlreadyOwnedByYou")) {
              return null; // somebody else was as quick
            }
            throw e;
          }
        },
        "create the bucket",
        "s3:CreateBucket");
  }

  private void block() throws StoreException {
    trouble.once(
        () ->
            S3Bucket.ask(
                () ->
                    s3().putPublicAccessBlock(
                            r ->
                                r.bucket(bucket.name())
                                    .publicAccessBlockConfiguration(
                                        b ->
                                            b.blockPublicAcls(true)
                                                .blockPublicPolicy(true)
                                                .ignorePublicAcls(true)
                                                .restrictPublicBuckets(true)))),
        "block public access to the bucket",
        "s3:PutBucketPublicAccessBlock");
  }

  private void encrypt() throws StoreException {
    trouble.once(
        () ->
            S3Bucket.ask(
                () ->
                    s3().putBucketEncryption(
                            r ->
                                r.bucket(bucket.name())
                                    .serverSideEncryptionConfiguration(
                                        c ->
                                            c.rules(
                                                ServerSideEncryptionRule.builder()
                                                    .applyServerSideEncryptionByDefault(
                                                        d ->
                                                            d.sseAlgorithm(
                                                                ServerSideEncryption.AES256))
                                                    .build())))),
        "set the encryption of the bucket",
        "s3:PutEncryptionConfiguration");
  }

  private void keepVersions() throws StoreException {
    trouble.once(
        () ->
            S3Bucket.ask(
                () ->
                    s3().putBucketVersioning(
                            r ->
                                r.bucket(bucket.name())
                                    .versioningConfiguration(
                                        v -> v.status(BucketVersioningStatus.ENABLED)))),
        "enable the versioning of the bucket",
        "s3:PutBucketVersioning");
  }

  // ---- asking

  private S3Client s3() {
    return bucket.client();
  }

  private Part part(String name, State state, String there, String next) {
    return new Part("the bucket " + bucket.name(), name, state, there, next);
  }

  private <T> Optional<T> optional(
      String absent, S3Bucket.Request<T> request, String doing, String permission)
      throws StoreException {
    return trouble.once(
        () -> {
          try {
            return Optional.ofNullable(S3Bucket.ask(request));
          } catch (AwsFailure e) {
            if (e.is(absent)) {
              return Optional.empty();
            }
            throw e;
          }
        },
        doing,
        permission);
  }

  @Override
  public void close() {
    bucket.close();
  }
}
