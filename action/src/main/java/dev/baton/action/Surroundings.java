package dev.baton.action;

import dev.baton.client.queue.Inherited;
import dev.baton.client.queue.InheritedLocks;
import dev.baton.client.queue.Place;
import dev.baton.client.settings.Host;
import dev.baton.client.settings.Setting;
import dev.baton.client.settings.Settings;
import dev.baton.core.BadSetting;
import java.io.IOException;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/**
 * The lock that an earlier step of the job has got, or the place in line that it has taken, as its
 * variables tell.
 */
record Surroundings(Optional<Inputs.Turn> turn, Optional<String> nonce) {

  static final String NONCE = "BATON_NONCE";

  /** The nonces that steps have gone on with, each as often as one did. */
  private static final String TAKEN_OVER = "BATON_TAKEN_OVER";

  static Surroundings of(Runner runner, Inputs inputs) {
    return new Surroundings(
        locks(runner).of(inputs.place()).map(l -> new Inputs.Turn(l.ticket(), l.token())),
        Optional.of(runner.get(NONCE))
            .filter(n -> n.matches("[0-9a-f]{32}"))
            .filter(n -> isOf(runner, inputs.place())));
  }

  /** How many steps have gone on with a ticket that was there: the last of them sees to it. */
  static int timesTakenOver(Runner runner, String nonce) {
    return Collections.frequency(List.of(runner.get(TAKEN_OVER).split(" ")), nonce);
  }

  /** Has the steps before this one leave the ticket alone when the job ends. */
  static void takeOver(Runner runner, String nonce) throws IOException {
    String before = runner.get(TAKEN_OVER);
    runner.variables().put(TAKEN_OVER, before.isEmpty() ? nonce : before + " " + nonce);
  }

  /** The locks that earlier steps have got. */
  static InheritedLocks locks(Runner runner) {
    boolean namesAQueue =
        !runner.get(Setting.STORE.variable()).isEmpty() || !runner.get(Inherited.ALL).isEmpty();
    try {
      return namesAQueue ? InheritedLocks.of(runner.host()) : InheritedLocks.none();
    } catch (BadSetting e) {
      // Whatever it is, it is nothing that an earlier step has written.
      return InheritedLocks.none();
    }
  }

  private static boolean isOf(Runner runner, Place place) {
    if (runner.get(Setting.STORE.variable()).isEmpty()) {
      return false;
    }
    try {
      Host host = runner.host();
      return Place.of(Settings.ofEnvironment(host), host).identity().equals(place.identity());
    } catch (BadSetting e) {
      // Whatever it is, it is no queue that an earlier step has named.
      return false;
    }
  }
}
