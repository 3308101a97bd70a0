package dev.baton.aws.vm;

import dev.baton.vm.contract.LifecycleContract;
import dev.baton.vm.crash.LifecycleScene;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;

class JournalsInTableLifecycleTest extends LifecycleContract {
  private static VmDesk desk;

  @BeforeAll
  static void start() {
    desk = new VmDesk(true);
  }

  @AfterAll
  static void stop() {
    desk.close();
  }

  @AfterEach
  void closeSpaces() {
    desk.closeSpaces();
  }

  @Override
  protected LifecycleScene open() {
    return desk.scene();
  }
}
