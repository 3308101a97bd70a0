package dev.baton.vm.simulated;

import dev.baton.core.Checks;
import dev.baton.vm.Kind;
import dev.baton.vm.Trouble;
import java.util.Objects;
import java.util.Optional;

/**
 * A call that is to fail.
 *
 * @param call the method of the provider, such as {@code create}
 * @param kind empty: whatever the call is about
 * @param afterwards the deed is done all the same, and only its answer is lost
 * @param times how often, from the next such call on
 */
public record Fault(
    String call, Optional<Kind> kind, boolean afterwards, Trouble trouble, int times) {

  public Fault {
    Checks.line("call", call, 1, 40);
    Objects.requireNonNull(kind, "kind");
    Objects.requireNonNull(trouble, "trouble");
    Checks.positive("times", times);
  }

  public static Fault before(String call, Kind kind, Trouble trouble) {
    return new Fault(call, Optional.of(kind), false, trouble, 1);
  }

  public static Fault after(String call, Kind kind, Trouble trouble) {
    return new Fault(call, Optional.of(kind), true, trouble, 1);
  }

  public Fault times(int n) {
    return new Fault(call, kind, afterwards, trouble, n);
  }

  boolean isAbout(String otherCall, Optional<Kind> otherKind) {
    return call.equals(otherCall) && (kind.isEmpty() || kind.equals(otherKind));
  }
}
