package dev.baton.vm.internal.operation;

import dev.baton.vm.Journal;
import dev.baton.vm.Kind;
import dev.baton.vm.Resource;
import dev.baton.vm.SizeChange;
import dev.baton.vm.Status;
import dev.baton.vm.Trouble;
import dev.baton.vm.VmException;
import dev.baton.vm.spi.Found;
import dev.baton.vm.spi.Phase;
import dev.baton.vm.spi.ProviderException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Gives the instance of a VM another size:
 *
 * <ol>
 *   <li>The size that it has and the one that it is to have are written to the journal, with the
 *       status that is entered.
 *   <li>It is shut down if it runs, given the new size, which the cloud does as a whole or not at
 *       all, and started if it ran before.
 *   <li>If that fails, it gets the old size back, and runs again if it ran before.
 *   <li>Whoever is killed leaves it with one of the two sizes, perhaps shut down, and both are in
 *       the journal: the next resize goes on, an abandon goes back, a destroy takes it down.
 * </ol>
 */
final class Resizing {

  private final Tenure tenure;
  private final Calls calls;
  private final Journal.ResizePlan plan;
  private final boolean runs;
  private final String id;

  Resizing(Tenure tenure, Calls calls) {
    this.tenure = tenure;
    this.calls = calls;
    this.plan = tenure.draft().resize().orElseThrow();
    this.runs = tenure.state().previousStatus().equals(Optional.of(Status.RUNNING));
    this.id = tenure.state().resource(Kind.INSTANCE).map(Resource::id).orElse("");
  }

  // ---- before

  /**
   * From what to what. Asks the cloud, and changes nothing.
   *
   * @return empty: it has that size already
   */
  static Optional<Journal.ResizePlan> plan(VmContext context, Journal journal, SizeChange change)
      throws VmException, InterruptedException {
    Optional<Journal.ResizePlan> begun = journal.resize();
    if (begun.isPresent() && change.isEmpty()) {
      return begun;
    }
    Calls calls = Calls.withoutLock(context);
    String id =
        journal.state().flatMap(s -> s.resource(Kind.INSTANCE)).map(Resource::id).orElse("");
    try {
      Optional<Found> found = id.isEmpty() ? Optional.empty() : calls.describe(Kind.INSTANCE, id);
      if (found.isEmpty()) {
        throw new ProviderException(
            Trouble.NOT_FOUND, "instance " + id + " does not exist any more");
      }
      Map<String, String> to =
          calls.retried(
              c -> context.provider().sizes().orElseThrow().resized(found.get(), change, c));
      Map<String, String> from = new LinkedHashMap<>();
      to.keySet().forEach(k -> from.put(k, found.get().attributes().getOrDefault(k, "")));
      // What an interrupted one came from is known to work.
      Map<String, String> good = begun.map(Journal.ResizePlan::from).orElse(from);
      return begun.isEmpty() && from.equals(to)
          ? Optional.empty()
          : Optional.of(new Journal.ResizePlan(good, to));
    } catch (ProviderException e) {
      throw new VmException.Impossible(
          e.trouble(), VmHandle.advised(e).within("nothing was changed: "), e);
    }
  }

  /** A size for people. */
  static String shown(Map<String, String> size) {
    return size.entrySet().stream()
        .map(e -> e.getKey() + " " + e.getValue())
        .collect(Collectors.joining(", "));
  }

  // ---- meanwhile

  void run() throws VmException, ProviderException, InterruptedException {
    tenure.undecided(true);
    try {
      reach(plan.to());
    } catch (ProviderException e) {
      throw rolledBack(e);
    }
    tenure.undecided(false);
  }

  /** Of a resize that is given up. */
  void goBack() throws VmException, ProviderException, InterruptedException {
    tenure.undecided(true);
    reach(plan.from());
    tenure.undecided(false);
  }

  private VmException rolledBack(ProviderException failure)
      throws VmException, ProviderException, InterruptedException {
    tenure.progress().note("that has failed (" + failure.what() + "); going back to the old size");
    try {
      reach(plan.from());
    } catch (ProviderException e) {
      failure.addSuppressed(e);
      throw failure;
    }
    tenure.undecided(false);
    return new VmException.CloudFailed(
        failure.trouble(),
        failure
            .problem()
            .within(
                "VM "
                    + tenure.context().name()
                    + " has its old size again ("
                    + shown(plan.from())
                    + "), since the new one has failed ("
                    + shown(plan.to())
                    + "): ")
            .then("Choose another size, or look into the VM for why it does not start."),
        failure);
  }

  private void reach(Map<String, String> size)
      throws VmException, ProviderException, InterruptedException {
    int steps = runs ? 3 : 1;
    Found found = look();
    if (!has(found, size)) {
      if (found.phase() != Phase.STOPPED) {
        turn(steps, "stop the instance", Phase.STOPPED, () -> calls.powerOff(id));
      }
      tenure.step(
          steps,
          "size",
          done -> shown(size),
          () -> {
            calls.resize(id, size);
            return null;
          });
      found = look();
      if (!has(found, size)) {
        throw new ProviderException(
            Trouble.UNAVAILABLE, "instance " + id + " does not show its new size");
      }
    }
    Found now = found;
    tenure.changeState(s -> s.resource(Kind.INSTANCE).map(r -> s.with(with(r, size))).orElse(s));
    if (runs && now.phase() != Phase.RUNNING) {
      turn(steps, "start the instance", Phase.RUNNING, () -> calls.start(id));
    } else if (!runs && now.phase() != Phase.STOPPED) {
      turn(steps, "stop the instance", Phase.STOPPED, () -> calls.powerOff(id));
    }
  }

  private interface Deed {
    void run() throws ProviderException, InterruptedException;
  }

  private void turn(int steps, String name, Phase wanted, Deed deed)
      throws VmException, ProviderException, InterruptedException {
    tenure.step(
        steps,
        name,
        done -> id,
        () -> {
          deed.run();
          if (calls.await(Kind.INSTANCE, id, wanted).isEmpty()) {
            throw gone();
          }
          return null;
        });
  }

  private Found look() throws VmException, ProviderException, InterruptedException {
    Optional<Found> found = id.isEmpty() ? Optional.empty() : calls.describe(Kind.INSTANCE, id);
    if (found.isEmpty()) {
      throw gone();
    }
    return found.get();
  }

  /** There is nothing to give a size to: the VM is what it was, without its instance. */
  private VmException gone() {
    tenure.undecided(false);
    return Turning.missing(tenure, id);
  }

  private static boolean has(Found instance, Map<String, String> size) {
    return instance.attributes().entrySet().containsAll(size.entrySet());
  }

  private static Resource with(Resource instance, Map<String, String> size) {
    Resource next = instance;
    for (Map.Entry<String, String> e : size.entrySet()) {
      next = next.with(e.getKey(), e.getValue());
    }
    return next;
  }
}
