package dev.baton.client.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.client.text.JsonOutput;
import dev.baton.core.Extra;
import dev.baton.core.json.JsonText;
import dev.baton.queue.BuildResult;
import dev.baton.queue.HistoryEntry;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.Rules;
import dev.baton.queue.RunRef;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;

class ReportsTest {

  /** Marks each part with the first letter of its style. */
  private static final TextStyle MARKED =
      new TextStyle() {
        @Override
        public String bold(String text) {
          return "{B" + text + "}";
        }

        @Override
        public String dim(String text) {
          return "{D" + text + "}";
        }

        @Override
        public String good(String text) {
          return "{G" + text + "}";
        }

        @Override
        public String warn(String text) {
          return "{W" + text + "}";
        }
      };

  private static QueueStatus status(QueueDocument d) {
    return QueueStatus.of(
        SampleQueue.PLACE, d, Map.of(11L, Duration.ofMinutes(4)), SampleQueue.NOW);
  }

  private static String local(String pattern, String instant) {
    return DateTimeFormatter.ofPattern(pattern)
        .withZone(ZoneId.systemDefault())
        .format(Instant.parse(instant));
  }

  @Test
  void whoIsParkedIsSaidSo() {
    QueueDocument d = SampleQueue.parked("the token may not");

    assertThat(status(d).text(TextStyle.PLAIN))
        .contains("#12 next (ann@hal), parked for 2 min, its job cannot be run again: the token");
    assertThat(status(SampleQueue.parked("")).text(TextStyle.PLAIN))
        .contains("parked for 2 min")
        .doesNotContain("cannot be run again");
    assertThat(JsonOutput.line(status(d).json()))
        .containsOnlyOnce("\"parked\": {\"since\": \"")
        .contains("\"problem\": \"the token may not\"}");
    assertThat(JsonOutput.line(status(SampleQueue.parked("")).json()))
        .contains("\"parked\"")
        .doesNotContain("problem");
  }

  @Test
  void aBusyQueueIsOneScreen() {
    assertThat(status(SampleQueue.busy(1)).text(MARKED))
        .isEqualTo(
            """
            {BQueue build} in file:/q
            Paused     {Wby jane for 10 min: lunch}
            Recovering {Wthe document was damaged or deleted; nobody gets the lock until those who build have \
            ended (a dead build has after a lease of 5 min) and then another lease has gone by \
            while somebody is in line, and the jobs that were in line have answered, ended, or not \
            been seen for max-hold}
            Building   {G#11 main (ann@hal)} for 50 min, usually 40 min{W, 10 min overdue}\
            {W, last heartbeat 4 min ago}{D  token 71}
                       {G#12 docs (ann@hal)} has its turn and has not answered for 6 min, usually 5 min\
            {D  token 72}
                       {G#13 lost (ann@hal)}{W has lost the lock; the next build starts when it has \
            stopped, or else when its lease is over}{D  token 73}
                       {Dnobody}
            In line    1. #14 first (ann@hal), priority 5, waiting for 20 min
                       2. #15 gone (ann@hal){W, has not answered for 7 min}
                       3. #16 <b>&"0" (ann@hal), waiting for 18 min
            Last       #10 docs, released 1 h 40 min ago after 5 min\
            """);
  }

  @Test
  void anEmptyQueueIsThreeLines() {
    QueueStatus empty = status(QueueDocument.empty(QueueDocument.MODE_CAS, Rules.DEFAULT));
    assertThat(empty.text(TextStyle.PLAIN))
        .isEqualTo("Queue build in file:/q\nBuilding   nobody\nIn line    nobody");
    assertThat(empty.brief()).isEqualTo("2024-05-31T12:00:00Z  building: nobody; in line: 0");
    assertThat(JsonOutput.line(empty.json()))
        .isEqualTo(
            "{\"store\": \"file:/q\",\"queue\": \"build\",\"version\": 1,\"slots\": 1,"
                + "\"recovering\": false,\"building\": [],\"line\": [],\"nextTicket\": 1,"
                + "\"nextToken\": 1}");
  }

  @Test
  void aLongLineIsCut() {
    assertThat(status(SampleQueue.busy(40)).text(TextStyle.PLAIN).lines())
        .hasSize(7 + 30 + 2)
        .contains("           and 12 more");
  }

