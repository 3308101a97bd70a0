package dev.baton.qemu.cloud;

import dev.baton.core.BadSetting;
import dev.baton.core.Checkout;
import dev.baton.core.Checks;
import dev.baton.core.Durations;
import dev.baton.core.HostEnvironment;
import dev.baton.qemu.node.Accelerator;
import dev.baton.qemu.node.NodeSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What VMs are like here, unless a deploy says otherwise.
 *
 * @param type see {@link Size}
 * @param image a name in the library; empty: a deploy must say
 * @param firstPort of those that may lead to VMs
 * @param lastPort of those
 * @param restricted VMs reach no network
 * @param bridge that VMs have a second network card at; empty: they have none
 */
record QemuSettings(
    NodeSettings node,
    String type,
    String image,
    int firstPort,
    int lastPort,
    boolean restricted,
    String bridge) {
  static final String HOME = "BATON_QEMU_HOME";
  static final String USER = "BATON_QEMU_USER";
  static final String ACCELERATOR = "BATON_QEMU_ACCELERATOR";
  static final String TYPE = "BATON_QEMU_TYPE";
  static final String IMAGE = "BATON_QEMU_IMAGE";
  static final String PORTS = "BATON_QEMU_PORTS";
  static final String RESTRICT = "BATON_QEMU_RESTRICT";
  static final String BRIDGE = "BATON_QEMU_BRIDGE";
  static final String BOOT = "BATON_QEMU_BOOT";

  private static final Pattern RANGE = Pattern.compile("([0-9]{1,5})(?:-([0-9]{1,5}))?");

  static QemuSettings in(NodeSettings node) {
    return new QemuSettings(node, "2x2g", "", 20_000, 29_999, false, "");
  }

  /**
   * @throws BadSetting saying what is wrong, and what to do
   */
  static QemuSettings of(HostEnvironment host) {
    boolean root = isRoot();
    String user = host.variable(USER);
    if (root && user.isEmpty()) {
      throw new BadSetting(
          "QEMU must not run as root: a guest that breaks out of it would own this machine",
          "Run Baton as another user, or set " + USER + " to the user that QEMU shall run as.");
    }
    if (!user.isEmpty() && !user.matches("[a-z_][a-z0-9_-]{0,31}")) {
      throw new BadSetting(
          Checks.shown(user) + " (" + USER + ") is not the name of a user",
          "Use the name of an account that owns nothing else.");
    }
    NodeSettings usual = NodeSettings.in(home(host, root));
    NodeSettings node =
        new NodeSettings(
            usual.root(),
            usual.qemu(),
            usual.qemuImg(),
            usual.ssh(),
            root ? Optional.of(user) : Optional.empty(),
            accelerator(host.variable(ACCELERATOR)),
            boot(host.variable(BOOT), usual.boot()));
    QemuSettings settings = in(node);
    String type = host.variable(TYPE).isEmpty() ? settings.type() : host.variable(TYPE);
    try {
      type = Size.of(type).toString();
    } catch (IllegalArgumentException e) {
      throw new BadSetting(
          e.getMessage() + " (" + TYPE + ")", "Use processors and memory, such as 2x4g.", e);
    }
    int[] ports = ports(host.variable(PORTS), settings);
    boolean restricted = truth(host.variable(RESTRICT));
    return new QemuSettings(
        node,
        type,
        host.variable(IMAGE),
        ports[0],
        ports[1],
        restricted,
        bridge(host.variable(BRIDGE), root, restricted));
  }

  private static String bridge(String set, boolean root, boolean restricted) {
    if (!set.isEmpty() && !set.matches("[a-zA-Z0-9_.-]{1,15}")) {
      throw new BadSetting(
          Checks.shown(set) + " (" + BRIDGE + ") is not the name of a bridge",
          "Use one that `ip link show type bridge` has.");
    }
    if (!set.isEmpty() && restricted) {
      throw new BadSetting(
          RESTRICT + " keeps VMs from every network, and " + BRIDGE + " puts them into one",
          "Set only one of them.");
    }
    if (!set.isEmpty() && !root) {
      throw new BadSetting(
          "only root can make VMs ports of bridge " + set + " (" + BRIDGE + ")",
          "Run Baton as root with " + USER + ", or leave the bridge out.");
    }
    return set;
  }

  private static boolean isRoot() {
    try {
      return Integer.valueOf(0).equals(Files.getAttribute(Path.of("/proc/self"), "unix:uid"));
    } catch (IOException | UnsupportedOperationException e) {
      throw new BadSetting("the cloud qemu needs Linux", "Use it on a machine that has /proc.", e);
    }
  }

  /** What is there says which processes are ended: that is not for a checkout to say. */
  private static Path home(HostEnvironment host, boolean root) {
    String set = host.variable(HOME);
    String state = host.variable("XDG_STATE_HOME");
    Path directory;
    try {
      if (!set.isEmpty()) {
        directory = Path.of(set);
      } else if (root) {
        // The other user cannot come through the home of root.
        directory = Path.of("/var/lib/baton/qemu");
      } else if (!state.isEmpty() && Path.of(state).isAbsolute()) {
        directory = Path.of(state).resolve("baton/qemu");
      } else {
        directory = host.home().resolve(".local/state/baton/qemu");
      }
    } catch (InvalidPathException e) {
      throw notADirectory(set, e);
    }
    if (!directory.isAbsolute()) {
      throw notADirectory(set, null);
    }
    Checkout.requireOutside(directory, host.directory());
    return directory;
  }

  private static BadSetting notADirectory(String set, Exception cause) {
    return new BadSetting(
        Checks.shown(set) + " (" + HOME + ") is not a directory",
        "Use a path that begins with /.",
        cause);
  }

  private static Optional<Accelerator.Kind> accelerator(String set) {
    return switch (set) {
      case "" -> Optional.empty();
      case "kvm" -> Optional.of(Accelerator.Kind.KVM);
      case "tcg" -> Optional.of(Accelerator.Kind.TCG);
      default ->
          throw new BadSetting(
              "unknown accelerator " + Checks.shown(set) + " (" + ACCELERATOR + ")",
              "Use kvm or tcg, or leave it out.");
    };
  }

  private static Duration boot(String set, Duration usual) {
    try {
      return set.isEmpty() ? usual : Checks.positive(BOOT, Durations.parse(set));
    } catch (IllegalArgumentException e) {
      throw BadSetting.of(e, "Set " + BOOT + " to a time such as 10m.");
    }
  }

  private static int[] ports(String set, QemuSettings usual) {
    if (set.isEmpty()) {
      return new int[] {usual.firstPort(), usual.lastPort()};
    }
    Matcher m = RANGE.matcher(set);
    int first = m.matches() ? Integer.parseInt(m.group(1)) : 0;
    int last = m.matches() && m.group(2) != null ? Integer.parseInt(m.group(2)) : first;
    if (first < 1_024 || last < first || last > 65_535) {
      throw new BadSetting(
          Checks.shown(set) + " (" + PORTS + ") is not a range of ports",
          "Use two numbers from 1024 to 65535, such as 20000-29999.");
    }
    return new int[] {first, last};
  }

  private static boolean truth(String set) {
    return switch (set) {
      case "", "false" -> false;
      case "true" -> true;
      default ->
          throw new BadSetting(
              Checks.shown(set) + " (" + RESTRICT + ") is neither true nor false",
              "Use true to keep VMs from every network.");
    };
  }
}
