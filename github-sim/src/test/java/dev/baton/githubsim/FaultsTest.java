package dev.baton.githubsim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class FaultsTest extends SimTest {
  private static final Map<String, String> BODY =
      Map.of("message", "m", "content", Client.base64("x"));

  @Test
  void droppedAfterWasCarriedOut() {
    sim.failNext(1, request -> request.method().equals("PUT"), new Fault.DroppedAfter());
    assertThatThrownBy(() -> ann.trySend("PUT", FILE, BODY)).isInstanceOf(IOException.class);
    assertThat(repository.fileText("queue.json", "main")).contains("x");
    assertThat(sim.log().of("ann").charged()).isEqualTo(1);
  }

  @Test
  void droppedBeforeWasNot() {
    sim.failNext(1, request -> request.method().equals("PUT"), new Fault.DroppedBefore());
    assertThatThrownBy(() -> ann.trySend("PUT", FILE, BODY)).isInstanceOf(IOException.class);
    assertThat(repository.fileText("queue.json", "main")).isEmpty();
    assertThat(ann.put(FILE, BODY).status()).isEqualTo(201);
  }

  @Test
  void proxyFailsWithAPage() {
    sim.failNext(1, request -> true, new Fault.Unavailable(503, false));
    Client.Got got = ann.put(FILE, BODY);
    assertThat(got.status()).isEqualTo(503);
    assertThat(got.header("content-type")).startsWith("text/html");
    assertThat(repository.fileText("queue.json", "main")).isEmpty();

    sim.failNext(1, request -> true, new Fault.Unavailable(502, true));
    assertThat(ann.put(FILE, BODY).status()).isEqualTo(502);
    assertThat(repository.fileText("queue.json", "main")).contains("x");
  }

  @Test
  void anOddAnswerIsSentAsItIs() {
    sim.failNext(1, request -> true, Fault.Odd.saying(401, "Bad credentials", false));
    Client.Got refused = ann.put(FILE, BODY);
    assertThat(refused.status()).isEqualTo(401);
    assertThat(refused.message()).isEqualTo("Bad credentials");
    assertThat(repository.fileText("queue.json", "main")).isEmpty();

    sim.failNext(1, request -> true, new Fault.Odd(404, "<html>lost</html>", true));
    Client.Got lost = ann.put(FILE, BODY);
    assertThat(lost.status()).isEqualTo(404);
    assertThat(lost.header("content-type")).startsWith("text/html");
    assertThat(repository.fileText("queue.json", "main")).contains("x");
    assertThatThrownBy(() -> new Fault.Odd(99, "", false))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void refusalsAreReworded() {
    assertThat(ann.put(FILE, BODY).status()).isEqualTo(201);
    sim.reword(422, Optional.of("Ya existe"));
    assertThat(ann.put(FILE, BODY).message()).isEqualTo("Ya existe");
    sim.reword(422, Optional.empty());
    assertThat(ann.put(FILE, BODY).message()).contains("wasn't supplied");
    assertThatThrownBy(() -> sim.reword(200, Optional.of("fine")))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void onlyMatchingRequestsFail() {
    sim.failNext(2, request -> request.client().equals("bob"), new Fault.Unavailable(502, false));
    Client bob = client(Token.classic("bob", "bob-secret", REPO));
    List<Integer> seen =
        List.of(
            ann.get(REFS + "/heads/main").status(),
            bob.get(REFS + "/heads/main").status(),
            bob.get(REFS + "/heads/main").status(),
            bob.get(REFS + "/heads/main").status());
    assertThat(seen).containsExactly(200, 502, 502, 200);
  }

  @Test
  void ratesHoldAndASeedRepeatsThem() {
    List<FaultRate> rates =
        List.of(
            new FaultRate(new Fault.DroppedAfter(), 0.1),
            new FaultRate(new Fault.Unavailable(502, false), 0.2));
    SimRequest request = new SimRequest("GET", "/", Map.of(), Map.of(), "", "ann");
    Faults one = new Faults(rates, 7);
    Faults two = new Faults(rates, 7);
    int dropped = 0;
    int unavailable = 0;
    for (int i = 0; i < 10_000; i++) {
      Optional<Fault> fault = one.meets(request);
      assertThat(two.meets(request)).isEqualTo(fault);
      dropped += fault.filter(Fault.DroppedAfter.class::isInstance).isPresent() ? 1 : 0;
      unavailable += fault.filter(Fault.Unavailable.class::isInstance).isPresent() ? 1 : 0;
    }
    assertThat(dropped).isBetween(850, 1150);
    assertThat(unavailable).isBetween(1800, 2200);
  }

  @Test
  void moreFaultsThanRequestsAreRefused() {
    FaultRate rate = new FaultRate(new Fault.DroppedBefore(), 0.6);
    assertThatThrownBy(() -> SimSettings.defaults().withFaults(rate, rate))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("1.2");
  }

  @Test
  void slowAnswerComesLate() {
    ann.get(REFS + "/heads/main");
    sim.failNext(1, request -> true, new Fault.Slow(Duration.ofMillis(300)));
    long start = System.nanoTime();
    assertThat(ann.put(FILE, BODY).status()).isEqualTo(201);
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(Duration.ofMillis(290));
  }

  @Test
  void requestShownToATestHoldsNoSecret() {
    List<String> seen = new ArrayList<>();
    sim.failNext(
        1,
        request -> {
          seen.add(request.toString());
          return false;
        },
        new Fault.DroppedBefore());
    ann.get(REFS + "/heads/main");
    assertThat(seen).hasSize(1).noneMatch(text -> text.contains("ann-secret"));
    assertThat(sim.log().entries().toString()).doesNotContain("ann-secret");
  }
}
