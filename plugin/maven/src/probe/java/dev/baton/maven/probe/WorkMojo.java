package dev.baton.maven.probe;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.TreeMap;
import javax.inject.Inject;
import org.apache.maven.plugin.AbstractMojo;
import org.apache.maven.plugin.MojoExecutionException;
import org.apache.maven.plugin.MojoFailureException;
import org.apache.maven.plugins.annotations.LifecyclePhase;
import org.apache.maven.plugins.annotations.Mojo;
import org.apache.maven.plugins.annotations.Parameter;
import org.apache.maven.project.MavenProject;

/** Work that can be watched, and that behaves as it is told. */
@Mojo(name = "work", defaultPhase = LifecyclePhase.COMPILE, threadSafe = true)
public final class WorkMojo extends AbstractMojo {

  /** Gets a line when the work begins and when it ends. */
  @Parameter(property = "probe.witness")
  private File witness;

  /** The work lasts until this file is there. */
  @Parameter(property = "probe.until")
  private File until;

  /** <code>fail</code>, or <code>stubborn</code>: does not let itself be interrupted. */
  @Parameter(property = "probe.mode", defaultValue = "")
  private String mode;

  /** A command that it starts and waits for. */
  @Parameter(property = "probe.command")
  private String command;

  @Parameter private Map<String, String> environmentVariables;

  /** A class that must be the one of this plugin's own dependencies. */
  @Parameter private String stranger;

  @Parameter(defaultValue = "${project}", readonly = true)
  private MavenProject project;

  @Inject private ProbeComponent component;

  @Override
  public void execute() throws MojoExecutionException, MojoFailureException {
    try {
      write("begin");
      work();
      write("end");
      getLog().info(component.name() + " worked in " + project.getArtifactId());
    } catch (InterruptedException e) {
      write("interrupted");
      throw new MojoExecutionException("stopped halfway", e);
    } catch (IOException e) {
      throw new MojoExecutionException("cannot work", e);
    }
  }

  private void work() throws InterruptedException, IOException, MojoFailureException {
    if (stranger != null && !stranger.isEmpty()) {
      show();
    }
    if (command != null && !command.isEmpty()) {
      ProcessBuilder builder = new ProcessBuilder("/bin/sh", "-c", command).inheritIO();
      builder.environment().putAll(environment());
      int code = builder.start().waitFor();
      if (code != 0) {
        throw new MojoFailureException("the command ended with code " + code);
      }
    }
    while (until != null && !until.exists()) {
      try {
        Thread.sleep(20);
      } catch (InterruptedException e) {
        if (!"stubborn".equals(mode)) {
          throw e;
        }
      }
    }
    if ("fail".equals(mode)) {
      throw new MojoFailureException("failed on purpose");
    }
  }

  private void show() {
    try {
      Class<?> type = Class.forName(stranger);
      getLog().info(stranger + " of " + type.getProtectionDomain().getCodeSource().getLocation());
    } catch (ClassNotFoundException e) {
      getLog().info("no " + stranger);
    }
  }

  private Map<String, String> environment() {
    return environmentVariables == null ? new TreeMap<>() : environmentVariables;
  }

  private void write(String what) throws MojoExecutionException {
    if (witness == null) {
      return;
    }
    String token = project.getProperties().getProperty("baton.fencingToken", "none");
    String line =
        what + " " + project.getArtifactId() + " " + token + " " + environment().keySet() + "\n";
    try {
      Path file = witness.toPath();
      Files.write(
          file,
          line.getBytes(StandardCharsets.UTF_8),
          StandardOpenOption.CREATE,
          StandardOpenOption.APPEND);
    } catch (IOException e) {
      throw new MojoExecutionException("cannot write", e);
    }
  }
}
