package dev.baton.alibaba.oss;

import com.aliyun.oss.OSSException;
import com.aliyun.oss.model.BucketInfo;
import com.aliyun.oss.model.CannedAccessControlList;
import com.aliyun.oss.model.CreateBucketRequest;
import com.aliyun.oss.model.GenericRequest;
import com.aliyun.oss.model.Owner;
import com.aliyun.oss.model.SSEAlgorithm;
import com.aliyun.oss.model.ServerSideEncryptionByDefault;
import com.aliyun.oss.model.ServerSideEncryptionConfiguration;
import com.aliyun.oss.model.SetBucketAclRequest;
import com.aliyun.oss.model.SetBucketEncryptionRequest;
import dev.baton.alibaba.account.Keys;
import dev.baton.alibaba.account.Region;
import dev.baton.vm.Trouble;
import dev.baton.vm.VmException;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The bucket for the states of VMs, made or looked at: in the account's own hands and region,
 * private, encrypted by OSS, and without versions.
 */
public final class StateBucket implements AutoCloseable {
  private static final Pattern ENDPOINT = Pattern.compile("<Endpoint>([a-z0-9.-]+)</Endpoint>");
  private static final String FOREIGN =
      "another account has it, or the access key may not look at it";
  private static final String AGAIN = "run `baton vm init` again";

  /**
   * What was done.
   *
   * @param secured it could be read by others, and cannot any more
   * @param encrypted new objects were not encrypted before
   */
  public record Ready(boolean created, boolean secured, boolean encrypted) {
    public boolean changed() {
      return created || secured || encrypted;
    }
  }

  private final String name;
  private final OssAccess access;
  private final OssClient client;
  private final OssTrouble trouble;
  private String endpoint = "";

  /**
   * @throws IllegalArgumentException when OSS would not take such a name
   */
  public StateBucket(String name, OssAccess access) {
    OssPlace place = new OssPlace(name, "");
    this.name = name;
    this.access = Objects.requireNonNull(access, "access");
    this.trouble = new OssTrouble(place, access);
    this.client = new OssClient(access);
  }

  /**
   * May be run again, after whatever stopped it.
   *
   * @param account whose bucket it must be
   * @param ours nobody but Baton uses it, so that its rights may be changed
   */
  public Ready ensure(String account, boolean ours) throws VmException {
    boolean created = false;
    Optional<BucketInfo> found = look();
    if (found.isEmpty()) {
      create();
      created = true;
      found = look();
    }
    BucketInfo info =
        found.orElseThrow(
            () ->
                new VmException.CloudFailed(
                    Trouble.UNAVAILABLE,
                    "the bucket " + name + " was created and does not show",
                    "Wait a minute and " + AGAIN + ".",
                    null));
    try {
      requireOwn(info, account);
      requireRegion(info);
      requireUnversioned();
      boolean secured = !created && secure(info, ours);
      return new Ready(created, secured, encrypt());
    } catch (VmException.CloudFailed e) {
      if (!created) {
        throw e;
      }
      throw failed(e.trouble(), e.what() + "; the bucket itself was created", e.next());
    }
  }

  private Optional<BucketInfo> look() throws VmException {
    try {
      return Optional.of(ask(oss -> oss.getBucketInfo(OssClient.quiet(new GenericRequest(name)))));
    } catch (OssFailure e) {
      if (e.code().equals("NoSuchBucket")) {
        return Optional.empty();
      }
      throw explain(e, "look at", "oss:GetBucketInfo");
    }
  }

  private void create() throws VmException {
    CreateBucketRequest request = new CreateBucketRequest(name);
    request.setCannedACL(CannedAccessControlList.Private);
    try {
      ask(oss -> oss.createBucket(OssClient.quiet(request)));
    } catch (OssFailure e) {
      boolean ours =
          e.code().equals("BucketAlreadyExists") && isThere(); // somebody else of this account
      if (!ours) {
        throw explain(e, "create", "oss:PutBucket");
      }
    }
  }

  private boolean isThere() {
    try {
      return look().isPresent();
    } catch (VmException e) {
      // Not to be looked at: it is another account's, as the first answer said.
      return false;
    }
  }

