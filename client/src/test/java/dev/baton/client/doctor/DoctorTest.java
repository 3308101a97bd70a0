package dev.baton.client.doctor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.baton.client.doctor.Finding.Check;
import dev.baton.client.doctor.Finding.Grade;
import dev.baton.client.report.SampleQueue;
import dev.baton.client.report.TextStyle;
import dev.baton.client.text.JsonOutput;
import dev.baton.core.Problem;
import dev.baton.queue.Pause;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.RunStatus;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class DoctorTest {

  private static final Wording WORDING =
      e -> new Problem(Problem.Kind.FAILED, e.getMessage(), "Try again.");

  private static DocumentChecks checks(QueueDocument d) {
    return new DocumentChecks(SampleQueue.PLACE, d, SampleQueue.NOW, WORDING);
  }

  @Test
  void whatKeepsEverybodyFromTheLockIsAWarning() {
    assertThat(checks(SampleQueue.busy(0)).state())
        .extracting(Finding::check, Finding::grade, Finding::what)
        .containsExactly(
            tuple(Check.PAUSE, Grade.WARN, "paused by jane for 10 min"),
            tuple(
                Check.RECOVERY,
                Grade.WARN,
                "the document was damaged or deleted, and put together again"));
    assertThat(checks(SampleQueue.busy(0)).state().get(0).next())
        .isEqualTo("go on with `baton resume --store file:/q --queue build`");
  }

  /** A maintainer's word would be refused while it lasts. */
  @Test
  void nobodyIsAskedToResumeAQueueWhoseLockSomebodyOutsideHolds() {
    Pause pause =
        new Pause(Pause.OUTSIDE, "held by run-1", SampleQueue.NOW.minus(Duration.ofMinutes(3)));
    assertThat(checks(SampleQueue.busy(0, pause)).state().get(0).next())
        .isEqualTo("held by run-1; it goes on by itself when that lock is free");
  }

  @Test
  void ticketsThatDoNotGetOnAreWarnings() {
    List<Finding> found = checks(SampleQueue.busy(1)).tickets(RunStatus.BLIND);
    assertThat(new Diagnosis(found).text(TextStyle.PLAIN))
        .isEqualTo(
            """
            ok       ticket 11 (main, ann@hal) is 10 min overdue: it has been building for 50 min and usually takes 40 min
            warn     ticket 12 (docs, ann@hal) has been asked for 6 min -> the next in line passes \
            it over; if there is none, `baton drop 12 --store file:/q --queue build`
            warn     ticket 13 (lost, ann@hal) has lost the lock and may still be stopping -> wait: \
            the next build starts when it has stopped, or else when its lease is over, which is at \
            most 5 min after its last heartbeat
            warn     ticket 15 (gone, ann@hal) has not answered for 7 min -> it is removed after \
            1 h 30 min, or `baton drop 15 --store file:/q --queue build`\
            """);
  }

  @Test
  void endedJobsAreTakenOutByARepair() {
    assertThat(checks(SampleQueue.busy(0)).tickets(run -> RunStatus.Answer.ENDED))
        .filteredOn(Finding::repairable)
        .extracting(Finding::what)
        .containsExactly(
            "ticket 12 (docs, ann@hal) is of a job that has ended",
            "ticket 15 (gone, ann@hal) is of a job that has ended");
  }

  /** Its job has ended by intent. */
  @Test
  void aParkedTicketIsNotOfAnEndedJob() {
    assertThat(checks(SampleQueue.parked("")).tickets(run -> RunStatus.Answer.ENDED))
        .extracting(Finding::grade)
        .containsOnly(Grade.OK);
    assertThat(checks(SampleQueue.parkedAndOffered(14)).tickets(run -> RunStatus.Answer.ENDED))
        .extracting(Finding::grade)
        .containsExactly(Grade.OK);
  }

  @Test
  void aParkedTicketThatCannotBeWokenIsAWarningThatARepairLeavesAlone() {
    assertThat(
            checks(SampleQueue.parked("its run is too old")).tickets(run -> RunStatus.Answer.ENDED))
        .filteredOn(f -> f.grade() == Grade.WARN)
        .singleElement()
        .isEqualTo(
            new Finding(
                Check.TICKET,
                Grade.WARN,
                "ticket 12 (next, ann@hal) is parked, and its job cannot be run again: its run is"
                    + " too old",
                "run the job again by hand when its turn comes, or"
                    + " `baton drop 12 --store file:/q --queue build`",
                false));
    assertThat(checks(SampleQueue.parkedAndOffered(16)).tickets(run -> RunStatus.Answer.ENDED))
        .singleElement()
        .isEqualTo(
            new Finding(
                Check.TICKET,
                Grade.WARN,
                "ticket 12 (next, ann@hal) is parked, and its job has not started for 16 min",
                "`command: wake` in a scheduled workflow passes it over, as the next in line"
                    + " does; it keeps its place",
                false));
  }

  @Test
  void aBuildThatTakesThreeTimesAsLongIsAWarning() {
    assertThat(checks(SampleQueue.overdue(10)).tickets(RunStatus.BLIND))
        .extracting(Finding::grade)
        .containsExactly(Grade.OK, Grade.OK);
    assertThat(checks(SampleQueue.overdue(20)).tickets(RunStatus.BLIND))
        .singleElement()
        .isEqualTo(
            new Finding(
                Check.TICKET,
                Grade.WARN,
                "ticket 11 (docs, ann@hal) is 15 min overdue: it has been building for 20 min and"
                    + " usually takes 5 min",
                "look at it; if it hangs, `baton unlock --store file:/q --queue build --force"
                    + " --ticket 11 --token 71 --reason \"…\"`",
                false));
  }

  @Test
  void aDiagnosisIsHealthyUnlessThereIsAProblem() {
    Diagnosis warned = new Diagnosis(List.of(Finding.warn(Check.PAUSE, "paused", "resume it")));
    assertThat(warned.isHealthy()).isTrue();
    Diagnosis ill =
        new Diagnosis(
            List.of(
                Finding.ok(Check.STORE, "the store answers"),
                Finding.problem(Check.DOCUMENT, "there is no queue", "create it")));
    assertThat(ill.isHealthy()).isFalse();
    assertThat(JsonOutput.line(ill.json()))
        .isEqualTo(
            "{\"findings\": [{\"grade\": \"ok\",\"what\": \"the store answers\"},"
                + "{\"grade\": \"problem\",\"what\": \"there is no queue\","
                + "\"next\": \"create it\"}]}");
  }
}
