package dev.baton.alibaba.fake;

import dev.baton.testing.service.Call;
import dev.baton.testing.service.FakeServer;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/**
 * An Object Storage Service on loopback, with one region and any number of accounts. It does what
 * the real one is documented to do, as far as a store of small documents needs it:
 *
 * <ul>
 *   <li>objects are put, got, listed in pages and deleted, each of them in one step;
 *   <li>{@code x-oss-forbid-overwrite} lets one of several writers through, and has no effect in a
 *       bucket whose versioning is enabled or suspended;
 *   <li>lifecycle rules are kept and not carried out; those that overlap are refused unless the
 *       request allows it;
 *   <li>signatures are verified, and those of version 1 refused; the signer's clock, account,
 *       permissions and region are checked.
 * </ul>
 *
 * <p>Lists are up to date, as the real ones are, unless a test asks for late ones.
 */
public final class FakeOss extends FakeServer {
  public static final String REGION = "cn-hangzhou";

  private static final Duration GREATEST_SKEW = Duration.ofMinutes(15);
  private static final DateTimeFormatter SIGNED =
      DateTimeFormatter.ofPattern("uuuuMMdd'T'HHmmss'Z'").withZone(ZoneOffset.UTC);
  private static final DateTimeFormatter LISTED =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss'.000Z'").withZone(ZoneOffset.UTC);
  private static final DateTimeFormatter HTTP =
      DateTimeFormatter.ofPattern("EEE, dd MMM uuuu HH:mm:ss 'GMT'", Locale.ENGLISH)
          .withZone(ZoneOffset.UTC);

  private record Key(String secret, String token, String account, Instant expires) {}

  private record Thing(
      byte[] content, String type, Map<String, String> marks, Instant modified, long at) {
    String etag() {
      return digest(content);
    }
  }

  /** What a list that is late still shows. */
  private record Gone(Thing thing, long until) {}

  private static final class Bucket {
    final String account;
    final NavigableMap<String, Thing> things = new TreeMap<>();
    final Map<String, Gone> gone = new HashMap<>();
    final Map<String, byte[]> settings = new HashMap<>();
    String versioning = "";
    String acl = "private";
    long versions;

    Bucket(String account) {
      this.account = account;
    }
  }

  /** An answer that is no success. */
  private static final class Refusal extends RuntimeException {
    private static final long serialVersionUID = 1;
    private final int status;
    private final String code;
    private final transient Map<String, String> details;

    Refusal(int status, String code, String message) {
      this(status, code, message, Map.of());
    }

    Refusal(int status, String code, String message, Map<String, String> details) {
      super(message);
      this.status = status;
      this.code = code;
      this.details = details;
    }
  }

  private final Map<String, Key> keys = new HashMap<>();
  private final Map<String, Bucket> buckets = new HashMap<>();
  private final Set<String> elsewhere = new HashSet<>();
  private final Set<String> disabled = new HashSet<>();
  private final Set<String> shared = new HashSet<>();
  private final Set<String> denied = new HashSet<>();
  private Duration listDelay = Duration.ZERO;
  private int emptyPages;

  private FakeOss() {
    super("x-oss-request-id");
  }

  public static FakeOss start() {
    return new FakeOss();
  }

  public String endpoint() {
    return "http://" + address();
  }

  // ---- what a test sets up

  public synchronized void addKey(String id, String secret, String account) {
    keys.put(id, new Key(secret, "", account, Instant.MAX));
  }

  public synchronized void addTemporaryKey(
      String id, String secret, String token, String account, Instant expires) {
    keys.put(id, new Key(secret, token, account, expires));
  }

  public synchronized void removeKey(String id) {
    keys.remove(id);
  }

  public synchronized void addBucket(String name, String account) {
    buckets.put(name, new Bucket(account));
  }

  /** Its policy lets everybody do everything. */
  public synchronized void share(String bucket) {
    shared.add(bucket);
  }

  /** A bucket that can be reached only through another region's endpoint. */
  public synchronized void addBucketElsewhere(String name) {
    elsewhere.add(name);
  }

  /** {@code Enabled} or {@code Suspended}; there is no way back to never. */
  public synchronized void versioning(String bucket, String status) {
    buckets.get(bucket).versioning = Objects.requireNonNull(status, "status");
  }

  /** As if OSS had not been opened for that account, or not been paid. */
  public synchronized void disable(String account) {
    disabled.add(account);
  }

  /** That kind of request is not allowed to anybody, such as {@code DeleteMultipleObjects}. */
  public synchronized void deny(String kind) {
    denied.add(kind);
  }