  @Test
  void aTurnIsExpectedAtATimeOfDay() {
    assertThat(status(SampleQueue.overdue(2)).text(TextStyle.PLAIN))
        .contains(
            "1. #12 next (ann@hal), waiting for 3 min, turn in about 3 min ("
                + local("HH:mm", "2024-05-31T12:03:00Z")
                + ")");
    assertThat(status(SampleQueue.overdue(50)).text(TextStyle.PLAIN))
        .contains(", its turn is overdue");
  }

  @Test
  void onOneLine() {
    assertThat(status(SampleQueue.busy(1)).brief())
        .isEqualTo(
            "2024-05-31T12:00:00Z  building: #11 main, #12 docs, #13 lost; in line: 3; paused by"
                + " jane");
  }

  @Test
  void programsReadTheSame() {
    Map<String, Object> read =
        JsonText.parseObject(JsonOutput.text(status(SampleQueue.busy(1)).json()));
    assertThat(read)
        .containsEntry("version", 42L)
        .containsEntry("slots", 4L)
        .containsEntry("recovering", true)
        .containsEntry("board", 3L)
        .containsEntry(
            "paused", Map.of("by", "jane", "reason", "lunch", "since", "2024-05-31T11:50:00Z"));
    assertThat(((List<?>) read.get("building")))
        .hasSize(3)
        .first()
        .isEqualTo(
            Map.ofEntries(
                Map.entry("ticket", 11L),
                Map.entry("title", "main"),
                Map.entry("owner", "ann@hal"),
                Map.entry("state", "building"),
                Map.entry("liveness", "beat"),
                Map.entry("priority", 0L),
                Map.entry("joinedAt", "2024-05-31T11:00:00Z"),
                Map.entry("since", "2024-05-31T11:10:00Z"),
                Map.entry("slot", 0L),
                Map.entry("lock", "building"),
                Map.entry("token", 71L),
                Map.entry("heldSeconds", 3000L),
                Map.entry("usualSeconds", 2400L),
                Map.entry("overdueSeconds", 600L)));
    assertThat(((List<?>) read.get("line")).get(1))
        .asInstanceOf(InstanceOfAssertFactories.MAP)
        .containsEntry("position", 2L)
        .containsEntry("run", Map.of("repository", "octo/app", "id", 99L, "attempt", 2L));
    assertThat(read.get("last"))
        .isEqualTo(
            Map.of(
                "at", "2024-05-31T10:20:00Z",
                "event", "released",
                "ticket", 10L,
                "token", 70L,
                "title", "docs",
                "who", "",
                "note", "",
                "builtSeconds", 300L));
  }

  @Test
  void historySaysHowBuildsWent() {
    HistoryEntry plain = SampleQueue.busy(0).history().get(1);
    HistoryEntry failed =
        new HistoryEntry(
            plain.at(),
            plain.event(),
            10,
            70,
            "docs",
            "ann",
            "again",
            Optional.empty(),
            Optional.of(Duration.ofMinutes(5)),
            BuildResult.exited(2),
            Optional.of(new RunRef("octo/app", 99, 2, 7, "")),
            Extra.NONE);
    QueueHistory history = new QueueHistory(List.of(failed));
    assertThat(history.text(MARKED))
        .endsWith("  failed       #10 docs (ann), built 5 min: exit code 2, again");
    assertThat(((List<?>) history.json().get("history")).get(0))
        .asInstanceOf(InstanceOfAssertFactories.MAP)
        .containsEntry("event", "released")
        .containsEntry("result", "failed")
        .containsEntry("exitCode", 2)
        .containsEntry("run", Map.of("repository", "octo/app", "id", 99L, "attempt", 2));
  }

  @Test
  void historyIsALineForEachEntry() {
    QueueHistory history = QueueHistory.of(SampleQueue.busy(0), 3);
    assertThat(history.text(MARKED).lines())
        .containsExactly(
            "{D"
                + local("yyyy-MM-dd HH:mm", "2024-05-31T10:20:00Z")
                + "}  released     #10 docs, built 5 min",
            "{D"
                + local("yyyy-MM-dd HH:mm", "2024-05-31T11:50:00Z")
                + "}  paused       (jane): lunch",
            "{D"
                + local("yyyy-MM-dd HH:mm", "2024-05-31T11:52:00Z")
                + "}  revoked      #13 lost (jane): hangs");
    assertThat((List<?>) history.json().get("history")).hasSize(3);
    assertThat(new QueueHistory(List.of()).text(MARKED)).isEqualTo("Nothing has happened yet.");
  }
}
