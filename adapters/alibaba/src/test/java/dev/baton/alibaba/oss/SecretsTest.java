package dev.baton.alibaba.oss;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.baton.store.Version;
import dev.baton.store.VersionedStore;
import dev.baton.testing.service.Fault;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Instant;
import java.util.List;
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

/** No key, token or signature is in a message, a log, an exception or a text form. */
class SecretsTest {
  private static final String TOKEN = "CAISTheTokenOfTheseTests0123456789";
  private static final String TEMPORARY_ID = "STS.NTheTemporaryIdOfTheseTests";
  private static final String TEMPORARY_SECRET = "TheTemporarySecretOfTheseTests";

  private static final List<Logger> OTHERS =
      List.of(Logger.getLogger("com.aliyun.oss"), Logger.getLogger("org.apache.http"));

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
    listener.setLevel(Level.ALL);
    for (Logger logger : OTHERS) {
      logger.setLevel(Level.ALL);
      logger.setUseParentHandlers(false);
      logger.addHandler(listener);
    }
  }

  @AfterEach
  void stop() {
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

  @Test
  void inEveryKindOfTrouble() {
    try (Desk desk = new Desk()) {
      desk.oss.addTemporaryKey(
          TEMPORARY_ID, TEMPORARY_SECRET, TOKEN, Desk.ACCOUNT, Instant.now().plusSeconds(600));
      desk.oss.addBucket("taken", "2000000000000002");
      OssAccess temporary = desk.access(TEMPORARY_ID, TEMPORARY_SECRET, TOKEN);
      for (OssAccess access :
          List.of(
              desk.access(),
              temporary,
              desk.access(Desk.ID, Desk.SECRET + "-wrong", ""),
              desk.access(Desk.ID + "-wrong", Desk.SECRET, ""),
              desk.access(TEMPORARY_ID, TEMPORARY_SECRET, TOKEN + "-wrong"))) {
        for (String bucket : List.of(Desk.BUCKET, "taken", "no-such-bucket")) {
          OssSpace space = desk.open(bucket, access);
          VersionedStore queue = space.document("queue");
          keep(queue::read);
          keep(() -> queue.write(Version.ABSENT, "one", "create"));
          keep(() -> queue.write(queue.read().version(), "more", "change"));
          for (Fault fault :
              List.of(
                  new Fault.Dropped(true),
                  new Fault.Failed(500, "InternalError", false),
                  new Fault.BadGateway(false),
                  Fault.throttled("QpsLimitExceeded"))) {
            desk.oss.failNext(1, c -> true, fault);
            keep(() -> said.add(queue.write(queue.read().version(), "yet more", "").toString()));
          }
          said.add(space + " " + queue + " " + access + " " + access.account().pair());
        }
      }
      desk.oss.removeKey(TEMPORARY_ID);
      keep(() -> desk.open(Desk.BUCKET, temporary).document("queue").read());

      // What others log from here on would keep the loop below from coming to an end.
      stop();
      List<String> signatures =
          desk.oss.log().stream()
              .map(c -> c.headers().get("authorization"))
              .map(a -> a.substring(a.indexOf("Signature=") + 10))
              .toList();
      assertThat(said).as("the HTTP client is heard").anyMatch(s -> s.contains("org.apache.http"));
      assertThat(said).as("failures are heard").anyMatch(s -> s.contains("SignatureDoesNotMatch"));
      assertThat(signatures).hasSizeGreaterThan(50);
      for (String text : said) {
        assertThat(text)
            .doesNotContain(Desk.ID, Desk.SECRET, TEMPORARY_ID, TEMPORARY_SECRET, TOKEN)
            .doesNotContain(signatures);
      }
    }
  }
}
