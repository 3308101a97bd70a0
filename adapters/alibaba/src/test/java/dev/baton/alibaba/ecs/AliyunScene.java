package dev.baton.alibaba.ecs;

import com.aliyun.vpc20160428.models.CreateVpcRequest;
import dev.baton.alibaba.account.AlibabaAccount;
import dev.baton.alibaba.account.Keys;
import dev.baton.alibaba.fake.FakeAliyun;
import dev.baton.alibaba.fake.FakeOss;
import dev.baton.alibaba.fake.Kind;
import dev.baton.alibaba.oss.OssAccess;
import dev.baton.alibaba.oss.OssPlace;
import dev.baton.alibaba.oss.OssVmSpace;
import dev.baton.core.World;
import dev.baton.vm.DeploySpec;
import dev.baton.vm.crash.LifecycleScene;
import dev.baton.vm.simulated.Fault;
import dev.baton.vm.spi.Provider;
import dev.baton.vm.spi.ProviderException;
import dev.baton.vm.spi.VmSpace;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Alibaba Cloud and a bucket, both through their own clients and on loopback. */
final class AliyunScene implements LifecycleScene {
  static final DeploySpec SPEC =
      DeploySpec.of(FakeAliyun.REGION, FakeAliyun.TYPES.get(0))
          .withPublicKey(FakeAliyun.PUBLIC_KEY)
          .withApplication("echo installed");
  private static final Duration DELETION = Duration.ofMinutes(1);

  final String bucket;
  final Fakes fakes;
  private final List<OssVmSpace> spaces = new ArrayList<>();

  /** Faults of an earlier one are over. */
  private int faults;

  /**
   * @param fakes with nothing in the cloud
   */
  AliyunScene(Fakes fakes) {
    this.fakes = fakes;
    this.bucket = fakes.bucket();
  }

  @Override
  public Provider provider() {
    return fakes.provider;
  }

  @Override
  public VmSpace space() {
    OssAccess access =
        OssAccess.of(
            URI.create(fakes.oss.endpoint()),
            FakeOss.REGION,
            () -> new Keys.Pair(Sky.ID, Sky.SECRET, ""));
    OssVmSpace space = OssVmSpace.open(new OssPlace(bucket, "vms"), access);
    spaces.add(space);
    return new LaterSpace(space, fakes);
  }

  @Override
  public World world() {
    return fakes;
  }

  @Override
  public DeploySpec spec() {
    return SPEC;
  }

  @Override
  public String zones() {
    return String.join(",", FakeAliyun.ZONES.subList(0, 2));
  }

  @Override
  public void elapse(Duration time) {
    fakes.advance(time);
  }

  @Override
  public List<Thing> things() {
    return fakes.sky.cloud.everything().stream()
        .map(t -> new Thing(kind(t).name(), kindOf(kind(t)), id(t), isDiskOfAMachine(t)))
        .toList();
  }

  private static Optional<dev.baton.vm.Kind> kindOf(Kind kind) {
    return switch (kind) {
      case VPC -> Optional.of(dev.baton.vm.Kind.NETWORK);
      case VSWITCH -> Optional.of(dev.baton.vm.Kind.SUBNET);
      case SECURITY_GROUP -> Optional.of(dev.baton.vm.Kind.SECURITY_GROUP);
      case KEY_PAIR -> Optional.of(dev.baton.vm.Kind.KEY_PAIR);
      case INSTANCE -> Optional.of(dev.baton.vm.Kind.INSTANCE);
      case EIP -> Optional.of(dev.baton.vm.Kind.ADDRESS);
      case SNAPSHOT -> Optional.of(dev.baton.vm.Kind.SNAPSHOT);
      case IMAGE -> Optional.of(dev.baton.vm.Kind.IMAGE);
      case DISK, INVOCATION -> Optional.empty();
    };
  }

  @Override
  public Optional<Instant> releaseTime(String instance) {
    if (!fakes.sky.cloud.ids(Kind.INSTANCE).contains(instance)) {
      return Optional.empty();
    }
    String time = fakes.sky.cloud.field(Kind.INSTANCE, instance, "AutoReleaseTime");
    return time.isEmpty() ? Optional.empty() : Optional.of(Instant.parse(time));
  }

