package dev.baton.vm.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.baton.vm.DeploySpec;
import dev.baton.vm.Kind;
import dev.baton.vm.Resource;
import dev.baton.vm.SizeChange;
import dev.baton.vm.Trouble;
import dev.baton.vm.VmName;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/**
 * What every cloud promises. A test of a provider extends this class and says how to open one that
 * is empty, and how time goes by there.
 */
public abstract class ProviderContract {

  private static final Owner OWNER = new Owner("contract0000", new VmName("one"));

  /** Stands for the caller: nobody stops it. */
  protected final Cancel cancel =
      new Cancel() {
        @Override
        public void check() {}

        @Override
        public void pause(Duration time) {
          elapse(time);
        }
      };

  private final Map<Kind, Resource> have = new EnumMap<>(Kind.class);
  private int tokens;

  /** The same one within a test, empty when the test begins. */
  protected abstract Provider provider();

  /** Lets that time go by, or makes the cloud believe so. */
  protected abstract void elapse(Duration time);

  /** What can be deployed there. */
  protected abstract DeploySpec spec();

  private String token() {
    return "contract-token-" + ++tokens;
  }

  private Request request(Kind kind, String token) {
    Map<String, String> parameters = provider().plan(kind, spec(), have, Optional.empty());
    Optional<String> payload =
        kind == Kind.APPLICATION
            ? spec().application().map(DeploySpec.Application::script)
            : Optional.empty();
    return new Request(kind, parameters, token, OWNER, payload);
  }

  private Found ready(Kind kind, Found created) throws Exception {
    Phase wanted = kind == Kind.INSTANCE ? Phase.RUNNING : Phase.READY;
    return await(kind, created.id(), wanted);
  }

  private Found await(Kind kind, String id, Phase wanted) throws Exception {
    for (int i = 0; i < 600; i++) {
      Optional<Found> found = provider().describe(kind, id, cancel);
      if (found.filter(f -> f.phase() == wanted).isPresent()) {
        return found.get();
      }
      elapse(Duration.ofSeconds(1));
    }
    throw new AssertionError(kind.words() + " " + id + " never was " + wanted);
  }

  private void awaitGone(Kind kind, String id) throws Exception {
    for (int i = 0; i < 600; i++) {
      if (provider().describe(kind, id, cancel).isEmpty()) {
        return;
      }
      elapse(Duration.ofSeconds(1));
    }
    throw new AssertionError(kind.words() + " " + id + " never went");
  }

  private Found create(Kind kind) throws Exception {
    Found found = ready(kind, provider().create(request(kind, token()), cancel));
    have.put(kind, new Resource(kind, found.id(), found.attributes()));
    return found;
  }

  private List<Kind> kinds() {
    List<Kind> kinds = new ArrayList<>(provider().traits().kinds());
    kinds.removeAll(EnumSet.of(Kind.IMAGE, Kind.SNAPSHOT));
    return kinds;
  }

  private void deployAll() throws Exception {
    for (Kind kind : kinds()) {
      create(kind);
    }
  }