  private void requireOwn(BucketInfo info, String account) throws VmException {
    Owner owner = info.getBucket().getOwner();
    String id = owner == null ? "" : String.valueOf(owner.getId());
    if (!account.equals(id)) {
      throw taken(
          "it belongs to account " + Texts.plain(id) + ", and the access key to " + account);
    }
  }

  private void requireRegion(BucketInfo info) throws VmException {
    String location = String.valueOf(info.getBucket().getLocation()).replaceFirst("^oss-", "");
    if (!location.equals(access.region())) {
      throw elsewhere(Optional.of(Texts.plain(location)), "");
    }
  }

  private void requireUnversioned() throws VmException {
    String status;
    try {
      status =
          ask(oss -> oss.getBucketVersioning(OssClient.quiet(new GenericRequest(name))))
              .getStatus();
    } catch (OssFailure e) {
      throw explain(e, "look at the versioning of", "oss:GetBucketVersioning");
    }
    if (status != null && !status.isEmpty() && !status.equals("Off")) {
      throw new VmException.CloudFailed(
          Trouble.BAD_REQUEST,
          trouble.whyNotVersioned(status),
          OssTrouble.NO_WAY_BACK + ", with --bucket NAME.",
          null);
    }
  }

  private boolean secure(BucketInfo info, boolean ours) throws VmException {
    String acl = String.valueOf(info.getCannedACL());
    if (acl.equals(CannedAccessControlList.Private.toString())) {
      return false;
    }
    if (!ours) {
      // Something of the user's may need it to be so.
      throw new VmException.CloudFailed(
          Trouble.BAD_REQUEST,
          "everybody may read the bucket " + name + " (its ACL is " + Texts.plain(acl) + ")",
          "Make it private in the console of OSS and "
              + AGAIN
              + ", or choose another one with --bucket NAME.",
          null);
    }
    try {
      ask(
          oss ->
              oss.setBucketAcl(
                  OssClient.quiet(new SetBucketAclRequest(name, CannedAccessControlList.Private))));
      return true;
    } catch (OssFailure e) {
      throw explain(e, "make private", "oss:PutBucketAcl");
    }
  }

  private boolean encrypt() throws VmException {
    try {
      ask(oss -> oss.getBucketEncryption(OssClient.quiet(new GenericRequest(name))));
      return false; // by whatever the user has chosen
    } catch (OssFailure e) {
      if (!e.code().equals("NoSuchServerSideEncryptionRule")) {
        throw explain(e, "look at the encryption of", "oss:GetBucketEncryption");
      }
    }
    ServerSideEncryptionConfiguration how = new ServerSideEncryptionConfiguration();
    how.setApplyServerSideEncryptionByDefault(
        new ServerSideEncryptionByDefault(SSEAlgorithm.AES256.toString()));
    try {
      ask(
          oss ->
              oss.setBucketEncryption(OssClient.quiet(new SetBucketEncryptionRequest(name, how))));
      return true;
    } catch (OssFailure e) {
      throw explain(e, "encrypt", "oss:PutBucketEncryption");
    }
  }

  // ---- failures

  /** Also remembers where the bucket really is, which is in the answer and nowhere else. */
  private <T> T ask(OssClient.Request<T> request) throws OssFailure {
    return client.ask(
        oss -> {
          try {
            return request.send(oss);
          } catch (OSSException e) {
            Matcher m = ENDPOINT.matcher(String.valueOf(e.getRawResponseError()));
            endpoint = m.find() ? m.group(1) : "";
            throw e;
          }
        });
  }

  private VmException explain(OssFailure e, String doing, String permission) {
    String start = "cannot " + doing + " the bucket " + name + ": ";
    String traced = " (" + e.trace() + ")";
    return switch (e.kind()) {
      case BUSY -> failed(Trouble.THROTTLED, start + "OSS is asked too often" + traced, later());
      case UNSURE ->
          failed(Trouble.UNAVAILABLE, start + "OSS did not answer as it should" + traced, later());
      case UNREACHABLE ->
          failed(
              Trouble.UNAVAILABLE,
              start + "OSS cannot be reached at " + access.endpoint() + traced,
              "Check the network and HTTPS_PROXY, and that there is a region "
                  + access.region()
                  + " (--region).");
      case REFUSED -> refused(e, start, traced, permission);
    };
  }

