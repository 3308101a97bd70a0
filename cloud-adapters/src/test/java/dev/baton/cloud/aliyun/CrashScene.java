package dev.baton.cloud.aliyun;

import dev.baton.cloud.account.Keys;
import dev.baton.cloud.fake.FakeAliyun;
import dev.baton.cloud.fake.FakeOss;
import dev.baton.cloud.fake.Kind;
import dev.baton.cloud.oss.OssAccess;
import dev.baton.cloud.oss.OssPlace;
import dev.baton.cloud.oss.OssVmSpace;
import dev.baton.store.StoreException;
import dev.baton.vm.BuildVm;
import dev.baton.vm.DeploySpec;
import dev.baton.vm.Journal;
import dev.baton.vm.Options;
import dev.baton.vm.Questions;
import dev.baton.vm.Status;
import dev.baton.vm.SweepOptions;
import dev.baton.vm.VmException;
import dev.baton.vm.VmName;
import dev.baton.vm.VmState;
import dev.baton.vm.codec.VmCodec;
import dev.baton.vm.crash.KillSwitch;
import dev.baton.vm.crash.KillableProvider;
import dev.baton.vm.crash.KillableSpace;
import dev.baton.vm.operation.Client;
import dev.baton.vm.operation.Vms;
import dev.baton.vm.provider.Found;
import dev.baton.vm.provider.Provider;
import dev.baton.vm.provider.ProviderException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** A bucket and two clients with one cloud, of whom the first may be killed. */
final class CrashScene implements AutoCloseable {
  static final VmName NAME = VmName.DEFAULT;
  static final Options OPTIONS = Options.DEFAULT.asking(Questions.assumeYes());
  static final DeploySpec SPEC =
      DeploySpec.of(FakeAliyun.REGION, FakeAliyun.TYPES.get(0))
          .withPublicKey("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAA crash")
          .withApplication("echo installed");

  final Fakes fakes;
  final KillSwitch kills = new KillSwitch();
  final Vms victim;
  final Vms other;
  private final String bucket;
  private final OssVmSpace victims;
  private final OssVmSpace others;
  private final Set<String> before;
  private int nonces;

  CrashScene(Fakes fakes, boolean writeAhead) {
    this.fakes = fakes;
    this.bucket = fakes.bucket();
    this.before = new HashSet<>(fakes.sky.cloud.everything());
    this.victims = space();
    this.others = space();
    victim =
        Vms.open(
            new KillableSpace(new LaterSpace(victims, fakes), kills),
            new KillableProvider(fakes.provider, kills),
            new Client("victim", fakes, this::nonce, writeAhead));
    other =
        Vms.open(
            new LaterSpace(others, fakes),
            fakes.provider,
            new Client("other", fakes, this::nonce, writeAhead));
  }

  private OssVmSpace space() {
    OssAccess access =
        OssAccess.of(
            URI.create(fakes.oss.endpoint()),
            FakeOss.REGION,
            () -> new Keys.Pair(Sky.ID, Sky.SECRET, ""));
    return OssVmSpace.open(new OssPlace(bucket, "vms"), access);
  }

  private String nonce() {
    return String.format(Locale.ROOT, "%s-%020d", bucket, ++nonces);
  }

  String space0() throws StoreException {
    return others.id();
  }

  BuildVm victimVm() {
    return victim.vm(NAME);
  }

  BuildVm otherVm() {
    return other.vm(NAME);
  }

  /** The same VM for a client who sees the cloud in another way. */
  BuildVm vmOn(Provider provider) {
    return Vms.open(
            new LaterSpace(victims, fakes),
            provider,
            new Client("victim", fakes, this::nonce, true))
        .vm(NAME);
  }

  void letTheLeaseRunOut() {
    fakes.advance(Duration.ofMinutes(16));
  }

  void letDeletionsFinish() {
    fakes.advance(Duration.ofSeconds(30));
  }

  void sweep() throws VmException, InterruptedException {
    other.sweep(SweepOptions.DRY_RUN.forReal());
  }

  Journal journal() throws StoreException {
    return others
        .journal(NAME)
        .read()
        .content()
        .map(VmCodec::decode)
        .orElseGet(() -> Journal.empty(NAME));
  }

  /** All that this scene has in the cloud, as {@code KIND id}. */
  List<String> everything() {
    return fakes.sky.cloud.everything().stream().filter(t -> !before.contains(t)).toList();
  }

