package dev.baton.queue.github;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.baton.githubsim.Fault;
import dev.baton.githubsim.Grant;
import dev.baton.githubsim.Limits;
import dev.baton.githubsim.Token;
import dev.baton.queue.RunRef;
import dev.baton.store.Version;
import dev.baton.store.VersionedStore;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
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
