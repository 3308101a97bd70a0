package dev.baton.aws.vm;

import dev.baton.aws.account.AwsAccount;
import dev.baton.aws.dynamodb.DynamoDesk;
import dev.baton.aws.s3.S3Desk;
import dev.baton.aws.s3.S3Place;
import dev.baton.core.World;
import dev.baton.vm.crash.LifecycleScene;
import dev.baton.vm.crash.SimulatedScene;
import dev.baton.vm.crash.SkippingWorld;
import dev.baton.vm.simulated.SimulatedCloud;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Places for VMs in one bucket, with their journals there or in a table. */
final class VmDesk implements AutoCloseable {
  final S3Desk s3 = new S3Desk();
  final Optional<DynamoDesk> dynamo;
  final List<String> warnings = new ArrayList<>();
  private final List<S3VmSpace> opened = new ArrayList<>();
  private int places;

  /** More than one scene has; those of older scenes are closed, as there are thousands of them. */
  private static final int MOST_OPEN = 64;

  VmDesk(boolean locksInTable) {
    dynamo = locksInTable ? Optional.of(new DynamoDesk()) : Optional.empty();
  }

  S3Place newPlace() {
    return new S3Place(S3Desk.BUCKET, "vms-" + ++places, dynamo.map(d -> d.table));
  }

  S3VmSpace open(S3Place place, World world) {
    S3VmSpace.Clocks clocks =
        new S3VmSpace.Clocks() {
          @Override
          public Instant now() {
            return world.now();
          }

          @Override
          public long nanos() {
            return world.nanos();
          }
        };
    S3VmSpace space = S3VmSpace.open(place, account(), clocks, warnings::add);
    synchronized (opened) {
      opened.add(space);
    }
    return space;
  }

  private AwsAccount account() {
    Map<String, String> environment = s3.environment();
    dynamo.ifPresent(
        d ->
            environment.put(
                "AWS_ENDPOINT_URL_DYNAMODB", d.environment().get("AWS_ENDPOINT_URL_DYNAMODB")));
    return AwsAccount.of(S3Desk.host(environment));
  }

  /** A simulated cloud whose VMs are recorded in a new place. */
  LifecycleScene scene() {
    // Else what thousands of scenes have asked for fills the memory.
    s3.s3.forget();
    dynamo.ifPresent(d -> d.proxy.forget());
    closeSpaces(MOST_OPEN);
    SkippingWorld world = new SkippingWorld();
    S3Place place = newPlace();
    return new SimulatedScene(
        world, SimulatedCloud.inMemory(world), () -> new TimedSpace(open(place, world), world));
  }

  private void closeSpaces(int except) {
    synchronized (opened) {
      List<S3VmSpace> old = opened.subList(0, Math.max(0, opened.size() - except));
      old.forEach(S3VmSpace::close);
      old.clear();
    }
  }

  void closeSpaces() {
    closeSpaces(0);
  }

  @Override
  public void close() {
    closeSpaces();
    dynamo.ifPresent(DynamoDesk::close);
    s3.close();
  }
}