  /**
   * What is in the cloud and in no record.
   *
   * @param intents whether an intent that will be taken up again is as good as a record
   */
  List<String> orphans(boolean intents)
      throws StoreException, ProviderException, InterruptedException {
    Journal journal = journal();
    Map<String, Optional<String>> tokens = new HashMap<>();
    for (Found f : fakes.provider.findOwned(space0(), Optional.empty(), fakes.sky.patient)) {
      tokens.put(f.id(), f.token());
    }
    List<String> orphans = new ArrayList<>();
    for (String thing : everything()) {
      Kind kind = Kind.valueOf(thing.split(" ", 2)[0]);
      String id = thing.split(" ", 2)[1];
      if (kind == Kind.DISK) {
        // It goes with its instance, and counts with it.
        String machine = fakes.sky.cloud.field(Kind.DISK, id, "InstanceId");
        if (everything().contains(Kind.INSTANCE + " " + machine)) {
          continue;
        }
      } else if (journal.records(kindOf(kind), id)) {
        continue;
      }
      Optional<String> token = tokens.getOrDefault(id, Optional.empty());
      if (intents
          && journal.intents().stream().anyMatch(i -> token.equals(Optional.of(i.token())))) {
        continue;
      }
      orphans.add(thing);
    }
    return orphans;
  }

  private static dev.baton.vm.Kind kindOf(Kind kind) {
    return switch (kind) {
      case VPC -> dev.baton.vm.Kind.NETWORK;
      case VSWITCH -> dev.baton.vm.Kind.SUBNET;
      case SECURITY_GROUP -> dev.baton.vm.Kind.SECURITY_GROUP;
      case KEY_PAIR -> dev.baton.vm.Kind.KEY_PAIR;
      case INSTANCE -> dev.baton.vm.Kind.INSTANCE;
      case EIP -> dev.baton.vm.Kind.ADDRESS;
      case SNAPSHOT -> dev.baton.vm.Kind.SNAPSHOT;
      case IMAGE -> dev.baton.vm.Kind.IMAGE;
      case DISK, INVOCATION -> throw new IllegalArgumentException("recorded nowhere: " + kind);
    };
  }

  /** What is wrong with a VM at rest. */
  List<String> troubles() throws StoreException, ProviderException, InterruptedException {
    Journal journal = journal();
    List<String> troubles = new ArrayList<>();
    if (journal.lock().isPresent()) {
      troubles.add("it is locked by " + journal.lock().get().clientId());
    }
    if (!journal.intents().isEmpty()) {
      troubles.add("it has intents: " + journal.intents());
    }
    if (!journal.cleanup().isEmpty()) {
      troubles.add("it has leftovers: " + journal.cleanup());
    }
    if (journal.state().isPresent()) {
      for (var r : journal.state().get().resources().values()) {
        if (fakes.provider.describe(r.kind(), r.id(), fakes.sky.patient).isEmpty()) {
          troubles.add(r + " is recorded and does not exist");
        }
      }
    }
    if (!others
        .get(NAME, "state.json")
        .equals(journal.state().map(s -> VmCodec.stateFile(s, journal)))) {
      troubles.add("state.json is not up to date");
    }
    if (!others.get(NAME, "backup.json").equals(journal.backup().map(VmCodec::backupFile))) {
      troubles.add("backup.json is not up to date");
    }
    if (others.get(NAME, ".lock").isPresent()) {
      troubles.add(".lock is still there");
    }
    return troubles;
  }

  /** What would delete a VM that is wanted, or keep one that nobody wants. */
  List<String> wrongEnds() throws StoreException {
    List<String> wrong = new ArrayList<>();
    VmState state = journal().state().orElse(null);
    if (state == null || state.maxLife().isEmpty()) {
      return wrong;
    }
    String release = releaseTime();
    if (state.status() == Status.SUSPENDED
        && (!release.isEmpty() || state.expiresAt().isPresent())) {
      wrong.add("it is suspended and goes at " + release + ", " + state.expiresAt());
    }
    if (state.status() == Status.RUNNING && state.expiresAt().isEmpty()) {
      wrong.add("it is of a job and has no end");
    }
    return wrong;
  }

  /** When ECS deletes the instance by itself; empty: never, or there is none. */
  String releaseTime() throws StoreException {
    return journal()
        .state()
        .flatMap(s -> s.resource(dev.baton.vm.Kind.INSTANCE))
        .filter(r -> fakes.sky.cloud.ids(Kind.INSTANCE).contains(r.id()))
        .map(r -> fakes.sky.cloud.field(Kind.INSTANCE, r.id(), "AutoReleaseTime"))
        .orElse("");
  }

  @Override
  public void close() {
    victims.close();
    others.close();
    fakes.empty(bucket);
  }
}
