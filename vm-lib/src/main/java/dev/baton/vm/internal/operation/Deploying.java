package dev.baton.vm.internal.operation;

import dev.baton.vm.Backup;
import dev.baton.vm.Cleanup;
import dev.baton.vm.DeploySpec;
import dev.baton.vm.Intent;
import dev.baton.vm.Journal;
import dev.baton.vm.Kind;
import dev.baton.vm.Resource;
import dev.baton.vm.Trouble;
import dev.baton.vm.VmException;
import dev.baton.vm.VmState;
import dev.baton.vm.spi.Disks;
import dev.baton.vm.spi.Found;
import dev.baton.vm.spi.Phase;
import dev.baton.vm.spi.Provider;
import dev.baton.vm.spi.ProviderException;
import dev.baton.vm.spi.Request;
import dev.baton.vm.spi.WarmStarts;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Creates what is missing, step by step:
 *
 * <ol>
 *   <li>What the journal records is looked up in the cloud: it is skipped if it is there, and
 *       created anew if it is not.
 *   <li>The intent, with token and parameters, is written before the cloud is asked. That write
 *       also records what the step before has created.
 *   <li>An intent of an earlier attempt is replayed: the same token gives the same resource. Where
 *       the cloud has no tokens, or has forgotten them, a search by owner comes first.
 *   <li>A resource is recorded when the cloud shows it and it is ready.
 *   <li>An instance that is sold out gets another subnet, as long as the provider knows where.
 *   <li>An instance that is to start warm is created from a prepared one ({@link Warming}), and
 *       boots where that fails.
 *   <li>The image that a snapshot was made into is deleted when its instance runs.
 * </ol>
 */
final class Deploying {

  private static final int ATTEMPTS = 3;
  private static final String RELEASE_AT = "release_at";

  /** Beside {@link WarmStarts#PREPARED}: the fingerprint of the script that has run there. */
  private static final String PREPARED_SCRIPT = "prepared_script";

  private final Tenure tenure;
  private final Calls calls;
  private final Intents intents;
  private final VmContext context;
  private final Provider provider;

  /** Narrower once an instance was sold out somewhere. */
  private DeploySpec spec;

  /** The network was there before, and may have subnets that nothing records. */
  private boolean oldNetwork;

  /** The instance was asked for earlier, with the time that it had then. */
  private boolean replayed;

  /** What a new instance starts from without booting; empty: it boots. */
  private Optional<String> prepared = Optional.empty();

  Deploying(Tenure tenure, DeploySpec spec) {
    this.tenure = tenure;
    this.spec = spec;
    this.context = tenure.context();
    this.provider = context.provider();
    this.calls = new Calls(context, tenure);
    this.intents = new Intents(tenure, calls);
  }

  void run() throws VmException, ProviderException, InterruptedException {
    forgetInstanceThatIsGone();
    List<Kind> kinds = wanted(provider.traits(), spec, tenure.draft());
    if (startsFromSnapshot(spec, tenure.draft()) && disk() > spec.diskGb()) {
      tenure.note("the disk has " + disk() + " GB, as the one in the snapshot");
    }
    boolean warm = startsWarm();
    int steps = kinds.size() + (warm ? 1 : 0);
    for (Kind kind : kinds) {
      if (warm && kind == Kind.INSTANCE) {
        tenure.step(
            steps, "prepared VM", id -> id.orElse("none: it boots"), () -> prepared = preparing());
      }
      tenure.step(steps, kind.words(), id -> id, () -> ensure(kind).id());
    }
    if (tenure.draft().state().orElseThrow().instanceMissing()) {
      tenure.changeState(s -> s.withInstanceMissing(false));
    }
    // For kinds that this deploy does not want: an earlier one may have created something.
    for (Intent intent : tenure.draft().intents()) {
      intents.salvage(intent);
    }
    discardImage();
    new Deleting(tenure, calls).cleanUp();
    giveWholeLife();
  }

