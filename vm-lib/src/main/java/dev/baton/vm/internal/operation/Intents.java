package dev.baton.vm.internal.operation;

import dev.baton.vm.Cleanup;
import dev.baton.vm.Intent;
import dev.baton.vm.Kind;
import dev.baton.vm.VmException;
import dev.baton.vm.spi.Found;
import dev.baton.vm.spi.Provider;
import dev.baton.vm.spi.ProviderException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What was about to be created, by this process or by one that is no more. */
final class Intents {

  private final Tenure tenure;
  private final Calls calls;

  Intents(Tenure tenure, Calls calls) {
    this.tenure = tenure;
    this.calls = calls;
  }

  /** Writes down what the cloud is asked for next. */
  Intent begin(Kind kind, Map<String, String> parameters) throws VmException, InterruptedException {
    String token = "baton-" + tenure.context().client().nonces().get();
    Intent intent = new Intent(kind, token, parameters, tenure.now());
    if (tenure.context().client().writeAhead()) {
      tenure.change(j -> j.with(intent));
      tenure.flush(tenure.context().name() + ": " + kind.words() + " is about to be created");
    }
    return intent;
  }

  /** Whether a token proves nothing any more, or never did. */
  boolean mustSearch(Intent intent) throws VmException, InterruptedException {
    Provider.Traits traits = calls.traits();
    return !traits.clientTokens() || age(intent).compareTo(traits.tokenLife()) >= 0;
  }

  private Duration age(Intent intent) throws VmException, InterruptedException {
    return Duration.between(intent.at(), tenure.now());
  }

  /** What the intent has created, as far as the cloud can tell. */
  Optional<Found> search(Intent intent)
      throws VmException, ProviderException, InterruptedException {
    return candidates(intent).stream().findFirst();
  }

  private List<Found> candidates(Intent intent)
      throws VmException, ProviderException, InterruptedException {
    awaitVisible(intent);
    List<Found> found = new ArrayList<>();
    for (Found f : calls.owned()) {
      if (f.kind() == intent.kind()
          && !tenure.draft().records(f.kind(), f.id())
          && f.token().orElse(intent.token()).equals(intent.token())) {
        found.add(f);
      }
    }
    return found;
  }

  /** Waits until whatever was created by an intent shows. */
  void awaitVisible() throws VmException, InterruptedException {
    for (Intent intent : tenure.draft().intents()) {
      awaitVisible(intent);
    }
  }

  private void awaitVisible(Intent intent) throws VmException, InterruptedException {
    Duration hidden = calls.traits().visibility().minus(age(intent));
    if (!hidden.isNegative() && !hidden.isZero()) {
      calls.pause(hidden);
    }
  }

  /** Gives an intent up; what it has created, if anything, is to be deleted. */
  void salvage(Intent intent) throws VmException, ProviderException, InterruptedException {
    for (Found f : candidates(intent)) {
      Cleanup cleanup =
          new Cleanup(f.kind(), f.id(), "created by an attempt that was given up", tenure.now());
      tenure.change(j -> j.with(cleanup));
    }
    tenure.change(j -> j.without(intent.kind()));
  }
}
