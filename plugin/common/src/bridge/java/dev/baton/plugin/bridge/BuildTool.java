package dev.baton.plugin.bridge;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * The build tool that a plugin is for, in one build: what the engine asks of it and tells it, and
 * in which words its users speak. Called by any thread.
 */
public interface BuildTool {

  /** For the logs of servers, such as {@code baton-gradle}. */
  String agent();

  /** The environment of the build. */
  Map<String, String> environment();

  /** A property of the build, such as one that has a token; asked for when it is needed. */
  Optional<String> property(String name);

  /** Called before anything over the network is used: what it takes is most of the engine. */
  void allowRemote();

  // ---- words

  /**
   * How a command on the queue is given, such as {@code gradle batonStatus}.
   *
   * @param command as on the command line, without {@code baton}: {@code status}, {@code init}
   */
  String command(String command);

  /**
   * How a build file spells a setting.
   *
   * @param label the block that it is in
   * @param id such as {@code token-file}
   */
  String setting(String label, String id);

  /** How the time to wait is raised, such as {@code Wait longer with baton.waitTimeout}. */
  String waitLonger();

  /**
   * What to do without the jars of an adapter, in whole sentences.
   *
   * @param artifact {@code GROUP:MODULE}
   */
  String addAdapter(String artifact);

  /** What to do where a queue over the network is meant and nothing may be reached. */
  String leaveOffline(String label);

  // ---- what is told while locks are taken and held

  void say(String line);

  /**
   * @param what without a full stop
   * @param next empty, or whole sentences
   */
  void warn(String what, String next);

  /** The same of something that makes the build fail. */
  void fail(String what, String next);

  /**
   * A lock of this work is lost, and the work is being stopped.
   *
   * @param leaseLeft in what time it must have ended
   */
  default void lost(String work, String reason, Duration leaseLeft) {}

  /** Who has the lock that this work has lost; some time after that, if ever. */
  default void whoHasIt(String work, String who) {}
}