  /** Lists show what was there that long ago. The real ones do not. */
  public synchronized void listDelay(Duration delay) {
    listDelay = delay;
  }

  /** The next pages of lists show nothing, and say that there is more. */
  public synchronized void emptyPages(int pages) {
    emptyPages = pages;
  }

  // ---- what somebody sees and does in the console

  public synchronized List<String> keys(String bucket) {
    return List.copyOf(buckets.get(bucket).things.keySet());
  }

  public synchronized Optional<String> text(String bucket, String key) {
    return Optional.ofNullable(buckets.get(bucket).things.get(key))
        .map(t -> new String(t.content(), StandardCharsets.UTF_8));
  }

  public synchronized void put(String bucket, String key, String text) {
    Bucket b = buckets.get(bucket);
    store(b, key, text.getBytes(StandardCharsets.UTF_8), "text/plain", Map.of());
  }

  public synchronized void delete(String bucket, String key) {
    remove(buckets.get(bucket), key);
  }

  public synchronized boolean hasBucket(String name) {
    return buckets.containsKey(name);
  }

  /** Such as {@code private}. */
  public synchronized String acl(String bucket) {
    return buckets.get(bucket).acl;
  }

  public synchronized void acl(String bucket, String acl) {
    buckets.get(bucket).acl = Objects.requireNonNull(acl, "acl");
  }

  /** How OSS encrypts what is put into it, such as {@code AES256}; empty: not at all. */
  public synchronized String encryption(String bucket) {
    byte[] set = buckets.get(bucket).settings.get("Encryption");
    return set == null ? "" : Xml.texts(Xml.parse(set), "SSEAlgorithm").get(0);
  }

  /** The rules by which the bucket would delete and archive objects, as XML; empty: none. */
  public synchronized String lifecycle(String bucket) {
    byte[] set = buckets.get(bucket).settings.get("Lifecycle");
    return set == null ? "" : new String(set, StandardCharsets.UTF_8);
  }

  public synchronized void lifecycle(String bucket, String xml) {
    buckets.get(bucket).settings.put("Lifecycle", xml.getBytes(StandardCharsets.UTF_8));
  }

  // ---- serving

  @Override
  protected Call understand(
      String method,
      String path,
      Map<String, String> parameters,
      Map<String, String> headers,
      byte[] body) {
    String resource = path.substring(1);
    int slash = resource.indexOf('/');
    boolean onObject = slash >= 0 && slash + 1 < resource.length();
    String kind = onObject ? objectKind(method) : bucketKind(method, resource, parameters);
    if (!onObject && !resource.isEmpty() && slash < 0) {
      // What is signed ends with a slash, whether or not the path does.
      resource += "/";
    }
    return new Call(kind, method, resource, parameters, headers, body);
  }

  private static String objectKind(String method) {
    return switch (method) {
      case "PUT" -> "PutObject";
      case "GET" -> "GetObject";
      case "HEAD" -> "HeadObject";
      case "DELETE" -> "DeleteObject";
      case "POST" -> "PostObject";
      default -> method;
    };
  }

  private static String bucketKind(String method, String bucket, Map<String, String> parameters) {
    if (bucket.isEmpty()) {
      return "ListBuckets";
    }
    for (String about : List.of("versioning", "lifecycle", "encryption", "acl", "location")) {
      if (parameters.containsKey(about)) {
        String verb = method.equals("PUT") ? "Put" : method.equals("DELETE") ? "Delete" : "Get";
        return verb
            + "Bucket"
            + about.substring(0, 1).toUpperCase(Locale.ROOT)
            + about.substring(1);
      }
    }
    if (parameters.containsKey("bucketInfo")) {
      return "GetBucketInfo";
    }
    return switch (method) {
      case "PUT" -> "PutBucket";
      case "GET" -> parameters.get("list-type") == null ? "ListObjects" : "ListObjectsV2";
      case "POST" -> parameters.containsKey("delete") ? "DeleteMultipleObjects" : "PostBucket";
      case "DELETE" -> "DeleteBucket";
      default -> method;
    };
  }

