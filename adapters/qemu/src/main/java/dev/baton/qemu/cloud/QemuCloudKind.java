package dev.baton.qemu.cloud;

import dev.baton.core.HostEnvironment;
import dev.baton.core.SystemWorld;
import dev.baton.qemu.node.LinuxHost;
import dev.baton.qemu.node.Node;
import dev.baton.vm.spi.Cloud;
import dev.baton.vm.spi.CloudKind;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Makes {@code qemu} work wherever a cloud is named. */
public final class QemuCloudKind implements CloudKind {

  @Override
  public String name() {
    return "qemu";
  }

  @Override
  public Cloud open(HostEnvironment host) {
    QemuSettings settings = QemuSettings.of(host);
    Node node = new Node(settings.node(), new LinuxHost(as(settings), environment(host)));
    Library library = new Library(node);
    return new QemuCloud(
        settings, node, library, new QemuProvider(settings, node, library, new SystemWorld()));
  }

  private static List<String> as(QemuSettings settings) {
    return settings
        .node()
        .user()
        .map(
            user ->
                List.of(
                    "setpriv",
                    "--reuid=" + user,
                    "--regid=" + user,
                    "--init-groups",
                    "--no-new-privs"))
        .orElse(List.of());
  }

  /** Of all that there may be in a build, with its secrets, programs get what they need. */
  private static Map<String, String> environment(HostEnvironment host) {
    Map<String, String> needed = new LinkedHashMap<>();
    needed.put("LC_ALL", "C");
    for (String name : List.of("PATH", "HOME", "TMPDIR")) {
      if (!host.variable(name).isEmpty()) {
        needed.put(name, host.variable(name));
      }
    }
    return needed;
  }
}
