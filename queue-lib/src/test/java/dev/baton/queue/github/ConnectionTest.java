package dev.baton.queue.github;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.core.FakeWorld;
import dev.baton.core.Proxies;
import dev.baton.queue.github.internal.http.HttpProxies;
import dev.baton.queue.github.internal.http.PrivateTrust;
import dev.baton.store.Snapshot;
import dev.baton.store.StoreException;
import dev.baton.store.Version;
import dev.baton.store.VersionedStore;
import dev.baton.store.WriteResult;
import java.io.IOException;
import java.net.Proxy;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import okhttp3.Credentials;
import okhttp3.tls.HandshakeCertificates;
import okhttp3.tls.HeldCertificate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Proxies and certificates. */
class ConnectionTest {
  private static final String SHA = Texts.blobSha("one".getBytes(StandardCharsets.UTF_8));
  private static final String FOUND =
      "{\"type\":\"file\",\"encoding\":\"base64\",\"sha\":\"" + SHA + "\",\"content\":\"b25l\"}";
  private static final Snapshot ONE = Snapshot.of(new Version(SHA), "one");

  private final FakeWorld world = new FakeWorld();

  private VersionedStore queueAt(URI api, UnaryOperator<GitHubConnection.Builder> connection) {
    GitHubConnection.Builder builder = GitHubConnection.builder().token(() -> Desk.SECRET);
    return GitHubSpace.open(
            GitHubPlace.parse("github:octo/app", api), connection.apply(builder).build(), world)
        .document("queue");
  }

  // ---- proxies

  @Test
  void plainRequestsGoThroughTheProxy() throws StoreException {
    try (LittleProxy proxy = new LittleProxy(Optional.empty());
        Desk desk = new Desk()) {
      VersionedStore queue =
          queueAt(
              URI.create(desk.sim.baseUrl()),
              c ->
                  c.environment(Map.of("http_proxy", "http://127.0.0.1:" + proxy.port()))
                      .proxyForLoopback(true));

      WriteResult made = queue.write(Version.ABSENT, "one", "");
      assertThat(made).isInstanceOf(WriteResult.Written.class);
      assertThat(queue.read().content()).contains("one");
      assertThat(proxy.requests())
          .hasSize(7)
          .allSatisfy(line -> assertThat(line).contains(desk.sim.baseUrl()));
    }
  }

  @Test
  void aProxyThatWantsToKnowWhoAsksIsTold() throws StoreException {
    String credentials = Credentials.basic("me", "p@ss:w+rd");
    try (LittleProxy proxy = new LittleProxy(Optional.of(credentials));
        ScriptedServer server = new ScriptedServer().says(200, FOUND)) {
      String address = "http://me:p%40ss%3Aw+rd@127.0.0.1:" + proxy.port();

      assertThat(
              queueAt(
                      server.api(),
                      c -> c.environment(Map.of("HTTP_PROXY", address)).proxyForLoopback(true))
                  .read())
          .isEqualTo(ONE);
      assertThat(server.requests().get(0).header("Proxy-authorization"))
          .as("for the proxy alone")
          .isEmpty();
    }
  }

  @Test
  void aProxyThatRefusesTheUserIsReported() {
    try (LittleProxy proxy = new LittleProxy(Optional.of("Basic other"));
        ScriptedServer server = new ScriptedServer().says(200, FOUND)) {
      String address = "http://me:x@127.0.0.1:" + proxy.port();
      VersionedStore queue =
          queueAt(
              server.api(),
              c -> c.environment(Map.of("HTTP_PROXY", address)).proxyForLoopback(true));
      assertThatThrownBy(() -> Desk.patiently(world::advance, queue::read))
          .isInstanceOf(GitHubException.Refused.class)
          .hasMessageContaining("the proxy wants another user or password");
      assertThat(server.requests()).isEmpty();
    }
  }

