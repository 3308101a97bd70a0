package dev.baton.gradle;

import java.time.Duration;
import org.gradle.api.file.RegularFileProperty;
import org.gradle.api.provider.Property;

/**
 * Which queue is meant, how it is reached, and how a build stands in line. What is not set in the
 * build file is taken from the environment, as {@code baton} on the command line takes it.
 */
public interface BatonSettings {

  /**
   * {@code file:DIR}, {@code github:OWNER/REPO} or the address of a store that an adapter brings,
   * each with {@code #QUEUE} or without. A relative directory starts at the root of the build. An
   * adapter is in the jars of the configuration {@code batonExtensions}; {@code docs/adapters.md}
   * lists those of this version. Default: {@code BATON_STORE}, else a directory of this user's own.
   */
  Property<String> getStore();

  /** The name of the queue. Default: what the store names, {@code BATON_QUEUE}, else "build". */
  Property<String> getQueue();

  /** What holds a queue on GitHub: "git" or "issue". Default: {@code BATON_MODE}, else "git". */
  Property<String> getMode();

  /** The issue that holds a queue in mode "issue". Default: {@code BATON_ISSUE}. */
  Property<Integer> getIssue();

  /**
   * The address of GitHub's API. Default: {@code BATON_API}, {@code GITHUB_API_URL}, else the
   * public one.
   */
  Property<String> getApi();

  /**
   * A file with the token for GitHub in it and nothing else, read when it is needed. Default:
   * {@code BATON_TOKEN_FILE}, else the token is in {@code BATON_TOKEN}, {@code GITHUB_TOKEN} or
   * {@code GH_TOKEN}.
   */
  RegularFileProperty getTokenFile();

  /** The name of another environment variable that has the token. No default. */
  Property<String> getTokenVariable();

  /**
   * The name of a Gradle property that has the token, such as one in the {@code gradle.properties}
   * of the Gradle user home. No default.
   */
  Property<String> getTokenProperty();

  /** Extra CA certificates (PEM) to trust. Default: {@code BATON_CA_FILE}. */
  RegularFileProperty getCaFile();

  /** What is built, for those who look at the queue. Default: the branch, else the build's name. */
  Property<String> getTitle();

  /** Higher goes first. Default: 0. */
  Property<Integer> getPriority();

  /**
   * How long to wait for the turn. The Gradle property {@code batonWaitTimeout}, such as 90m, is
   * stronger. Default: as long as it takes.
   */
  Property<Duration> getWaitTimeout();

  /** The same as text: 90s, 20m, 1h30m or 2d. */
  void waitTimeout(String text);

  /**
   * What then. The Gradle property {@code batonOnTimeout} (fail or proceed) is stronger. Default:
   * {@link OnTimeout#FAIL}.
   */
  Property<OnTimeout> getOnTimeout();
}
