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
    for (Status status : List.of(Status.RUNNING, Status.SUSPENDED)) {
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
  void interruptedSuspendsAndResumesGoWhereTheInstanceIs(
      @ForAll Status status, @ForAll Truth truth) {
    Optional<Corrected> corrected = Lifecycle.correct(status, truth);
    if (status != Status.SUSPENDING && status != Status.RESUMING || truth == Truth.CHANGING) {
      assertThat(corrected).isEmpty();
    } else if (truth == Truth.GONE) {
      Status back = status == Status.SUSPENDING ? Status.RUNNING : Status.SUSPENDED;
      assertThat(corrected).contains(new Corrected(back, true));
    } else {
      Status there = truth == Truth.RUNNING ? Status.RUNNING : Status.SUSPENDED;
      assertThat(corrected).contains(new Corrected(there, false));
    }
  }

  @Property
  void onlyAnInterruptedSuspendOrResumeIsCorrectedBeforeAnotherOperation(
      @ForAll("situations") Situation from, @ForAll Operation operation) {
    boolean suspending = from.status().equals(Optional.of(Status.SUSPENDING));
    boolean resuming = from.status().equals(Optional.of(Status.RESUMING));
    assertThat(Lifecycle.mustBeCorrectedFirst(from, operation))
        .isEqualTo(
            suspending && operation != Operation.SUSPEND
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
