package dev.baton.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class MainTest {

  private static Process start(String... args) throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName()));
    command.addAll(List.of(args));
    return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
  }

  @Test
  void simServesUntilItIsStopped() throws IOException, InterruptedException {
    Process sim = start("sim", "--repository", "octo/lib");
    try (BufferedReader out = sim.inputReader()) {
      assertThat(out.readLine()).startsWith("GITHUB_API_URL=http://127.0.0.1");
      assertThat(out.lines().limit(2)).anyMatch(line -> line.contains("/octo/lib"));
      sim.destroy();
      assertThat(sim.waitFor(1, TimeUnit.MINUTES)).isTrue();
      assertThat(sim.exitValue()).isEqualTo(143);
    } finally {
      sim.destroyForcibly();
    }
  }

  @Test
  void helpNamesBothUses() throws IOException, InterruptedException {
    Process help = start("--help");
    String said = new String(help.getInputStream().readAllBytes());
    assertThat(help.waitFor()).isZero();
    assertThat(said).contains("baton-demo [--stay]").contains("baton-demo sim");
  }

  @Test
  void anUnknownOptionIsRefused() throws IOException, InterruptedException {
    assertThat(start("--sty").waitFor()).isEqualTo(2);
  }
}
