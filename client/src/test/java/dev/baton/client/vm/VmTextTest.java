package dev.baton.client.vm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.client.report.TextStyle;
import dev.baton.client.settings.Host;
import dev.baton.client.settings.Setting;
import dev.baton.client.settings.Settings;
import dev.baton.core.Problem;
import dev.baton.vm.Client;
import dev.baton.vm.Kind;
import dev.baton.vm.LockRecord;
import dev.baton.vm.Operation;
import dev.baton.vm.Outcome;
import dev.baton.vm.Resource;
import dev.baton.vm.Status;
import dev.baton.vm.StatusReport;
import dev.baton.vm.VmException;
import dev.baton.vm.VmName;
import dev.baton.vm.VmState;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class VmTextTest {

  private static final Instant NOW = Instant.parse("2026-03-01T12:00:00Z");

  private static final VmWords WORDS =
      new VmWords() {
        @Override
        public String command(String operation) {
          return "tool " + operation;
        }

        @Override
        public String whileLocked() {
          return "`--later` waits.";
        }
      };

  private static final VmState RUNNING =
      VmState.starting(Status.RUNNING, "sim", NOW)
          .with(new Resource(Kind.ADDRESS, "eip-5", Map.of("ip", "203.0.113.5")));

  @TempDir Path home;

  private VmClient client() {
    Host host = Host.system(Map.of("HOME", home.toString()), home, Setting::id);
    return VmClient.open(Settings.ofEnvironment(host), host, Client.ofThisProcess());
  }

  private String outcome(VmState state) {
    Outcome done =
        new Outcome.Done(
            Operation.ABANDON,
            Outcome.How.FRESH,
            Optional.of(Status.DESTROYING),
            Optional.of(state),
            List.of(),
            List.of(),
            List.of(),
            Duration.ofMillis(200));
    try (VmClient client = client()) {
      return new VmText(WORDS, TextStyle.PLAIN).of(VmName.DEFAULT, done, client);
    }
  }

  @Test
  void aVmWhoseInstanceWasDeletedIsNotSaidToRun() {
    assertThat(outcome(RUNNING)).startsWith("VM default is running at 203.0.113.5 (0.2 s).");
    assertThat(outcome(RUNNING.withInstanceMissing(true)))
        .startsWith(
            "VM default is incomplete: its instance was deleted, `tool deploy` creates a new one"
                + " and `tool destroy` removes the rest (0.2 s).")
        .doesNotContain("203.0.113.5");
  }

  @Test
  void whatCanBeDoneAboutALockIsSaidInTheWordsOfTheFrontEnd() {
    LockRecord lock =
        new LockRecord(
            Operation.SUSPEND,
            "ann@desk",
            NOW,
            NOW,
            7,
            "0123456789",
            Optional.of(Status.RUNNING),
            Optional.empty());
    Problem problem =
        WORDS.spelled(
            new VmException.LockHeld(
                VmName.DEFAULT, lock, Duration.ofMinutes(2), "Wait until it has finished."));
    assertThat(problem.next()).isEqualTo("Wait until it has finished. `--later` waits.");
    assertThat(VmText.advice(report(lock, false), WORDS))
        .containsExactly("Wait.", "`--later` waits.");
    assertThat(VmText.advice(report(lock, true), WORDS)).containsExactly("Wait.");
  }

  private static StatusReport report(LockRecord lock, boolean expired) {
    return new StatusReport(
        VmName.DEFAULT,
        Optional.of(RUNNING),
        Optional.of(lock),
        expired,
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        List.of(),
        Map.of(),
        List.of(),
        List.of("Wait"),
        NOW);
  }
}
