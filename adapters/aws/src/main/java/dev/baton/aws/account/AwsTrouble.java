package dev.baton.aws.account;

import dev.baton.core.Problem;
import dev.baton.core.Problem.Kind;
import dev.baton.store.Doubts;
import dev.baton.store.StoreException;
import java.time.Duration;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * The one place that tells what a failure of AWS means: its kind, and what to do. One odd answer is
 * not believed, see {@link Doubts}.
 *
 * <p>Safe for use by several threads.
 */
public final class AwsTrouble {
  private static final Duration PAUSE = Duration.ofSeconds(1);

  /** A refusal of what has worked before is believed after that time. */
  private static final Duration LASTING = Duration.ofSeconds(30);

  private static final Set<String> UNKNOWN_KEY =
      Set.of("InvalidAccessKeyId", "UnrecognizedClientException", "InvalidClientTokenId");
  private static final Set<String> WRONG_SECRET =
      Set.of("SignatureDoesNotMatch", "InvalidSignatureException");
  private static final Set<String> EXPIRED =
      Set.of("ExpiredToken", "ExpiredTokenException", "InvalidToken", "TokenRefreshRequired");
  private static final Set<String> ELSEWHERE =
      Set.of(
          "PermanentRedirect",
          "TemporaryRedirect",
          "AuthorizationHeaderMalformed",
          "IllegalLocationConstraintException");
  private static final Set<String> MISSING =
      Set.of("NoSuchBucket", "ResourceNotFoundException", "TableNotFoundException");
  private static final Set<String> DENIED =
      Set.of("AccessDenied", "AccessDeniedException", "AllAccessDisabled", "AccountProblem");
  private static final Set<String> CERTAIN =
      Set.of("TooLarge", "InvalidBucketName", "InvalidObjectState", "ValidationException");

  /** The answer to a HEAD has no code in it. */
  private static final String WITHOUT_CODE = "HTTP 403";

  private final AwsAccount account;
  private final AwsAccount.Service service;
  private final String what;
  private final String where;
  private final Doubts doubts;

  /**
   * @param what the bucket or table, such as {@code the bucket team-builds}
   * @param where the address, for people
   * @param nanos a monotonic clock
   */
  public AwsTrouble(
      AwsAccount account,
      AwsAccount.Service service,
      String what,
      String where,
      LongSupplier nanos) {
    this.account = Objects.requireNonNull(account, "account");
    this.service = Objects.requireNonNull(service, "service");
    this.what = Objects.requireNonNull(what, "what");
    this.where = Objects.requireNonNull(where, "where");
    this.doubts = new Doubts(name(), nanos, LASTING);
  }

  private String name() {
    return service == AwsAccount.Service.S3 ? "S3" : "DynamoDB";
  }

  /** Some requests that belong together. */
  public interface Requests<T> {
    T send() throws AwsFailure;
  }

  /**
   * @param doing what is tried, such as {@code read the document queue}
   * @param permission what it needs, such as {@code s3:GetObject}
   * @throws StoreException saying what went wrong and what to do
   */
  public <T> T ask(Requests<T> requests, String doing, String permission) throws StoreException {
    try {
      T answer = requests.send();
      doubts.succeeded(request(doing, permission));
      return answer;
    } catch (AwsFailure e) {
      throw weighed(e, doing, permission);
    }
  }

  /**
   * The same where a refusal is believed at once: by those who ask for each thing once, and for
   * nothing again until it is allowed.
   */
  public <T> T once(Requests<T> requests, String doing, String permission) throws StoreException {
    try {
      return requests.send();
    } catch (AwsFailure e) {
      throw explain(e, doing, permission);
    }
  }

  private static String request(String doing, String permission) {
    return doing + " with " + permission;
  }

  private StoreException weighed(AwsFailure e, String doing, String permission) {
    StoreException verdict = explain(e, doing, permission);
    // Somebody who never had credentials is told at once; those that were there may be renewed.
    boolean never = e.is(AwsFailures.NO_CREDENTIALS) && !doubts.hasWorked();
    if (verdict.isRetryable() || never || CERTAIN.contains(e.code())) {
      return verdict;
    }
    return doubts.weigh(
        verdict,
        isAboutEverything(e)
            ? Doubts.Refusal.ofEverything(e.code())
            : new Doubts.Refusal(e.code(), request(doing, permission)));
  }

  /** Whether an item was refused because of its size. */
  public static boolean isTooLarge(AwsFailure e) {
    return e.said().toLowerCase(Locale.ROOT).contains("item size");
  }

  /** Whether it was refused because a permission is missing. */
  public static boolean isDenied(AwsFailure e) {
    return DENIED.contains(e.code()) || e.is(WITHOUT_CODE);
  }

  /** Whether nothing else that is asked of that place can go better. */
  public static boolean isAboutEverything(AwsFailure e) {
    return e.is(AwsFailures.NO_CREDENTIALS)
        || UNKNOWN_KEY.contains(e.code())
        || WRONG_SECRET.contains(e.code())
        || EXPIRED.contains(e.code())
        || ELSEWHERE.contains(e.code())
        || MISSING.contains(e.code());
  }

