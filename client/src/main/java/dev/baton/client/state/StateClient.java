package dev.baton.client.state;

import dev.baton.client.settings.Host;
import dev.baton.client.settings.Setting;
import dev.baton.client.settings.Settings;
import dev.baton.core.BadSetting;
import dev.baton.core.Checkout;
import dev.baton.core.Checks;
import dev.baton.core.adapter.AdapterDescriptor.Use;
import dev.baton.state.operation.DeploymentStates;
import dev.baton.state.spi.StateSpace;
import dev.baton.state.store.FileStateSpace;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/** The states of deployments in one place. */
public final class StateClient implements AutoCloseable {

  private static final String FILE = "file:";

  private final StateSpace space;
  private final DeploymentStates states;

  private StateClient(StateSpace space) {
    this.space = space;
    this.states = DeploymentStates.in(space);
  }

  /**
   * Nothing is asked yet.
   *
   * @throws BadSetting when what is set can never work
   */
  public static StateClient open(Settings settings, Host host) {
    String store = settings.get(Setting.STATE_STORE).map(Settings.Value::text).orElse(FILE);
    return new StateClient(
        store.startsWith(FILE)
            ? FileStateSpace.in(directory(store, settings, host))
            : elsewhere(store, host));
  }

  private static StateSpace elsewhere(String store, Host host) {
    String scheme = store.split(":", 2)[0];
    return host.extensions()
        .stateSpaceKind(scheme)
        .orElseThrow(
            () ->
                new BadSetting(
                    "unsupported store for states of deployments "
                        + Checks.shown(Checks.withoutSecrets(store)),
                    host.extensions()
                        .nextWithout(
                            scheme,
                            Use.DEPLOYMENT_STATES,
                            known ->
                                "Use " + host.spelled(Setting.STATE_STORE) + " " + known + ".")))
        .open(store, host);
  }

  /** What is there says what is deployed: that is not for a checkout to say by itself. */
  private static Path directory(String store, Settings settings, Host host) {
    String path = store.substring(FILE.length()).replaceFirst("^//(?=/)", "");
    if (path.isEmpty()) {
      Path own = host.stateDirectory().resolve("states");
      Checkout.requireOutside(own, host.directory());
      return own;
    }
    try {
      Path base =
          settings.get(Setting.STATE_STORE).map(Settings.Value::base).orElse(host.directory());
      return path.equals("~") || path.startsWith("~/")
          ? host.home().resolve(path.substring(1).replaceFirst("^/+", ""))
          : base.resolve(path).normalize();
    } catch (InvalidPathException e) {
      throw new BadSetting(
          Checks.shown(store) + " is not a directory for states of deployments",
          "Use " + host.spelled(Setting.STATE_STORE) + " file:DIR.",
          e);
    }
  }

  public DeploymentStates states() {
    return states;
  }

  @Override
  public void close() {
    if (space instanceof AutoCloseable closeable) {
      try {
        closeable.close();
      } catch (Exception e) {
        throw new IllegalStateException("cannot close " + space.location(), e);
      }
    }
  }
}
