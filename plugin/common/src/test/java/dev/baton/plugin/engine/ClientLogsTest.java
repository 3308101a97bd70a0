package dev.baton.plugin.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.plugin.bridge.QueueTexts;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogManager;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ClientLogsTest {

  /** As for a queue that an adapter keeps. */
  private static final Map<String, String> ADAPTER = Map.of(QueueTexts.EXTENSIONS, "adapter.jar");

  private final Logger root = Logger.getLogger("");
  private final List<String> shown = new ArrayList<>();
  private final Handler handler =
      new Handler() {
        @Override
        public void publish(LogRecord entry) {
          shown.add(entry.getLoggerName() + " " + entry.getMessage());
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
      };

  /** As Gradle does for each build. */
  @BeforeEach
  void debug() {
    LogManager.getLogManager().reset();
    root.setLevel(Level.FINE);
    root.addHandler(handler);
  }

  @AfterEach
  void restore() throws IOException {
    LogManager.getLogManager().readConfiguration();
  }

  private static void log() {
    for (String name :
        List.of(
            "software.amazon.awssdk.http.auth.aws.internal.signer.DefaultV4RequestSigner",
            "com.aliyun.oss",
            "org.apache.http.headers",
            "dev.baton.engine")) {
      Logger.getLogger(name).fine("token");
    }
    System.getLogger("sun.net.www.protocol.http.HttpURLConnection")
        .log(System.Logger.Level.DEBUG, "token");
  }

  /** {@code gradle --debug} shows all that any library logs. */
  @Test
  void noRequestOfACloudIsShownToThoseWhoDebug() {
    log();
    assertThat(shown).as("what would be shown").hasSize(5);
    shown.clear();

    Hosts.of(new FakeTool(), "baton", ADAPTER);
    log();

    assertThat(shown).containsExactly("dev.baton.engine token");
  }

  @Test
  void whatIsLessIsShownAsBefore() {
    Logger warnings = Logger.getLogger("com.aliyun");
    warnings.setLevel(Level.SEVERE);
    Hosts.of(new FakeTool(), "baton", ADAPTER);
    assertThat(warnings.getLevel()).isEqualTo(Level.SEVERE);
    Logger.getLogger("software.amazon.awssdk.core").info("told");
    assertThat(shown).containsExactly("software.amazon.awssdk.core told");
  }
}
