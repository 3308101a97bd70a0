package dev.baton.aws.s3;

import dev.baton.aws.account.AwsFailure;
import dev.baton.aws.account.AwsTrouble;
import dev.baton.aws.document.Pages;
import dev.baton.aws.s3.S3Bucket.Condition;
import dev.baton.aws.s3.S3Bucket.Put;
import dev.baton.store.Documents;
import dev.baton.store.Snapshot;
import dev.baton.store.StoreException;
import dev.baton.store.Version;
import dev.baton.store.VersionedStore;
import dev.baton.store.WriteResult;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A document in one object of a bucket, with the contents before it, see {@link Pages}.
 *
 * <ol>
 *   <li>It is created with {@code If-None-Match: *} and replaced with {@code If-Match}: S3 lets one
 *       of several writers through. The version of a document is the object's ETag. No two are
 *       equal, as each write puts a mark of its own into the object.
 *   <li>412 means lost, unless somebody on the way has sent the request twice: the mark in the
 *       object tells.
 *   <li>409, 5xx, an answer that is not S3's and none at all leave the outcome unknown; so does a
 *       look after a 412 that fails. What is read later decides.
 * </ol>
 */
final class S3Document implements VersionedStore {

  /** As many characters as every other store takes. */
  static final int MAX_LENGTH = 1_000_000;

  private static final Pattern ETAG = Pattern.compile("\"[A-Za-z0-9-]{1,80}\"");
  private static final String GET = "s3:GetObject and s3:ListBucket";
  private static final String PUT = "s3:PutObject";

  /** What this client has seen last. */
  private record Known(String etag, Pages pages) {
    Snapshot snapshot() {
      return Snapshot.of(new Version(etag), pages.content());
    }
  }

  private final S3Bucket bucket;
  private final AwsTrouble trouble;
  private final String name;
  private final String folder;
  private volatile Known known;

  /**
   * @param folder what the keys of its objects begin with
   */
  S3Document(S3Bucket bucket, AwsTrouble trouble, String folder, String name) {
    this.bucket = bucket;
    this.trouble = trouble;
    this.name = Documents.requireName(name);
    this.folder = folder;
  }

  private String key() {
    return folder + name + ".json";
  }

  // ---- reading

  @Override
  public Snapshot read() throws StoreException {
    return look().map(Known::snapshot).orElse(Snapshot.ABSENT);
  }

  private Optional<Known> look() throws StoreException {
    return trouble.ask(this::ask, "read the document " + name, GET);
  }

  private Optional<Known> ask() throws AwsFailure {
    Known last = known;
    S3Bucket.Get answer = bucket.get(key(), Optional.ofNullable(last).map(Known::etag));
    if (answer instanceof S3Bucket.Unchanged) {
      return Optional.of(last);
    }
    known =
        answer instanceof S3Bucket.Got got ? new Known(got.etag(), Pages.of(got.content())) : null;
    return Optional.ofNullable(known);
  }

  @Override
  public List<String> earlier(Snapshot present, int limit) throws StoreException {
    Documents.requireLimit(limit);
    Optional<Known> now = look();
    if (!now.map(Known::snapshot).orElse(Snapshot.ABSENT).version().equals(present.version())) {
      throw StoreException.passing(
          "the document " + name + " has changed while its earlier contents were looked for", null);
    }
    return now.map(k -> k.pages().earlier().stream().limit(limit).toList()).orElse(List.of());
  }

  // ---- writing

  @Override
  public WriteResult write(Version expected, String next, String message) throws StoreException {
    Objects.requireNonNull(expected, "expected");
    Objects.requireNonNull(message, "message");
    requireFitting(next);
    if (expected.isAbsent()) {
      return put(Pages.first(next), new Condition.Absent());
    }
    if (!ETAG.matcher(expected.value()).matches()) {
      return new WriteResult.Lost();
    }
    Optional<Known> before =
        Optional.ofNullable(known).filter(k -> k.etag().equals(expected.value()));
    if (before.isEmpty()) {
      before = look().filter(k -> k.etag().equals(expected.value()));
    }
    return before.isEmpty()
        ? new WriteResult.Lost()
        : put(before.get().pages().next(next), new Condition.Matches(expected.value()));
  }

  private static void requireFitting(String next) throws StoreException {
    if (Objects.requireNonNull(next, "next").length() > MAX_LENGTH) {
      throw new StoreException(
          "the document would have "
              + next.length()
              + " characters, and this store takes "
              + MAX_LENGTH,
          "Remove something from it first.",
          null);
    }
  }

  private WriteResult put(Pages pages, Condition condition) throws StoreException {
    String doing = "write the document " + name;
    Put put = trouble.ask(() -> bucket.put(key(), pages.bytes(), condition, Map.of()), doing, PUT);
    if (put instanceof Put.Done done) {
      known = new Known(done.etag(), pages);
      return new WriteResult.Written(new Version(done.etag()));
    }
    return put instanceof Put.Unknown unknown
        ? new WriteResult.Unknown(unknown.reason())
        : afterRefusal(pages);
  }

  /** Somebody on the way may have sent it twice, and passed on the second answer. */
  private WriteResult afterRefusal(Pages sent) {
    try {
      Optional<Known> now = ask();
      return switch (now.map(k -> sent.fate(k.pages())).orElse(Pages.Fate.UNKNOWN)) {
        case PRESENT -> new WriteResult.Written(new Version(now.get().etag()));
        case NEVER_DONE -> new WriteResult.Lost();
        case UNKNOWN -> new WriteResult.Unknown("refused, perhaps after it had been written");
      };
    } catch (AwsFailure e) {
      return new WriteResult.Unknown(
          "refused, and not seen whether it was sent twice: " + e.trace());
    }
  }

  @Override
  public String setAside(Snapshot broken) throws StoreException {
    String content =
        broken
            .content()
            .orElseThrow(
                () -> new IllegalArgumentException("there is no document that could be set aside"));
    String to = folder + name + ".broken/" + Documents.sha256(content).substring(0, 16) + ".json";
    Put put =
        trouble.ask(
            () ->
                bucket.put(
                    to, content.getBytes(StandardCharsets.UTF_8), new Condition.None(), Map.of()),
            "set the document " + name + " aside",
            PUT);
    if (put instanceof Put.Unknown unknown) {
      throw StoreException.passing(
          "cannot tell whether " + to + " was written: " + unknown.reason(), null);
    }
    return "s3://" + bucket.name() + "/" + to;
  }
}
