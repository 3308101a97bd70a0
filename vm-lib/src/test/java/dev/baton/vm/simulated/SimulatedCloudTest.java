package dev.baton.vm.simulated;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.vm.DeploySpec;
import dev.baton.vm.Kind;
import dev.baton.vm.Trouble;
import dev.baton.vm.VmName;
import dev.baton.vm.crash.SkippingWorld;
import dev.baton.vm.spi.Found;
import dev.baton.vm.spi.Owner;
import dev.baton.vm.spi.Phase;
import dev.baton.vm.spi.Provider;
import dev.baton.vm.spi.ProviderContract;
import dev.baton.vm.spi.ProviderException;
import dev.baton.vm.spi.Request;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The contract on a slow cloud, and what a directory adds. */
class SimulatedCloudTest extends ProviderContract {

  private static final Owner OWNER = new Owner("simulated000", VmName.DEFAULT);

  @TempDir Path directory;

  private final SkippingWorld world = new SkippingWorld();
  private SimulatedCloud cloud;

  @BeforeEach
  void open() throws ProviderException {
    cloud = SimulatedCloud.in(directory, world);
    cloud.configure(
        s ->
            s.withLatency(Duration.ofMillis(200))
                .visibleAfter(Duration.ofSeconds(3))
                .taking(Duration.ofSeconds(20), Duration.ofSeconds(60), Duration.ofSeconds(5)));
  }

  @Override
  protected Provider provider() {
    return cloud;
  }

  @Override
  protected void elapse(Duration time) {
    world.advance(time);
  }

  @Override
  protected DeploySpec spec() {
    return DeploySpec.of("eu", "sim.small")
        .withPublicKey("ssh-ed25519 AAAA")
        .withApplication("echo hello");
  }

  private Found network(String token) throws Exception {
    return cloud.create(
        new Request(Kind.NETWORK, Map.of(), token, OWNER, Optional.empty()), cancel);
  }

  @Test
  void everyCallTakesItsLatency() throws Exception {
    long before = world.nanos();
    network("token-one");
    assertThat(Duration.ofNanos(world.nanos() - before)).isEqualTo(Duration.ofMillis(200));
  }

  @Test
  void whatIsCreatedShowsOnlyAfterAWhile() throws Exception {
    Found created = network("token-one");
    assertThat(cloud.describe(Kind.NETWORK, created.id(), cancel)).isEmpty();
    assertThat(cloud.findOwned(OWNER.space(), Optional.empty(), cancel)).isEmpty();
    assertThat(network("token-one").id()).as("but its token is known").isEqualTo(created.id());
    world.advance(Duration.ofSeconds(3));
    assertThat(cloud.describe(Kind.NETWORK, created.id(), cancel)).isPresent();
  }

  @Test
  void faultsComeAsOftenAsAskedForBeforeOrAfterTheDeed() throws Exception {
    cloud.configure(
        s ->
            s.with(Fault.before("create", Kind.NETWORK, Trouble.THROTTLED).times(2))
                .with(Fault.after("create", Kind.NETWORK, Trouble.UNAVAILABLE)));
    for (Trouble trouble : List.of(Trouble.THROTTLED, Trouble.THROTTLED, Trouble.UNAVAILABLE)) {
      int before = cloud.everything().size();
      assertThatThrownBy(() -> network("token-one"))
          .isInstanceOfSatisfying(
              ProviderException.class, e -> assertThat(e.trouble()).isEqualTo(trouble));
      assertThat(cloud.everything()).hasSize(before + (trouble == Trouble.UNAVAILABLE ? 1 : 0));
    }
    assertThat(network("token-one").id()).isEqualTo("vpc-1");
  }

  @Test
  void quotaIsOfTheWholeCloud() throws Exception {
    cloud.configure(s -> s.withQuota(Kind.NETWORK, 1));
    network("token-one");
    assertThatThrownBy(() -> network("token-two"))
        .isInstanceOfSatisfying(
            ProviderException.class,
            e -> assertThat(e.trouble()).isEqualTo(Trouble.QUOTA_EXCEEDED));
  }

  @Test
  void theTruthIsWhatTheFilesSay() throws Exception {
    Found created = network("token-one");
    world.advance(Duration.ofSeconds(5));
    Path file = directory.resolve("resources").resolve(created.id() + ".json");
    Files.writeString(file, Files.readString(file).replace("\"ready\"", "\"failed\""));
    assertThat(cloud.describe(Kind.NETWORK, created.id(), cancel).orElseThrow().phase())
        .isEqualTo(Phase.FAILED);
    Files.writeString(file, "{");
    assertThatThrownBy(() -> cloud.describe(Kind.NETWORK, created.id(), cancel))
        .isInstanceOf(ProviderException.class)
        .hasMessageContaining(file.toString())
        .hasMessageContaining("Repair or delete it");
    Files.delete(file);
    assertThat(cloud.describe(Kind.NETWORK, created.id(), cancel)).isEmpty();
  }

  @Test
  void settingsSurviveAndAreCheckedWhenRead() throws Exception {
    cloud.configure(s -> s.withQuota(Kind.ADDRESS, 3).withOutOfStock("sim.large"));
    CloudSettings read =
        new DirectoryShelf(directory).alone(() -> new DirectoryShelf(directory).settings());
    assertThat(read.quota()).containsEntry(Kind.ADDRESS, 3);
    assertThat(read.outOfStock()).containsExactly("sim.large");
    assertThat(read.latency()).isEqualTo(Duration.ofMillis(200));
    Files.writeString(directory.resolve("cloud.json"), "{\"latency_ms\": -5}");
    assertThatThrownBy(() -> network("token-one")).hasMessageContaining("cloud.json");
  }

  @Test
  void aFileMadeByHandSaysOnlyWhatIsDifferent() throws Exception {
    Path file = directory.resolve("cloud.json");
    Files.writeString(file, "{\"latency_ms\": 7}");
    CloudSettings read =
        new DirectoryShelf(directory).alone(() -> new DirectoryShelf(directory).settings());
    assertThat(read).isEqualTo(CloudSettings.DEFAULT.withLatency(Duration.ofMillis(7)));
    Files.writeString(file, "{\"latency\": 7}");
    assertThatThrownBy(() -> network("token-one"))
        .hasMessageContaining("unknown setting latency")
        .hasMessageContaining("Repair or delete it");
  }

  @Test
  void severalWhoUseTheSameDirectoryGetDifferentThings() throws Exception {
    cloud.configure(s -> CloudSettings.DEFAULT);
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try {
      List<Callable<String>> calls = new ArrayList<>();
      for (int i = 0; i < 40; i++) {
        String token = "token-number-" + i / 2;
        SimulatedCloud own = SimulatedCloud.in(directory, world);
        calls.add(
            () ->
                own.create(
                        new Request(Kind.NETWORK, Map.of(), token, OWNER, Optional.empty()), cancel)
                    .id());
      }
      List<String> ids = new ArrayList<>();
      for (Future<String> f : threads.invokeAll(calls)) {
        ids.add(f.get());
      }
      assertThat(ids.stream().distinct()).hasSize(20);
    } finally {
      threads.shutdown();
    }
  }
}