  @Test
  void secureRequestsGoThroughATunnel(@TempDir Path folder) throws StoreException {
    Authority authority = new Authority();
    String credentials = Credentials.basic("me", "secret");
    try (LittleProxy proxy = new LittleProxy(Optional.of(credentials));
        ScriptedServer server = authority.server().says(200, FOUND)) {
      assertThat(
              queueAt(
                      server.api(),
                      c ->
                          c.environment(
                                  Map.of(
                                      "HTTPS_PROXY", "http://me:secret@127.0.0.1:" + proxy.port()))
                              .proxyForLoopback(true)
                              .caFile(authority.write(folder)))
                  .read())
          .isEqualTo(ONE);
      assertThat(proxy.requests())
          .containsExactly("CONNECT 127.0.0.1:" + server.api().getPort() + " HTTP/1.1");
    }
  }

  @Test
  void aServerBehindTheTunnelDoesNotGetTheProxysPassword(@TempDir Path folder) {
    Authority authority = new Authority();
    try (LittleProxy proxy = new LittleProxy(Optional.of(Credentials.basic("me", "secret")));
        ScriptedServer server =
            authority
                .server()
                .keepsSaying(407, "{}", "Proxy-Authenticate", "Basic realm=\"proxy\"")) {
      VersionedStore queue =
          queueAt(
              server.api(),
              c ->
                  c.environment(Map.of("HTTPS_PROXY", "http://me:secret@127.0.0.1:" + proxy.port()))
                      .proxyForLoopback(true)
                      .caFile(authority.write(folder)));
      assertThatThrownBy(() -> Desk.patiently(world::advance, queue::read))
          .isInstanceOf(GitHubException.Refused.class);
      assertThat(proxy.requests()).as("the proxy itself was told").isNotEmpty();
      assertThat(server.requests())
          .isNotEmpty()
          .allSatisfy(r -> assertThat(r.header("Proxy-authorization")).isEmpty());
    }
  }

  @Test
  void aProxyThatIsNotThereMeansThatNothingWasSent() {
    assertThatThrownBy(
            () ->
                queueAt(
                        URI.create("http://127.0.0.1:9"),
                        c ->
                            c.environment(Map.of("HTTP_PROXY", "127.0.0.1:1"))
                                .proxyForLoopback(true))
                    .write(new Version("0".repeat(40)), "x", ""))
        .satisfies(GitStoreTest::isPassing);
  }

  @ParameterizedTest
  @CsvSource(
      nullValues = "-",
      value = {
        // no_proxy, address, proxied
        "-, https://api.github.com/x, true",
        "*, https://api.github.com/x, false",
        "github.com, https://api.github.com/x, false",
        ".github.com, https://api.github.com/x, false",
        "*.github.com, https://api.github.com/x, false",
        "GitHub.COM, https://api.github.com/x, false",
        "hub.com, https://api.github.com/x, true",
        "other.org github.com, https://api.github.com/x, false",
        "api.github.com:443, https://api.github.com/x, false",
        "api.github.com:8443, https://api.github.com/x, true",
        "git.example.org:8443, https://git.example.org:8443/api/v3, false",
        "10.1.2.3, https://10.1.2.3/api/v3, false",
        "::1, https://[fe80::1]/api/v3, true",
        "fe80::1, https://[fe80::1]/api/v3, false",
        "[fe80::1]:443, https://[fe80::1]/api/v3, false",
        "-, https://127.0.0.1/x, false",
        "-, https://localhost:8080/x, false",
        "-, https://[::1]/x, false",
        "-, http://api.github.com/x, false",
      })
  void whoIsBehindTheProxy(String noProxy, String address, boolean proxied) {
    Map<String, String> environment =
        noProxy == null
            ? Map.of("HTTPS_PROXY", "http://proxy:3128")
            : Map.of("HTTPS_PROXY", "http://proxy:3128", "NO_PROXY", noProxy);

    Proxy chosen = new HttpProxies(Proxies.of(environment)).select(URI.create(address)).get(0);

    assertThat(chosen.type() == Proxy.Type.HTTP).isEqualTo(proxied);
  }