  /** An optimisation for an instance that is new and has no disk of its own to start from. */
  private boolean startsWarm() {
    return spec.warm()
        && provider.warmStarts().isPresent()
        && !startsFromSnapshot(spec, tenure.draft())
        && tenure.state().resource(Kind.INSTANCE).isEmpty()
        && tenure.draft().intent(Kind.INSTANCE).isEmpty();
  }

  private Optional<String> preparing() throws InterruptedException {
    Warming warming = new Warming(context, calls, tenure.progress());
    Optional<String> ready = warming.prepared(spec);
    warming.trouble().ifPresent(why -> tenure.note("not started warm: " + why));
    return ready;
  }

  /** The instance has its disk. An image costs money, and its snapshot cannot go before it. */
  private void discardImage() throws VmException, InterruptedException {
    Optional<Resource> image = tenure.state().resource(Kind.IMAGE);
    if (image.isPresent()) {
      discard(Kind.IMAGE, image.get().id(), "the instance that was made of it runs");
      tenure.changeState(s -> s.without(Kind.IMAGE));
    }
  }

  /** One that took long, or goes on where another was killed, has spent some of it already. */
  private void giveWholeLife() throws VmException, ProviderException, InterruptedException {
    Optional<Duration> life = tenure.state().maxLife();
    Instant now = tenure.now();
    if (life.isPresent() && (replayed || Life.isShort(tenure.state(), life.get(), now))) {
      tenure.changeState(s -> s.living(life, now));
      tenure.flush(context.name() + " has its life before it");
      releaseAfter(tenure, calls, life);
    }
  }

  /** Whether a snapshot has to be prepared depends on it. */
  private void forgetInstanceThatIsGone() throws ProviderException, InterruptedException {
    Optional<Resource> instance = tenure.state().resource(Kind.INSTANCE);
    if (tenure.draft().backup().isPresent()
        && instance.isPresent()
        && calls.describe(Kind.INSTANCE, instance.get().id()).isEmpty()) {
      tenure.changeState(s -> s.without(Kind.INSTANCE));
    }
  }

  /** The steps of a deploy; those that are not in it are left as they are. */
  static List<Kind> wanted(Provider.Traits traits, DeploySpec spec, Journal journal) {
    List<Kind> kinds = new ArrayList<>();
    for (Kind kind : traits.kinds()) {
      boolean wanted =
          switch (kind) {
            case SNAPSHOT -> false;
            case KEY_PAIR -> !spec.publicKey().isEmpty();
            case APPLICATION -> spec.application().isPresent();
            case IMAGE -> startsFromSnapshot(spec, journal);
            default -> true;
          };
      if (wanted) {
        kinds.add(kind);
      }
    }
    return kinds;
  }

  /** An instance that is there has its disk; only a new one needs the snapshot. */
  static boolean startsFromSnapshot(DeploySpec spec, Journal journal) {
    return journal.backup().isPresent()
        && !spec.fresh()
        && (journal.state().isEmpty()
            || journal.state().get().resource(Kind.INSTANCE).isEmpty()
            || journal.state().get().instanceMissing());
  }

  private Resource ensure(Kind kind) throws VmException, ProviderException, InterruptedException {
    Optional<Resource> recorded = tenure.state().resource(kind);
    if (recorded.isPresent()) {
      Optional<Found> found = calls.describe(kind, recorded.get().id());
      if (found.isPresent() && found.get().phase() != Phase.FAILED && fits(recorded.get())) {
        oldNetwork |= kind == Kind.NETWORK;
        if (kind == Kind.INSTANCE) {
          releaseAfter(tenure, calls, Life.left(tenure.state(), tenure.now()));
        }
        return asItShouldBe(recorded.get(), found.get());
      }
      if (found.isPresent()) {
        discard(kind, recorded.get().id(), "replaced by a new one");
      }
      tenure.changeState(s -> s.without(kind));
    }
    Resource created = kind == Kind.INSTANCE ? createWhereThereIsOne() : create(kind);
    return kind == Kind.ADDRESS ? bound(created) : created;
  }