  private boolean isDiskOfAMachine(String thing) {
    return kind(thing) == Kind.DISK
        && fakes
            .sky
            .cloud
            .ids(Kind.INSTANCE)
            .contains(fakes.sky.cloud.field(Kind.DISK, id(thing), "InstanceId"));
  }

  private static Kind kind(String thing) {
    return Kind.valueOf(thing.split(" ", 2)[0]);
  }

  private static String id(String thing) {
    return thing.split(" ", 2)[1];
  }

  @Override
  public boolean isFinished(String snapshot) {
    return fakes.sky.cloud.status(Kind.SNAPSHOT, snapshot).equals("accomplished");
  }

  @Override
  public void deleteByHand(dev.baton.vm.Kind kind, String id)
      throws ProviderException, InterruptedException {
    switch (kind) {
      // Nobody can delete them but with what is on them, or with what they are on.
      case INSTANCE, APPLICATION -> fakes.provider.delete(kind, id, fakes.sky.patient);
      case NETWORK -> fakes.sky.cloud.vanish(Kind.VPC, id);
      case KEY_PAIR -> fakes.sky.cloud.vanish(Kind.KEY_PAIR, id);
      case ADDRESS -> fakes.sky.cloud.vanish(Kind.EIP, id);
      default -> throw new IllegalArgumentException("nobody deletes that by hand: " + kind);
    }
    elapse(DELETION);
  }

  @Override
  public void fail(Fault fault) {
    String action = action(fault);
    int mine = faults;
    fakes.sky.cloud.failNext(
        fault.times(), c -> faults == mine && c.kind().equals(action), asSaidHere(fault));
  }

  private static String action(Fault fault) {
    String call = fault.call() + " " + fault.kind().orElseThrow().words();
    return switch (call) {
      case "create network" -> "CreateVpc";
      case "create instance" -> "RunInstances";
      case "create address" -> "AllocateEipAddress";
      case "delete network" -> "DeleteVpc";
      case "delete instance" -> "DeleteInstance";
      case "delete address" -> "ReleaseEipAddress";
      case "delete snapshot" -> "DeleteSnapshot";
      case "start instance" -> "StartInstance";
      case "stop instance" -> "StopInstance";
      default -> throw new IllegalArgumentException("no such fault yet: " + call);
    };
  }

  private static dev.baton.testing.service.Fault asSaidHere(Fault fault) {
    return switch (fault.trouble()) {
      case DENIED ->
          new dev.baton.testing.service.Fault.Failed(403, "Forbidden.RAM", fault.afterwards());
      case THROTTLED ->
          new dev.baton.testing.service.Fault.Failed(400, "Throttling.User", fault.afterwards());
      case UNAVAILABLE ->
          new dev.baton.testing.service.Fault.Failed(500, "InternalError", fault.afterwards());
      case OUT_OF_STOCK ->
          new dev.baton.testing.service.Fault.Failed(
              403, "OperationDenied.NoStock", fault.afterwards());
      default -> throw new IllegalArgumentException("no such fault yet: " + fault.trouble());
    };
  }

  @Override
  public void mend() {
    faults++;
  }

  /** One whose name looks much like one of ours. */
  @Override
  public Optional<String> stranger() throws ProviderException, InterruptedException {
    AlibabaAccount account =
        AlibabaAccount.of(FakeAliyun.REGION, () -> new Keys.Pair(Sky.ID, Sky.SECRET, ""));
    Api api =
        new Api(
            account,
            Endpoints.onLoopback(fakes.sky.cloud.endpoint()),
            new CloudClock(fakes.sky.cloud::resourceTime, false));
    CreateVpcRequest asked =
        new CreateVpcRequest()
            .setRegionId(FakeAliyun.REGION)
            .setCidrBlock("10.0.0.0/8")
            .setVpcName("not-baton-" + bucket + "-default")
            .setDescription("what baton-" + bucket + "-default was before");
    return Optional.of(
        api.ask(
                "create a network",
                fakes.sky.patient,
                how -> api.vpc.createVpcWithOptions(asked, how))
            .getBody()
            .getVpcId());
  }

  @Override
  public void close() {
    spaces.forEach(OssVmSpace::close);
    mend();
    for (String thing : fakes.sky.cloud.everything()) {
      fakes.sky.cloud.vanish(kind(thing), id(thing));
    }
    fakes.empty(bucket);
  }
}
