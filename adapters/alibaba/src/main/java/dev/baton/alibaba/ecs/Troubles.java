package dev.baton.alibaba.ecs;

import dev.baton.alibaba.account.AlibabaAccount;
import dev.baton.core.Problem;
import dev.baton.vm.Trouble;
import dev.baton.vm.spi.ProviderException;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;

/** The one place that tells what an error of the API means. */
final class Troubles {
  private static final Duration PAUSE = Duration.ofSeconds(5);
  private static final int LONGEST = 200;

  private static final List<String> KEYS =
      List.of(
          "InvalidAccessKeyId",
          "InvalidSecurityToken",
          "SignatureDoesNotMatch",
          "IncompleteSignature",
          "MissingSecurityToken");

  private static final List<String> STOCK =
      List.of(
          "OperationDenied.NoStock",
          "Zone.NotOnSale",
          "InvalidResourceType.NotSupported",
          "ResourceNotAvailable",
          "NotOnSale");

  /**
   * Sent twice, too early, or beside something else: nobody knows what was carried out, and later
   * it may well be.
   */
  private static final Pattern PASSING =
      Pattern.compile(
          "SignatureNonceUsed|IdempotentProcessing|.*LastTokenProcessing.*|SystemBusy"
              + "|ServiceUnavailable.*|InternalError.*|TaskConflict"
              + "|(Invalid)?Operation\\.?Conflict|Incorrect.*Status.*");

  /** Two generations of one error. */
  private static final List<String> SAME_NAME =
      List.of("KeyPair.AlreadyExist", "InvalidKeyPairName.Duplicate");

  private static final Pattern STATUS = Pattern.compile("\\bIncorrect\\w*Status\\b");

  /** A refusal of what was asked for, before anything was done about it. */
  private static final Pattern REFUSED =
      Pattern.compile(
          "(Invalid|Missing|Malformed|Illegal|Unsupported|NotSupported|Operation(Denied|Unsupported))"
              + ".*|.*(Violation|Unauthorized|Mismatch|NotSupported|Unsupported|Malformed"
              + "|Duplicated?|AlreadyExists?)");

  private final AlibabaAccount account;

  Troubles(AlibabaAccount account) {
    this.account = account;
  }

  /**
   * What is not known to be a refusal counts as no answer: whoever creates something must not
   * believe that nothing was created because a code is new to us.
   */
  static Trouble of(String code, int status) {
    if (code.contains("Throttl") || status == 429) {
      return Trouble.THROTTLED;
    }
    if (code.equals("IdempotentParameterMismatch")) {
      return Trouble.TOKEN_MISMATCH;
    }
    if (STOCK.stream().anyMatch(code::contains)) {
      return Trouble.OUT_OF_STOCK;
    }
    if (code.contains("Quota") || code.contains("LimitExceeded")) {
      return Trouble.QUOTA_EXCEEDED;
    }
    if (code.contains("DependencyViolation") || code.equals("SnapshotCreatedImage")) {
      return Trouble.DEPENDENCY;
    }
    if (isAboutKeys(code) || code.startsWith("InvalidTimeStamp") || isAboutMoney(code)) {
      return Trouble.DENIED;
    }
    if (code.startsWith("InvalidRegionId")
        || code.startsWith("InvalidZoneId")
        || code.startsWith("InvalidAction")) {
      return Trouble.BAD_REQUEST;
    }
    // Also Forbidden.VpcNotFound.
    if (code.contains("NotFound") || code.endsWith("NotExist") || code.endsWith("NotExists")) {
      return Trouble.NOT_FOUND;
    }
    if (isAboutPermissions(code)) {
      return Trouble.DENIED;
    }
    if (status >= 500 || PASSING.matcher(code).matches()) {
      return Trouble.UNAVAILABLE;
    }
    return REFUSED.matcher(code).matches() ? Trouble.BAD_REQUEST : Trouble.UNAVAILABLE;
  }

  /** Whether the resource is not in the status that the request needs. */
  static boolean isAboutStatus(ProviderException e) {
    return STATUS.matcher(e.said()).find();
  }

  /** Whether there is no such instance type. */
  static boolean isAboutInstanceType(ProviderException e) {
    return e.said().contains("InstanceType")
        && (e.trouble() == Trouble.NOT_FOUND || e.trouble() == Trouble.BAD_REQUEST);
  }

  /** Whether there is a key pair of that name. */
  static boolean isAboutKeyPairName(ProviderException e) {
    return SAME_NAME.stream().anyMatch(e.said()::contains);
  }

  private static boolean isAboutPermissions(String code) {
    return code.startsWith("Forbidden") || code.startsWith("NoPermission");
  }

  private static boolean isAboutKeys(String code) {
    return KEYS.stream().anyMatch(code::startsWith);
  }

  private static boolean isAboutMoney(String code) {
    return code.contains("NotEnoughBalance") || code.contains("Arrear");
  }

  ProviderException refused(String doing, String code, int status, String said, String request) {
    Trouble trouble = of(code, status);
    String words = shown(code) + (said.isEmpty() ? "" : ", " + shown(said));
    String what =
        "cannot "
            + doing
            + ": "
            + words
            + (request.isEmpty() ? "" : " (request " + shown(request) + ")");
    return new ProviderException(
        trouble,
        new Problem(trouble.kind(), what, trouble == Trouble.NOT_FOUND ? "" : advice(code)),
        trouble == Trouble.THROTTLED ? PAUSE : null,
        words);
  }

  private String advice(String code) {
    if (isAboutKeys(code)) {
      return "The access key from "
          + account.source()
          + " is unknown, expired or does not fit its secret: correct it.";
    }
    if (code.startsWith("InvalidTimeStamp")) {
      return "The clock of this machine is more than 15 minutes off: set it.";
    }
    if (isAboutPermissions(code)) {
      return "The access key from "
          + account.source()
          + " may not do this: see the RAM policy in docs/alibaba-cloud.md.";
    }
    if (isAboutMoney(code)) {
      return "The account has no money left: pay, and try again.";
    }
    if (code.startsWith("InvalidRegionId")) {
      return "Unknown region " + account.region() + ": set ALIBABA_CLOUD_REGION_ID.";
    }
    return "";
  }

  /** In one line, short, and without secrets. */
  private String shown(String text) {
    String line = account.hidden(text).replaceAll("[\\s\\p{Cntrl}]+", " ").strip();
    // What was signed is repeated there, and with it parameters that may be anybody's.
    line = line.replaceAll("(?i)server string to sign is:.*", "…");
    return line.length() <= LONGEST ? line : line.substring(0, LONGEST) + "…";
  }
}
