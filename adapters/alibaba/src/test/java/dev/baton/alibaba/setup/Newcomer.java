package dev.baton.alibaba.setup;

import dev.baton.alibaba.fake.FakeAliyun;
import dev.baton.alibaba.fake.FakeOss;
import dev.baton.client.adapter.Extensions;
import dev.baton.client.settings.Host;
import dev.baton.client.settings.Setting;
import dev.baton.vm.VmException;
import dev.baton.vm.spi.CloudSetup;
import dev.baton.vm.spi.CloudSetup.Done;
import dev.baton.vm.spi.CloudSetup.Given;
import dev.baton.vm.spi.CloudSetup.Session;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Somebody with an account, a key to it, and a machine that knows nothing of either. */
final class Newcomer implements AutoCloseable {
  static final String ACCOUNT = "1000000000000001";
  static final String OTHER_ACCOUNT = "2000000000000002";
  static final String BUCKET = "baton-state-" + ACCOUNT;
  static final String ID = "LTAI5tTheIdOfTheseTests0";
  static final String SECRET = "TheSecretOfTheseTests0123456789";

  final FakeOss oss = FakeOss.start();
  final FakeAliyun cloud = FakeAliyun.start(ACCOUNT);
  final Path home;
  final Map<String, String> environment = new HashMap<>();

  Newcomer(Path home) {
    this.home = home;
    oss.addKey(ID, SECRET, ACCOUNT);
    cloud.addKey(ID, SECRET);
    environment.put("BATON_OSS_ENDPOINT", oss.endpoint());
    environment.put("BATON_STS_ENDPOINT", "http://" + cloud.endpoint());
    environment.put("BATON_ECS_ENDPOINT", "http://" + cloud.endpoint());
    environment.put("BATON_VPC_ENDPOINT", "http://" + cloud.endpoint());
  }

  Newcomer with(String variable, String value) {
    environment.put(variable, value);
    return this;
  }

  Newcomer withKeyInTheEnvironment() {
    return with("ALIBABA_CLOUD_ACCESS_KEY_ID", ID).with("ALIBABA_CLOUD_ACCESS_KEY_SECRET", SECRET);
  }

  Host host() {
    return new Host(
        environment, home, home, "Linux", "ann", () -> "desk", Setting::id, Extensions.NONE);
  }

  CloudSetup setup() {
    return host().extensions().cloudSetup("aliyun").orElseThrow();
  }

  static Given typing(String id, String secret) {
    return new Given(
        List.of(id, secret), Optional.of(FakeOss.REGION), Optional.empty(), Optional.empty());
  }

  static Given typed() {
    return typing(ID, SECRET);
  }

  static Given nothing() {
    return new Given(List.of(), Optional.of(FakeOss.REGION), Optional.empty(), Optional.empty());
  }

  static Given bucket(String name) {
    return new Given(
        List.of(ID, SECRET), Optional.of(FakeOss.REGION), Optional.of(name), Optional.empty());
  }

  /** All of it. */
  List<Done> run(Given given) throws VmException {
    Session session = setup().open(host(), given);
    List<Done> done = new ArrayList<>();
    done.add(session.identify());
    done.add(session.place());
    done.addAll(session.save());
    done.add(session.sshKey(Optional.empty()));
    return done;
  }

  @Override
  public void close() {
    oss.close();
    cloud.close();
  }
}
