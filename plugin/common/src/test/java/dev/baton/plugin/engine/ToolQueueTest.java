package dev.baton.plugin.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.baton.client.lock.LockFailure;
import dev.baton.plugin.bridge.EndedBy;
import dev.baton.plugin.bridge.EngineFailure;
import dev.baton.plugin.bridge.GuardLocks;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a build file says about a queue, and what it means. */
class ToolQueueTest {

  @TempDir Path directory;
  private final FakeTool tool = new FakeTool();

  private ToolQueue queue(String... texts) {
    return new ToolQueue(tool, FakeTool.queue(directory, texts));
  }

  @Test
  void theSameRulesAsOnTheCommandLine() {
    assertThat(queue("store", "file:locks").identity())
        .isEqualTo("file:" + directory.resolve("locks") + "#build");
    assertThat(queue("store", "github:Octo/App#q", "api", "http://localhost:1").identity())
        .isEqualTo("http://localhost:1 github:octo/app#q");
    tool.set("BATON_STORE", "file:/x").set("BATON_QUEUE", "release");
    assertThat(queue().identity()).isEqualTo("file:/x#release");
    tool.set("BATON_STORE", "ftp:x");
    assertThatThrownBy(() -> queue().identity())
        .isInstanceOf(LockFailure.class)
        .hasMessageContaining("is of an unknown kind (BATON_STORE)");
  }

  @Test
  void whatIsSetWronglyIsNamedAsTheBuildFileSpellsIt() {
    LockFailure bad =
        catchThrowableOfType(
            LockFailure.class,
            () -> queue("label", "baton.queues.lab", "store", "file:x", "mode", "git").identity());
    assertThat(bad)
        .hasMessage(
            "baton.queues.lab.mode is for queues on GitHub, and this one is elsewhere. Add"
                + " baton.queues.lab.store github:OWNER/REPO, or leave out"
                + " baton.queues.lab.mode.");
  }

  @Test
  void offlineIsForQueuesOnThisMachine() {
    for (ToolQueue there :
        List.of(
            queue("store", "github:octo/app", "offline", "true"),
            queue("store", "shelf:x", "elsewhere", "true", "offline", "true"))) {
      assertThatThrownBy(() -> there.take(Optional.empty(), line -> {}))
          .isInstanceOf(LockFailure.class)
          .hasMessage(
              "the queue "
                  + there.shown()
                  + " cannot be reached with --offline. Leave out --offline.");
      assertThatThrownBy(() -> there.with((open, meant) -> open))
          .isInstanceOf(EngineFailure.class)
          .hasMessageContaining("cannot be reached with --offline");
    }
    assertThat(queue("store", "shelf:x", "elsewhere", "true", "offline", "true").identity())
        .as("nobody will take it")
        .isEqualTo("shelf:x");
    assertThat(tool.remote()).isZero();
  }

  @Test
  void theNetworkIsAllowedBeforeItIsUsed() throws Exception {
    tool.set("BATON_TOKEN", "t");
    assertThat(queue("store", "github:octo/app").identity()).endsWith("github:octo/app#build");
    assertThat(tool.remote()).as("for a name alone").isZero();
    assertThat(queue("store", "github:octo/app").<String>with((open, meant) -> tool.remote() + ""))
        .isEqualTo("1");
    assertThat(tool.remote()).isEqualTo(1);
    assertThatThrownBy(() -> queue("store", "shelf:x", "elsewhere", "true").identity())
        .isInstanceOf(LockFailure.class);
    assertThat(tool.remote()).isEqualTo(2);
  }

  @Test
  void aTokenIsWhereTheBuildFileSaysAndNowhereElse() {
    tool.set("BATON_TOKEN", "another").set("EMPTY", " ");
    for (Map.Entry<String, String> source :
        Map.of("token-variable", "EMPTY", "token-property", "missing").entrySet()) {
      assertThatThrownBy(
              () ->
                  queue("store", "github:octo/app", source.getKey(), source.getValue())
                      .with((open, meant) -> open))
          .isInstanceOf(EngineFailure.class)
          .hasMessageContaining("there is no token for GitHub")
          .hasMessageContaining(source.getValue() + " of baton." + source.getKey());
    }
  }

  @Test
  void aTimeOutIsAsTheBuildFileSays() {
    assertThat(queue().withoutLock()).isEmpty();
    assertThat(queue("on-timeout", "FAIL").withoutLock()).isEmpty();
    assertThat(queue("on-timeout", "proceed").withoutLock())
        .contains("Going on without the lock, as baton.on-timeout says.");
  }

  @Test
  void nestedProcessesFindTheLocks() throws Exception {
    Map<String, String> one = FakeTool.queue(directory, "store", "file:locks", "queue", "one");
    Map<String, String> two = FakeTool.queue(directory, "store", "file:locks", "queue", "two");
    ClientEngine engine = new ClientEngine(tool);
    engine.create(two);
    GuardLocks locks = engine.locks(Map.of("a", List.of(two, one)), List.of(one));
    Map<String, String> inside = locks.enter("a", EndedBy.MARKED_PROCESSES, List.of(two, one));
    assertThat(inside)
        .containsEntry("BATON_STORE", "file:" + directory.resolve("locks"))
        .containsEntry("BATON_QUEUE", "two")
        .containsEntry("BATON_FENCING_TOKEN", locks.fencingToken(two).orElseThrow())
        .containsKey("BATON_GUARD");
    assertThat(inside.get("BATON_LOCKS")).contains("one").contains("two");
    assertThat(locks.leaseLeft("a")).isPositive();
    assertThat(tool.said())
        .containsExactly("The queue file:" + directory.resolve("locks") + "#one is created.");

    FakeTool nested = new FakeTool();
    inside.forEach(nested::set);
    GuardLocks within = new ClientEngine(nested).locks(Map.of(), List.of());
    within.enter("b", EndedBy.INTERRUPT, List.of(one));
    assertThat(nested.said()).containsExactly("Going on under the lock of ticket 1.");
    assertThat(within.leaseLeft("b")).as("it is not this one's").isZero();
    assertThat(within.close()).isEmpty();
    assertThat(locks.close()).isEmpty();
    assertThat(engine.status(one, false)).contains("Building   nobody");

    assertThatThrownBy(
            () ->
                new ClientEngine(nested)
                    .locks(Map.of(), List.of())
                    .enter("c", EndedBy.INTERRUPT, List.of(one)))
        .isInstanceOf(EngineFailure.class)
        .hasMessageContaining("the lock that this was started under (ticket 1, token")
        .hasMessageContaining(
            "is not held any more: another process gave the lock back; nobody has it now")
        .hasFieldOrPropertyWithValue("kind", "LOST");
  }
}