  private static String later() {
    return "Wait a minute and " + AGAIN + ".";
  }

  private static VmException failed(Trouble trouble, String what, String next) {
    return new VmException.CloudFailed(trouble, what, next, null);
  }

  private VmException refused(OssFailure e, String start, String traced, String permission) {
    String keys = "the access key from " + access.account().source();
    return switch (e.code()) {
      case "NoCredentials" -> failed(Trouble.DENIED, start + e.said(), e.next());
      case "InvalidAccessKeyId" ->
          failed(
              Trouble.DENIED,
              start + "OSS does not know " + keys + traced,
              "Correct it. A new one takes a minute to become valid, a temporary one needs its "
                  + Keys.TOKEN
                  + ".");
      case "SignatureDoesNotMatch" ->
          failed(
              Trouble.DENIED,
              start + "the secret is not that of " + keys + traced,
              "Set both again.");
      case "SecurityTokenExpired", "InvalidSecurityToken", "AccessKeyIdAndSecurityTokenNotMatch" ->
          failed(
              Trouble.DENIED,
              start
                  + keys
                  + " is a temporary one that has expired or does not fit its token"
                  + traced,
              "Get a new one.");
      case "RequestTimeTooSkewed" ->
          failed(
              Trouble.BAD_REQUEST,
              start + "the clock of this machine is more than 15 minutes off" + traced,
              "Set the clock and " + AGAIN + ".");
      case "UserDisable", "InDebt", "InDebtOverdue" ->
          failed(
              Trouble.DENIED,
              start
                  + "OSS is not open for this account, or was closed because of an unpaid bill"
                  + traced,
              "Open OSS in the console of Alibaba Cloud, or pay, and " + AGAIN + ".");
      case "BucketAlreadyExists" -> taken("another account has it" + traced);
      case "BucketNotBelongTo" -> taken(FOREIGN + traced);
      case "TooManyBuckets" ->
          failed(
              Trouble.QUOTA_EXCEEDED,
              start + "the account has as many buckets as it may have" + traced,
              "Use one of them with --bucket NAME, or delete one.");
      case "PermanentRedirect", "AccessDenied", "AccessForbidden", "InvalidArgument" ->
          denied(e, start, traced, permission);
      default ->
          failed(
              Trouble.BAD_REQUEST,
              start + "OSS refuses it" + traced,
              "Look up that code in the documentation of OSS.");
    };
  }

  private VmException denied(OssFailure e, String start, String traced, String permission) {
    if (OssTrouble.isElsewhere(e)) {
      return elsewhere(Region.ofEndpoint(endpoint), traced);
    }
    if (OssTrouble.isForeign(e)) {
      return taken(FOREIGN + traced);
    }
    if (e.code().equals("InvalidArgument")) {
      return failed(
          Trouble.BAD_REQUEST,
          start + "OSS refuses it" + traced,
          "Look up that code in the documentation of OSS.");
    }
    return failed(
        Trouble.DENIED,
        start + "the access key from " + access.account().source() + " may not do this" + traced,
        "Allow "
            + permission
            + " to it in a RAM policy (AliyunOSSFullAccess has it, docs/alibaba-cloud.md the least"
            + " that is needed); if OSS was never opened for the account, open it; if the bucket is"
            + " another account's, choose one with --bucket NAME.");
  }

  private VmException elsewhere(Optional<String> region, String traced) {
    return failed(
        Trouble.BAD_REQUEST,
        "the bucket "
            + name
            + " is in "
            + region.map(r -> "region " + r).orElse("another region")
            + ", not in "
            + access.region()
            + traced,
        "Use --region "
            + region.orElse("NAME with the region of the bucket")
            + ", or another bucket with --bucket NAME.");
  }

  private VmException taken(String why) {
    return failed(
        Trouble.BAD_REQUEST,
        "the bucket " + name + " is not available: " + why,
        "Choose another name with --bucket NAME: all accounts share the names of buckets.");
  }

  @Override
  public void close() {
    client.close();
  }
}
