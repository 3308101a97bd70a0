package dev.baton.alibaba.ecs;

import com.aliyun.credentials.models.CredentialModel;
import com.aliyun.tea.TeaException;
import com.aliyun.teaopenapi.models.Config;
import com.aliyun.teautil.models.RuntimeOptions;
import dev.baton.alibaba.account.AlibabaAccount;
import dev.baton.alibaba.account.Keys;
import dev.baton.alibaba.account.TeaClients;
import dev.baton.vm.Trouble;
import dev.baton.vm.spi.Cancel;
import dev.baton.vm.spi.ProviderException;
import java.net.ConnectException;
import java.net.URI;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Alibaba Cloud's clients. They do not repeat what was refused or has failed: those who call a
 * provider try again, after they have made sure that they still may. Only the HTTP client below
 * them sends once more what a broken connection may have swallowed; a call without a client token
 * must bear that. What they throw stays behind, since it has the whole request in it, and with it
 * the signature and temporary keys.
 */
final class Api {
  private static final int CONNECT_MILLIS = 5_000;
  private static final int READ_MILLIS = 20_000;

  final com.aliyun.ecs20140526.Client ecs;
  final com.aliyun.vpc20160428.Client vpc;
  final CloudClock clock;
  private final AlibabaAccount account;
  private final Troubles troubles;

  Api(AlibabaAccount account, Endpoints endpoints, CloudClock clock) {
    this.account = account;
    this.clock = clock;
    this.troubles = new Troubles(account);
    try {
      ecs = new com.aliyun.ecs20140526.Client(config("ecs", endpoints.ecs(), endpoints));
      vpc = new com.aliyun.vpc20160428.Client(config("vpc", endpoints.vpc(), endpoints));
    } catch (Exception e) {
      throw new IllegalStateException(
          "the clients of Alibaba Cloud cannot be made: " + e.getClass().getSimpleName());
    }
  }

  private Config config(String service, String endpoint, Endpoints endpoints) {
    String scheme = endpoints.plain() ? "http" : "https";
    Config config =
        new Config()
            .setCredential(new com.aliyun.credentials.Client(this::credential))
            .setRegionId(account.region())
            .setProtocol(scheme)
            .setUserAgent("baton");
    // The region is a part of the name or not; the domain, which matters here, is the same.
    String host = endpoint.isEmpty() ? service + ".aliyuncs.com" : endpoint;
    account
        .proxies()
        .to(URI.create(scheme + "://" + host))
        .map(TeaClients::through)
        .ifPresent(endpoints.plain() ? config::setHttpProxy : config::setHttpsProxy);
    return endpoint.isEmpty() ? config : config.setEndpoint(endpoint);
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

  String region() {
    return account.region();
  }

  /** A request through one of the clients, which declare to throw anything. */
  interface Send<T> {
    T send(RuntimeOptions how) throws Exception;
  }

  /**
   * @param doing for people, such as {@code create the network}
   */
  <T> T ask(String doing, Cancel cancel, Send<T> request)
      throws ProviderException, InterruptedException {
    cancel.check();
    RuntimeOptions how =
        new RuntimeOptions()
            .setAutoretry(false)
            .setMaxAttempts(1)
            .setConnectTimeout(CONNECT_MILLIS)
            .setReadTimeout(READ_MILLIS);
    try {
      return request.send(how);
    } catch (Exception e) {
      if (e instanceof InterruptedException || Thread.interrupted()) {
        throw new InterruptedException("while about to " + doing);
      }
      throw failure(doing, e);
    }
  }

  /**
   * To delete something. What is on its way to somewhere, perhaps out, takes no orders: whoever
   * deletes has more patience for what is in the way than for what has failed.
   */
  <T> void delete(String doing, Cancel cancel, Send<T> request)
      throws ProviderException, InterruptedException {
    try {
      ask(doing, cancel, request);
    } catch (ProviderException e) {
      if (e.trouble() == Trouble.UNAVAILABLE && Troubles.isAboutStatus(e)) {
        throw new ProviderException(Trouble.DEPENDENCY, e.what(), e.next());
      }
      throw e;
    }
  }

  private ProviderException failure(String doing, Exception e) {
    if (e instanceof TeaException said && said.getCode() != null && !said.getCode().isBlank()) {
      return troubles.refused(doing, said.getCode(), status(said), text(said), requestId(said));
    }
    if (e instanceof Keys.Missing none) {
      return new ProviderException(
          Trouble.DENIED, account.hidden(none.what()), account.hidden(none.next()));
    }
    Throwable deepest = e;
    while (deepest.getCause() != null && deepest.getCause() != deepest) {
      deepest = deepest.getCause();
    }
    String kind = deepest.getClass().getSimpleName();
    if (deepest instanceof UnknownHostException || deepest instanceof ConnectException) {
      // A region that does not exist has no host.
      return new ProviderException(
          Trouble.UNAVAILABLE,
          "cannot "
              + doing
              + ": Alibaba Cloud cannot be reached ("
              + kind
              + "): check the network, HTTPS_PROXY and the region "
              + account.region()
              + " (ALIBABA_CLOUD_REGION_ID)");
    }
    return new ProviderException(
        Trouble.UNAVAILABLE,
        "cannot " + doing + ": Alibaba Cloud did not answer as it should (" + kind + ")");
  }

  private static int status(TeaException e) {
    Object status = e.getData() == null ? null : e.getData().get("statusCode");
    return status instanceof Number n ? n.intValue() : 0;
  }

  private static String text(TeaException e) {
    return field(e, "Message");
  }

  private static String requestId(TeaException e) {
    return field(e, "RequestId");
  }

  private static String field(TeaException e, String name) {
    Object value = e.getData() == null ? null : e.getData().get(name);
    return value == null ? "" : value.toString();
  }

  // ---- lists

  /**
   * A part of a list.
   *
   * @param total of the whole, or null
   */
  record Slice<T>(List<T> items, Integer total, Map<String, String> headers) {}

  /** Asks for one page, from 1 on. */
  interface Pages<T> {
    Slice<T> page(int number, RuntimeOptions how) throws Exception;
  }

  /** All pages. */
  <T> List<T> all(String doing, int size, Cancel cancel, Pages<T> pages)
      throws ProviderException, InterruptedException {
    List<T> found = new ArrayList<>();
    for (int number = 1; ; number++) {
      int page = number;
      Slice<T> slice = ask(doing, cancel, how -> pages.page(page, how));
      clock.heard(slice.headers());
      found.addAll(slice.items());
      boolean last =
          slice.total() == null ? slice.items().size() < size : found.size() >= slice.total();
      if (last || slice.items().isEmpty()) {
        return found;
      }
    }
  }

  /**
   * Looks again and again until it is so.
   *
   * @return whether it came to be
   */
  static boolean await(Duration atMost, Duration step, Cancel cancel, Look look)
      throws ProviderException, InterruptedException {
    for (Duration waited = Duration.ZERO; ; waited = waited.plus(step)) {
      if (look.isSo()) {
        return true;
      }
      if (waited.compareTo(atMost) >= 0) {
        return false;
      }
      cancel.pause(step);
    }
  }

  interface Look {
    boolean isSo() throws ProviderException, InterruptedException;
  }
}
