package dev.baton.alibaba.fake;

import dev.baton.core.json.PlainJson;
import dev.baton.testing.service.Call;
import dev.baton.testing.service.FakeServer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiFunction;

/**
 * The API of ECS, VPC and STS on loopback, with one region and one account, as far as a machine's
 * life needs it. It keeps what is created, and refuses what the real one is documented to refuse:
 * wrong signatures and clocks, a request that is sent once more as it was, missing parameters, a
 * client token with other parameters, deleting what is in use, more than a quota, a type that is
 * sold out, an operation in the wrong status.
 *
 * <p>Resources live by a time of their own: {@link #pass}. How long they take to get ready and to
 * be seen in lists is zero unless a test says otherwise.
 */
public final class FakeAliyun extends FakeServer {
  public static final String REGION = "cn-hangzhou";
  public static final List<String> ZONES =
      List.of("cn-hangzhou-h", "cn-hangzhou-i", "cn-hangzhou-j");
  public static final List<String> TYPES =
      List.of(
          "ecs.e-c1m2.large",
          "ecs.g7.large",
          "ecs.g7.xlarge",
          "ecs.g6.xlarge",
          "ecs.i2.local",
          "ecs.d1.local");

  /** One that {@code ImportKeyPair} takes. */
  public static final String PUBLIC_KEY =
      "ecdsa-sha2-nistp256 "
          + "AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBOyHW7hUs8HbaqDCc7WTZZIfaKJfcsjyiz1pdBXfoAgTTSCpDLXArT0y11Wg+wuD6iF5nJxCZD6Vz8z0FjXSdSk="
          + " test";

  public static final String IMAGE = "ubuntu_22_04_x64_20G_alibase_20260101.vhd";

  static final DateTimeFormatter SECONDS =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss'Z'").withZone(ZoneOffset.UTC);

  private static final int SYSTEM_IMAGE_GB = 20;
  private static final Duration TOKEN_LIFE = Duration.ofHours(24);
  private static final Duration GREATEST_SKEW = Duration.ofMinutes(15);

  /** Said in each request, and no part of what is asked for. */
  private static final Set<String> COMMON =
      Set.of(
          "AccessKeyId",
          "Action",
          "Format",
          "SecurityToken",
          "Signature",
          "SignatureMethod",
          "SignatureNonce",
          "SignatureVersion",
          "Timestamp",
          "Version");

  /** Actions that remember a client token. */
  private static final Set<String> REMEMBERED =
      Set.of(
          "RunInstances",
          "CreateSecurityGroup",
          "AuthorizeSecurityGroup",
          "CreateSnapshot",
          "CreateImage",
          "RunCommand",
          "CreateVpc",
          "CreateVSwitch",
          "AllocateEipAddress",
          "AssociateEipAddress",
          "UnassociateEipAddress",
          "ReleaseEipAddress");

  private static final Set<String> WITHOUT_REGION =
      Set.of(
          "GetCallerIdentity",
          "StartInstance",
          "StopInstance",
          "DeleteInstance",
          "ModifyInstanceAutoReleaseTime",
          "CreateSnapshot",
          "DeleteSnapshot",
          "DeleteVpc",
          "DeleteVSwitch",
          "CreateVSwitch",
          "AssociateEipAddress",
          "UnassociateEipAddress",
          "ReleaseEipAddress");

  private record Key(String secret, String token, Instant expires) {}

  /** What was answered to a client token, or refused for good, and when. */
  private record Remembered(
      Instant at, Map<String, String> parameters, Map<String, Object> answer, ApiRefusal refusal) {}

  private final String accountId;
  private final Map<String, Key> keys = new HashMap<>();
  private final Set<String> denied = new HashSet<>();
  private final Map<String, Remembered> tokens = new HashMap<>();
  private final Map<String, Instant> nonces = new LinkedHashMap<>();
  private final Account account;
  private final VpcActions vpc;
  private final EcsActions ecs;
  private final StockActions stock;
  private Duration passed = Duration.ZERO;
  private Instant stopped;

  private FakeAliyun(String accountId) {
    super("x-acs-request-id");
    this.accountId = accountId;
    this.account = new Account(this::resourceTime);
    this.vpc = new VpcActions(account);
    this.ecs = new EcsActions(account, vpc);
    this.stock = new StockActions(account);
    publish(IMAGE);
  }

  public static FakeAliyun start(String accountId) {
    return new FakeAliyun(accountId);
  }

  /** As {@code Config.setEndpoint} takes it. */
  public String endpoint() {
    return address();
  }

  // ---- what a test sets up

  public synchronized void addKey(String id, String secret) {
    keys.put(id, new Key(secret, "", Instant.MAX));
  }

  public synchronized void addTemporaryKey(
      String id, String secret, String token, Instant expires) {
    keys.put(id, new Key(secret, token, expires));
  }

  /** Nobody may do that, such as {@code RunInstances}. */
  public synchronized void deny(String action) {
    denied.add(action);
  }