  private static void troubled(Trouble trouble, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            ProviderException.class, e -> assertThat(e.trouble()).isEqualTo(trouble));
  }

  @Test
  protected void everythingCanBeCreatedAndIsFoundByItsOwner() throws Exception {
    deployAll();
    List<Found> owned = provider().findOwned(OWNER.space(), Optional.of(OWNER.vm()), cancel);
    assertThat(owned).extracting(Found::kind).containsExactlyInAnyOrderElementsOf(kinds());
    assertThat(owned).allMatch(f -> f.owner().equals(Optional.of(OWNER)));
    assertThat(provider().findOwned(OWNER.space(), Optional.empty(), cancel)).hasSize(owned.size());
  }

  @Test
  protected void nobodyFindsWhatBelongsToAnother() throws Exception {
    create(kinds().get(0));
    assertThat(provider().findOwned(OWNER.space(), Optional.of(new VmName("on")), cancel))
        .isEmpty();
    assertThat(provider().findOwned("contract000", Optional.empty(), cancel)).isEmpty();
  }

  @Test
  protected void theSameTokenGivesTheSameResource() throws Exception {
    assumeThat(provider().traits().clientTokens()).isTrue();
    for (Kind kind : kinds()) {
      Request request = request(kind, token());
      Found first = provider().create(request, cancel);
      Found again = provider().create(request, cancel);
      assertThat(again.id()).isEqualTo(first.id());
      Found found = ready(kind, first);
      have.put(kind, new Resource(kind, found.id(), found.attributes()));
    }
    assertThat(provider().findOwned(OWNER.space(), Optional.empty(), cancel))
        .hasSize(kinds().size());
  }

  @Test
  protected void theSameTokenWithOtherParametersIsRefused() throws Exception {
    assumeThat(provider().traits().clientTokens()).isTrue();
    Kind kind = kinds().get(0);
    Request request = request(kind, "one-token-twice");
    provider().create(request, cancel);
    Map<String, String> others = Map.of("cidr", "10.0.0.0/8");
    Request other = new Request(kind, others, request.token(), OWNER, Optional.empty());
    troubled(Trouble.TOKEN_MISMATCH, () -> provider().create(other, cancel));
  }

  @Test
  protected void whatDoesNotExistIsDescribedAsEmptyAndCannotBeDeleted() throws Exception {
    for (Kind kind : kinds()) {
      Found found = create(kind);
      String id = found.id() + "0";
      assertThat(provider().describe(kind, id, cancel)).isEmpty();
      troubled(Trouble.NOT_FOUND, () -> provider().delete(kind, id, cancel));
    }
  }

  @Test
  protected void everythingCanBeDeletedInOrder() throws Exception {
    deployAll();
    for (Kind kind : Kind.DELETION) {
      if (have.containsKey(kind)) {
        provider().delete(kind, have.get(kind).id(), cancel);
        awaitGone(kind, have.get(kind).id());
      }
    }
    assertThat(provider().findOwned(OWNER.space(), Optional.empty(), cancel)).isEmpty();
  }

  @Test
  protected void whatIsNeededCannotBeDeleted() throws Exception {
    assumeThat(kinds()).contains(Kind.NETWORK, Kind.SUBNET);
    create(Kind.NETWORK);
    create(Kind.SUBNET);
    troubled(
        Trouble.DEPENDENCY,
        () -> provider().delete(Kind.NETWORK, have.get(Kind.NETWORK).id(), cancel));
  }

  /** As a suspend leaves an instance. */
  private Phase suspended() {
    return provider().power().isPresent() ? Phase.SUSPENDED : Phase.STOPPED;
  }

  @Test
  protected void anInstanceCanBeStoppedAndStarted() throws Exception {
    deployAll();
    String id = have.get(Kind.INSTANCE).id();
    provider().stop(id, cancel);
    await(Kind.INSTANCE, id, suspended());
    provider().stop(id, cancel);
    await(Kind.INSTANCE, id, suspended());
    provider().start(id, cancel);
    await(Kind.INSTANCE, id, Phase.RUNNING);
    troubled(Trouble.NOT_FOUND, () -> provider().stop(id + "0", cancel));
    troubled(Trouble.NOT_FOUND, () -> provider().start(id + "0", cancel));
  }

  // ---- what not every cloud can do

  private String instanceThatIsOff() throws Exception {
    deployAll();
    String id = have.get(Kind.INSTANCE).id();
    provider().power().orElseThrow().powerOff(id, cancel);
    await(Kind.INSTANCE, id, Phase.STOPPED);
    return id;
  }

  @Test
  protected void anInstanceCanBePoweredOffWhetherItRunsOrIsSuspended() throws Exception {
    assumeThat(provider().power()).isPresent();
    PowerSwitch power = provider().power().orElseThrow();
    String id = instanceThatIsOff();
    power.powerOff(id, cancel);
    await(Kind.INSTANCE, id, Phase.STOPPED);
    provider().start(id, cancel);
    await(Kind.INSTANCE, id, Phase.RUNNING);
    provider().stop(id, cancel);
    await(Kind.INSTANCE, id, Phase.SUSPENDED);
    power.powerOff(id, cancel);
    await(Kind.INSTANCE, id, Phase.STOPPED);
    troubled(Trouble.NOT_FOUND, () -> power.powerOff(id + "0", cancel));
  }

  /** A size that the instance does not have when it is deployed. */
  protected SizeChange otherSize() {
    return SizeChange.toCpus(2);
  }

  @Test
  protected void anInstanceThatIsOffGetsAnotherSizeAndItsOldOneBack() throws Exception {
    assumeThat(provider().sizes()).isPresent();
    Sizes sizes = provider().sizes().orElseThrow();
    String id = instanceThatIsOff();
    Found before = await(Kind.INSTANCE, id, Phase.STOPPED);
    Map<String, String> size = sizes.resized(before, otherSize(), cancel);
    assertThat(size).as("the plan changes nothing").isNotEmpty();
    assertThat(await(Kind.INSTANCE, id, Phase.STOPPED).attributes())
        .isEqualTo(before.attributes())
        .containsKeys(size.keySet().toArray(String[]::new));
    for (int i = 0; i < 2; i++) {
      sizes.resize(id, size, cancel);
      assertThat(await(Kind.INSTANCE, id, Phase.STOPPED).attributes()).containsAllEntriesOf(size);
    }
    provider().start(id, cancel);
    assertThat(await(Kind.INSTANCE, id, Phase.RUNNING).attributes()).containsAllEntriesOf(size);
    provider().power().orElseThrow().powerOff(id, cancel);
    await(Kind.INSTANCE, id, Phase.STOPPED);
    Map<String, String> old = new HashMap<>(before.attributes());
    old.keySet().retainAll(size.keySet());
    sizes.resize(id, old, cancel);
    assertThat(await(Kind.INSTANCE, id, Phase.STOPPED).attributes()).isEqualTo(before.attributes());
    SizeChange huge = SizeChange.toMemoryMb(16 * 1024 * 1024);
    troubled(Trouble.BAD_REQUEST, () -> sizes.resized(before, huge, cancel));
  }

  private Found disk(String name) throws Exception {
    Found near =
        provider().describe(Kind.INSTANCE, have.get(Kind.INSTANCE).id(), cancel).orElseThrow();
    Map<String, String> plan = provider().disks().orElseThrow().plan(name, 1, near);
    Request request = new Request(Kind.DISK, plan, token(), OWNER, Optional.empty());
    Found created = provider().create(request, cancel);
    if (provider().traits().clientTokens()) {
      assertThat(provider().create(request, cancel).id()).isEqualTo(created.id());
    }
    return await(Kind.DISK, created.id(), Phase.READY);
  }

  private Optional<String> attachedTo(String disk) throws Exception {
    Found found = await(Kind.DISK, disk, Phase.READY);
    return Optional.ofNullable(found.attributes().get(Disks.INSTANCE));
  }

  @Test
  protected void aDiskIsAttachedDetachedFoundAndDeleted() throws Exception {
    assumeThat(provider().disks()).isPresent();
    Disks disks = provider().disks().orElseThrow();
    String instance = instanceThatIsOff();
    Found made = disk("cache");
    String disk = made.id();
    assertThat(made.owner()).contains(OWNER);
    assertThat(attachedTo(disk)).isEmpty();
    for (int i = 0; i < 2; i++) {
      disks.attach(disk, instance, cancel);
      assertThat(attachedTo(disk)).contains(instance);
    }
    troubled(Trouble.DEPENDENCY, () -> provider().delete(Kind.DISK, disk, cancel));
    assertThat(provider().findOwned(OWNER.space(), Optional.of(OWNER.vm()), cancel))
        .anyMatch(f -> f.kind() == Kind.DISK && f.id().equals(disk));
    provider().start(instance, cancel);
    await(Kind.INSTANCE, instance, Phase.RUNNING);
    troubled(Trouble.DEPENDENCY, () -> disks.detach(disk, instance, cancel));
    provider().power().orElseThrow().powerOff(instance, cancel);
    await(Kind.INSTANCE, instance, Phase.STOPPED);
    for (int i = 0; i < 2; i++) {
      disks.detach(disk, instance, cancel);
      assertThat(attachedTo(disk)).isEmpty();
    }
    provider().delete(Kind.DISK, disk, cancel);
    awaitGone(Kind.DISK, disk);
    troubled(Trouble.NOT_FOUND, () -> provider().delete(Kind.DISK, disk, cancel));
    troubled(Trouble.NOT_FOUND, () -> disks.attach(disk, instance, cancel));
  }

  @Test
  protected void aDiskOutlivesItsInstanceAndANewOneHasItFromTheBeginning() throws Exception {
    assumeThat(provider().disks()).isPresent();
    String instance = instanceThatIsOff();
    String disk = disk("cache").id();
    provider().disks().orElseThrow().attach(disk, instance, cancel);
    provider().delete(Kind.INSTANCE, instance, cancel);
    awaitGone(Kind.INSTANCE, instance);
    assertThat(attachedTo(disk)).isEmpty();
    have.remove(Kind.INSTANCE);
    Map<String, String> plan =
        new HashMap<>(provider().plan(Kind.INSTANCE, spec(), have, Optional.empty()));
    plan.put(Disks.PARAMETER, disk);
    Request request = new Request(Kind.INSTANCE, plan, token(), OWNER, Optional.empty());
    String next = ready(Kind.INSTANCE, provider().create(request, cancel)).id();
    assertThat(attachedTo(disk)).contains(next);
  }

  @Test
  protected void aCopyStartsFromASnapshotWithMemoryAndSharesNothingThatItMustNot()
      throws Exception {
    assumeThat(provider().warmStarts()).isPresent();
    WarmStarts warm = provider().warmStarts().orElseThrow();
    String key = warm.key(spec(), cancel);
    assertThat(key).matches("[0-9a-f]{12,64}").isEqualTo(warm.key(spec(), cancel));
    assertThat(warm.key(spec().withApplication("echo other"), cancel)).isNotEqualTo(key);
    deployAll();
    Map<String, String> plan =
        new HashMap<>(provider().plan(Kind.SNAPSHOT, spec(), have, Optional.empty()));
    plan.put(WarmStarts.MEMORY, "true");
    Request kept = new Request(Kind.SNAPSHOT, plan, token(), OWNER, Optional.empty());
    String snapshot = ready(Kind.SNAPSHOT, provider().create(kept, cancel)).id();
    Map<String, String> copyPlan =
        new HashMap<>(provider().plan(Kind.INSTANCE, spec(), have, Optional.empty()));
    copyPlan.put(WarmStarts.PREPARED, snapshot);
    Request copy = new Request(Kind.INSTANCE, copyPlan, token(), OWNER, Optional.empty());
    Found started = ready(Kind.INSTANCE, provider().create(copy, cancel));
    assertThat(started.id()).isNotEqualTo(have.get(Kind.INSTANCE).id());
    assertThat(started.attributes().get("host_key"))
        .isNotNull()
        .isNotEqualTo(have.get(Kind.INSTANCE).attributes().get("host_key"));
  }

  @Test
  protected void factsAreShortAndHaveNames() throws Exception {
    deployAll();
    Found instance = await(Kind.INSTANCE, have.get(Kind.INSTANCE).id(), Phase.RUNNING);
    provider()
        .facts(instance)
        .forEach(
            (name, value) -> {
              assertThat(name).matches("[a-z0-9_-]{1,30}");
              assertThat(value).isNotBlank().hasSizeLessThan(200).doesNotContain("\n");
            });
  }

  @Test
  protected void anAddressCanBeBoundAgainAndAgain() throws Exception {
    assumeThat(kinds()).contains(Kind.ADDRESS);
    deployAll();
    String address = have.get(Kind.ADDRESS).id();
    String instance = have.get(Kind.INSTANCE).id();
    provider().bind(address, instance, cancel);
    provider().bind(address, instance, cancel);
    Found found = await(Kind.ADDRESS, address, Phase.READY);
    assertThat(found.attributes()).containsEntry("instance", instance).containsKey("ip");
  }

  @Test
  protected void aSnapshotOutlivesItsInstance() throws Exception {
    assumeThat(provider().traits().snapshots()).isTrue();
    deployAll();
    Found snapshot = create(Kind.SNAPSHOT);
    for (Kind kind : Kind.DELETION) {
      if (have.containsKey(kind) && kind != Kind.SNAPSHOT) {
        provider().delete(kind, have.get(kind).id(), cancel);
        awaitGone(kind, have.get(kind).id());
      }
    }
    assertThat(provider().describe(Kind.SNAPSHOT, snapshot.id(), cancel)).isPresent();
    provider().delete(Kind.SNAPSHOT, snapshot.id(), cancel);
    awaitGone(Kind.SNAPSHOT, snapshot.id());
  }

  @Test
  protected void theDeadManSwitchDeletesAndCanBeTakenBack() throws Exception {
    assumeThat(provider().traits().deadManSwitch()).isTrue();
    deployAll();
    String id = have.get(Kind.INSTANCE).id();
    provider().releaseAfter(id, Optional.of(Duration.ofHours(1)), cancel);
    provider().releaseAfter(id, Optional.empty(), cancel);
    elapse(Duration.ofHours(2));
    assertThat(provider().describe(Kind.INSTANCE, id, cancel)).isPresent();
    provider().releaseAfter(id, Optional.of(Duration.ofHours(1)), cancel);
    elapse(Duration.ofHours(2));
    awaitGone(Kind.INSTANCE, id);
  }

  @Test
  protected void whatCannotBeHadIsRefusedBeforehand() {
    EnumSet<Kind> all = EnumSet.copyOf(kinds());
    assertThatCode(() -> provider().validate(spec(), all, cancel)).doesNotThrowAnyException();
    troubled(
        Trouble.BAD_REQUEST,
        () -> provider().validate(spec().withType("no-such-type"), all, cancel));
  }

  @Test
  protected void aPlanIsTheSameEachTimeAndHasNoSecret() {
    for (Kind kind : kinds()) {
      Map<String, String> plan = provider().plan(kind, spec(), have, Optional.empty());
      assertThat(provider().plan(kind, spec(), have, Optional.empty())).isEqualTo(plan);
      spec().application().ifPresent(a -> assertThat(plan.toString()).doesNotContain(a.script()));
    }
  }

  @Test
  protected void whoMustStopDoesNothing() {
    Cancel stopped =
        new Cancel() {
          @Override
          public void check() {
            throw new StoppedException("stopped");
          }

          @Override
          public void pause(Duration time) {
            check();
          }
        };
    Kind kind = kinds().get(0);
    assertThatThrownBy(() -> provider().create(request(kind, token()), stopped))
        .isInstanceOf(StoppedException.class);
    assertThatCode(
            () ->
                assertThat(provider().findOwned(OWNER.space(), Optional.empty(), cancel)).isEmpty())
        .doesNotThrowAnyException();
  }
}