  @Override
  protected synchronized Answer serve(Call call, String requestId) {
    try {
      Key signer = signer(call);
      String[] names = call.resource().split("/", 2);
      if (call.is("PutBucket")) {
        return createBucket(names[0], signer, call);
      }
      Bucket bucket = bucket(names[0], signer, call);
      String key = names.length < 2 ? "" : names[1];
      return switch (call.kind()) {
        case "PutObject" -> putObject(bucket, key, call);
        case "GetObject" -> getObject(bucket, key, true);
        case "HeadObject" -> getObject(bucket, key, false);
        case "DeleteObject" -> deleteObject(bucket, key);
        case "DeleteMultipleObjects" -> deleteObjects(bucket, call);
        case "ListObjectsV2" -> listObjects(names[0], bucket, call);
        case "DeleteBucket" -> deleteBucket(names[0], bucket);
        default -> settings(names[0], bucket, call);
      };
    } catch (Refusal e) {
      return failure(call, e.status, e.code, e.getMessage(), requestId, e.details);
    }
  }

  @Override
  protected Answer failure(Call call, int status, String code, String message, String requestId) {
    return failure(call, status, code, message, requestId, Map.of());
  }

  private Answer failure(
      Call call,
      int status,
      String code,
      String message,
      String requestId,
      Map<String, String> details) {
    StringBuilder text = new StringBuilder("<?xml version=\"1.0\" encoding=\"UTF-8\"?><Error>");
    text.append(Xml.element("Code", code)).append(Xml.element("Message", message));
    text.append(Xml.element("RequestId", requestId)).append(Xml.element("HostId", address()));
    details.forEach((name, value) -> text.append(Xml.element(name, value)));
    byte[] body = text.append("</Error>").toString().getBytes(StandardCharsets.UTF_8);
    Map<String, String> headers = new HashMap<>();
    headers.put("Content-Type", "application/xml");
    if (call.method().equals("HEAD")) {
      headers.put("x-oss-err", Base64.getEncoder().encodeToString(body));
    }
    return new Answer(status, headers, body);
  }

  // ---- who asks

  private Key signer(Call call) {
    String authorization = call.header("authorization");
    if (authorization.isEmpty()) {
      throw new Refusal(403, "AccessDenied", "Anonymous access is forbidden for this operation.");
    }
    OssSignature signature = OssSignature.parse(authorization);
    if (signature == null) {
      throw new Refusal(400, "InvalidArgument", "Authorization header is invalid.");
    }
    Key key = known(signature.keyId(), call);
    Instant signed = signingTime(call);
    if (Duration.between(signed, now()).abs().compareTo(GREATEST_SKEW) > 0) {
      throw new Refusal(
          403,
          "RequestTimeTooSkewed",
          "The difference between the request time and the current time is too large.",
          Map.of("RequestTime", LISTED.format(signed), "ServerTime", LISTED.format(now())));
    }
    if (!signature.region().equals(REGION)) {
      throw new Refusal(400, "InvalidArgument", "Invalid signing region in Authorization header.");
    }
    if (!signature.fits(call, key.secret())) {
      throw new Refusal(
          403,
          "SignatureDoesNotMatch",
          "The request signature we calculated does not match the signature you provided. Check"
              + " your key and signing method.",
          Map.of(
              "OSSAccessKeyId", signature.keyId(),
              "SignatureProvided", signature.signature(),
              "StringToSign", "OSS4-HMAC-SHA256 of " + signature.keyId()));
    }
    if (disabled.contains(key.account())) {
      throw new Refusal(403, "UserDisable", "UserDisable");
    }
    if (denied.contains(call.kind())) {
      throw new Refusal(
          403,
          "AccessDenied",
          "You have no right to access this object because of bucket acl.",
          Map.of("AuthPrincipalOwnerId", key.account(), "AuthAction", "oss:" + call.kind()));
    }
    return key;
  }

  private Instant signingTime(Call call) {
    try {
      return SIGNED.parse(call.header("x-oss-date"), Instant::from);
    } catch (DateTimeException e) {
      throw new Refusal(403, "AccessDenied", "OSS authentication requires a valid Date.");
    }
  }

  private Key known(String id, Call call) {
    Key key = keys.get(id);
    String token = call.header("x-oss-security-token");
    if (key == null || key.token().isEmpty() != token.isEmpty()) {
      throw new Refusal(
          403,
          "InvalidAccessKeyId",
          "The OSS Access Key Id you provided does not exist in our records.",
          Map.of("OSSAccessKeyId", id));
    }
    if (!key.token().equals(token)) {
      throw new Refusal(403, "InvalidSecurityToken", "The security token you provided is invalid.");
    }
    if (now().isAfter(key.expires())) {
      throw new Refusal(
          403, "SecurityTokenExpired", "The security token you provided has expired.");
    }
    return key;
  }

  // ---- buckets