  @Test
  void lowerCaseComesFirstAndEmptyIsUnset() {
    Proxies rules =
        Proxies.of(
            Map.of("HTTPS_PROXY", "http://upper:1", "https_proxy", "lower:2", "HTTP_PROXY", " "));

    assertThat(rules).hasToString("https by lower:2, http by no proxy");
  }

  @Test
  void aTrailingCommaOfExceptionsExceptsNobody() {
    Proxies rules = Proxies.of(Map.of("HTTPS_PROXY", "proxy:1", "NO_PROXY", "localhost, ,"));

    assertThat(new HttpProxies(rules).select(URI.create("https://api.github.com")).get(0).type())
        .isEqualTo(Proxy.Type.HTTP);
  }

  @ParameterizedTest
  @ValueSource(strings = {"socks5://h:1", "https://h:1", "http://", "http://h:x", "::::"})
  void aProxyThatCannotBeUsedIsRefused(String address) {
    assertThatThrownBy(() -> Proxies.of(Map.of("HTTPS_PROXY", address)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("HTTPS_PROXY must be such as http://HOST:PORT");
  }

  // ---- certificates

  /** Signs certificates of loopback; nobody trusts it. */
  private static final class Authority {
    private final HeldCertificate root =
        new HeldCertificate.Builder().certificateAuthority(0).commonName("test root").build();

    ScriptedServer server() {
      HeldCertificate leaf =
          new HeldCertificate.Builder()
              .signedBy(root)
              .addSubjectAlternativeName("127.0.0.1")
              .build();
      return new ScriptedServer(
          new HandshakeCertificates.Builder().heldCertificate(leaf).build().sslContext());
    }

    /** Among other certificates, as such files have. */
    Path write(Path folder) {
      HeldCertificate another =
          new HeldCertificate.Builder().certificateAuthority(0).commonName("another").build();
      try {
        return Files.writeString(
            folder.resolve("ca.pem"), another.certificatePem() + "\n" + root.certificatePem());
      } catch (IOException e) {
        throw new AssertionError("a file in a temporary folder", e);
      }
    }
  }

  @Test
  void aServerWithACompanysCertificateIsBelievedWhenTold(@TempDir Path folder)
      throws StoreException {
    Authority authority = new Authority();
    try (ScriptedServer server = authority.server().says(200, FOUND)) {
      assertThat(queueAt(server.api(), c -> c.caFile(authority.write(folder))).read())
          .isEqualTo(ONE);
    }
  }

  @Test
  void andNotOtherwise() {
    try (ScriptedServer server = new Authority().server().says(200, FOUND)) {
      VersionedStore queue = queueAt(server.api(), c -> c);

      assertThatThrownBy(() -> Desk.patiently(world::advance, queue::read))
          .isInstanceOf(GitHubException.Refused.class)
          .hasMessageContaining("the certificate of 127.0.0.1 is not trusted")
          .hasMessageContaining("name the file");
      assertThatThrownBy(
              () ->
                  Desk.patiently(
                      world::advance, () -> queue.write(new Version("0".repeat(40)), "x", "")))
          .as("nothing was sent")
          .isInstanceOf(GitHubException.Refused.class);
      assertThat(server.requests()).isEmpty();
    }
  }

  @Test
  void theCertificatesOfThisJavaAreStillBelieved(@TempDir Path folder) {
    PrivateTrust trust = PrivateTrust.with(new Authority().write(folder));

    assertThat(trust.manager().getAcceptedIssuers().length).isGreaterThan(20);
  }

  @Test
  void aFileWithoutCertificatesIsRefused(@TempDir Path folder) throws IOException {
    Path empty = Files.writeString(folder.resolve("empty.pem"), "");
    Path text = Files.writeString(folder.resolve("text.pem"), "hello");
    GitHubConnection.Builder builder = GitHubConnection.builder().token(() -> "t");

    assertThatThrownBy(() -> builder.caFile(empty).build()).hasMessageContaining("empty.pem");
    assertThatThrownBy(() -> builder.caFile(text).build()).hasMessageContaining("text.pem");
    assertThatThrownBy(() -> builder.caFile(folder.resolve("none.pem")).build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("cannot be read");
  }
}
