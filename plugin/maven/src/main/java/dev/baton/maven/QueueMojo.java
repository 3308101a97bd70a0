package dev.baton.maven;

import dev.baton.maven.internal.BadConfiguration;
import dev.baton.maven.internal.Engines;
import dev.baton.maven.internal.MavenParts;
import dev.baton.maven.internal.ProjectSettings;
import dev.baton.maven.internal.Sentences;
import dev.baton.plugin.bridge.Engine;
import dev.baton.plugin.bridge.EngineFailure;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import javax.inject.Inject;
import org.apache.maven.execution.MavenSession;
import org.apache.maven.plugin.AbstractMojo;
import org.apache.maven.plugin.MojoExecution;
import org.apache.maven.plugin.MojoExecutionException;
import org.apache.maven.plugin.MojoFailureException;
import org.apache.maven.plugins.annotations.Parameter;
import org.codehaus.plexus.configuration.PlexusConfiguration;
import org.slf4j.LoggerFactory;

/**
 * A goal about a queue. Its settings are those of the guards, and are read as those are: the
 * parameters here are their documentation, and let Maven check their names.
 */
abstract class QueueMojo extends AbstractMojo {

  /** What is asked of a queue. */
  interface Question<T> {
    T ask(Engine engine, Map<String, String> queue) throws InterruptedException;
  }

  /**
   * Where the queue is: <code>file:DIR</code>, <code>github:OWNER/REPO</code> or that of an
   * adapter, with <code>#QUEUE</code> or without. A relative directory starts where <code>.mvn
   * </code> is. Default: <code>BATON_STORE</code>, else a directory of this user's own.
   */
  @Parameter(property = "baton.store")
  private String store;

  /**
   * The name of the queue. Default: what the store names, <code>BATON_QUEUE</code>, else <code>
   * build</code>.
   */
  @Parameter(property = "baton.queue")
  private String queue;

  /**
   * What holds a queue on GitHub: <code>git</code> or <code>issue</code>. Default: <code>BATON_MODE
   * </code>, else <code>git</code>.
   */
  @Parameter(property = "baton.mode")
  private String mode;

  /** The number of the issue in the mode <code>issue</code>. Default: <code>BATON_ISSUE</code>. */
  @Parameter(property = "baton.issue")
  private String issue;

  /**
   * The API of a GitHub of your own. Not taken from the command line. Default: <code>BATON_API
   * </code>, <code>GITHUB_API_URL</code>, else the public one.
   */
  @Parameter private String api;

  /**
   * A file with the token in it and nothing else. Not taken from the command line. Default: <code>
   * BATON_TOKEN_FILE</code>.
   */
  @Parameter private String tokenFile;

  /**
   * The name of the environment variable that has the token. Not taken from the command line.
   * Without any of the three: <code>BATON_TOKEN</code>, <code>GITHUB_TOKEN</code>, <code>GH_TOKEN
   * </code>.
   */
  @Parameter private String tokenVariable;

  /**
   * The id of the server in <code>settings.xml</code> whose password is the token. Not taken from
   * the command line.
   */
  @Parameter private String tokenServer;

  /**
   * Extra CA certificates (PEM) to trust. Not taken from the command line. Default: <code>
   * BATON_CA_FILE</code>.
   */
  @Parameter private String caFile;

  /**
   * What is built, for those who look at the queue; estimates are made from builds of the same
   * title. Default: the branch, else the artifactId of the first project.
   */
  @Parameter(property = "baton.title")
  private String title;

  /** Higher goes first. Default: 0. */
  @Parameter(property = "baton.priority")
  private String priority;

  /**
   * How long to wait for the turn, such as <code>90s</code>, <code>20m</code> or <code>1h30m</code>
   * . Default: as long as it takes.
   */
  @Parameter(property = "baton.waitTimeout")
  private String waitTimeout;

  /**
   * What to do when the turn did not come in time: <code>fail</code>, or <code>proceed</code>
   * without the lock, after a warning. Default: <code>fail</code>.
   */
  @Parameter(property = "baton.onTimeout")
  private String onTimeout;

  /**
   * Whether a guard that names nothing in this build is an error rather than a warning. Default:
   * <code>false</code>.
   */
  @Parameter(property = "baton.strict")
  private String strict;

  /**
   * Further queues, each a <code>queue</code> with a <code>name</code> and any of the settings
   * above. What it does not say it takes from those; its <code>queue</code> is its own name.
   */
  @Parameter private PlexusConfiguration queues;

  /**
   * What waits for its turn, each a <code>guard</code> with <code>goals</code> such as <code>
   * deploy:deploy</code>, <code>phases</code> or <code>executions</code> (their ids), and with
   * <code>queues</code> where it is not the queue above. Default: <code>deploy:deploy</code>,
   * <code>central-publishing:publish</code> and what publishes of <code>nexus-staging</code>.
   */
  @Parameter private PlexusConfiguration guards;

  /**
   * Adapters for other stores, each <code>GROUP:ARTIFACT:VERSION</code>: they replace those that
   * Baton would fetch. Their jars are fetched when a queue needs them.
   */
  @Parameter private PlexusConfiguration adapters;

  /** Which of <code>queues</code> is meant. Default: the queue above. */
  @Parameter(property = "baton.queueName")
  private String queueName;

  @Parameter(defaultValue = "${session}", readonly = true, required = true)
  private MavenSession session;

  @Parameter(defaultValue = "${mojoExecution}", readonly = true, required = true)
  private MojoExecution execution;

  @Inject private MavenParts parts;

  MavenSession session() {
    return session;
  }

  MojoExecution execution() {
    return execution;
  }

  MavenParts parts() {
    return parts;
  }

  /** Asks; what goes wrong is said in the words of a POM. */
  <T> T ask(Question<T> question) throws MojoExecutionException {
    try {
      Map<String, String> queue = ProjectSettings.queue(session, parts, execution, queueName);
      return question.ask(
          Engines.engine(session, parts, LoggerFactory.getLogger("dev.baton")), queue);
    } catch (BadConfiguration e) {
      throw new MojoExecutionException(Sentences.of(e));
    } catch (EngineFailure e) {
      getLog().debug(e);
      throw new MojoExecutionException(Sentences.of(e));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new MojoExecutionException("Baton: Interrupted.", e);
    }
  }

  /** Texts of several lines as Maven prints them, and what is for programs as it is. */
  void show(String text, boolean forPrograms) {
    if (forPrograms) {
      // Maven 4 puts words before what is written to System.out.
      PrintWriter out =
          new PrintWriter(
              new OutputStreamWriter(
                  new FileOutputStream(FileDescriptor.out), StandardCharsets.UTF_8));
      out.println(text);
      out.flush();
    } else {
      for (String line : text.split("\\R")) {
        getLog().info(line);
      }
    }
  }

  /**
   * @param property such as {@code ticket}
   */
  static long positive(String property, String text) throws MojoFailureException {
    if (text == null || !text.matches("[1-9]\\d{0,17}")) {
      throw new MojoFailureException(
          // Not the text: a token of another kind may have been given by mistake.
          Sentences.joined(
              "-Dbaton." + property + (text == null ? " is missing" : " is not a number"),
              "Give a number: -Dbaton." + property + "=12."));
    }
    return Long.parseLong(text);
  }
}
