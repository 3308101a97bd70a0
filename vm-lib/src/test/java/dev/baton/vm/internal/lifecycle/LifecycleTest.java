package dev.baton.vm.internal.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.vm.Operation;
import dev.baton.vm.Status;
import dev.baton.vm.VmException;
import dev.baton.vm.internal.lifecycle.Lifecycle.Corrected;
import dev.baton.vm.internal.lifecycle.Lifecycle.Truth;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

/** The table against the one in the design, which is written out here once more, by hand. */
class LifecycleTest {

  /** from, "!" for a missing instance | operation | entered | success | failure | remembered */
  private static final List<String> BY_HAND =
      List.of(
          "none        deploy   deploying   running     deploying  -",
          "deploying   deploy   deploying   running     deploying  -",
          "deploying!  deploy   deploying   running     deploying  -",
          "destroyed   deploy   deploying   running     deploying  -",
          "running     deploy   running     running     running    -",
          "running!    deploy   running     running     running    -",
          "suspended!  deploy   deploying   running     deploying  -",
          "running     suspend  suspending  suspended   running    -",
          "suspending  suspend  suspending  suspended   running    -",
          "suspended   suspend  suspended   suspended   suspended  -",
          "suspended   resume   resuming    running     suspended  -",
          "resuming    resume   resuming    running     suspended  -",
          "running     resume   running     running     running    -",
          "stopped!    deploy   deploying   running     deploying  -",
          "running     stop     stopping    stopped     running    -",
          "suspended   stop     stopping    stopped     suspended  -",
          "stopped     stop     stopped     stopped     stopped    -",
          "stopped     start    starting    running     stopped    -",
          "running     start    running     running     running    -",
          "running     resize   resizing    previous    previous   remembered",
          "stopped     resize   resizing    previous    previous   remembered",
          "resizing    resize   resizing    previous    previous   -",
          "resizing    abandon  resizing    previous    previous   -",
          "resizing    destroy  destroying  bysnapshot  previous   -",
          "stopped     attach   stopped     stopped     stopped    -",
          "stopped     detach   stopped     stopped     stopped    -",
          "stopped     destroy  destroying  bysnapshot  previous   remembered",
          "stopped!    destroy  destroying  bysnapshot  previous   remembered",
          "running     destroy  destroying  bysnapshot  previous   remembered",
          "suspended   destroy  destroying  bysnapshot  previous   remembered",
          "running!    destroy  destroying  bysnapshot  previous   remembered",
          "suspended!  destroy  destroying  bysnapshot  previous   remembered",
          "destroying  destroy  destroying  bysnapshot  previous   -",
          "destroying! destroy  destroying  bysnapshot  previous   -",
          "destroyed   destroy  destroyed   bysnapshot  destroyed  -",
          "deploying   destroy  deploying   bysnapshot  deploying  -",
          "deploying!  destroy  deploying   bysnapshot  deploying  -",
          "none        destroy  none        none        none       -",
          "deploying   abandon  deploying   bysnapshot  deploying  -",
          "deploying!  abandon  deploying   bysnapshot  deploying  -",
          "destroying  abandon  destroying  previous    previous   -",
          "destroying! abandon  destroying  previous    previous   -",
          "running     extend   running     running     running    -");

  private static final Map<String, String[]> EXPECTED = new HashMap<>();

  static {
    for (String line : BY_HAND) {
      String[] cells = line.split(" +");
      EXPECTED.put(cells[0] + " " + cells[1], cells);
    }
  }

  private static String name(Situation s) {
    return s.status().map(Status::word).orElse("none") + (s.instanceMissing() ? "!" : "");
  }

  private static String name(Target t) {
    if (t instanceof Target.To to) {
      return to.status().word();
    }
    return t instanceof Target.Nothing
        ? "none"
        : t instanceof Target.Previous ? "previous" : "bysnapshot";
  }

  @Provide
  Arbitrary<Situation> situations() {
    Arbitrary<Situation> deployed =
        Combinators.combine(Arbitraries.of(Status.class), Arbitraries.of(true, false))
            .as((status, missing) -> new Situation(Optional.of(status), missing));
    return Arbitraries.oneOf(deployed, Arbitraries.just(Situation.nothing()));
  }

  @Property
  void everyOperationInEverySituationIsWhatTheTableSays(
      @ForAll("situations") Situation from, @ForAll Operation operation) throws VmException {
    String[] expected = EXPECTED.get(name(from) + " " + operation.word());
    if (expected == null) {
      assertThatThrownBy(() -> Lifecycle.require(from, operation))
          .isInstanceOfSatisfying(
              VmException.NotAllowed.class,
              e -> {
                assertThat(e.from()).isEqualTo(from.status());
                assertThat(e.operation()).isEqualTo(operation);
                assertThat(e.next()).isNotBlank();
              });
      return;
    }
    Transition line = Lifecycle.require(from, operation);
    assertThat(line.entering().map(Status::word).orElse("none")).isEqualTo(expected[2]);
    assertThat(name(line.success())).isEqualTo(expected[3]);
    assertThat(name(line.failure())).isEqualTo(expected[4]);
    assertThat(line.remember()).isEqualTo(expected[5].equals("remembered"));
  }

