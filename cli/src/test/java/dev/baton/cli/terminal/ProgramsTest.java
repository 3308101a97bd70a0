package dev.baton.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.cli.BatonProcesses;
import dev.baton.cli.vm.VmShell;
import dev.baton.vm.spi.Access;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** What Baton starts for itself is never a program of the checkout that it runs in. */
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "scripts as programs")
class ProgramsTest extends BatonProcesses {

  private static final List<String> NAMES = List.of("stty", "setsid", "perl", "ps", "sh", "ssh");

  private Path program(Path directory, String name) throws IOException {
    Path file = Files.createDirectories(directory).resolve(name);
    Files.writeString(file, "#!/bin/sh\n/bin/echo " + name + " >> " + home.resolve("ran") + "\n");
    return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void noProgramOfTheWorkingDirectoryIsStarted() throws IOException, InterruptedException {
    cli.ok("init");
    for (String name : NAMES) {
      program(home, name);
      program(home.resolve("node_modules/.bin"), name);
    }
    Files.writeString(
        home.resolve("baton.sh"),
        "PATH=.::node_modules/.bin:$PATH\nexport PATH\n"
            // Without a terminal, and with one.
            + (String.join(" ", javaCommand()) + " run -- /bin/true < /dev/null > out 2>&1\n")
            + (String.join(" ", javaCommand()) + " run -- /bin/true\n"));
    ProcessBuilder builder =
        new ProcessBuilder("script", "-qec", "exec sh ./baton.sh", "/dev/null")
            .directory(home.toFile());
    builder.environment().put("XDG_STATE_HOME", home.resolve(".local/state").toString());
    builder.environment().remove("COLUMNS");
    Process terminal =
        builder.redirectErrorStream(true).redirectOutput(home.resolve("screen").toFile()).start();
    started.add(terminal);

    assertThat(terminal.waitFor()).as(Files.readString(home.resolve("screen"))).isZero();
    assertThat(home.resolve("ran")).doesNotExist();
  }

  private Shell shell(String path) {
    return cli.with("PATH", path).shell(new ByteArrayOutputStream(), new ByteArrayOutputStream());
  }

  @Test
  void onlyPlacesThatDoNotDependOnTheWorkingDirectoryCount() throws IOException {
    program(home.resolve("vendor"), "ssh");
    Path own = program(home.resolve("bin"), "ssh");
    assertThat(Programs.onPath("ssh", shell("vendor:.::" + own.getParent()))).contains(own);
    Shell without = shell("vendor:.:");
    assertThat(Programs.onPath("ssh", without)).isEmpty();
    Access.Ssh there =
        new Access.Ssh("203.0.113.1", 22, "root", Path.of("key"), "ssh-ed25519 AAAAhost");
    assertThatThrownBy(() -> VmShell.line(without, there, Path.of("known"), List.of()))
        .isInstanceOf(CliException.class)
        .hasMessageContaining("there is no command \"ssh\"");
  }

  @Test
  void onWindowsNothingIsStartedByItsNameAlone() throws IOException {
    Path own = program(home.resolve("bin"), "ssh.exe");
    program(home.resolve("vendor"), "ssh.exe");
    Shell here = shell("");
    Shell windows =
        new Shell(
            Map.of("Path", "vendor;.;\"" + own.getParent() + "\""),
            here.in(),
            here.out(),
            here.err(),
            here.terminal(),
            here.columns(),
            home,
            home,
            "Windows 11",
            here.user(),
            here.host(),
            here.clock());
    assertThat(Programs.onPath("ssh", windows)).contains(own);
    assertThat(Programs.ofSystem("stty", "Windows 11")).isEmpty();
    assertThat(Programs.ofSystem("sh", "Linux")).contains(Path.of("/bin/sh"));
  }
}
