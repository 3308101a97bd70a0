package dev.baton.queue.github;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.core.Extra;
import dev.baton.core.FakeTasks;
import dev.baton.core.FakeTasks.Running;
import dev.baton.githubsim.Fault;
import dev.baton.queue.Acquisition;
import dev.baton.queue.BeatDocument;
import dev.baton.queue.BuildQueue;
import dev.baton.queue.EngineSettings;
import dev.baton.queue.Grant;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.Request;
import dev.baton.queue.Rules;
import dev.baton.queue.RunRef;
import dev.baton.queue.internal.codec.DocumentCodec;
import dev.baton.queue.internal.engine.QueueEngine;
import dev.baton.queue.internal.protocol.Command;
import dev.baton.queue.internal.protocol.Protocol;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** GitHub answers once with what belongs to another queue, or to another run. */
class AnswersAboutOthersTest {
  private final Desk desk = new Desk();
  private final FakeTasks tasks = new FakeTasks(desk.world);

  @BeforeEach
  void create() {
    assertThat(tasks.now(() -> open().create(Rules.DEFAULT))).isTrue();
  }

  @AfterEach
  void close() {
    desk.close();
  }

  private BuildQueue open() {
    GitHubSpace space = desk.open();
    return QueueEngine.open(space, desk.world, EngineSettings.DEFAULT, space.runStatus());
  }

  private Running<Acquisition> wait(Request request) {
    return tasks.later(() -> open().acquire(request, p -> {}));
  }

  private Grant granted(Request request) {
    Running<Acquisition> first = wait(request);
    desk.pass(Duration.ofMinutes(1));
    assertThat(first.get()).isInstanceOf(Acquisition.Acquired.class);
    return ((Acquisition.Acquired) first.get()).grant();
  }

  private void answerOnce(String file, String url, String content) {
    byte[] bytes = content.getBytes(StandardCharsets.UTF_8);
    String said =
        "{\"type\":\"file\",\"encoding\":\"base64\",\"path\":\""
            + file
            + url
            + "\",\"sha\":\""
            + Texts.blobSha(bytes)
            + "\",\"content\":\""
            + Base64.getEncoder().encodeToString(bytes)
            + "\"}";
    desk.sim.failNext(
        1,
        r -> r.method().equals("GET") && r.path().endsWith("/contents/" + file),
        new Fault.Odd(200, said, false));
  }

  /** Of a server that does not say of which branch it speaks. */
  @Test
  void theHeartbeatOfAnotherQueueTakesNoLock() {
    Grant held = granted(Request.of("ann", "app"));
    Running<Acquisition> next = wait(Request.of("bob", "app"));
    desk.pass(Duration.ofMinutes(4));
    long later = held.fencingToken() + 3_600_000;
    answerOnce(
        "beat-0.json",
        "",
        DocumentCodec.encodeBeat(new BeatDocument(400, later, 7, later, Extra.NONE)));

    desk.pass(Duration.ofMinutes(10));

    assertThat(next.isDone()).isFalse();
    assertThat(held.state()).isEqualTo(Grant.State.HELD);
  }

  @Test
  void theDocumentOfAnotherQueueEndsNoWait() {
    granted(Request.of("ann", "app"));
    Running<Acquisition> next = wait(Request.of("bob", "app"));
    desk.pass(Duration.ofMinutes(1));
    QueueDocument other = Desk.emptyQueue("cas");
    for (int i = 0; i < 50; i++) {
      other = Protocol.apply(other, new Command.Touch(), desk.world.now()).document();
    }
    answerOnce(
        "queue.json",
        "\",\"url\":\"https://api.github.com/repos/octo/app/contents/queue.json?ref=baton/other",
        DocumentCodec.encode(other, 1_000_000));

    desk.pass(Duration.ofMinutes(5));

    assertThat(next.isDone()).isFalse();
  }

  @Test
  void theEndOfAnotherRunEndsNoJob() {
    long run = desk.repository.startRun("ci", "ann", "build").id();
    granted(
        Request.of("octo/app", "app").livingBy(new RunRef(Desk.REPOSITORY, run, 1, 0, "build")));
    desk.sim.failNext(
        1,
        r -> r.path().contains("/actions/runs/"),
        new Fault.Odd(
            200, "{\"id\":" + (run + 1) + ",\"run_attempt\":1,\"status\":\"completed\"}", false));

    Running<Acquisition> next = wait(Request.of("cid", "app"));
    desk.pass(Duration.ofMinutes(30));

    assertThat(next.isDone()).isFalse();
  }
}
