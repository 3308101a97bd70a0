package dev.baton.alibaba.ecs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.alibaba.fake.Kind;
import dev.baton.vm.BuildVm;
import dev.baton.vm.BuildVm.Push;
import dev.baton.vm.DeploySpec;
import dev.baton.vm.Outcome;
import dev.baton.vm.Status;
import dev.baton.vm.crash.Clients;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The release time of ECS, and how it stops what it goes on billing. */
class AliyunLifeTest {
  private static final Duration LIFE = Duration.ofHours(8);
  private static final DeploySpec OF_A_JOB = AliyunScene.SPEC.livingAtMost(LIFE);

  private final Fakes fakes = new Fakes();
  private final AliyunScene scene = new AliyunScene(fakes);
  private Clients clients;
  private BuildVm vm;

  @BeforeEach
  void open() throws Exception {
    clients = new Clients(scene, true);
    vm = clients.vm("a");
  }

  @AfterEach
  void close() {
    scene.close();
    fakes.close();
  }

  private void goesAfter(Duration time) throws Exception {
    Instant told = clients.releaseTime().orElseThrow();
    assertThat(told).isBetween(soonest(time), soonest(time).plusSeconds(60));
  }

  private Instant soonest(Duration time) {
    return fakes.now().plus(time).truncatedTo(ChronoUnit.SECONDS).minusSeconds(60);
  }

  @Test
  void whatEcsLeavesWhenNobodyComesBackIsSwept() throws Exception {
    vm.deploy(OF_A_JOB, Clients.YES);
    goesAfter(LIFE);
    fakes.advance(LIFE.plusMinutes(1));
    assertThat(fakes.sky.cloud.ids(Kind.INSTANCE)).as("released by ECS").isEmpty();
    assertThat(fakes.sky.cloud.ids(Kind.EIP)).hasSize(1);
    assertThat(fakes.sky.cloud.ids(Kind.VPC)).hasSize(1);
    assertThat(fakes.sky.cloud.ids(Kind.KEY_PAIR)).hasSize(1);
    clients.sweep();
    clients.letDeletionsFinish();
    assertThat(scene.things()).isEmpty();
    assertThat(clients.journal().status()).isEmpty();
  }

  @Test
  void suspendTakesTheReleaseTimeAwayAndResumeSetsItAgain() throws Exception {
    vm.deploy(OF_A_JOB, Clients.YES);
    vm.suspend(Clients.YES);
    assertThat(clients.releaseTime()).isEmpty();
    fakes.advance(Duration.ofDays(10));
    clients.sweep();
    assertThat(clients.journal().status()).contains(Status.SUSPENDED);
    vm.resume(Clients.YES);
    goesAfter(LIFE);
  }

  @Test
  void aPushMovesTheReleaseTime() throws Exception {
    vm.deploy(OF_A_JOB, Clients.YES);
    fakes.advance(Duration.ofHours(5));
    assertThat(vm.push(Duration.ZERO, false).result()).isEqualTo(Push.Result.PUSHED);
    goesAfter(LIFE);
    assertThat(vm.push(Duration.ofHours(12), false).result()).isEqualTo(Push.Result.PUSHED);
    goesAfter(Duration.ofHours(12));
  }

  @Test
  void aVmDeployedByHandHasNoReleaseTime() throws Exception {
    vm.deploy(AliyunScene.SPEC, Clients.YES);
    assertThat(clients.releaseTime()).isEmpty();
    assertThat(vm.push(LIFE, true).result()).isEqualTo(Push.Result.NOT_MEANT);
    vm.suspend(Clients.YES);
    vm.resume(Clients.YES);
    assertThat(clients.releaseTime()).isEmpty();
    assertThat(fakes.sky.cloud.log()).noneMatch(c -> c.kind().contains("AutoReleaseTime"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"ecs.i2.local", "ecs.d1.local"})
  void aTypeThatIgnoresStopChargingIsTold(String type) throws Exception {
    vm.deploy(AliyunScene.SPEC.withType(type), Clients.YES);
    Outcome.Done done = (Outcome.Done) vm.suspend(Clients.YES);
    assertThat(done.notes()).singleElement().asString().contains("still billed");
    assertThat(clients.journal().state().orElseThrow().billedWhileStopped()).isTrue();
    assertThat(vm.status().advice()).anyMatch(a -> a.contains("stopped but still billed"));
    assertThat(vm.history(1).get(0).note()).contains(done.notes().get(0));
  }

  @Test
  void aTypeThatStopsWithoutBeingBilledHasNoNote() throws Exception {
    vm.deploy(AliyunScene.SPEC, Clients.YES);
    assertThat(((Outcome.Done) vm.suspend(Clients.YES)).notes()).isEmpty();
    assertThat(clients.journal().state().orElseThrow().billedWhileStopped()).isFalse();
  }
}