  /** An image of the cloud's own. */
  public synchronized void publish(String id) {
    Thing image = account.create(Kind.IMAGE, id, "Available", null);
    image.fields.put("ImageId", id);
    image.fields.put("ImageName", id);
    image.fields.put("ImageOwnerAlias", "system");
    image.fields.put("Size", SYSTEM_IMAGE_GB);
  }

  public synchronized void quota(Kind kind, int most) {
    account.quotas.put(kind, most);
  }

  /** That type is sold out in that zone, or, without a zone, everywhere. */
  public synchronized void soldOut(String type, String zone) {
    account.soldOut.add((type + " " + zone).strip());
  }

  public synchronized void inStock(String type, String zone) {
    account.soldOut.remove((type + " " + zone).strip());
  }

  /** How long it takes until something that was started is done. */
  public synchronized void slowness(Duration time) {
    account.slowness = time;
  }

  /** How long new resources are in no list. */
  public synchronized void invisible(Duration time) {
    account.invisible = time;
  }

  /** What commands on machines answer: exit code and output, by instance and text. */
  public synchronized void commands(
      BiFunction<String, String, Map.Entry<Integer, String>> answers) {
    ecs.commands = answers;
  }

  /** Whether machines that run take commands already. */
  public synchronized void assistants(boolean up) {
    account.assistants = up;
  }

  /** Lets the time of the resources go on; the clock that signatures are checked by stays. */
  public synchronized void pass(Duration time) {
    passed = passed.plus(time);
    catchUp();
  }

  /** What the cloud does of its own accord. */
  private void catchUp() {
    ecs.releaseOverdue();
    for (Thing thing : account.gone()) {
      if (thing.kind == Kind.INSTANCE) {
        ecs.take(thing);
      } else {
        account.remove(thing);
      }
    }
  }

  /** From now on the time of the resources goes on by {@link #pass} alone. */
  public synchronized void stopTime() {
    stopped = now();
  }

  /** That of signatures and what was let {@link #pass}. */
  public synchronized Instant resourceTime() {
    return (stopped == null ? now() : stopped).plus(passed);
  }

  // ---- the truth

  /**
   * Ids of all that there is of a kind, seen in lists or not; those of the cloud itself left out.
   */
  public synchronized List<String> ids(Kind kind) {
    return account.all(kind).stream().map(t -> t.id).filter(id -> !id.equals(IMAGE)).toList();
  }

  /** All that costs money or is in the way, as {@code KIND id}. */
  public synchronized List<String> everything() {
    return account.things.values().stream()
        .filter(t -> t.kind != Kind.INVOCATION && !t.id.equals(IMAGE))
        .map(t -> t.kind + " " + t.id)
        .toList();
  }

  public synchronized String status(Kind kind, String id) {
    return account.find(kind, id).map(t -> t.status(account.now())).orElse("");
  }

  public synchronized String field(Kind kind, String id, String name) {
    return account.get(kind, id).text(name);
  }

  /** What a security group lets in, as {@code SOURCE PROTOCOL PORTS}. */
  public synchronized List<String> rules(String group) {
    return account.get(Kind.SECURITY_GROUP, group).rules.stream()
        .map(r -> r.get("SourceCidrIp") + " " + r.get("IpProtocol") + " " + r.get("PortRange"))
        .toList();
  }

  /** That many more of a kind, as if they had been there all along. */
  public synchronized void populate(
      Kind kind, int number, String description, Map<String, String> tags) {
    for (int i = 0; i < number; i++) {
      Thing made = account.create(kind, kind == Kind.KEY_PAIR ? "key-" + i : "", "Available", null);
      made.tags.putAll(tags);
      made.fields.put(kind.idField, made.id);
      made.fields.put("Description", description);
      if (kind == Kind.IMAGE) {
        made.fields.put("ImageOwnerAlias", "self");
      }
    }
  }

  /** As if somebody had deleted it in the console. */
  public synchronized void vanish(Kind kind, String id) {
    account.remove(account.get(kind, id));
  }

  // ---- serving

  @Override
  protected Call understand(
      String method,
      String path,
      Map<String, String> parameters,
      Map<String, String> headers,
      byte[] body) {
    String action = headers.getOrDefault("x-acs-action", parameters.getOrDefault("Action", "none"));
    return new Call(action, method, path.substring(1), parameters, headers, body);
  }

  @Override
  protected Answer failure(Call call, int status, String code, String message, String requestId) {
    Map<String, Object> body = new LinkedHashMap<>();
    body.put("RequestId", requestId);
    body.put("HostId", address());
    body.put("Code", code);
    body.put("Message", message);
    return Answer.of(status, "application/json;charset=utf-8", PlainJson.text(body));
  }

  @Override
  protected synchronized Answer serve(Call call, String requestId) {
    try {
      authenticate(call);
      catchUp();
      Map<String, Object> body = new LinkedHashMap<>(answered(asked(call)));
      body.put("RequestId", requestId);
      return Answer.of(200, "application/json;charset=utf-8", PlainJson.text(body));
    } catch (ApiRefusal e) {
      return failure(call, e.status(), e.code(), e.getMessage(), requestId);
    }
  }