  /** An instance that is sold out where its subnet is gets a subnet elsewhere. */
  private Resource createWhereThereIsOne()
      throws VmException, ProviderException, InterruptedException {
    while (true) {
      try {
        return create(Kind.INSTANCE);
      } catch (ProviderException e) {
        Optional<DeploySpec> elsewhere =
            e.trouble() == Trouble.OUT_OF_STOCK
                ? provider.elsewhere(spec, tenure.state().resources())
                : Optional.empty();
        if (elsewhere.isEmpty() || !removeSubnet()) {
          throw e;
        }
        tenure
            .progress()
            .note("sold out where the subnet was: going on in " + elsewhere.get().zone());
        spec = elsewhere.get();
        create(Kind.SUBNET);
      }
    }
  }

  /**
   * Its addresses are for the next one. Whoever is killed on the way finds it gone, and repairs.
   */
  private boolean removeSubnet() throws VmException, ProviderException, InterruptedException {
    Optional<Resource> subnet = tenure.state().resource(Kind.SUBNET);
    if (subnet.isEmpty()) {
      return false;
    }
    discard(Kind.SUBNET, subnet.get().id(), "sold out there");
    tenure.changeState(s -> s.without(Kind.SUBNET));
    return new Deleting(tenure, calls).makeRoom(Kind.SUBNET);
  }

  /** Whether it was built on what is there now. */
  private boolean fits(Resource r) {
    VmState state = tenure.state();
    for (Kind parent : r.kind().parents()) {
      String built = r.attributes().get(parent.key());
      Optional<String> now = state.resource(parent).map(Resource::id);
      if (built != null && now.isPresent() && !built.equals(now.get())) {
        return false;
      }
    }
    return switch (r.kind()) {
      case APPLICATION ->
          spec.application().orElseThrow().fingerprint().equals(r.attributes().get("fingerprint"));
      case IMAGE -> snapshot().equals(Optional.ofNullable(r.attributes().get("snapshot")));
      default -> true;
    };
  }

  private Optional<String> snapshot() {
    return tenure.draft().backup().filter(b -> !spec.fresh()).map(b -> b.snapshotId());
  }

  /** Exists, and now also does what it should. */
  private Resource asItShouldBe(Resource r, Found found)
      throws VmException, ProviderException, InterruptedException {
    if (r.kind() == Kind.ADDRESS) {
      return bound(r);
    }
    if (r.kind() == Kind.INSTANCE && found.phase() != Phase.RUNNING) {
      if (found.isDown() || found.phase() == Phase.STOPPING) {
        tenure.note("the instance had been stopped by hand and is started");
        calls.start(r.id());
      }
      requireShown(r, calls.awaitReady(Kind.INSTANCE, r.id()));
    }
    return r;
  }

  private static void requireShown(Resource r, Optional<Found> found) throws ProviderException {
    if (found.isEmpty()) {
      throw new ProviderException(Trouble.UNAVAILABLE, r + " has gone meanwhile");
    }
  }

  private Resource bound(Resource address) throws ProviderException, InterruptedException {
    Optional<Resource> instance = tenure.state().resource(Kind.INSTANCE);
    if (instance.isEmpty()) {
      return address;
    }
    String id = instance.get().id();
    Optional<Found> found = calls.describe(Kind.ADDRESS, address.id());
    if (found.isEmpty() || !id.equals(found.get().attributes().get("instance"))) {
      calls.bind(address.id(), id);
    }
    Resource bound = address.with("instance", id);
    tenure.changeState(s -> s.with(bound));
    return bound;
  }

  private void discard(Kind kind, String id, String why) throws VmException, InterruptedException {
    Cleanup cleanup = new Cleanup(kind, id, why, tenure.now());
    tenure.change(j -> j.with(cleanup));
  }

