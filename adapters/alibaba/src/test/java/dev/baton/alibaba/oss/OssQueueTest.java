package dev.baton.alibaba.oss;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.core.SystemWorld;
import dev.baton.queue.Acquisition;
import dev.baton.queue.BuildQueue;
import dev.baton.queue.EngineSettings;
import dev.baton.queue.Grant;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.Release;
import dev.baton.queue.Request;
import dev.baton.queue.Rules;
import dev.baton.queue.RunStatus;
import dev.baton.queue.internal.engine.QueueEngine;
import dev.baton.store.Version;
import dev.baton.store.VersionedStore;
import dev.baton.testing.Concurrently;
import dev.baton.testing.service.Fault;
import dev.baton.testing.service.FaultRate;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * A whole queue in a bucket: clients with an engine and a connection of their own, in real time.
 */
class OssQueueTest {
  private static final int CLIENTS = 8;
  private static final int ROUNDS = 10;

  private static final EngineSettings QUICK =
      new EngineSettings(
          Duration.ofMillis(40), 1_000, Duration.ofMinutes(5), Duration.ofMinutes(2));

  @Test
  void noOverlapNoLostTicketAndGrowingTokens() throws Exception {
    try (Desk desk = new Desk()) {
      try (BuildQueue queue = open(desk)) {
        assertThat(queue.create(Rules.DEFAULT)).isTrue();
      }
      desk.oss.faultRates(
          20_26,
          new FaultRate(new Fault.Dropped(true), 0.02),
          new FaultRate(new Fault.Dropped(false), 0.01),
          new FaultRate(new Fault.Failed(500, "InternalError", true), 0.01),
          new FaultRate(new Fault.Doubled(), 0.01),
          new FaultRate(new Fault.BadGateway(false), 0.01));
      AtomicInteger inside = new AtomicInteger();
      List<Long> tokens = Collections.synchronizedList(new ArrayList<>());
      List<Long> tickets = Collections.synchronizedList(new ArrayList<>());
      List<Callable<Void>> racing = new ArrayList<>();
      for (int client = 0; client < CLIENTS; client++) {
        String name = "client-" + client;
        racing.add(
            () -> {
              try (BuildQueue queue = open(desk)) {
                for (int round = 0; round < ROUNDS; round++) {
                  Grant grant = acquire(queue, name);
                  assertThat(inside.incrementAndGet()).as("holders at once").isEqualTo(1);
                  tokens.add(grant.fencingToken());
                  tickets.add(grant.ticket());
                  assertThat(grant.state()).isEqualTo(Grant.State.HELD);
                  inside.decrementAndGet();
                  assertThat(grant.release("ok")).isEqualTo(Release.GIVEN_BACK);
                }
              }
              return null;
            });
      }
      Concurrently.allOf(Duration.ofMinutes(5), racing);
      desk.oss.faultRates(1);
      assertThat(tokens).hasSize(CLIENTS * ROUNDS).isSorted().doesNotHaveDuplicates();
      assertThat(tickets).as("each drew its own").doesNotHaveDuplicates();
      try (BuildQueue queue = open(desk)) {
        QueueDocument end = queue.status();
        assertThat(end.tickets()).isEmpty();
        assertThat(end.nextTicket())
            .as("no ticket was drawn that nobody got")
            .isEqualTo(CLIENTS * ROUNDS + 1L);
      }
    }
  }

  @Test
  void aBrokenDocumentIsSetAsideAndTheQueueGoesOn() throws Exception {
    try (Desk desk = new Desk()) {
      try (BuildQueue queue = open(desk)) {
        queue.create(Rules.DEFAULT);
        acquire(queue, "first").close();
        VersionedStore document = desk.document();
        Version version = document.read().version();
        Desk.written(document, version, "{ half of a docu");

        // Somebody may still build whose grant was lost with the document: nobody is let in yet.
        assertThat(queue.acquire(request("second", Duration.ofSeconds(1)), p -> {}))
            .isInstanceOf(Acquisition.TimedOut.class);

        assertThat(queue.status().nextTicket()).isGreaterThan(2);
      }
      assertThat(desk.oss.keys(Desk.BUCKET))
          .filteredOn(k -> k.startsWith("ci/build/queue.broken/"))
          .singleElement()
          .satisfies(k -> assertThat(desk.oss.text(Desk.BUCKET, k)).contains("{ half of a docu"));
    }
  }

  /** The policy in the documentation has what a queue asks for, and nothing else. */
  @Test
  void theLeastPermissionsForAQueueAreThoseInTheDocumentation() throws Exception {
    Set<String> used = new TreeSet<>();
    try (Desk desk = new Desk()) {
      try (BuildQueue queue = open(desk)) {
        queue.create(Rules.DEFAULT);
        for (int i = 0; i < OssDocument.KEPT; i++) {
          acquire(queue, "build-" + i).close();
        }
        VersionedStore document = desk.document();
        document.setAside(document.read());
        document.earlier(1);
      }
      desk.oss.counts().keySet().forEach(kind -> used.add("oss:" + permission(kind)));
    }
    String text = Files.readString(Path.of("../../docs/alibaba-cloud.md"));
    int start = text.indexOf("## A queue in OSS");
    String section = text.substring(start, text.indexOf("\n## ", start));
    Set<String> allowed = new TreeSet<>();
    Matcher m = Pattern.compile("\"(oss:[A-Za-z]+)\"").matcher(section);
    while (m.find()) {
      allowed.add(m.group(1));
    }
    assertThat(allowed).isEqualTo(used);
  }

  private static String permission(String request) {
    return switch (request) {
      case "ListObjectsV2" -> "ListObjects";
      case "DeleteMultipleObjects" -> "DeleteObject";
      default -> request;
    };
  }

  private static Grant acquire(BuildQueue queue, String name) throws Exception {
    Acquisition result = queue.acquire(request(name, Duration.ofMinutes(4)), p -> {});
    assertThat(result).isInstanceOf(Acquisition.Acquired.class);
    return ((Acquisition.Acquired) result).grant();
  }

  private static Request request(String name, Duration atMost) {
    return new Request(Request.of(name, "app").entry(), Optional.of(atMost));
  }

  private static BuildQueue open(Desk desk) {
    return QueueEngine.open(desk.open(), new SystemWorld(), QUICK, RunStatus.BLIND);
  }
}
