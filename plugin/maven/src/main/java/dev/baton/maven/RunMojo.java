package dev.baton.maven;

import dev.baton.maven.internal.GuardedBuild;
import dev.baton.maven.internal.Sentences;
import java.io.File;
import java.io.IOException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.maven.MavenExecutionException;
import org.apache.maven.execution.MojoExecutionEvent;
import org.apache.maven.plugin.MojoExecutionException;
import org.apache.maven.plugin.MojoFailureException;
import org.apache.maven.plugins.annotations.Mojo;
import org.apache.maven.plugins.annotations.Parameter;
import org.slf4j.LoggerFactory;

/** Runs a command under the lock, and ends it when the lock is lost. */
@Mojo(name = "run", requiresProject = false, threadSafe = true)
public final class RunMojo extends QueueMojo {

  /** What the shell of the system runs. */
  @Parameter(property = "baton.command")
  private String command;

  /** Where it runs. Default: the directory of the project. */
  @Parameter(property = "baton.workingDirectory", defaultValue = "${basedir}")
  private File workingDirectory;

  /**
   * What it finds in its environment beside that of Maven. <code>BATON_FENCING_TOKEN</code>, <code>
   * BATON_TICKET</code>, <code>BATON_STORE</code>, <code>BATON_QUEUE</code> and <code>BATON_LOCKS
   * </code> are added.
   */
  @Parameter private Map<String, String> environmentVariables;

  @Override
  public void execute() throws MojoExecutionException, MojoFailureException {
    if (command == null || command.trim().isEmpty()) {
      throw new MojoFailureException(
          Sentences.joined(
              "there is no command to run", "Give one: -Dbaton.command=\"./deploy.sh\"."));
    }
    if (BatonExtension.isActive(session())) {
      run();
      return;
    }
    try {
      GuardedBuild own = new GuardedBuild(session(), parts(), LoggerFactory.getLogger("dev.baton"));
      try {
        run(own);
      } finally {
        own.close();
      }
    } catch (MavenExecutionException e) {
      throw new MojoExecutionException(e.getMessage(), e);
    }
  }

  /** Without the extension, which would do this. */
  private void run(GuardedBuild own) throws MojoExecutionException, MojoFailureException {
    MojoExecutionEvent event =
        new MojoExecutionEvent(session(), session().getCurrentProject(), execution(), this);
    own.before(event);
    boolean ran = false;
    try {
      run();
      ran = true;
    } finally {
      if (!ran) {
        own.failed(event);
      }
    }
    own.after(event);
  }

  private void run() throws MojoExecutionException, MojoFailureException {
    ProcessBuilder builder = new ProcessBuilder(shell()).inheritIO();
    if (workingDirectory != null) {
      builder.directory(workingDirectory);
    }
    builder
        .environment()
        .putAll(environmentVariables == null ? new LinkedHashMap<>() : environmentVariables);
    Process process;
    try {
      process = builder.start();
    } catch (IOException e) {
      throw new MojoExecutionException("Baton: The shell cannot be started.", e);
    }
    int code;
    try {
      code = process.waitFor();
    } catch (InterruptedException e) {
      process.destroy();
      Thread.currentThread().interrupt();
      throw new MojoExecutionException("Baton: The command was stopped.", e);
    }
    if (code != 0) {
      throw new MojoFailureException(
          Sentences.joined("the command ended with code " + code, "Its output says why."));
    }
  }

  private List<String> shell() {
    return File.separatorChar == '\\'
        ? Arrays.asList("cmd", "/c", command)
        : Arrays.asList("/bin/sh", "-c", command);
  }
}