  private Answer createBucket(String name, Key signer, Call call) {
    Bucket there = buckets.get(name);
    if (elsewhere.contains(name) || there != null && !there.account.equals(signer.account())) {
      throw new Refusal(
          409,
          "BucketAlreadyExists",
          "The requested bucket name is not available. The bucket namespace is shared by all users"
              + " of the system. Please select a different name and try again.");
    }
    Bucket bucket = buckets.computeIfAbsent(name, n -> new Bucket(signer.account()));
    if (!call.header("x-oss-acl").isEmpty()) {
      bucket.acl = call.header("x-oss-acl");
    }
    return new Answer(200, Map.of("Location", "/" + name), new byte[0]);
  }

  private Bucket bucket(String name, Key signer, Call call) {
    if (elsewhere.contains(name)) {
      throw new Refusal(
          403,
          "AccessDenied",
          "The bucket you are attempting to access must be addressed using the specified endpoint."
              + " Please send all future requests to this endpoint.",
          Map.of("Bucket", name, "Endpoint", "oss-eu-central-1.aliyuncs.com"));
    }
    Bucket bucket = buckets.get(name);
    if (bucket == null) {
      throw new Refusal(
          404, "NoSuchBucket", "The specified bucket does not exist.", Map.of("BucketName", name));
    }
    if (!bucket.account.equals(signer.account()) && !shared.contains(name)) {
      throw new Refusal(
          403,
          "AccessDenied",
          call.kind().contains("Bucket")
              ? "The bucket you access does not belong to you."
              : "You have no right to access this object because of bucket acl.");
    }
    return bucket;
  }

  private Answer deleteBucket(String name, Bucket bucket) {
    if (!bucket.things.isEmpty()) {
      throw new Refusal(409, "BucketNotEmpty", "The bucket you tried to delete is not empty.");
    }
    buckets.remove(name);
    return new Answer(204, Map.of(), new byte[0]);
  }

  private Answer settings(String name, Bucket bucket, Call call) {
    switch (call.kind()) {
      case "GetBucketVersioning":
        return xml(
            "<VersioningConfiguration>"
                + (bucket.versioning.isEmpty() ? "" : Xml.element("Status", bucket.versioning))
                + "</VersioningConfiguration>");
      case "GetBucketLocation":
        return xml(Xml.element("LocationConstraint", "oss-" + REGION));
      case "GetBucketAcl":
        return xml(
            "<AccessControlPolicy><Owner>"
                + Xml.element("ID", bucket.account)
                + Xml.element("DisplayName", bucket.account)
                + "</Owner><AccessControlList>"
                + Xml.element("Grant", bucket.acl)
                + "</AccessControlList></AccessControlPolicy>");
      case "PutBucketAcl":
        bucket.acl = call.header("x-oss-acl");
        return new Answer(200, Map.of(), new byte[0]);
      case "GetBucketInfo":
        return xml(
            "<BucketInfo><Bucket>"
                + Xml.element("Name", name)
                + Xml.element("Location", "oss-" + REGION)
                + Xml.element("CreationDate", LISTED.format(now()))
                + "<Owner>"
                + Xml.element("ID", bucket.account)
                + Xml.element("DisplayName", bucket.account)
                + "</Owner><AccessControlList>"
                + Xml.element("Grant", bucket.acl)
                + "</AccessControlList></Bucket></BucketInfo>");
      case "PutBucketLifecycle", "PutBucketEncryption":
        org.w3c.dom.Document sent = parsed(call);
        if (call.is("PutBucketLifecycle")
            && !call.header("x-oss-allow-same-action-overlap").equals("true")) {
          refuseOverlap(sent);
        }
        // The whole of it: what is not sent along is gone.
        bucket.settings.put(about(call), call.body());
        return new Answer(200, Map.of(), new byte[0]);
      case "GetBucketLifecycle", "GetBucketEncryption":
        byte[] set = bucket.settings.get(about(call));
        if (set == null) {
          throw call.is("GetBucketLifecycle")
              ? new Refusal(404, "NoSuchLifecycle", "No Row found in Lifecycle Table.")
              : new Refusal(
                  404,
                  "NoSuchServerSideEncryptionRule",
                  "The server side encryption configuration is not found.");
        }
        return new Answer(200, Map.of("Content-Type", "application/xml"), set);
      case "DeleteBucketLifecycle", "DeleteBucketEncryption":
        bucket.settings.remove(about(call));
        return new Answer(204, Map.of(), new byte[0]);
      default:
        throw new Refusal(400, "NotImplemented", "this fake does not know " + call.kind());
    }
  }

