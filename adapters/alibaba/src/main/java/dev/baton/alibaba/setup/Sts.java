package dev.baton.alibaba.setup;

import com.aliyun.credentials.models.CredentialModel;
import com.aliyun.sts20150401.Client;
import com.aliyun.tea.TeaException;
import com.aliyun.teaopenapi.models.Config;
import com.aliyun.teautil.models.RuntimeOptions;
import dev.baton.alibaba.account.AlibabaAccount;
import dev.baton.alibaba.account.Endpoint;
import dev.baton.alibaba.account.Keys;
import dev.baton.alibaba.account.TeaClients;
import dev.baton.vm.Trouble;
import dev.baton.vm.VmException;
import java.net.URI;
import java.util.Map;

/**
 * Asks whose key it is. That needs no permission, works from every region, and is refused for a bad
 * key alone.
 */
final class Sts {
  static final String ENDPOINT = "BATON_STS_ENDPOINT";

  private static final String EVERYWHERE = "https://sts.aliyuncs.com";
  private static final int CONNECT_MILLIS = 5_000;
  private static final int READ_MILLIS = 20_000;
  private static final int LONGEST = 200;

  private final URI endpoint;
  private final AlibabaAccount account;

  /**
   * @throws IllegalArgumentException when the endpoint in the environment cannot be used
   */
  Sts(Map<String, String> environment, AlibabaAccount account) {
    String set = environment.getOrDefault(ENDPOINT, "").strip();
    this.endpoint = Endpoint.checked(set.isEmpty() ? EVERYWHERE : set, ENDPOINT);
    this.account = account;
  }

  /** The number of the account. */
  String accountId() throws VmException {
    try {
      String id =
          new Client(config())
              .getCallerIdentityWithOptions(
                  new RuntimeOptions()
                      .setAutoretry(false)
                      .setMaxAttempts(1)
                      .setConnectTimeout(CONNECT_MILLIS)
                      .setReadTimeout(READ_MILLIS))
              .getBody()
              .getAccountId();
      if (id == null || !id.matches("[0-9]{1,32}")) {
        throw unanswered("no number of an account");
      }
      return id;
    } catch (VmException e) {
      throw e;
    } catch (Exception e) {
      // What the client throws stays behind: it has the whole request in it.
      throw explain(e);
    }
  }

  private Config config() {
    String port = endpoint.getPort() < 0 ? "" : ":" + endpoint.getPort();
    boolean plain = endpoint.getScheme().equals("http");
    Config config =
        new Config()
            .setCredential(new com.aliyun.credentials.Client(this::credential))
            .setRegionId(account.region())
            .setEndpoint(endpoint.getHost() + port)
            .setProtocol(endpoint.getScheme())
            .setUserAgent("baton");
    account
        .proxies()
        .to(endpoint)
        .map(TeaClients::through)
        .ifPresent(plain ? config::setHttpProxy : config::setHttpsProxy);
    return config;
  }

  private CredentialModel credential() {
    Keys.Pair pair = account.pair();
    return CredentialModel.builder()
        .accessKeyId(pair.id())
        .accessKeySecret(pair.secret())
        .securityToken(pair.token())
        .type(pair.token().isEmpty() ? "access_key" : "sts")
        .build();
  }

  private VmException explain(Exception e) {
    if (e instanceof TeaException said && said.getCode() != null && !said.getCode().isBlank()) {
      return refused(said.getCode(), field(said, "statusCode"), trace(said));
    }
    if (e instanceof Keys.Missing none) {
      return failed(Trouble.DENIED, account.hidden(none.what()), account.hidden(none.next()));
    }
    Throwable deepest = e;
    while (deepest.getCause() != null && deepest.getCause() != deepest) {
      deepest = deepest.getCause();
    }
    return unanswered(deepest.getClass().getSimpleName());
  }

  private VmException unanswered(String why) {
    return new VmException.CloudFailed(
        Trouble.UNAVAILABLE,
        "could not reach Alibaba Cloud STS at "
            + endpoint
            + " to check the access key ("
            + why
            + ")",
        "Check the network and HTTPS_PROXY, and run `baton vm init` again.",
        null);
  }

  private VmException refused(String code, String status, String trace) {
    String key = "the access key from " + account.source();
    if (code.startsWith("InvalidTimeStamp")) {
      return failed(
          Trouble.BAD_REQUEST,
          "the clock of this machine is more than 15 minutes off" + trace,
          "Set the clock and run `baton vm init` again.");
    }
    if (code.startsWith("InvalidSecurityToken") || code.startsWith("MissingSecurityToken")) {
      return failed(
          Trouble.DENIED,
          key + " is a temporary one that has expired or does not fit its token" + trace,
          "Get a new one together with its " + Keys.TOKEN + ".");
    }
    if (code.startsWith("SignatureDoesNotMatch") || code.startsWith("IncompleteSignature")) {
      return failed(
          Trouble.DENIED,
          "the secret is not that of " + key + trace,
          "Copy both again: RAM console, your user, AccessKey.");
    }
    if (code.startsWith("InvalidAccessKeyId")) {
      return failed(
          Trouble.DENIED,
          "Alibaba Cloud does not know " + key + ", or it is disabled" + trace,
          "Copy it again: RAM console, your user, AccessKey.");
    }
    if (code.startsWith("Throttling") || status.startsWith("5")) {
      return failed(
          Trouble.UNAVAILABLE,
          "Alibaba Cloud is busy" + trace,
          "Wait a minute and run `baton vm init` again.");
    }
    return failed(
        Trouble.DENIED,
        "Alibaba Cloud refuses " + key + trace,
        "Look up that code in the documentation of STS.");
  }

  private static VmException failed(Trouble trouble, String what, String next) {
    return new VmException.CloudFailed(trouble, what, next, null);
  }

  private String trace(TeaException e) {
    String request = field(e, "RequestId");
    return " ("
        + shown(e.getCode())
        + (request.isEmpty() ? "" : ", request " + shown(request))
        + ")";
  }

  private static String field(TeaException e, String name) {
    Object value = e.getData() == null ? null : e.getData().get(name);
    return value == null ? "" : value.toString();
  }

  private String shown(String text) {
    String line = account.hidden(text).replaceAll("[\\s\\p{Cntrl}]+", " ").strip();
    return line.length() <= LONGEST ? line : line.substring(0, LONGEST) + "…";
  }
}
