package dev.baton.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.baton.queue.Entry;
import dev.baton.queue.Liveness;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.Rules;
import dev.baton.queue.internal.protocol.Command;
import dev.baton.queue.internal.protocol.Protocol;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The demo says so when a promise is broken. */
class CheckerTest {
  private static final Instant NOON = Instant.parse("2026-03-02T12:00:00Z");

  private static Witness build(String title, long token, int from, int to) {
    return new Witness(title, token, NOON.plusSeconds(from), Optional.of(NOON.plusSeconds(to)));
  }

  @Test
  void buildsOneAfterTheOtherAreFine() {
    List<Witness> all = List.of(build("a", 1, 0, 4), build("b", 2, 5, 9));
    assertThat(Checker.builds(all, List.of("a", "b"))).isEmpty();
  }

  @Test
  void anOverlapAWrongOrderAndAnOldTokenAreNamed() {
    List<Witness> all = List.of(build("a", 2, 0, 4), build("b", 1, 3, 9));
    assertThat(Checker.builds(all, List.of("b", "a")))
        .containsExactly(
            "token 1 came after 2",
            "'b' started while 'a' was building",
            "the order was [a, b] and should have been [b, a]");
  }

  @Test
  void aBuildThatNeverEndedMayNotBeFollowed() {
    Witness open = new Witness("a", 1, NOON, Optional.empty());
    assertThat(Checker.builds(List.of(open, build("b", 2, 60, 70)), List.of("a", "b")))
        .containsExactly("'b' started while 'a' was building");
  }

  @Test
  void aTicketThatVanishesAndAVersionThatComesBackAreNamed() {
    List<QueueDocument> versions = new ArrayList<>();
    versions.add(QueueDocument.empty(QueueDocument.MODE_CAS, Rules.DEFAULT));
    for (String nonce : List.of("nonce-one", "nonce-two")) {
      QueueDocument last = versions.get(versions.size() - 1);
      Entry entry = new Entry(nonce, "ann", "app", Liveness.BEAT, Optional.empty(), 0);
      versions.add(Protocol.apply(last, new Command.Join(entry, 10), NOON).document());
    }
    assertThat(Checker.history(versions)).isEmpty();
    versions.add(versions.get(1));
    assertThat(Checker.history(versions))
        .containsExactly("ticket 2 is lost in version 2", "version 2 came after 3");
  }

  @Test
  void whatBuildsWroteIsReadBack(@TempDir Path directory) throws IOException {
    Path file = directory.resolve("witness");
    assertThat(Witness.read(file)).isEmpty();
    Witness.write(file, "start", 1, "a");
    Witness.write(file, "start", 2, "b\tb");
    Witness.write(file, "end", 1, "a");
    assertThat(Witness.read(file))
        .extracting(Witness::title, w -> w.end().isPresent())
        .containsExactly(tuple("a", true), tuple("b\tb", false));
  }
}
