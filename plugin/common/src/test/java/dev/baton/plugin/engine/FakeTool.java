package dev.baton.plugin.engine;

import dev.baton.plugin.bridge.BuildTool;
import dev.baton.plugin.bridge.QueueTexts;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

/** A build tool that keeps what it is told. */
final class FakeTool implements BuildTool {

  private final Map<String, String> environment = new HashMap<>();
  private final Map<String, String> properties = new HashMap<>();
  private final List<String> said = new CopyOnWriteArrayList<>();
  private int remote;

  /** What a build file in this directory says about a queue. */
  static Map<String, String> queue(Path directory, String... more) {
    Map<String, String> texts = new HashMap<>();
    texts.put(QueueTexts.LABEL, "baton");
    texts.put(QueueTexts.DIRECTORY, directory.toString());
    for (int i = 0; i < more.length; i += 2) {
      texts.put(more[i], more[i + 1]);
    }
    return texts;
  }

  FakeTool set(String variable, String value) {
    environment.put(variable, value);
    return this;
  }

  FakeTool setProperty(String name, String value) {
    properties.put(name, value);
    return this;
  }

  /** Every line, with the word for its weight before it. */
  List<String> said() {
    return said;
  }

  /** How often the network was about to be used. */
  int remote() {
    return remote;
  }

  @Override
  public String agent() {
    return "test";
  }

  @Override
  public Map<String, String> environment() {
    return environment;
  }

  @Override
  public Optional<String> property(String name) {
    return Optional.ofNullable(properties.get(name));
  }

  @Override
  public void allowRemote() {
    remote++;
  }

  @Override
  public String command(String command) {
    return "tool " + command;
  }

  @Override
  public String setting(String label, String id) {
    return label + "." + id;
  }

  @Override
  public String waitLonger() {
    return "Wait longer";
  }

  @Override
  public String addAdapter(String artifact) {
    return "Add " + artifact + ".";
  }

  @Override
  public String leaveOffline(String label) {
    return "Leave out --offline.";
  }

  @Override
  public void say(String line) {
    said.add(line);
  }

  @Override
  public void warn(String what, String next) {
    said.add("warning: " + what + ". " + next);
  }

  @Override
  public void fail(String what, String next) {
    said.add("error: " + what + ". " + next);
  }

  @Override
  public void lost(String work, String reason, Duration leaseLeft) {
    said.add("lost: " + work + ": " + reason);
  }

  @Override
  public void whoHasIt(String work, String who) {
    said.add("who: " + work + ": " + who);
  }
}