  /** As OSS does: whatever else tells the two rules apart. */
  private static void refuseOverlap(org.w3c.dom.Document sent) {
    List<Map<String, String>> rules = Xml.children(sent, "Rule");
    for (int i = 0; i < rules.size(); i++) {
      for (Map<String, String> other : rules.subList(0, i)) {
        String one = rules.get(i).getOrDefault("Prefix", "");
        String two = other.getOrDefault("Prefix", "");
        for (String action :
            List.of("Expiration", "NoncurrentVersionExpiration", "AbortMultipartUpload")) {
          if ((one.startsWith(two) || two.startsWith(one))
              && rules.get(i).containsKey(action)
              && other.containsKey(action)) {
            throw new Refusal(400, "InvalidRequest", "Overlap for same action type " + action);
          }
        }
      }
    }
  }

  private static String about(Call call) {
    return call.kind().replaceFirst("^(Get|Put|Delete)Bucket", "");
  }

  private static org.w3c.dom.Document parsed(Call call) {
    try {
      return Xml.parse(call.body());
    } catch (IllegalArgumentException e) {
      throw new Refusal(400, "MalformedXML", "The XML you provided was not well-formed.");
    }
  }

  // ---- objects

  private Answer putObject(Bucket bucket, String key, Call call) {
    checkDigest(call);
    for (String unsupported : List.of("if-match", "if-none-match")) {
      if (!call.header(unsupported).isEmpty()) {
        throw new Refusal(
            400,
            "NotImplemented",
            "A header you provided implies functionality that is not implemented.",
            Map.of("Header", unsupported));
      }
    }
    boolean versioned = !bucket.versioning.isEmpty();
    if (!versioned
        && call.header("x-oss-forbid-overwrite").equals("true")
        && bucket.things.containsKey(key)) {
      throw new Refusal(
          409,
          "FileAlreadyExists",
          "The object you specified already exists and can not be overwritten.");
    }
    Thing put = store(bucket, key, call.body(), call.header("content-type"), marks(call));
    Map<String, String> headers = new HashMap<>();
    headers.put("ETag", "\"" + put.etag() + "\"");
    if (versioned) {
      headers.put(
          "x-oss-version-id",
          bucket.versioning.equals("Enabled") ? "CAE" + ++bucket.versions : "null");
    }
    return new Answer(200, headers, new byte[0]);
  }

  private static void checkDigest(Call call) {
    String sent = call.header("content-md5");
    if (!sent.isEmpty()
        && !sent.equals(
            Base64.getEncoder().encodeToString(HexFormat.of().parseHex(digest(call.body()))))) {
      throw new Refusal(
          400, "InvalidDigest", "The Content-MD5 you specified did not match the body.");
    }
  }

  private Thing store(
      Bucket bucket, String key, byte[] content, String type, Map<String, String> marks) {
    remove(bucket, key);
    Thing put = new Thing(content, type, marks, now(), System.nanoTime());
    bucket.things.put(key, put);
    return put;
  }

  /** What the writer wants to come along. */
  private static Map<String, String> marks(Call call) {
    Map<String, String> all = new TreeMap<>(call.headers());
    all.keySet().removeIf(name -> !name.startsWith("x-oss-meta-"));
    return all;
  }

  private void remove(Bucket bucket, String key) {
    Thing there = bucket.things.remove(key);
    if (there != null && !listDelay.isZero()) {
      bucket.gone.put(key, new Gone(there, System.nanoTime()));
    }
  }

  private static Answer getObject(Bucket bucket, String key, boolean whole) {
    Thing there = bucket.things.get(key);
    if (there == null) {
      throw new Refusal(404, "NoSuchKey", "The specified key does not exist.", Map.of("Key", key));
    }
    Map<String, String> headers = new HashMap<>(there.marks());
    headers.put("ETag", "\"" + there.etag() + "\"");
    headers.put("Content-Type", there.type().isEmpty() ? "text/plain" : there.type());
    headers.put("Last-Modified", HTTP.format(there.modified()));
    headers.put("x-oss-object-type", "Normal");
    return new Answer(200, headers, whole ? there.content() : new byte[0]);
  }

  private Answer deleteObject(Bucket bucket, String key) {
    remove(bucket, key);
    return new Answer(204, Map.of(), new byte[0]);
  }

