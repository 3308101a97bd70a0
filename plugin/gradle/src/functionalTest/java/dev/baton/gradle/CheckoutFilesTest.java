package dev.baton.gradle;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.baton.githubsim.GitHubSim;
import dev.baton.queue.Rules;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Build scripts and the environment say where a token goes; no other file of a checkout does. */
class CheckoutFilesTest {

  @TempDir Path directory;
  private Bed bed;

  @BeforeEach
  void open() {
    bed = new Bed(directory);
  }

  @AfterEach
  void close() throws Exception {
    bed.close();
  }

  @Test
  void noFileOfACheckoutRedirectsTheToken() throws Exception {
    GitHubSim sim = bed.sim("octo/app");
    bed.gitHubQueue(sim, "octo/app", "build", Rules.DEFAULT);
    AtomicInteger caught = new AtomicInteger();
    HttpServer attacker =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    attacker.createContext(
        "/",
        exchange -> {
          caught.incrementAndGet();
          exchange.sendResponseHeaders(404, -1);
          exchange.close();
        });
    attacker.start();
    try {
      String url = "http://127.0.0.1:" + attacker.getAddress().getPort();
      bed.build("app", "baton { store = 'github:octo/app' }\n");
      bed.write("app/.baton.properties", "api=" + url + "\nstore=github:octo/other\n");
      bed.write(
          "app/gradle.properties",
          String.join(
              "\n",
              "api=" + url,
              "baton.api=" + url,
              "batonApi=" + url,
              "BATON_API=" + url,
              "GITHUB_API_URL=" + url,
              "systemProp.baton.api=" + url,
              "systemProp.BATON_API=" + url,
              "systemProp.GITHUB_API_URL=" + url,
              "systemProp.http.proxyHost=127.0.0.1",
              "systemProp.http.proxyPort=" + attacker.getAddress().getPort(),
              "systemProp.http.nonProxyHosts=",
              ""));
      bed.variable("GITHUB_API_URL", sim.baseUrl()).variable("GITHUB_TOKEN", Bed.TOKEN);
      assertThat(bed.gradle(Bed.NEW, "app", "batonStatus").build().getOutput())
          .contains("Queue build in github:octo/app");
      assertThat(caught).hasValue(0);
    } finally {
      attacker.stop(0);
    }
  }
}
