package dev.baton.aws.account;

import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.Set;
import java.util.regex.Pattern;
import javax.net.ssl.SSLHandshakeException;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.core.exception.SdkException;

/** Turns what the SDK throws into what it means for the deed. */
public final class AwsFailures {

  /** The code of a request that was never sent for want of credentials. */
  public static final String NO_CREDENTIALS = "NoCredentials";

  private static final Set<String> BUSY =
      Set.of(
          "SlowDown",
          "Throttling",
          "ThrottlingException",
          "ThrottledException",
          "RequestThrottled",
          "RequestLimitExceeded",
          "TooManyRequestsException",
          "ProvisionedThroughputExceededException",
          "TransactionInProgressException",
          "TransactionConflictException");

  private static final int LONGEST = 300;

  /**
   * The token of a role, or a part of it: some answers quote the request. No word for people is as
   * long.
   */
  private static final Pattern TOKEN = Pattern.compile("[A-Za-z0-9+/=_-]{60,}");

  private AwsFailures() {}

  public static AwsFailure of(SdkException e) {
    return e instanceof AwsServiceException answer ? refusal(answer) : broken(e);
  }

  private static AwsFailure refusal(AwsServiceException e) {
    String code =
        e.awsErrorDetails() == null ? "" : String.valueOf(e.awsErrorDetails().errorCode());
    String said = e.awsErrorDetails() == null ? "" : e.awsErrorDetails().errorMessage();
    AwsFailure.Kind kind = AwsFailure.Kind.REFUSED;
    if (BUSY.contains(code)) {
      kind = AwsFailure.Kind.BUSY;
    } else if (e.statusCode() >= 500 || e.statusCode() < 400 || code.equals("RequestTimeout")) {
      kind = AwsFailure.Kind.UNSURE;
    }
    return new AwsFailure(
        kind,
        e.statusCode(),
        code.matches("[A-Za-z0-9._]{1,80}") ? code : "HTTP " + e.statusCode(),
        shown(said),
        e.requestId() == null ? "" : shown(e.requestId()));
  }

  private static AwsFailure broken(SdkException e) {
    Throwable cause = e;
    while (cause.getCause() != null && cause instanceof SdkException) {
      cause = cause.getCause();
    }
    if (isAboutCredentials(e)) {
      // Without what it says: a chain quotes files and the output of programs.
      return new AwsFailure(
          AwsFailure.Kind.REFUSED, 0, NO_CREDENTIALS, "no credentials were found", "");
    }
    boolean unsent =
        cause instanceof ConnectException
            || cause instanceof UnknownHostException
            || cause instanceof NoRouteToHostException
            || cause instanceof SSLHandshakeException
            || String.valueOf(cause.getMessage()).startsWith("Connect timed out");
    return new AwsFailure(
        unsent ? AwsFailure.Kind.UNREACHABLE : AwsFailure.Kind.UNSURE,
        0,
        cause.getClass().getSimpleName(),
        cause instanceof SdkException ? "" : shown(cause.getMessage()),
        "");
  }

  /** The SDK has no type for it: credentials are looked for before anything is signed. */
  private static boolean isAboutCredentials(SdkException e) {
    for (Throwable at = e; at != null; at = at.getCause()) {
      if (at instanceof SdkClientException
          && Arrays.stream(at.getStackTrace())
              .anyMatch(f -> f.getMethodName().equals("resolveCredentials"))) {
        return true;
      }
    }
    return false;
  }

  /** In one line and short, without secrets. */
  private static String shown(String text) {
    if (text == null) {
      return "";
    }
    String line = TOKEN.matcher(text).replaceAll("…").replaceAll("[\\s\\p{Cntrl}]+", " ").strip();
    return line.length() <= LONGEST ? line : line.substring(0, LONGEST) + "…";
  }
}
