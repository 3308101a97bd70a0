package dev.baton.queue.github;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.baton.core.FakeWorld;
import dev.baton.githubsim.Fault;
import dev.baton.githubsim.Grant;
import dev.baton.githubsim.Limits;
import dev.baton.githubsim.Token;
import dev.baton.queue.RunRef;
import dev.baton.store.Version;
import dev.baton.store.VersionedStore;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A token and a proxy's password are in no message, log, exception or text form. */
class SecretsTest {
  private static final List<Logger> OTHERS = List.of(Logger.getLogger("okhttp3"));

  private final Queue<String> said = new ConcurrentLinkedQueue<>();

  private final Handler listener =
      new Handler() {
        @Override
        public void publish(LogRecord entry) {
          said.add(new SimpleFormatter().format(entry));
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
      };

  @BeforeEach
  void listen() {
    CapturedLog.start();
    for (Logger logger : OTHERS) {
      logger.setLevel(Level.ALL);
      logger.setUseParentHandlers(false);
      logger.addHandler(listener);
    }
  }

  @AfterEach
  void stop() {
    CapturedLog.stop();
    for (Logger logger : OTHERS) {
      logger.setLevel(null);
      logger.setUseParentHandlers(true);
      logger.removeHandler(listener);
    }
  }

  private void keep(ThrowingCallable work) {
    Throwable thrown = catchThrowable(work);
    if (thrown != null) {
      StringWriter text = new StringWriter();
      thrown.printStackTrace(new PrintWriter(text));
      said.add(text.toString());
    }
  }

  private void assertNothingLeaked(String... secrets) {
    said.addAll(CapturedLog.lines());
    assertThat(said).as("something must have been said").isNotEmpty();
    for (String secret : secrets) {
      assertThat(said.stream().filter(text -> text.contains(secret))).isEmpty();
    }
  }

  @Test
  void inWholeSessionsWithEveryKindOfTrouble() {
    try (Desk desk = new Desk(s -> s.withLimits(Limits.none()))) {
      GitHubSpace space = desk.open();
      VersionedStore queue = space.document("queue");
      keep(() -> queue.write(Version.ABSENT, "one", "create"));
      desk.sim.failNext(2, r -> true, new Fault.DroppedBefore());
      keep(queue::read);
      desk.sim.failNext(1, r -> true, new Fault.Unavailable(502, false));
      keep(queue::read);
      desk.sim.failNext(1, r -> true, new Fault.Limited(403, Optional.of(Duration.ofSeconds(1))));
      keep(queue::read);
      desk.pass(Duration.ofSeconds(2));
      String reader = desk.workflowToken(Grant.METADATA_READ);
      keep(() -> desk.open(reader).document("queue").read());
      keep(() -> desk.open(reader).runStatus().of(new RunRef("octo/app", 1, 1, 0, "")));
      keep(() -> desk.open(Desk.SECRET + "-wrong").document("queue").read());
      keep(
          () ->
              desk.open(
                      Desk.SECRET, GitHubPlace.parse("github:a/b", URI.create(desk.sim.baseUrl())))
                  .document("queue")
                  .read());
      desk.sim.revoke(Token.classic("ann", Desk.SECRET, Desk.REPOSITORY));
      keep(queue::read);
      said.add(space.toString());
      said.add(queue.toString());
    }
    assertNothingLeaked(Desk.SECRET);
  }

  @ParameterizedTest
  @ValueSource(strings = {"s3cret\n", "s3cret\r\nX-Evil: 1", " s3cret", "s3cret\u00e4", "s3c ret"})
  void ofATokenThatCannotBeSent(String token) {
    try (Desk desk = new Desk()) {
      Throwable thrown = catchThrowable(() -> desk.open(token).document("queue").read());

      assertThat(thrown)
          .isInstanceOf(GitHubException.BadToken.class)
          .hasMessageContaining("a space, a line break or another character")
          .hasMessageContaining("Set it again");
      keep(
          () -> {
            throw thrown;
          });
      keep(() -> desk.open(token).document("queue").write(Version.ABSENT, "x", ""));
      assertNothingLeaked("s3c");
      assertThat(desk.asked()).isEmpty();
    }
  }

  /** As servers and proxies do that show what they got. */
  @ParameterizedTest
  @ValueSource(ints = {401, 403, 422, 500})
  void ofAServerThatQuotesTheRequestInARefusal(int status) {
    String quoting = "{\"message\":\"You sent Authorization: Bearer " + Desk.SECRET + "\"}";
    try (ScriptedServer server = new ScriptedServer().keepsSaying(status, quoting)) {
      FakeWorld world = new FakeWorld();
      GitHubSpace space = space(server.api(), world);
      keep(() -> Desk.patiently(world::advance, space.document("queue")::read));
      keep(() -> said.add("" + space.document("queue").write(Version.ABSENT, "x", "create")));
      keep(() -> space.boardSite().open(Desk.emptyQueue("cas"), "{}"));
    }
    assertThat(said.stream().filter(text -> text.contains("Bearer ***")))
        .as("each says what is wrong")
        .hasSizeGreaterThanOrEqualTo(3);
    assertNothingLeaked(Desk.SECRET);
  }

  @Test
  void ofAServerThatQuotesTheRequestInAnErrorOfGraphQl() throws IOException {
    String quoting = "{\"errors\":[{\"message\":\"Bearer " + Desk.SECRET + " may not\"}]}";
    try (ScriptedServer server = new ScriptedServer().keepsSaying(200, quoting)) {
      Wire wire =
          GitHubConnection.builder()
              .token(() -> Desk.SECRET)
              .build()
              .wire(server.api(), new FakeWorld(), true);
      assertThat(wire.graphql(server.api() + "/graphql", "{}").graphqlError())
          .contains("Bearer *** may not");
    }
  }

  @Test
  void ofAServerThatQuotesTheRequestWhereItsStatusBelongs() throws Exception {
    Thread serving;
    try (ServerSocket server = new ServerSocket(0, 9, InetAddress.getLoopbackAddress())) {
      serving = new Thread(() -> quoteInStatusLines(server));
      serving.start();
      URI api = URI.create("http://127.0.0.1:" + server.getLocalPort());
      keep(() -> space(api, new FakeWorld()).document("queue").read());
    }
    serving.join();
    assertThat(said.toString()).contains("Unexpected status line");
    assertNothingLeaked(Desk.SECRET);
  }

  private static void quoteInStatusLines(ServerSocket server) {
    while (!server.isClosed()) {
      try (Socket connection = server.accept()) {
        connection.getInputStream().read();
        String line = "HTTP/1.1 Bearer " + Desk.SECRET + "\r\n\r\n";
        connection.getOutputStream().write(line.getBytes(StandardCharsets.US_ASCII));
        connection.shutdownOutput();
        connection.getInputStream().readAllBytes();
      } catch (IOException e) {
        Thread.yield(); // the client has gone, or the test is over
      }
    }
  }

  private static GitHubSpace space(URI api, FakeWorld world) {
    return GitHubSpace.open(
        GitHubPlace.parse("github:octo/app", api),
        GitHubConnection.builder().token(() -> Desk.SECRET).build(),
        world);
  }

  @Test
  void ofNoTokenAtAll() {
    try (Desk desk = new Desk()) {
      for (String none : new String[] {"", null}) {
        assertThat(catchThrowable(() -> desk.open(none).document("queue").read()))
            .isInstanceOf(GitHubException.BadToken.class)
            .hasMessageContaining("there is no token. Set one");
      }
      assertThat(desk.asked()).isEmpty();
    }
  }

  @Test
  void ofAProxy() {
    GitHubConnection connection =
        GitHubConnection.builder()
            .token(() -> Desk.SECRET)
            .environment(Map.of("HTTPS_PROXY", "http://me:pa55w0rd@127.0.0.1:9"))
            .build();
    said.add(connection.toString());
    for (String bad :
        List.of("http://me:pa55w0rd@ho st:1", "socks5://me:pa55w0rd@h:1", "http://me:pa55w0rd@")) {
      keep(
          () ->
              GitHubConnection.builder()
                  .token(() -> "t")
                  .environment(Map.of("https_proxy", bad))
                  .build());
    }
    assertThat(said).hasSize(4);
    assertNothingLeaked("pa55w0rd", Desk.SECRET);
  }

  @Test
  void ofAnAddressWithAPasswordInIt() {
    keep(() -> GitHubPlace.parse("github:a/b", URI.create("https://me:pa55w0rd@host/api/v3")));
    assertThat(said).hasSize(1);
    assertNothingLeaked("pa55w0rd");
  }
}
