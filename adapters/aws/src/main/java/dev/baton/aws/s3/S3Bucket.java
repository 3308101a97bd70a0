package dev.baton.aws.s3;

import dev.baton.aws.account.AwsAccount;
import dev.baton.aws.account.AwsFailure;
import dev.baton.aws.account.AwsFailures;
import java.io.IOException;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import software.amazon.awssdk.core.ResponseInputStream;
import software.amazon.awssdk.core.checksums.RequestChecksumCalculation;
import software.amazon.awssdk.core.checksums.ResponseChecksumValidation;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.core.interceptor.ExecutionInterceptor;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.http.SdkHttpClient;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.S3ClientBuilder;
import software.amazon.awssdk.services.s3.model.GetObjectRequest;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;
import software.amazon.awssdk.services.s3.model.HeadObjectRequest;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Request;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Response;
import software.amazon.awssdk.services.s3.model.PutObjectRequest;
import software.amazon.awssdk.services.s3.model.Tag;
import software.amazon.awssdk.services.s3.model.Tagging;

/**
 * Small objects in one bucket of S3, written by compare-and-set where that is wanted. Each request
 * is sent once.
 *
 * <p>Safe for use by several threads. Nothing is asked before the first request.
 */
public final class S3Bucket implements ObjectRequests, AutoCloseable {

  /** More than the largest document has in UTF-8. */
  private static final int LARGEST = 16 << 20;

  private static final int EMPTY_PAGES = 100;
  private static final int NOT_MODIFIED = 304;
  private static final int NOT_FOUND = 404;
  private static final int CONFLICT = 409;
  private static final int PRECONDITION_FAILED = 412;

  /** The most that {@link #list} returns at once. */
  public static final int MOST_LISTED = 1000;

  private final String name;
  private final SdkHttpClient http;
  private final S3Client s3;

  public S3Bucket(String name, AwsAccount account) {
    this(name, account, List.of());
  }

  S3Bucket(String name, AwsAccount account, List<ExecutionInterceptor> interceptors) {
    this.name = Objects.requireNonNull(name, "name");
    this.http = account.http(AwsAccount.Service.S3);
    S3ClientBuilder builder =
        S3Client.builder()
            .httpClient(http)
            .credentialsProvider(account.credentials())
            .region(account.region())
            .requestChecksumCalculation(RequestChecksumCalculation.WHEN_REQUIRED)
            .responseChecksumValidation(ResponseChecksumValidation.WHEN_REQUIRED)
            .serviceConfiguration(c -> c.chunkedEncodingEnabled(false))
            .overrideConfiguration(
                AwsAccount.nothingTwice().toBuilder().executionInterceptors(interceptors).build());
    account
        .endpoint(AwsAccount.Service.S3)
        .ifPresent(endpoint -> builder.endpointOverride(endpoint).forcePathStyle(true));
    this.s3 = builder.build();
  }

  public String name() {
    return name;
  }

  // ---- looking

  /**
   * What a get came to.
   *
   * @see #get
   */
  public sealed interface Get {}

  /**
   * An object as it was got.
   *
   * @param etag as S3 writes it, with its quotes; it stands for this content
   */
  public record Got(byte[] content, String etag) implements Get {
    public Got {
      Objects.requireNonNull(content, "content");
      Objects.requireNonNull(etag, "etag");
    }
  }

  /** There is no such object. */
  public record Missing() implements Get {}

  /** The object still is the one that was known. */
  public record Unchanged() implements Get {}

  /**
   * @param known an ETag; if the object still has it, the answer is {@link Unchanged}
   * @throws AwsFailure when nothing could be read, also when there is no such bucket
   */
  @Override
  public Get get(String key, Optional<String> known) throws AwsFailure {
    GetObjectRequest.Builder request = GetObjectRequest.builder().bucket(name).key(key);
    known.ifPresent(request::ifNoneMatch);
    try (ResponseInputStream<GetObjectResponse> answer = s3.getObject(request.build())) {
      byte[] content = answer.readNBytes(LARGEST + 1);
      if (content.length > LARGEST) {
        answer.abort();
        throw new AwsFailure(
            AwsFailure.Kind.REFUSED, 0, "TooLarge", key + " is not a document of Baton", "");
      }
      return new Got(content, answer.response().eTag());
    } catch (SdkException e) {
      AwsFailure failure = AwsFailures.of(e);
      if (failure.status() == NOT_MODIFIED) {
        return new Unchanged();
      }
      if (failure.is("NoSuchKey")) {
        return new Missing();
      }
      throw failure;
    } catch (IOException e) {
      throw new AwsFailure(
          AwsFailure.Kind.UNSURE, 0, e.getClass().getSimpleName(), "the answer was cut off", "");
    }
  }

  /** The same where nothing is known yet; empty when there is no such object. */
  public Optional<Got> get(String key) throws AwsFailure {
    return get(key, Optional.empty()) instanceof Got got ? Optional.of(got) : Optional.empty();
  }

  /** An object as a list shows it. */
  public record Listed(String key, String etag, Instant modified, long size) {}

  /**
   * A part of a list.
   *
   * @param more whether it goes on after the last one
   */
  public record Page(List<Listed> objects, boolean more) {
    public Page {
      objects = List.copyOf(objects);
    }
  }

