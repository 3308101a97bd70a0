package dev.baton.aws.fake;

import dev.baton.testing.service.Call;
import dev.baton.testing.service.FakeServer;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An S3 on loopback that does what the real one is documented to do, as far as small objects need
 * it:
 *
 * <ul>
 *   <li>objects are put, got, listed in pages, tagged and deleted, each of them in one step;
 *   <li>{@code If-None-Match: *} and {@code If-Match} let exactly one of several writers through;
 *   <li>versions are kept where versioning is enabled, and {@link #carryOutLifecycle} does what
 *       lifecycle rules say;
 *   <li>who asks is known by the access key alone: signatures are looked at, not verified.
 * </ul>
 */
public final class FakeS3 extends FakeServer {
  public static final String REGION = "eu-central-1";

  private static final Pattern SCOPE =
      Pattern.compile("Credential=([^/]+)/\\d{8}/([a-z0-9-]+)/s3/aws4_request");
  private static final DateTimeFormatter LISTED =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss'.000Z'").withZone(ZoneOffset.UTC);
  private static final DateTimeFormatter HTTP =
      DateTimeFormatter.ofPattern("EEE, dd MMM uuuu HH:mm:ss 'GMT'", Locale.ENGLISH)
          .withZone(ZoneOffset.UTC);

  /** An object, or a version of one that others have followed. */
  private record Thing(byte[] content, String etag, Map<String, String> tags, Instant since) {
    Thing tagged(Map<String, String> others) {
      return new Thing(content, etag, others, since);
    }
  }

  private static final class Bucket {
    final String account;
    final NavigableMap<String, Thing> things = new TreeMap<>();
    final Map<String, List<Thing>> noncurrent = new HashMap<>();
    final Map<String, String> settings = new HashMap<>();

    Bucket(String account) {
      this.account = account;
    }

    boolean isVersioned() {
      return settings.getOrDefault("versioning", "").contains("<Status>Enabled</Status>");
    }

    void replaced(String key, Instant now) {
      Thing before = things.remove(key);
      if (before != null && isVersioned()) {
        noncurrent
            .computeIfAbsent(key, k -> new ArrayList<>())
            .add(new Thing(before.content(), before.etag(), before.tags(), now));
      }
    }
  }

  private static final class Refusal extends RuntimeException {
    private static final long serialVersionUID = 1;
    private final int status;
    private final String code;

    Refusal(int status, String code, String message) {
      super(message);
      this.status = status;
      this.code = code;
    }
  }

  private final Map<String, Bucket> buckets = new HashMap<>();
  private final Map<String, String> accounts = new HashMap<>();
  private final Set<String> denied = new HashSet<>();

  private FakeS3() {
    super("x-amz-request-id");
  }

  public static FakeS3 start() {
    return new FakeS3();
  }

  public String endpoint() {
    return "http://" + address();
  }

  // ---- what a test sets up and looks at

  public synchronized void addKey(String id, String account) {
    accounts.put(id, account);
  }

  public synchronized void addBucket(String name, String account) {
    buckets.put(name, new Bucket(account));
  }

  /** Nobody may do that any more, such as {@code PutObject}. */
  public synchronized void deny(String... kinds) {
    denied.addAll(List.of(kinds));
  }

  public synchronized void allowAll() {
    denied.clear();
  }

  public synchronized List<String> keys(String bucket) {
    return List.copyOf(buckets.get(bucket).things.keySet());
  }

  public synchronized String text(String bucket, String key) {
    return new String(buckets.get(bucket).things.get(key).content(), StandardCharsets.UTF_8);
  }

  public synchronized Map<String, String> tags(String bucket, String key) {
    return buckets.get(bucket).things.get(key).tags();
  }

  public synchronized int noncurrentVersions(String bucket) {
    return buckets.get(bucket).noncurrent.values().stream().mapToInt(List::size).sum();
  }

  /** What a setting of a bucket says, such as {@code lifecycle}; empty if it was never set. */
  public synchronized String setting(String bucket, String name) {
    return buckets.get(bucket).settings.getOrDefault(name, "");
  }

  public synchronized void setting(String bucket, String name, String xml) {
    buckets.get(bucket).settings.put(name, xml);
  }

  /** Somebody else writes, by hand. */
  public synchronized void write(String bucket, String key, String text) {
    Bucket b = buckets.get(bucket);
    b.replaced(key, now());
    byte[] content = text.getBytes(StandardCharsets.UTF_8);
    b.things.put(key, new Thing(content, etag(content), Map.of(), now()));
  }

  public synchronized void remove(String bucket, String key) {
    buckets.get(bucket).replaced(key, now());
  }

  /** What the rules of a bucket say is done, as it is every day around midnight. */
  public synchronized void carryOutLifecycle(String bucket) {
    Bucket b = buckets.get(bucket);
    for (Lifecycle.Rule rule : Lifecycle.rules(b.settings.getOrDefault("lifecycle", ""))) {
      Set<String> expired = new HashSet<>();
      b.things.forEach(
          (key, thing) -> {
            if (rule.expires(key, thing.tags(), Duration.between(thing.since(), now()))) {
              expired.add(key);
            }
          });
      expired.forEach(key -> b.replaced(key, now()));
      b.noncurrent.forEach(
          (key, old) ->
              old.removeIf(
                  t -> rule.expiresNoncurrent(key, t.tags(), Duration.between(t.since(), now()))));
    }
  }

  // ---- understanding

  @Override
  protected Call understand(
      String method,
      String path,
      Map<String, String> parameters,
      Map<String, String> headers,
      byte[] body) {
    String resource = path.replaceFirst("^/", "");
    boolean object = resource.contains("/") && !resource.endsWith("/");
    return new Call(kind(method, object, parameters), method, resource, parameters, headers, body);
  }

  private static String kind(String method, boolean object, Map<String, String> parameters) {
    String verb =
        switch (method) {
          case "PUT" -> "Put";
          case "DELETE" -> "Delete";
          case "HEAD" -> "Head";
          default -> "Get";
        };
    if (object) {
      return verb + (parameters.containsKey("tagging") ? "ObjectTagging" : "Object");
    }
    for (Map.Entry<String, String> setting : SETTINGS.entrySet()) {
      if (parameters.containsKey(setting.getKey())) {
        return verb + setting.getValue();
      }
    }
    return switch (method) {
      case "PUT" -> "CreateBucket";
      case "GET" -> parameters.containsKey("list-type") ? "ListObjectsV2" : "ListObjects";
      default -> verb + "Bucket";
    };
  }

  private static final Map<String, String> SETTINGS =
      Map.of(
          "versioning", "BucketVersioning",
          "encryption", "BucketEncryption",
          "lifecycle", "BucketLifecycleConfiguration",
          "publicAccessBlock", "PublicAccessBlock",
          "location", "BucketLocation");

  private static final Map<String, String> WITHOUT =
      Map.of(
          "encryption", "ServerSideEncryptionConfigurationNotFoundError",
          "lifecycle", "NoSuchLifecycleConfiguration",
          "publicAccessBlock", "NoSuchPublicAccessBlockConfiguration");

  @Override
  protected synchronized Answer serve(Call call, String requestId) {
    try {
      return answer(call);
    } catch (Refusal e) {
      return failure(call, e.status, e.code, e.getMessage(), requestId);
    }
  }

  private Answer answer(Call call) {
    String account = account(call);
    if (denied.contains(call.kind())) {
      throw new Refusal(403, "AccessDenied", "not authorized to perform: s3:" + call.kind());
    }
    String[] parts = call.resource().split("/", 2);
    if (call.is("CreateBucket")) {
      return create(parts[0], account);
    }
    Bucket bucket = buckets.get(parts[0]);
    if (bucket == null) {
      throw new Refusal(404, "NoSuchBucket", "The specified bucket does not exist");
    }
    if (!bucket.account.equals(account)) {
      throw new Refusal(403, "AccessDenied", "Access Denied");
    }
    String key = parts.length < 2 ? "" : parts[1];
    return switch (call.kind()) {
      case "GetObject" -> get(bucket, key, call, true);
      case "HeadObject" -> get(bucket, key, call, false);
      case "PutObject" -> put(bucket, key, call);
      case "DeleteObject" -> delete(bucket, key, call);
      case "GetObjectTagging" -> xml(200, Lifecycle.tagging(thing(bucket, key).tags()));
      case "PutObjectTagging" -> {
        bucket.things.put(key, thing(bucket, key).tagged(Lifecycle.tags(text(call))));
        yield xml(200, "");
      }
      case "ListObjectsV2" -> list(bucket, parts[0], call);
      case "HeadBucket" -> new Answer(200, Map.of("x-amz-bucket-region", REGION), new byte[0]);
      default -> setting(bucket, call);
    };
  }

  private String account(Call call) {
    Matcher m = SCOPE.matcher(call.header("authorization"));
    if (!m.find()) {
      throw new Refusal(403, "AccessDenied", "Anonymous requests are not allowed");
    }
    String account = accounts.get(m.group(1));
    if (account == null) {
      throw new Refusal(
          403,
          "InvalidAccessKeyId",
          "The AWS Access Key Id you provided does not exist in our records.");
    }
    if (!m.group(2).equals(REGION)) {
      throw new Refusal(
          400,
          "AuthorizationHeaderMalformed",
          "The authorization header is malformed; the region '"
              + m.group(2)
              + "' is wrong; expecting '"
              + REGION
              + "'");
    }
    return account;
  }

  // ---- buckets

  private Answer create(String name, String account) {
    Bucket there = buckets.get(name);
    if (there != null) {
      throw there.account.equals(account)
          ? new Refusal(409, "BucketAlreadyOwnedByYou", "You already own it")
          : new Refusal(409, "BucketAlreadyExists", "The requested bucket name is not available");
    }
    buckets.put(name, new Bucket(account));
    return new Answer(200, Map.of("Location", "/" + name), new byte[0]);
  }

  private Answer setting(Bucket bucket, Call call) {
    String name =
        SETTINGS.keySet().stream()
            .filter(call.parameters()::containsKey)
            .findFirst()
            .orElseThrow(() -> new Refusal(501, "NotImplemented", call.kind()));
    if (call.method().equals("PUT")) {
      bucket.settings.put(name, text(call));
      return new Answer(200, Map.of(), new byte[0]);
    }
    String there = bucket.settings.get(name);
    if (there == null && WITHOUT.containsKey(name)) {
      throw new Refusal(404, WITHOUT.get(name), "There is none");
    }
    return xml(
        200,
        there != null
            ? there
            : name.equals("location")
                ? "<LocationConstraint>" + REGION + "</LocationConstraint>"
                : "<VersioningConfiguration/>");
  }

  // ---- objects

  private static Thing thing(Bucket bucket, String key) {
    Thing there = bucket.things.get(key);
    if (there == null) {
      throw new Refusal(404, "NoSuchKey", "The specified key does not exist.");
    }
    return there;
  }

  private Answer get(Bucket bucket, String key, Call call, boolean whole) {
    Thing there = thing(bucket, key);
    Map<String, String> headers =
        Map.of(
            "ETag", there.etag(),
            "Date", HTTP.format(now()),
            "Last-Modified", HTTP.format(there.since()),
            "Content-Type", "application/json");
    if (there.etag().equals(call.header("if-none-match"))) {
      return new Answer(304, headers, new byte[0]);
    }
    return new Answer(200, headers, whole ? there.content() : new byte[0]);
  }

  private Answer put(Bucket bucket, String key, Call call) {
    require(bucket, key, call);
    bucket.replaced(key, now());
    Thing put = new Thing(call.body(), etag(call.body()), tags(call), now());
    bucket.things.put(key, put);
    return new Answer(200, Map.of("ETag", put.etag()), new byte[0]);
  }

  private static void require(Bucket bucket, String key, Call call) {
    Thing there = bucket.things.get(key);
    if (call.header("if-none-match").equals("*") && there != null) {
      throw new Refusal(412, "PreconditionFailed", "At least one of the pre-conditions failed");
    }
    String match = call.header("if-match");
    if (!match.isEmpty() && there == null) {
      throw new Refusal(404, "NoSuchKey", "The specified key does not exist.");
    }
    if (!match.isEmpty() && !match.equals(there.etag())) {
      throw new Refusal(412, "PreconditionFailed", "At least one of the pre-conditions failed");
    }
  }

  private static Map<String, String> tags(Call call) {
    return new TreeMap<>(parameters(call.header("x-amz-tagging")));
  }

  private Answer delete(Bucket bucket, String key, Call call) {
    if (bucket.things.containsKey(key)) {
      require(bucket, key, call);
      bucket.replaced(key, now());
    }
    return new Answer(204, Map.of(), new byte[0]);
  }

  private Answer list(Bucket bucket, String name, Call call) {
    String prefix = call.parameter("prefix");
    String after =
        call.parameters().containsKey("continuation-token")
            ? URLDecoder.decode(call.parameter("continuation-token"), StandardCharsets.UTF_8)
            : call.parameter("start-after");
    int most = Integer.parseInt(call.parameters().getOrDefault("max-keys", "1000"));
    List<Map.Entry<String, Thing>> found =
        bucket.things.tailMap(after, false).entrySet().stream()
            .filter(e -> e.getKey().startsWith(prefix))
            .limit(most + 1L)
            .toList();
    boolean more = found.size() > most;
    StringBuilder text =
        new StringBuilder("<ListBucketResult><Name>" + name + "</Name><EncodingType>url")
            .append("</EncodingType><IsTruncated>" + more + "</IsTruncated>");
    found.stream()
        .limit(most)
        .forEach(
            e ->
                text.append("<Contents><Key>")
                    .append(encoded(e.getKey()))
                    .append("</Key><LastModified>")
                    .append(LISTED.format(e.getValue().since()))
                    .append("</LastModified><ETag>")
                    .append(e.getValue().etag().replace("\"", "&quot;"))
                    .append("</ETag><Size>")
                    .append(e.getValue().content().length)
                    .append("</Size></Contents>"));
    if (more) {
      text.append("<NextContinuationToken>")
          .append(encoded(found.get(most - 1).getKey()))
          .append("</NextContinuationToken>");
    }
    return xml(200, text + "</ListBucketResult>");
  }

  // ---- answers

  @Override
  protected Answer failure(Call call, int status, String code, String message, String requestId) {
    boolean silent = call.method().equals("HEAD");
    return silent
        ? new Answer(status, Map.of(), new byte[0])
        : xml(
            status,
            "<Error><Code>"
                + code
                + "</Code><Message>"
                + message
                + "</Message><RequestId>"
                + requestId
                + "</RequestId></Error>");
  }

  private static Answer xml(int status, String text) {
    return Answer.of(
        status, "application/xml", "<?xml version=\"1.0\" encoding=\"UTF-8\"?>" + text);
  }

  private static String text(Call call) {
    return new String(call.body(), StandardCharsets.UTF_8)
        .replaceFirst("^<\\?xml[^>]*\\?>\\s*", "");
  }

  private static String encoded(String key) {
    return URLEncoder.encode(key, StandardCharsets.UTF_8);
  }

  private static String etag(byte[] content) {
    Objects.requireNonNull(content, "content");
    try {
      return '"' + HexFormat.of().formatHex(MessageDigest.getInstance("MD5").digest(content)) + '"';
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has MD5", e);
    }
  }
}