  private Resource create(Kind kind) throws VmException, ProviderException, InterruptedException {
    for (int attempt = 1; ; attempt++) {
      Map<String, String> parameters = parameters(kind);
      Optional<Intent> earlier = tenure.draft().intent(kind);
      if (earlier.isPresent() && !isStillRight(earlier.get(), parameters)) {
        intents.salvage(earlier.get());
        earlier = Optional.empty();
      }
      if (earlier.isPresent() && intents.mustSearch(earlier.get())) {
        Optional<Found> found = intents.search(earlier.get());
        if (found.isPresent()) {
          Optional<Found> ready = calls.awaitReady(kind, found.get().id());
          if (ready.isPresent()) {
            replayed |= kind == Kind.INSTANCE;
            return record(earlier.get(), ready.get());
          }
        }
        tenure.change(j -> j.without(kind));
        earlier = Optional.empty();
      }
      boolean replay = earlier.isPresent();
      replayed |= replay && kind == Kind.INSTANCE;
      if (!replay && kind == Kind.SUBNET && (attempt > 1 || oldNetwork)) {
        // One that was given up, or is still being deleted, has the addresses of this one.
        new Deleting(tenure, calls).makeRoom(kind);
      }
      Intent intent = replay ? earlier.get() : intents.begin(kind, parameters);
      Found created;
      try {
        created = calls.create(request(intent));
      } catch (ProviderException e) {
        if (isColdBetter(intent, e)) {
          continue;
        }
        if (e.trouble() == Trouble.TOKEN_MISMATCH && attempt < ATTEMPTS) {
          intents.salvage(intent);
          continue;
        }
        if (replay && e.trouble() == Trouble.UNAVAILABLE && isForOther(intent, parameters)) {
          intents.salvage(intent); // whatever became of it, it is not what is asked for now
          continue;
        }
        if (e.trouble().isSureThatNothingWasDone()) {
          tenure.change(j -> j.without(kind));
          if (replay) {
            continue; // with what is asked for now, and a new token
          }
        }
        throw e;
      }
      try {
        Optional<Found> ready = calls.awaitReady(kind, created.id());
        if (ready.isPresent()) {
          return record(intent, ready.get());
        }
      } catch (ProviderException e) {
        if (!e.trouble().isPassing()) {
          discard(kind, created.id(), e.getMessage());
          tenure.change(j -> j.without(kind));
          if (isColdBetter(intent, e)) {
            continue;
          }
        }
        throw e;
      }
      // A replay can bring back the id of something that was deleted since: a new one then.
      discard(kind, created.id(), "was created and never showed");
      tenure.change(j -> j.without(kind));
      if (attempt >= ATTEMPTS) {
        throw new ProviderException(
            Trouble.UNAVAILABLE,
            kind.words() + " " + created.id() + " was created and does not show");
      }
    }
  }

  /** Whether it is what it was to start from that has failed. From then on it boots. */
  private boolean isColdBetter(Intent intent, ProviderException e) {
    boolean warm =
        intent.kind() == Kind.INSTANCE && intent.parameters().containsKey(WarmStarts.PREPARED);
    if (!warm || e.trouble() != Trouble.NOT_FOUND && e.trouble() != Trouble.BAD_REQUEST) {
      return false;
    }
    tenure.note("not started warm: " + e.what());
    tenure.change(j -> j.without(Kind.INSTANCE));
    prepared = Optional.empty();
    return true;
  }

  /** A copy of a prepared instance has the script's work in it, if it is still the same script. */
  private Optional<String> preparedWithScript() {
    return tenure
        .state()
        .resource(Kind.INSTANCE)
        .filter(i -> scriptInIt().equals(i.attributes().get(PREPARED_SCRIPT)))
        .map(i -> i.attributes().get(WarmStarts.PREPARED));
  }

  private String scriptInIt() {
    return spec.application().map(DeploySpec.Application::fingerprint).orElse("none");
  }

