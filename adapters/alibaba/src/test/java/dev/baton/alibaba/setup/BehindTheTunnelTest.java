package dev.baton.alibaba.setup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import dev.baton.alibaba.account.AlibabaAccount;
import dev.baton.alibaba.account.Keys;
import dev.baton.alibaba.account.TunnelProxy;
import dev.baton.alibaba.fake.FakeOss;
import dev.baton.alibaba.oss.OssAccess;
import dev.baton.alibaba.oss.OssPlace;
import dev.baton.alibaba.oss.OssSpace;
import dev.baton.store.StoreException;
import dev.baton.vm.VmException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import okhttp3.tls.HandshakeCertificates;
import okhttp3.tls.HeldCertificate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server behind a proxy gets what is meant for it, and not what is meant for the proxy. */
class BehindTheTunnelTest {
  private static final String TRUST = "javax.net.ssl.trustStore";

  private final List<Headers> heard = new CopyOnWriteArrayList<>();
  private final String trustBefore = System.getProperty(TRUST);
  private HttpsServer server;

  @BeforeEach
  void open(@TempDir Path folder) throws Exception {
    HeldCertificate certificate =
        new HeldCertificate.Builder().addSubjectAlternativeName("127.0.0.1").build();
    System.setProperty(TRUST, trusting(certificate, folder).toString());
    server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setHttpsConfigurator(
        new HttpsConfigurator(
            new HandshakeCertificates.Builder().heldCertificate(certificate).build().sslContext()));
    server.start();
  }

  private static Path trusting(HeldCertificate certificate, Path folder)
      throws IOException, GeneralSecurityException {
    KeyStore store = KeyStore.getInstance("JKS");
    store.load(null, null);
    store.setCertificateEntry("server", certificate.certificate());
    Path file = folder.resolve("trust.jks");
    try (OutputStream out = Files.newOutputStream(file)) {
      store.store(out, new char[0]);
    }
    return file;
  }

  @AfterEach
  void close() throws IOException {
    if (trustBefore == null) {
      System.clearProperty(TRUST);
    } else {
      System.setProperty(TRUST, trustBefore);
    }
    server.stop(0);
  }

  /** All answers of the server are this one. */
  private void says(int status, String header, String value) {
    server.createContext(
        "/",
        exchange -> {
          heard.add(exchange.getRequestHeaders());
          exchange.getResponseHeaders().set(header, value);
          exchange.sendResponseHeaders(status, -1);
          exchange.close();
        });
  }

  private String endpoint() {
    return "https://127.0.0.1:" + server.getAddress().getPort();
  }

  private static AlibabaAccount account(TunnelProxy proxy) {
    Keys.Pair pair = new Keys.Pair(Newcomer.ID, Newcomer.SECRET, "");
    return AlibabaAccount.of(
        FakeOss.REGION, Keys.given("a test", () -> pair), proxy.rules("ann:p%40ss"));
  }

  private void theServerWasNotToldThePassword(TunnelProxy proxy) {
    assertThat(proxy.tunnels()).as("the way led through the proxy").isPositive();
    assertThat(heard)
        .isNotEmpty()
        .allSatisfy(
            h -> {
              assertThat(h).doesNotContainKey("Proxy-authorization");
              assertThat(String.valueOf(h.get("Authorization"))).doesNotContain("Basic");
            });
  }

  @Test
  void aServiceDoesNotGetTheProxysPassword() throws IOException {
    says(407, "Proxy-Authenticate", "Basic realm=\"proxy\"");
    try (TunnelProxy proxy = new TunnelProxy(true)) {
      Sts sts = new Sts(Map.of("BATON_STS_ENDPOINT", endpoint()), account(proxy));
      assertThatThrownBy(sts::accountId).isInstanceOf(VmException.class);
      theServerWasNotToldThePassword(proxy);
    }
  }

  @Test
  void ossDoesNotGetTheProxysPassword() throws IOException {
    says(407, "Proxy-Authenticate", "Basic realm=\"proxy\"");
    try (TunnelProxy proxy = new TunnelProxy(false);
        OssSpace space = space(proxy)) {
      assertThatThrownBy(() -> space.document("queue").read()).isInstanceOf(StoreException.class);
      theServerWasNotToldThePassword(proxy);
    }
  }

  private OssSpace space(TunnelProxy proxy) {
    OssAccess access = OssAccess.of(Map.of("BATON_OSS_ENDPOINT", endpoint()), account(proxy));
    return OssSpace.open(new OssPlace("a-bucket", "ci"), "build", access);
  }

  @Test
  void aProxyThatWantsAPasswordOnTheWayToOssIsNamed() throws IOException {
    try (TunnelProxy proxy = new TunnelProxy(true);
        OssSpace space = space(proxy)) {
      assertThatThrownBy(() -> space.document("queue").read())
          .hasMessageContaining("password of HTTPS_PROXY")
          .hasMessageNotContaining("p@ss");
    }
  }
}