  /** What a failure means if it is believed. */
  public StoreException explain(AwsFailure e, String doing, String permission) {
    String start = "cannot " + doing + " in " + where + ": ";
    return switch (e.kind()) {
      case BUSY ->
          StoreException.busy(
              start + name() + " asks for fewer requests (" + e.trace() + ")", PAUSE);
      case UNREACHABLE ->
          StoreException.passing(
              start
                  + name()
                  + " cannot be reached at "
                  + account.place(service)
                  + " ("
                  + e.trace()
                  + ")",
              "Check the network, the proxy, "
                  + AwsAccount.REGION
                  + " and "
                  + service.variable()
                  + ".",
              null);
      case UNSURE ->
          e.is("ServiceUnavailable")
              ? StoreException.busy(start + name() + " is busy (" + e.trace() + ")", PAUSE)
              : StoreException.passing(
                  start + name() + " did not answer as it should (" + e.trace() + ")", null);
      case REFUSED -> new StoreException(refused(e, permission).within(start), null);
    };
  }

  private Problem refused(AwsFailure e, String permission) {
    String traced = " (" + e.trace() + ")";
    String key = "the access key from " + account.source();
    if (e.is(AwsFailures.NO_CREDENTIALS)) {
      return new Problem(
          Kind.NO_TOKEN,
          "there are no credentials for AWS: " + account.source() + " finds none",
          "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or run `aws sso login` or `aws"
              + " configure`, and set AWS_PROFILE if it is not the default one. In a workflow, run"
              + " aws-actions/configure-aws-credentials first.");
    }
    if (isSkewed(e)) {
      return unusable("the clock of this machine is wrong" + traced, "Set the clock.");
    }
    if (UNKNOWN_KEY.contains(e.code())) {
      return denied(
          "AWS does not know " + key + traced,
          "It may be deleted, or a temporary one that lacks its AWS_SESSION_TOKEN. Correct it.");
    }
    if (WRONG_SECRET.contains(e.code())) {
      return denied("the secret of " + key + " is wrong" + traced, "Set both again.");
    }
    if (EXPIRED.contains(e.code())) {
      return denied(
          key + " is a temporary one that has expired or does not fit its token" + traced,
          "Get a new one, for example with `aws sso login`.");
    }
    if (ELSEWHERE.contains(e.code())) {
      return unusable(
          what + " is in another region than " + account.region() + traced,
          "Set " + AwsAccount.REGION + " to its region.");
    }
    if (MISSING.contains(e.code())) {
      return unusable(
          what + " does not exist in " + account.region() + traced,
          "Correct the address or "
              + AwsAccount.REGION
              + ", or create it with `baton aws init`: see docs/aws.md.");
    }
    if (isAboutKms(e)) {
      return denied(
          "the KMS key that encrypts " + what + " cannot be used" + traced,
          "Allow kms:Decrypt and kms:GenerateDataKey on that key to "
              + key
              + ", and see that the key is enabled.");
    }
    if (isDenied(e)) {
      return denied(
          key + " may not do this" + traced,
          "Allow "
              + permission
              + " on "
              + what
              + " in an IAM policy. If "
              + what
              + " belongs to another account, that account must allow it too, or use another one.");
    }
    return special(e, traced);
  }

  private Problem special(AwsFailure e, String traced) {
    String said = e.said().toLowerCase(Locale.ROOT);
    if (said.contains("key element does not match the schema")
        || said.contains("missing the key")
        || said.contains("required keys was not given")) {
      return unusable(
          what + " has another key than lockKey of type S" + traced,
          "Use a table whose partition key is lockKey (String), without a sort key.");
    }
    if (isTooLarge(e)) {
      return unusable(
          "the document does not fit into an item of 400 KB" + traced,
          "Have fewer builds in line, or keep the queue in S3.");
    }
    return switch (e.code()) {
      case "BucketAlreadyExists" ->
          unusable(
              what + " exists in another account" + traced,
              "Choose another name: those of buckets are shared by all accounts.");
      case "OperationAborted" ->
          unusable("something else is being done to " + what + traced, "Try again in a minute.");
      case "LimitExceededException", "TooManyBuckets" ->
          unusable(
              "the account may have no more of these" + traced,
              "Have the limit raised, or wait until other changes are done.");
      case "TooLarge" -> unusable(e.said(), "Move it away.");
      case "InvalidBucketName" -> unusable("S3 does not take that name" + traced, "Correct it.");
      case "InvalidObjectState" ->
          unusable(
              "it is archived" + traced,
              "Restore it, and have no lifecycle rule archive what is below this prefix.");
      default ->
          unusable(
              name() + " refuses it" + traced,
              "Look up that code in the documentation of " + name() + ".");
    };
  }

  private static boolean isSkewed(AwsFailure e) {
    return e.is("RequestTimeTooSkewed")
        || e.is("RequestExpired")
        || e.said().startsWith("Signature expired")
        || e.said().startsWith("Signature not yet current");
  }

  private static boolean isAboutKms(AwsFailure e) {
    return e.code().startsWith("KMS")
        || DENIED.contains(e.code()) && e.said().toLowerCase(Locale.ROOT).contains("kms");
  }

  private static Problem denied(String what, String next) {
    return new Problem(Kind.NO_PERMISSION, what, next);
  }

  private static Problem unusable(String what, String next) {
    return new Problem(Kind.UNREACHABLE, what, next);
  }
}