  private Map<String, String> parameters(Kind kind)
      throws VmException, ProviderException, InterruptedException {
    Optional<String> from =
        startsFromSnapshot(spec, tenure.draft()) ? snapshot() : Optional.empty();
    DeploySpec fitting = from.isPresent() ? spec.withDisk(disk()) : spec;
    Map<String, String> parameters =
        new LinkedHashMap<>(provider.plan(kind, fitting, tenure.state().resources(), from));
    Optional<Duration> life = tenure.state().maxLife();
    if (kind == Kind.INSTANCE && prepared.isPresent()) {
      parameters.put(WarmStarts.PREPARED, prepared.get());
      parameters.put(PREPARED_SCRIPT, scriptInIt());
    }
    if (kind == Kind.APPLICATION) {
      preparedWithScript().ifPresent(id -> parameters.put(WarmStarts.PREPARED, id));
    }
    if (kind == Kind.INSTANCE && !tenure.state().disks().isEmpty()) {
      String disks = new FurtherDisks(tenure, calls).forNewInstance();
      if (!disks.isEmpty()) {
        parameters.put(Disks.PARAMETER, disks);
      }
    }
    if (kind == Kind.INSTANCE && provider.traits().deadManSwitch() && life.isPresent()) {
      parameters.put(RELEASE_AT, tenure.now().plus(life.get()).toString());
    }
    return parameters;
  }

  /** A disk that is made of a snapshot is at least as large as the one that was kept. */
  private int disk() {
    return Math.max(spec.diskGb(), tenure.draft().backup().map(Backup::diskSize).orElse(0));
  }

  /** An intent that was built on something else, or for another script, is of no use now. */
  private static boolean isStillRight(Intent intent, Map<String, String> parameters) {
    if (intent.kind() == Kind.APPLICATION) {
      return intent.parameters().equals(parameters);
    }
    for (Kind parent : Kind.values()) {
      String then = intent.parameters().get(parent.key());
      if (then != null && !then.equals(parameters.get(parent.key()))) {
        return false;
      }
    }
    return true;
  }

  /** Somebody has changed his mind since. */
  private static boolean isForOther(Intent intent, Map<String, String> parameters) {
    Map<String, String> then = new HashMap<>(intent.parameters());
    Map<String, String> now = new HashMap<>(parameters);
    then.remove(RELEASE_AT);
    now.remove(RELEASE_AT);
    return !then.equals(now);
  }

  private Request request(Intent intent) throws VmException {
    Optional<String> payload =
        intent.kind() == Kind.APPLICATION && !intent.parameters().containsKey(WarmStarts.PREPARED)
            ? spec.application().map(DeploySpec.Application::script)
            : Optional.empty();
    return new Request(
        intent.kind(), intent.parameters(), intent.token(), context.owner(), payload);
  }

  private Resource record(Intent intent, Found found) throws VmException, InterruptedException {
    Map<String, String> attributes = new LinkedHashMap<>(found.attributes());
    for (Kind parent : Kind.values()) {
      String id = intent.parameters().get(parent.key());
      if (id != null) {
        attributes.put(parent.key(), id);
      }
    }
    for (String name : List.of(WarmStarts.PREPARED, PREPARED_SCRIPT)) {
      if (intent.kind() == Kind.INSTANCE && intent.parameters().containsKey(name)) {
        attributes.put(name, intent.parameters().get(name));
      }
    }
    if (intent.kind() == Kind.INSTANCE && startsFromSnapshot(spec, tenure.draft())) {
      snapshot().ifPresent(id -> attributes.put(Kind.SNAPSHOT.key(), id));
    }
    Resource resource = new Resource(intent.kind(), found.id(), attributes);
    tenure.change(j -> j.without(intent.kind()));
    tenure.changeState(s -> s.with(resource));
    if (!context.client().writeAhead()) {
      tenure.flush(context.name() + ": " + resource + " is there");
    }
    return resource;
  }

  /** Tells the cloud when to delete the instance of a VM of a job by itself; empty: never. */
  static void releaseAfter(Tenure tenure, Calls calls, Optional<Duration> time)
      throws ProviderException, InterruptedException {
    Optional<Resource> instance = tenure.state().resource(Kind.INSTANCE);
    if (instance.isPresent()
        && tenure.state().maxLife().isPresent()
        && calls.traits().deadManSwitch()) {
      calls.releaseAfter(instance.get().id(), time);
    }
  }
}