  /** Parameters come in the query, and some in the body. */
  private static ApiCall asked(Call call) {
    Map<String, String> all = new TreeMap<>(call.parameters());
    if (call.header("content-type").startsWith("application/x-www-form-urlencoded")) {
      all.putAll(parameters(new String(call.body(), StandardCharsets.UTF_8)));
    }
    all.keySet().removeAll(COMMON);
    String version = call.header("x-acs-version");
    return new ApiCall(call.kind(), version.isEmpty() ? call.parameter("Version") : version, all);
  }

  private void authenticate(Call call) {
    AcsSignature signature = AcsSignature.of(call);
    Key key = keys.get(signature.keyId());
    if (key == null) {
      throw new ApiRefusal(
          404, "InvalidAccessKeyId.NotFound", "Specified access key is not found.");
    }
    if (!key.token().equals(signature.token())) {
      throw new ApiRefusal(
          403, "InvalidSecurityToken.MismatchWithAccessKey", "The token does not fit the key.");
    }
    if (now().isAfter(key.expires())) {
      throw new ApiRefusal(
          403, "InvalidSecurityToken.Expired", "Specified SecurityToken is expired.");
    }
    if (Duration.between(signature.time(), now()).abs().compareTo(GREATEST_SKEW) > 0) {
      throw new ApiRefusal(
          400, "InvalidTimeStamp.Expired", "Specified time stamp or date value is expired.");
    }
    if (!signature.fits(key.secret())) {
      throw new ApiRefusal(
          400, "SignatureDoesNotMatch", "Specified signature is not matched with our calculation.");
    }
    requireNew(signature.nonce());
    if (denied.contains(call.kind())) {
      throw new ApiRefusal(
          403, "Forbidden.RAM", "User not authorized to operate on the specified resource.");
    }
  }

  /** Remembered as long as a signature is good for. */
  private void requireNew(String nonce) {
    if (nonce.isEmpty()) {
      throw new ApiRefusal(400, "MissingSignatureNonce", "A nonce is mandatory for this action.");
    }
    Instant oldest = now().minus(GREATEST_SKEW.multipliedBy(2));
    // The oldest come first.
    Iterator<Instant> seen = nonces.values().iterator();
    while (seen.hasNext() && seen.next().isBefore(oldest)) {
      seen.remove();
    }
    if (nonces.putIfAbsent(nonce, now()) != null) {
      throw new ApiRefusal(
          400, "SignatureNonceUsed", "Specified signature nonce was used already.");
    }
  }

  private Map<String, Object> answered(ApiCall call) {
    if (!WITHOUT_REGION.contains(call.action())) {
      call.require("RegionId");
    }
    if (!call.get("RegionId").isEmpty() && !call.get("RegionId").equals(REGION)) {
      throw new ApiRefusal(
          404, "InvalidRegionId.NotFound", "The specified RegionId does not exist.");
    }
    String token = call.get("ClientToken");
    if (token.isEmpty() || !REMEMBERED.contains(call.action())) {
      return run(call);
    }
    if (token.length() > 64 || !token.matches("[!-~]+")) {
      throw new ApiRefusal(400, "InvalidClientToken", "At most 64 ASCII characters.");
    }
    String name = call.action() + " " + token;
    Instant oldest = resourceTime().minus(TOKEN_LIFE);
    Remembered before = tokens.get(name);
    if (before != null && before.at().isBefore(oldest)) {
      tokens.remove(name);
      before = null;
    }
    if (before == null) {
      try {
        Map<String, Object> answer = run(call);
        tokens.put(name, new Remembered(resourceTime(), call.parameters(), answer, null));
        return answer;
      } catch (ApiRefusal e) {
        if (e.code().equals("OperationDenied.NoStock")) {
          tokens.put(name, new Remembered(resourceTime(), call.parameters(), null, e));
        }
        throw e;
      }
    }
    if (!before.parameters().equals(call.parameters())) {
      throw new ApiRefusal(
          400,
          "IdempotentParameterMismatch",
          "The request uses the same client token as a previous, but non-identical request.");
    }
    if (before.refusal() != null) {
      throw before.refusal();
    }
    return before.answer();
  }

  private Map<String, Object> run(ApiCall call) {
    Map<String, Object> answer =
        switch (call.version()) {
          case "2014-05-26" -> Optional.ofNullable(ecs.run(call)).orElseGet(() -> stock.run(call));
          case "2016-04-28" -> vpc.run(call);
          case "2015-04-01" -> identity(call);
          default -> throw new ApiRefusal(400, "InvalidVersion", "No such version of an API.");
        };
    if (answer == null) {
      throw new ApiRefusal(
          404, "InvalidAction.NotFound", "This fake does not know " + call.action() + ".");
    }
    return answer;
  }

  private Map<String, Object> identity(ApiCall call) {
    return call.action().equals("GetCallerIdentity")
        ? Map.of(
            "AccountId", accountId,
            "UserId", accountId,
            "PrincipalId", accountId,
            "IdentityType", "Account",
            "Arn", "acs:ram::" + accountId + ":root")
        : null;
  }
}
