package dev.baton.alibaba.oss;

import dev.baton.alibaba.account.Endpoint;
import dev.baton.alibaba.account.Keys;
import dev.baton.alibaba.account.Region;
import dev.baton.core.Problem;
import dev.baton.core.Problem.Kind;
import dev.baton.store.StoreException;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;

/** The one place that tells what a failure of OSS means: its kind, and what to do. */
final class OssTrouble {
  static final String NO_WAY_BACK =
      "Versioning can only be suspended, not switched off, which does not help: use a bucket"
          + " whose versioning was never enabled";

  private static final Duration PAUSE = Duration.ofSeconds(5);

  private final OssPlace place;
  private final OssAccess access;

  OssTrouble(OssPlace place, OssAccess access) {
    this.place = Objects.requireNonNull(place, "place");
    this.access = Objects.requireNonNull(access, "access");
  }

  /**
   * @param doing what was tried, such as {@code read the document queue}
   * @param permission what it needs, such as {@code oss:GetObject}
   */
  StoreException explain(OssFailure e, String doing, String permission) {
    String start = "cannot " + doing + " in " + place.address() + ": ";
    return switch (e.kind()) {
      case BUSY ->
          StoreException.busy(start + "OSS asks for fewer requests (" + e.trace() + ")", PAUSE);
      case UNREACHABLE ->
          StoreException.passing(
              start + "OSS cannot be reached at " + access.endpoint() + " (" + e.trace() + ")",
              "Check the network, " + Region.VARIABLE + " and " + Endpoint.OSS + ".",
              null);
      case UNSURE ->
          e.code().equals("ServiceUnavailable")
              ? StoreException.busy(start + "OSS is busy (" + e.trace() + ")", PAUSE)
              : StoreException.passing(
                  start + "OSS did not answer as it should (" + e.trace() + ")", null);
      case REFUSED -> new StoreException(refused(e, permission).within(start), null);
    };
  }

  /** Whether it is because of the key: another one could do it. */
  private static boolean isDenied(OssFailure e) {
    return switch (e.code()) {
      case "NoCredentials",
          "InvalidAccessKeyId",
          "SignatureDoesNotMatch",
          "SecurityTokenExpired",
          "InvalidSecurityToken",
          "AccessKeyIdAndSecurityTokenNotMatch",
          "UserDisable",
          "InDebt",
          "InDebtOverdue",
          "BucketNotBelongTo" ->
          true;
      case "AccessDenied", "AccessForbidden" -> !isElsewhere(e);
      default -> false;
    };
  }

  /** Whether it is about the key, the account or the bucket, and so about every request. */
  static boolean isAboutEverything(OssFailure e) {
    boolean mayBeOfOneRequest =
        e.code().equals("AccessDenied") || e.code().equals("AccessForbidden");
    return isElsewhere(e)
        || !mayBeOfOneRequest && isDenied(e)
        || e.code().equals("NoSuchBucket")
        || e.code().equals("RequestTimeTooSkewed");
  }

  /** Whether the same request would surely be refused again. */
  static boolean isCertain(OssFailure e) {
    return Set.of("TooLarge", "InvalidBucketName", "InvalidObjectState").contains(e.code());
  }

  /** Whether the bucket is in another region. */
  static boolean isElsewhere(OssFailure e) {
    return e.said().contains("must be addressed using the specified endpoint")
        || e.said().contains("signing region")
        || e.code().equals("PermanentRedirect");
  }

  /** Whether the bucket is another account's. */
  static boolean isForeign(OssFailure e) {
    return e.said().contains("does not belong to you");
  }

  private static Problem told(OssFailure e, String what, String next) {
    return new Problem(isDenied(e) ? Kind.NO_PERMISSION : Kind.UNREACHABLE, what, next);
  }