  @Test
  void theTableHasNoLineMoreAndNoneTwice() {
    Set<String> lines = new HashSet<>();
    for (Transition t : Lifecycle.TABLE) {
      assertThat(lines.add(name(t.from()) + " " + t.operation().word())).isTrue();
    }
    assertThat(lines).isEqualTo(EXPECTED.keySet());
  }

  @Test
  void aRefusalCarriesFromAndTo() {
    assertThatThrownBy(() -> Lifecycle.require(Situation.at(Status.SUSPENDED), Operation.DEPLOY))
        .isInstanceOfSatisfying(
            VmException.NotAllowed.class,
            e -> {
              assertThat(e.from()).contains(Status.SUSPENDED);
              assertThat(e.to()).contains(Status.DEPLOYING);
            })
        .hasMessage("cannot deploy a VM that is suspended. Next: `resume` or `destroy`.");
  }

  @Property
  void onlyDestroyAndDeployAreAcceptedWithoutTheInstance(@ForAll Operation operation) {
    for (Status status : List.of(Status.RUNNING, Status.SUSPENDED, Status.STOPPED)) {
      boolean accepted =
          Lifecycle.TABLE.stream()
              .anyMatch(
                  t ->
                      t.from().equals(Situation.at(status).withoutInstance())
                          && t.operation() == operation);
      assertThat(accepted)
          .isEqualTo(operation == Operation.DEPLOY || operation == Operation.DESTROY);
    }
  }

  /** Whatever happens, a VM is never stuck: some line leads on from wherever a line leads. */
  @Test
  void everyTargetHasAWayOut() {
    for (Transition t : Lifecycle.TABLE) {
      for (Target target : List.of(t.success(), t.failure())) {
        for (boolean snapshot : List.of(true, false)) {
          Optional<Status> status = target.resolve(Optional.of(Status.RUNNING), snapshot);
          assertThat(Lifecycle.TABLE)
              .anyMatch(
                  next ->
                      next.from().status().equals(status)
                          && next.action() != Transition.Action.SKIP);
        }
      }
    }
  }

  @Property
  void whatWasInterruptedOnItsWayUpOrDownGoesWhereTheInstanceIs(
      @ForAll Status status, @ForAll Truth truth) {
    Map<Status, Status> before =
        Map.of(
            Status.SUSPENDING, Status.RUNNING,
            Status.RESUMING, Status.SUSPENDED,
            Status.STOPPING, Status.RUNNING,
            Status.STARTING, Status.STOPPED);
    Map<Truth, Status> there =
        Map.of(
            Truth.RUNNING, Status.RUNNING,
            Truth.SUSPENDED, Status.SUSPENDED,
            Truth.STOPPED, Status.STOPPED);
    Optional<Corrected> corrected = Lifecycle.correct(status, truth);
    if (!before.containsKey(status) || truth == Truth.CHANGING) {
      assertThat(corrected).isEmpty();
    } else if (truth == Truth.GONE) {
      assertThat(corrected).contains(new Corrected(before.get(status), true));
    } else {
      assertThat(corrected).contains(new Corrected(there.get(truth), false));
    }
  }

  @Property
  void onlyWhatTheCloudTellsIsCorrectedBeforeAnotherOperation(
      @ForAll("situations") Situation from, @ForAll Operation operation) {
    boolean suspending = from.status().equals(Optional.of(Status.SUSPENDING));
    boolean resuming = from.status().equals(Optional.of(Status.RESUMING));
    boolean switching =
        from.status().equals(Optional.of(Status.STOPPING))
            || from.status().equals(Optional.of(Status.STARTING));
    assertThat(Lifecycle.mustBeCorrectedFirst(from, operation))
        .isEqualTo(
            switching
                || suspending && operation != Operation.SUSPEND
                || resuming && operation != Operation.RESUME);
  }

  @Test
  void stayingLeavesEverythingAlone() {
    Situation there = Situation.at(Status.DESTROYING).withoutInstance();
    Transition stay = Lifecycle.stay(there, Operation.SWEEP);
    assertThat(stay.entering()).contains(Status.DESTROYING);
    assertThat(stay.success()).isEqualTo(new Target.To(Status.DESTROYING));
    assertThat(Lifecycle.stay(Situation.nothing(), Operation.SWEEP).success())
        .isEqualTo(new Target.Nothing());
  }
}