  /**
   * The objects whose keys begin with {@code prefix}, in the order of their keys.
   *
   * @param after only what comes after this key; may be empty
   * @param atMost up to {@link #MOST_LISTED}
   */
  @Override
  public Page list(String prefix, String after, int atMost) throws AwsFailure {
    ListObjectsV2Request.Builder request =
        ListObjectsV2Request.builder()
            .bucket(name)
            .prefix(prefix)
            .maxKeys(atMost)
            .encodingType("url");
    if (!after.isEmpty()) {
      request.startAfter(after);
    }
    for (int i = 0; i < EMPTY_PAGES; i++) {
      ListObjectsV2Response page = ask(() -> s3.listObjectsV2(request.build()));
      if (!page.contents().isEmpty() || !Boolean.TRUE.equals(page.isTruncated())) {
        return new Page(
            page.contents().stream()
                .map(o -> new Listed(o.key(), o.eTag(), o.lastModified(), o.size()))
                .toList(),
            Boolean.TRUE.equals(page.isTruncated()));
      }
      request.continuationToken(page.nextContinuationToken());
    }
    throw new AwsFailure(
        AwsFailure.Kind.UNSURE, 0, "EmptyPages", "a list that goes on and shows nothing", "");
  }

  /**
   * What time it is by the server's clock.
   *
   * @param key of an object; empty when there is none
   */
  @Override
  public Optional<Instant> time(String key) throws AwsFailure {
    try {
      return ask(
          () ->
              s3.headObject(HeadObjectRequest.builder().bucket(name).key(key).build())
                  .sdkHttpResponse()
                  .firstMatchingHeader("Date")
                  .map(S3Bucket::dated));
    } catch (AwsFailure e) {
      if (e.status() == NOT_FOUND) {
        return Optional.empty();
      }
      throw e;
    }
  }

  private static Instant dated(String date) {
    try {
      return Instant.from(DateTimeFormatter.RFC_1123_DATE_TIME.parse(date));
    } catch (DateTimeParseException e) {
      throw SdkException.builder().message("the answer has no date").build();
    }
  }

  // ---- changing

  /** What must be so for a put to be done. */
  public sealed interface Condition {

    /** There is no such object yet. */
    record Absent() implements Condition {}

    /** The object still has that ETag. */
    record Matches(String etag) implements Condition {
      public Matches {
        Objects.requireNonNull(etag, "etag");
      }
    }

    /** Whatever is there is replaced. */
    record None() implements Condition {}
  }

  /** What became of a {@link #put}. */
  public sealed interface Put {

    /** The object now is what was put. */
    record Done(String etag) implements Put {}

    /**
     * The condition did not hold when the request was carried out. If somebody on the way sent the
     * request twice, the first time may have been successful: what is there now tells.
     */
    record Lost() implements Put {}

    /**
     * The outcome is unknown: it was done, or not, or still is under way. What is there tells
     * later.
     */
    record Unknown(String reason) implements Put {}
  }

  /**
   * Puts a whole object.
   *
   * @param tags by which rules of the bucket find it; needs {@code s3:PutObjectTagging} if there
   *     are any
   * @throws AwsFailure when it surely was not done
   */
  @Override
  public Put put(String key, byte[] content, Condition condition, Map<String, String> tags)
      throws AwsFailure {
    PutObjectRequest.Builder request =
        PutObjectRequest.builder().bucket(name).key(key).contentType("application/json");
    if (condition instanceof Condition.Absent) {
      request.ifNoneMatch("*");
    } else if (condition instanceof Condition.Matches matches) {
      request.ifMatch(matches.etag());
    }
    if (!tags.isEmpty()) {
      request.tagging(tagging(tags));
    }
    try {
      return new Put.Done(
          ask(() -> s3.putObject(request.build(), RequestBody.fromBytes(content))).eTag());
    } catch (AwsFailure e) {
      boolean conditional = !(condition instanceof Condition.None);
      if (conditional && e.status() == PRECONDITION_FAILED
          || condition instanceof Condition.Matches && e.is("NoSuchKey")) {
        return new Put.Lost();
      }
      if (e.kind() == AwsFailure.Kind.UNSURE || conditional && e.status() == CONFLICT) {
        return new Put.Unknown(e.trace());
      }
      throw e;
    }
  }

  private static Tagging tagging(Map<String, String> tags) {
    return Tagging.builder()
        .tagSet(
            tags.entrySet().stream()
                .map(t -> Tag.builder().key(t.getKey()).value(t.getValue()).build())
                .collect(Collectors.toList()))
        .build();
  }

  /** Deletes the object if it exists; doing so twice does no harm. */
  @Override
  public void delete(String key) throws AwsFailure {
    ask(() -> s3.deleteObject(r -> r.bucket(name).key(key)));
  }

  /** The tags of an object; needs {@code s3:GetObjectTagging}. */
  @Override
  public Map<String, String> tags(String key) throws AwsFailure {
    return ask(() -> s3.getObjectTagging(r -> r.bucket(name).key(key))).tagSet().stream()
        .collect(Collectors.toMap(Tag::key, Tag::value));
  }

  /** Gives an object other tags; needs {@code s3:PutObjectTagging}. */
  public void tag(String key, Map<String, String> tags) throws AwsFailure {
    ask(() -> s3.putObjectTagging(r -> r.bucket(name).key(key).tagging(tagging(tags))));
  }

  // ---- asking

  /** A request through the SDK. */
  interface Request<T> {
    T send();
  }

  static <T> T ask(Request<T> request) throws AwsFailure {
    try {
      return request.send();
    } catch (SdkException e) {
      throw AwsFailures.of(e);
    }
  }

  S3Client client() {
    return s3;
  }

  @Override
  public void close() {
    s3.close();
    http.close();
  }

  @Override
  public String toString() {
    return "S3Bucket[" + name + "]";
  }
}