  private Problem refused(OssFailure e, String permission) {
    String traced = " (" + e.trace() + ")";
    String source = access.account().source();
    return switch (e.code()) {
      case "NoCredentials" -> new Problem(Kind.NO_TOKEN, e.said(), e.next());
      case "InvalidAccessKeyId" ->
          told(
              e,
              "OSS does not know the access key from " + source + traced,
              "It may have been deleted or disabled, or be a temporary one that has expired or"
                  + " lacks its "
                  + Keys.TOKEN
                  + ". Correct it.");
      case "SignatureDoesNotMatch" ->
          told(
              e,
              "the secret from " + source + " is not that of its access key" + traced,
              "Set both again.");
      case "SecurityTokenExpired", "InvalidSecurityToken", "AccessKeyIdAndSecurityTokenNotMatch" ->
          told(
              e,
              "the temporary access key from "
                  + source
                  + " has expired or does not fit its token"
                  + traced,
              "Get a new one.");
      case "RequestTimeTooSkewed" ->
          told(
              e,
              "the clock of this machine is more than 15 minutes off" + traced,
              "Set the clock.");
      case "UserDisable", "InDebt", "InDebtOverdue" ->
          told(
              e,
              "OSS is not open for this account, or was closed because of an unpaid bill" + traced,
              "Open OSS in the console of Alibaba Cloud, or pay.");
      case "NoSuchBucket" ->
          told(
              e,
              "the bucket does not exist" + traced,
              "Correct the address, or create it: for VMs with `baton vm init --bucket "
                  + place.bucket()
                  + "`, otherwise by hand, private and without versioning, in "
                  + access.region()
                  + ".");
      case "InvalidBucketName" ->
          told(e, "OSS does not take that name" + traced, "Use another bucket.");
      case "BucketNotBelongTo" -> foreign(e, traced);
      case "PermanentRedirect", "AccessDenied", "AccessForbidden", "InvalidArgument" ->
          denied(e, traced, permission);
      case "TooLarge" -> told(e, e.said(), "Move it away.");
      case "InvalidObjectState" ->
          told(
              e,
              "it is archived" + traced,
              "Restore it, and have no lifecycle rule archive what is below this prefix.");
      default -> unknown(e, traced);
    };
  }

  private static Problem unknown(OssFailure e, String traced) {
    return told(e, "OSS refuses it" + traced, "Look up that code in the documentation of OSS.");
  }

  private Problem denied(OssFailure e, String traced, String permission) {
    if (isElsewhere(e)) {
      return told(
          e,
          "the bucket is in another region than " + access.region() + traced,
          "Set "
              + Region.VARIABLE
              + " to the bucket's region"
              + (access.endpoint().getHost().contains(access.region())
                  ? "."
                  : ", and " + Endpoint.OSS + " to an endpoint there."));
    }
    if (isForeign(e)) {
      return foreign(e, traced);
    }
    if (e.code().equals("InvalidArgument")) {
      return unknown(e, traced);
    }
    return told(
        e,
        "the access key from " + access.account().source() + " may not do this" + traced,
        "Allow "
            + permission
            + " on "
            + place.bucket()
            + " to it, in a RAM policy; if the bucket is not yours, use another one.");
  }

  private static Problem foreign(OssFailure e, String traced) {
    return told(
        e,
        "the bucket belongs to another account, or the access key may not look at it" + traced,
        "Use the keys of that account, allow this one to use the bucket, or choose another name:"
            + " all accounts share the names of buckets.");
  }

  /**
   * @param status as OSS calls it
   */
  StoreException versioned(String status) {
    return new StoreException(whyNotVersioned(status), NO_WAY_BACK + ".", null);
  }

  /** What is wrong with such a bucket. */
  String whyNotVersioned(String status) {
    return "the bucket "
        + place.bucket()
        + " keeps versions of its objects (versioning: "
        + Texts.plain(status)
        + "), and there OSS overwrites what must not be overwritten, so two builds could hold one"
        + " lock";
  }
}
