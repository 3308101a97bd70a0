package dev.baton.qemu.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

@EnabledOnOs(OS.LINUX)
class LinuxHostTest {

  @TempDir private Path directory;

  /** What a process does whose working directory is a checkout. */
  public static final class InACheckout {
    private InACheckout() {}

    public static void main(String[] args) throws Exception {
      LinuxHost host = new LinuxHost(List.of(), Map.of("PATH", System.getenv("PATH")));
      for (String line : args) {
        try {
          System.out.print(
              host.run(List.of(line.split(" ")), new byte[0], Duration.ofMinutes(1)).output());
        } catch (NodeException e) {
          System.out.println(e.what());
        }
      }
    }
  }

  private static void program(Path file, String script) throws IOException {
    Files.createDirectories(file.getParent());
    Files.writeString(file, "#!/bin/sh\n" + script + "\n");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx------"));
  }

  @Test
  void noProgramOfTheWorkingDirectoryIsStarted() throws Exception {
    Path checkout = directory.resolve("checkout");
    Path tools = directory.resolve("tools");
    program(checkout.resolve("qemu-img"), "echo evil");
    program(checkout.resolve("bin/ssh"), "echo evil");
    program(checkout.resolve("setpriv"), "echo evil");
    program(tools.resolve("qemu-img"), "echo good");
    program(tools.resolve("outer"), "cd " + checkout + "; setpriv --version || echo none");

    ProcessBuilder builder =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin/java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                InACheckout.class.getName(),
                "qemu-img",
                "ssh",
                "outer")
            .directory(checkout.toFile())
            .redirectErrorStream(true);
    builder.environment().put("PATH", ".::bin:" + tools);
    Process process = builder.start();
    String said = new String(process.getInputStream().readAllBytes());
    process.waitFor();

    assertThat(said.lines()).containsExactly("good", "the program ssh cannot be started", "none");
  }
}
