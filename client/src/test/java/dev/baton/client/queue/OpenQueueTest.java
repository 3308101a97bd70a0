package dev.baton.client.queue;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.baton.client.adapter.Extensions;
import dev.baton.client.settings.Host;
import dev.baton.client.settings.Settings;
import dev.baton.core.HostEnvironment;
import dev.baton.queue.RunRef;
import dev.baton.queue.spi.StoreProvider;
import dev.baton.store.MemoryStores;
import dev.baton.store.StoreSpace;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Who is asked about workflow jobs where the queue itself is not on GitHub, and with which token.
 */
class OpenQueueTest {

  /** A store that a checkout may name. */
  private static final class Bucket implements StoreProvider {
    @Override
    public String scheme() {
      return "bucket";
    }

    @Override
    public String normalized(String address) {
      return address;
    }

    @Override
    public boolean mayNameServer() {
      return false;
    }

    @Override
    public StoreSpace open(String address, String queue, HostEnvironment host) {
      return new MemoryStores();
    }
  }

  @TempDir Path directory;
  private final List<String> tokens = new CopyOnWriteArrayList<>();
  private HttpServer runnersServer;

  @BeforeEach
  void start() throws Exception {
    runnersServer =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    runnersServer.createContext(
        "/",
        exchange -> {
          tokens.add(exchange.getRequestHeaders().getFirst("Authorization"));
          exchange.sendResponseHeaders(404, -1);
          exchange.close();
        });
    runnersServer.start();
  }

  @AfterEach
  void stop() {
    runnersServer.stop(0);
  }

  private void askForTheStatusOfAJob(Map<String, String> more) throws Exception {
    Map<String, String> environment = new HashMap<>(more);
    environment.put("GITHUB_ACTIONS", "true");
    environment.put("GITHUB_REPOSITORY", "octo/app");
    environment.put("GITHUB_RUN_ID", "7");
    environment.put("GITHUB_API_URL", "http://127.0.0.1:" + runnersServer.getAddress().getPort());
    Host host =
        new Host(
            environment,
            directory,
            directory,
            "Linux",
            "ann",
            () -> "hal",
            setting -> "--" + setting.id(),
            Extensions.NONE);
    Place place = new Place.Elsewhere(new Bucket(), "bucket://builds/ci", "build");
    try (OpenQueue open = OpenQueue.open(place, Settings.ofEnvironment(host), host, "test")) {
      open.runStatus().of(new RunRef("octo/app", 7, 1, 0, "build"));
    }
  }

  @Test
  void theServerOfTheRunnerIsAsked() throws Exception {
    askForTheStatusOfAJob(Map.of("BATON_TOKEN", "of-the-runner"));

    assertThat(tokens).contains("Bearer of-the-runner");
  }

  @Test
  void theTokenForAnotherServerIsNotSentToIt() throws Exception {
    askForTheStatusOfAJob(
        Map.of("BATON_TOKEN", "of-another", "BATON_API", "https://github.corp.example/api/v3"));

    assertThat(tokens).isEmpty();
  }
}
