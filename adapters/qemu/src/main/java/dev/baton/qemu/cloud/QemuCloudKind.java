package dev.baton.qemu.cloud;

import dev.baton.core.BadSetting;
import dev.baton.core.HostEnvironment;
import dev.baton.core.SystemWorld;
import dev.baton.qemu.node.LinuxHost;
import dev.baton.qemu.node.Node;
import dev.baton.vm.spi.Cloud;
import dev.baton.vm.spi.CloudKind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
                    "--regid=" + group(user),
                    "--init-groups",
                    "--no-new-privs"))
        .orElse(List.of());
  }

  /** The number of that user's own group. */
  private static String group(String user) {
    try {
      for (String line : Files.readAllLines(Path.of("/etc/passwd"))) {
        String[] fields = line.split(":");
        if (fields.length > 3 && fields[0].equals(user)) {
          return fields[3];
        }
      }
    } catch (IOException e) {
      throw new BadSetting(
          "/etc/passwd cannot be read", "Run Baton as a user that is not root.", e);
    }
    throw new BadSetting(
        "there is no user " + user + " (" + QemuSettings.USER + ") in /etc/passwd",
        "Create it with `useradd --system " + user + "`, or name another.");
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