  private Answer deleteObjects(Bucket bucket, Call call) {
    checkDigest(call);
    List<String> named = Xml.texts(parsed(call), "Key");
    if (named.isEmpty() || named.size() > 1000) {
      throw new Refusal(400, "MalformedXML", "1 to 1000 keys can be deleted at once.");
    }
    named.forEach(key -> remove(bucket, key));
    if (Xml.texts(parsed(call), "Quiet").contains("true")) {
      return new Answer(200, Map.of("Content-Type", "application/xml"), new byte[0]);
    }
    StringBuilder text = new StringBuilder("<DeleteResult>");
    for (String key : named) {
      text.append("<Deleted>").append(Xml.element("Key", key)).append("</Deleted>");
    }
    return xml(text.append("</DeleteResult>").toString());
  }

  private Answer listObjects(String name, Bucket bucket, Call call) {
    String prefix = call.parameter("prefix");
    int most = call.parameter("max-keys").isEmpty() ? 100 : number(call.parameter("max-keys"));
    String after = call.parameter("continuation-token");
    if (after.isEmpty()) {
      after = call.parameter("start-after");
    } else {
      after = new String(Base64.getDecoder().decode(after), StandardCharsets.UTF_8);
    }
    NavigableMap<String, Thing> all = listed(bucket);
    Map<String, Thing> page = new LinkedHashMap<>();
    boolean more = false;
    if (emptyPages > 0) {
      emptyPages--;
      most = 0;
    }
    for (Map.Entry<String, Thing> one : all.tailMap(after, after.isEmpty()).entrySet()) {
      if (!one.getKey().startsWith(prefix)) {
        continue;
      }
      if (page.size() == most) {
        more = true;
        break;
      }
      page.put(one.getKey(), one.getValue());
    }
    boolean encoded = call.parameter("encoding-type").equals("url");
    UnaryOperator<String> shown =
        key -> encoded ? URLEncoder.encode(key, StandardCharsets.UTF_8) : key;
    StringBuilder text = new StringBuilder("<ListBucketResult>");
    text.append(Xml.element("Name", name)).append(Xml.element("Prefix", shown.apply(prefix)));
    if (encoded) {
      text.append(Xml.element("EncodingType", "url"));
    }
    text.append(Xml.element("MaxKeys", most)).append(Xml.element("IsTruncated", more));
    text.append(Xml.element("KeyCount", page.size()));
    if (more) {
      String last = page.isEmpty() ? after : new ArrayList<>(page.keySet()).get(page.size() - 1);
      last = last.isEmpty() ? prefix : last;
      text.append(
          Xml.element(
              "NextContinuationToken",
              Base64.getEncoder().encodeToString(last.getBytes(StandardCharsets.UTF_8))));
    }
    page.forEach(
        (key, thing) ->
            text.append("<Contents>")
                .append(Xml.element("Key", shown.apply(key)))
                .append(Xml.element("LastModified", LISTED.format(thing.modified())))
                .append(Xml.element("ETag", "\"" + thing.etag() + "\""))
                .append(Xml.element("Type", "Normal"))
                .append(Xml.element("Size", thing.content().length))
                .append(Xml.element("StorageClass", "Standard"))
                .append("</Contents>"));
    return xml(text.append("</ListBucketResult>").toString());
  }

  private static int number(String maxKeys) {
    int most = maxKeys.matches("\\d{1,4}") ? Integer.parseInt(maxKeys) : 0;
    if (most < 1 || most > 1000) {
      throw new Refusal(400, "InvalidArgument", "max-keys must be from 1 to 1000: " + maxKeys);
    }
    return most;
  }

  private NavigableMap<String, Thing> listed(Bucket bucket) {
    if (listDelay.isZero()) {
      return bucket.things;
    }
    long then = System.nanoTime() - listDelay.toNanos();
    NavigableMap<String, Thing> seen = new TreeMap<>();
    bucket.gone.values().removeIf(g -> g.until() < then);
    bucket.gone.forEach(
        (key, g) -> {
          if (g.thing().at() <= then) {
            seen.put(key, g.thing());
          }
        });
    bucket.things.forEach(
        (key, t) -> {
          if (t.at() <= then) {
            seen.put(key, t);
          }
        });
    return seen;
  }

  private static Answer xml(String text) {
    return Answer.of(200, "application/xml", "<?xml version=\"1.0\" encoding=\"UTF-8\"?>" + text);
  }

  private static String digest(byte[] content) {
    try {
      return HexFormat.of()
          .withUpperCase()
          .formatHex(MessageDigest.getInstance("MD5").digest(content));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has MD5", e);
    }
  }
}
