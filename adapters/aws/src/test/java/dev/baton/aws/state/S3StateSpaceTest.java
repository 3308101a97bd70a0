package dev.baton.aws.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.baton.aws.fake.FakeS3;
import dev.baton.core.BadSetting;
import dev.baton.core.HostEnvironment;
import dev.baton.core.Problem.Kind;
import dev.baton.state.LiveLock;
import dev.baton.state.LockKey;
import dev.baton.state.StateException;
import dev.baton.state.StateKey;
import dev.baton.state.StateSpaceContract;
import dev.baton.state.operation.DeploymentStates;
import dev.baton.state.operation.DeploymentStates.Loaded;
import dev.baton.state.operation.DeploymentStates.Saved;
import dev.baton.state.spi.StateSpace;
import dev.baton.state.spi.StateSpace.Purpose;
import dev.baton.store.Version;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** States of deployments in a bucket, through AWS's own client. */
class S3StateSpaceTest extends StateSpaceContract {

  private static final String BUCKET = "company-deployer-state";
  private static final String ID = "AKIAIOSFODNN7EXAMPLE";
  private static final String ACCOUNT = "123456789012";
  private static final StateKey KEY = new StateKey("shop", "production");
  private static final String HOME = "stacks/shop/production/";

  private final FakeS3 s3 = FakeS3.start();
  private final List<AutoCloseable> opened = new ArrayList<>();

  S3StateSpaceTest() {
    s3.addKey(ID, ACCOUNT);
    s3.addBucket(BUCKET, ACCOUNT);
  }

  @AfterEach
  void close() throws Exception {
    for (AutoCloseable one : opened) {
      one.close();
    }
    s3.close();
  }

  private StateSpace open(String address) {
    StateSpace space = new S3StateSpaceKind().open(address, new Machine(s3.endpoint()));
    opened.add((AutoCloseable) space);
    return space;
  }

  private record Machine(String endpoint) implements HostEnvironment {
    @Override
    public Map<String, String> environment() {
      return Map.of(
          "AWS_ACCESS_KEY_ID",
          ID,
          "AWS_SECRET_ACCESS_KEY",
          "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
          "AWS_REGION",
          FakeS3.REGION,
          "AWS_ENDPOINT_URL_S3",
          endpoint);
    }

    @Override
    public Path directory() {
      return home();
    }

    @Override
    public Path home() {
      return Path.of(System.getProperty("user.home"));
    }
  }

  @Override
  protected StateSpace newSpace() {
    return open("s3://" + BUCKET + "/team");
  }

  @Override
  protected StateSpace another(StateSpace space) {
    return open(space.location());
  }

  private record Held(long token) implements LiveLock {
    @Override
    public LockKey key() {
      return KEY.lock();
    }

    @Override
    public String queue() {
      return "file:/locks#shop";
    }

    @Override
    public long ticket() {
      return token;
    }

    @Override
    public String holder() {
      return "run " + token;
    }

    @Override
    public boolean verify() {
      return true;
    }
  }

  @Test
  void theLayoutIsThatOfADeployerAndKeysOfOthersStay() throws Exception {
    s3.write(BUCKET, HOME + "pulumi/.pulumi/stacks/production.json", "{}");
    s3.write(BUCKET, "locks/shop-production.lock", "x");
    DeploymentStates states = DeploymentStates.in(open("s3://" + BUCKET));
    Loaded loaded = states.claim(KEY, new Held(7));
    assertThat(s3.keys(BUCKET)).contains(HOME + "state.json", HOME + "state.json.lock");
    Saved saved =
        states.save(
            loaded.state().withOutputs(Map.of("a", 1L)),
            loaded.version(),
            Optional.empty(),
            new Held(7));
    assertThat(saved.notes()).isEmpty();
    assertThat(s3.keys(BUCKET))
        .containsExactlyInAnyOrder(
            HOME + "state.json",
            HOME + "history/" + saved.snapshot() + ".json",
            HOME + "pulumi/.pulumi/stacks/production.json",
            "locks/shop-production.lock");
    assertThat(s3.tags(BUCKET, HOME + "history/" + saved.snapshot() + ".json"))
        .containsExactly(Map.entry("baton", "history"));
    assertThat(s3.tags(BUCKET, HOME + "state.json")).isEmpty();
    assertThat(states.keys()).containsExactly(KEY);
    StateException late =
        catchThrowableOfType(
            StateException.class,
            () ->
                states.save(
                    saved.loaded().state(),
                    saved.loaded().version(),
                    Optional.empty(),
                    new Held(6)));
    assertThat(late.problem().kind()).isEqualTo(Kind.LOST);
  }

  @Test
  void aListSkipsWhatIsInDirectories() throws Exception {
    for (int i = 0; i < 1100; i++) {
      s3.write(BUCKET, "team/stacks/shop/production/history/x" + i + ".json", "{}");
    }
    StateSpace space = newSpace();
    space.put("stacks/shop/production/state.json", Version.ABSENT, "1", Purpose.STATE);
    assertThat(space.list("stacks/shop/production")).containsExactly("history/", "state.json");
    assertThat(space.list("stacks/shop/production/history")).hasSize(1100);
  }

  @Test
  void aMissingPermissionIsNamed() {
    s3.deny("PutObject");
    StateException denied =
        catchThrowableOfType(
            StateException.class, () -> DeploymentStates.in(newSpace()).claim(KEY, new Held(7)));
    assertThat(denied.problem().text()).contains("s3:PutObject").contains(BUCKET);
  }

  @Test
  void anAddressThatCannotBeIsRefused() {
    for (String address : List.of("s3://x", "s3://a:b@bucket/x", "s3://bucket-1/x?locks=table")) {
      assertThatThrownBy(() -> open(address)).isInstanceOf(BadSetting.class);
    }
  }
}
