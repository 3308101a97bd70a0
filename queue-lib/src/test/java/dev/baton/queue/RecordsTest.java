package dev.baton.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import dev.baton.core.Checks;
import dev.baton.core.Extra;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RecordsTest {

  private static final Instant AT = Instant.parse("2024-05-31T12:00:00Z");
  private static final RunRef RUN = new RunRef("octo/app", 123, 1, 0, "build");

  // ---- text

  @Test
  void aLineIsCountedInCharactersAsPeopleDo() {
    String faces = "\ud83d\ude00".repeat(Ticket.MAX_TITLE);

    assertThat(Checks.line("title", faces, 0, Ticket.MAX_TITLE)).isEqualTo(faces);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Checks.line("title", faces + "x", 0, Ticket.MAX_TITLE))
        .withMessageStartingWith("title is longer than 60 characters: \"")
        .satisfies(e -> assertThat(e.getMessage()).hasSizeLessThan(150));
  }

  @Test
  void badTextIsRefusedByNameWithoutGarblingATerminal() {
    assertThatNullPointerException()
        .isThrownBy(() -> Checks.line("owner", null, 1, 9))
        .withMessage("owner");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Checks.line("owner", "", 1, 9))
        .withMessage("owner must not be empty");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Checks.line("nonce", "abc", 8, 9))
        .withMessage("nonce is shorter than 8 characters: \"abc\"");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Checks.line("owner", "a\u001b[31m", 1, 9))
        .withMessage("owner has a control character (U+001B): \"a\\u001b[31m\"");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Checks.line("owner", "a\nb", 1, 9))
        .withMessageContaining("U+000A");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Checks.line("owner", "a\u202e\u0085", 1, 9))
        .withMessage("owner has a control character (U+0085): \"a\\u202e\\u0085\"");
  }

  @ParameterizedTest
  @ValueSource(strings = {"a\ud800", "\ud800a", "\udc00", "\udc00\ud800", "\ud800\ud800\udc00"})
  void aLoneSurrogateIsNotText(String text) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Checks.line("title", text, 0, 9))
        .withMessageStartingWith("title is not well-formed text");
  }

  @Test
  void numbersAreRefusedWithTheirValue() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Checks.positive("ticket", 0))
        .withMessage("ticket must be positive: 0");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Checks.notNegative("token", Long.MIN_VALUE))
        .withMessage("token must not be negative: " + Long.MIN_VALUE);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Checks.positive("lease", Duration.ofNanos(-1)))
        .withMessageStartingWith("lease must be positive: -0.000000001s");
    assertThatIllegalArgumentException().isThrownBy(() -> Checks.positive("lease", Duration.ZERO));
  }

  // ---- tickets and entries

  @Test
  void anEntryThatLivesByARunMustNameIt() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Entry("nonce-of-a", "a", "", Liveness.RUN, Optional.empty(), 0))
        .withMessageContaining("must name the run");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ticket(1, TicketState.WAITING, 0, Liveness.RUN, Optional.empty()))
        .withMessage("ticket 1 lives by a run but names none");
  }

  @ParameterizedTest
  @ValueSource(ints = {-1001, 1001, Integer.MIN_VALUE, Integer.MAX_VALUE})
  void aPriorityHasBounds(int priority) {
    assertThatIllegalArgumentException()
        .isThrownBy(
            () -> new Entry("nonce-of-a", "a", "", Liveness.BEAT, Optional.empty(), priority))
        .withMessage("priority must be between -1000 and 1000: " + priority);
  }

  @ParameterizedTest
  @CsvSource({"WAITING,1", "AWAY,1", "OFFERED,0", "BUILDING,0", "BUILDING,-1"})
  void aTicketHasATokenExactlyWhileItHasATurn(TicketState state, long token) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ticket(7, state, token, Liveness.BEAT, Optional.empty()))
        .withMessage("ticket 7 is " + state + " with token " + token);
  }

  // ---- runs

  @ParameterizedTest
  @ValueSource(
      strings = {
        "octo",
        "octo/",
        "/app",
        "octo/app/x",
        "octo app/x",
        "oc\u00f6/app",
        "../..",
        "octo/..",
        "./app"
      })
  void aRepositoryIsOwnerAndName(String repository) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new RunRef(repository, 1, 1, 0, ""))
        .withMessageContaining("repository must be OWNER/NAME: \"" + repository);
  }

  @Test
  void aRunHasPositiveNumbersAndAJobKey() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new RunRef("octo/app", 0, 1, 0, ""))
        .withMessage("runId must be positive: 0");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new RunRef("octo/app", 1, 0, 0, ""))
        .withMessage("attempt must be positive: 0");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new RunRef("octo/app", 1, 1, -1, ""))
        .withMessage("jobId must not be negative: -1");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new RunRef("octo/app", 1, 1, 0, "build all"))
        .withMessage("jobName must be the job's key in the workflow: \"build all\"");
  }

  @Test
  void aReRunIsALaterAttemptAtTheSameJob() {
    assertThat(new RunRef("octo/app", 123, 2, 9, "build").isRerunOf(RUN)).isTrue();
    assertThat(new RunRef("octo/app", 123, 1, 9, "build").isRerunOf(RUN)).isFalse();
    assertThat(new RunRef("octo/app", 123, 2, 9, "test").isRerunOf(RUN)).isFalse();
    assertThat(new RunRef("octo/app", 124, 2, 9, "build").isRerunOf(RUN)).isFalse();
    assertThat(new RunRef("octo/lib", 123, 2, 9, "build").isRerunOf(RUN)).isFalse();
  }

  // ---- rules

  @Test
  void lengthsOfTimeAreShownAsTheCommandLineTakesThem() {
    assertThat(Checks.shown(Duration.ofSeconds(90))).isEqualTo("90s");
    assertThat(Checks.shown(Duration.ofSeconds(60))).isEqualTo("1m");
    assertThat(Checks.shown(Duration.ofSeconds(150))).isEqualTo("2m30s");
    assertThat(Checks.shown(Duration.ofMinutes(90))).isEqualTo("1h30m");
    assertThat(Checks.shown(Duration.ofDays(2))).isEqualTo("2d");
    assertThat(Checks.shown(Duration.ZERO)).isEqualTo("0s");
    assertThat(Checks.shown(Duration.ofMillis(250))).isEqualTo("0.25s");
    assertThat(Checks.shown(Duration.ofSeconds(-1))).isEqualTo("-1s");
    assertThat(Checks.shown(Duration.ofSeconds(Long.MAX_VALUE))).endsWith("d15h30m7s");
  }

  @Test
  void rulesThatCannotWorkAreRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Rules.DEFAULT.withSlots(0))
        .withMessage("slots must be between 1 and 16: 0");
    assertThatIllegalArgumentException().isThrownBy(() -> Rules.DEFAULT.withSlots(17));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> leased(Duration.ofMinutes(2)))
        .withMessage("lease (2m) must be at least twice the beat (90s)");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> leased(Duration.ofSeconds(Long.MAX_VALUE)))
        .withMessageStartingWith("lease must be at most 366 days");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Rules.DEFAULT.withGrace(Duration.ofNanos(2)))
        .withMessage("grace must be at least 10 ms: 0.000000002s");
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                new Rules(
                    1,
                    Duration.ofDays(1),
                    Duration.ofSeconds(Long.MAX_VALUE),
                    Duration.ofSeconds(1),
                    Duration.ofSeconds(1),
                    Duration.ofSeconds(1),
                    Extra.NONE))
        .withMessageStartingWith("beat must be at most 366 days");
    assertThat(leased(Duration.ofMinutes(3)).lease()).isEqualTo(Duration.ofMinutes(3));
  }

  private static Rules leased(Duration lease) {
    Rules r = Rules.DEFAULT;
    return new Rules(1, lease, r.beat(), r.grace(), r.maxAway(), r.maxHold(), Extra.NONE);
  }

  // ---- slots and documents

  @Test
  void aSlotIsFreeOrSomebodys() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Slot(Slot.State.FREE, 1, 1, Extra.NONE))
        .withMessage("slot is FREE with ticket 1 and token 1");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Slot(Slot.State.BUILDING, 1, 0, Extra.NONE));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Slot(Slot.State.OFFERED, 0, 1, Extra.NONE));
    Slot slot = new Slot(Slot.State.BUILDING, 7, 3, Extra.NONE);
    assertThat(slot.belongsTo(7, 3)).isTrue();
    assertThat(slot.belongsTo(7, 2)).isFalse();
    assertThat(slot.belongsTo(6, 3)).isFalse();
    assertThat(slot.freed()).isEqualTo(new Slot(Slot.State.FREE, 0, 3, Extra.NONE));
    assertThat(slot.freed().belongsTo(0, 3)).isFalse();
  }

  @Test
  void aDocumentThatContradictsItselfIsRefused() {
    Ticket building = ticket(1, TicketState.BUILDING, 1, Liveness.BEAT, Optional.empty());
    Ticket waiting = ticket(2, TicketState.WAITING, 0, Liveness.BEAT, Optional.empty());
    Slot busy = new Slot(Slot.State.BUILDING, 1, 1, Extra.NONE);

    assertThat(document(List.of(busy), 3, 2, List.of(building, waiting)).ticket(2))
        .contains(waiting);
    refused("ticket 2 is there twice", List.of(busy), 3, 2, List.of(building, waiting, waiting));
    refused(
        "ticket 2 is not below the next one, 2", List.of(busy), 2, 2, List.of(building, waiting));
    refused("token 1 is not below the next one, 1", List.of(busy), 3, 1, List.of(building));
    refused("ticket 1 is BUILDING in no slot", List.of(Slot.NEW), 3, 2, List.of(building));
    refused("a slot is taken by no ticket", List.of(busy), 3, 2, List.of(waiting));
    refused("a slot is taken by no ticket", List.of(busy, busy), 3, 2, List.of(building));
    refused(
        "ticket 1 is BUILDING in no slot",
        List.of(busy.in(Slot.State.OFFERED)),
        3,
        2,
        List.of(building));
    assertThat(
            document(List.of(busy.in(Slot.State.REVOKED)), 3, 2, List.of(building)).slotIndexOf(1))
        .isZero();
  }

  @Test
  void theLineIsByPriorityThenByPlace() {
    Ticket a = ticket(1, TicketState.WAITING, 0, Liveness.BEAT, Optional.empty());
    Ticket b = ticket(2, TicketState.AWAY, 0, Liveness.BEAT, Optional.empty());
    Ticket c = ticket(3, TicketState.WAITING, 0, Liveness.BEAT, Optional.empty()).withPriority(5);
    Ticket building = ticket(4, TicketState.BUILDING, 1, Liveness.BEAT, Optional.empty());
    QueueDocument d =
        document(
            List.of(new Slot(Slot.State.BUILDING, 4, 1, Extra.NONE)),
            9,
            2,
            List.of(building, a, b, c));

    assertThat(d.line()).containsExactly(c, a, b);
    assertThat(d.position(3)).isEqualTo(1);
    assertThat(d.position(2)).isEqualTo(3);
    assertThat(d.position(4)).isZero();
    assertThat(d.position(77)).isZero();
    assertThat(d.ticketByNonce("nonce-of-2")).contains(b);
    assertThat(d.slotIndexOf(4)).isZero();
    assertThat(d.slotIndexOf(1)).isEqualTo(-1);
  }

  @Test
  void requirementsAreBounded() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> requiring(List.of("x".repeat(41))))
        .withMessageStartingWith("requires is longer than 40 characters");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> requiring(java.util.Collections.nCopies(17, "x")))
        .withMessage("requires has more than 16 entries: 17");
  }

  @Test
  void aDocumentDoesNotChangeWithTheListsItWasMadeFrom() {
    Map<String, Object> fields = new HashMap<>();
    fields.put("a", null);
    Extra extra = new Extra(fields);
    fields.put("b", 1);

    assertThat(extra.fields()).containsOnlyKeys("a");
  }

  @Test
  void aBeatDocumentHasNoNegativeNumbers() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new BeatDocument(0, 0, -1, 0, Extra.NONE))
        .withMessage("beat must not be negative: -1");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new BeatDocument(-1, 0, 0, 0, Extra.NONE));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new BeatDocument(0, -1, 0, 0, Extra.NONE));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new BeatDocument(0, 0, 0, -1, Extra.NONE));
  }

  @Test
  void historyAndPauseAreLines() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Pause("", "", AT))
        .withMessage("by must not be empty");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Pause("a", "x".repeat(121), AT))
        .withMessageStartingWith("reason is longer than 120 characters");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new IssueLock("a", "short", 0, AT))
        .withMessageStartingWith("nonce is shorter than 8");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Outcome(0, 0, Outcome.End.LEFT, "", AT))
        .withMessage("ticket must be positive: 0");
  }

  // ---- samples

  private static Ticket ticket(
      long number, TicketState state, long token, Liveness liveness, Optional<RunRef> run) {
    return new Ticket(
        number, "nonce-of-" + number, "a", "", liveness, run, state, token, 0, AT, AT, Extra.NONE);
  }

  private static void refused(
      String message, List<Slot> slots, long nextTicket, long nextToken, List<Ticket> tickets) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> document(slots, nextTicket, nextToken, tickets))
        .withMessage(message);
  }

  private static QueueDocument requiring(List<String> requires) {
    return document(requires, List.of(), 1, 1, List.of());
  }

  private static QueueDocument document(
      List<Slot> slots, long nextTicket, long nextToken, List<Ticket> tickets) {
    return document(List.of(), slots, nextTicket, nextToken, tickets);
  }

  private static QueueDocument document(
      List<String> requires,
      List<Slot> slots,
      long nextTicket,
      long nextToken,
      List<Ticket> tickets) {
    return new QueueDocument(
        "cas",
        requires,
        1,
        Optional.empty(),
        1,
        slots,
        Optional.empty(),
        0,
        0,
        nextTicket,
        nextToken,
        Rules.DEFAULT,
        tickets,
        List.of(),
        List.of(),
        Extra.NONE);
  }
}
