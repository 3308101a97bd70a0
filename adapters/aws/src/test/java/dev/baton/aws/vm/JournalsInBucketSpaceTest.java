package dev.baton.aws.vm;

import dev.baton.aws.s3.S3Desk;
import dev.baton.aws.s3.S3Place;
import dev.baton.core.SystemWorld;
import dev.baton.vm.spi.VmSpace;
import dev.baton.vm.store.VmSpaceContract;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;

class JournalsInBucketSpaceTest extends VmSpaceContract {
  private static VmDesk desk;
  private S3Place place;

  @BeforeAll
  static void start() {
    desk = new VmDesk(false);
  }

  @AfterAll
  static void stop() {
    desk.close();
  }

  @BeforeEach
  void newPlace() {
    place = desk.newPlace();
  }

  @Override
  protected VmSpace open() {
    return desk.open(place, new SystemWorld());
  }

  @Override
  protected boolean loseId() {
    desk.s3.s3.remove(S3Desk.BUCKET, place.prefix() + "/.journal/vms/space.json");
    return true;
  }
}
