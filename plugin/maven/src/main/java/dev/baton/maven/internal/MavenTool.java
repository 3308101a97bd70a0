package dev.baton.maven.internal;

import dev.baton.plugin.bridge.BuildTool;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;

/** Maven, as the engine knows it. */
final class MavenTool implements BuildTool {

  /** Of what the engine says on the command line, what a goal is asked for with a property. */
  private static final Pattern OPTION = Pattern.compile(" --([a-z]+)(?: (\"[^\"]*\"|[^- ]\\S*))?");

  /** What a build does when a lock is lost. */
  interface OnLoss {
    void lost(String work, Duration leaseLeft);
  }

  private final Logger log;
  private final Map<String, String> environment;
  private final Function<String, Optional<String>> passwords;
  private final Runnable allowRemote;
  private final OnLoss onLoss;

  /**
   * @param passwords of servers in the settings, by their ids
   */
  MavenTool(
      Logger log,
      Map<String, String> environment,
      Function<String, Optional<String>> passwords,
      Runnable allowRemote,
      OnLoss onLoss) {
    this.log = log;
    this.environment = environment;
    this.passwords = passwords;
    this.allowRemote = allowRemote;
    this.onLoss = onLoss;
  }

  @Override
  public String agent() {
    return "baton-maven";
  }

  @Override
  public Map<String, String> environment() {
    return environment;
  }

  @Override
  public Optional<String> property(String name) {
    return passwords.apply(name);
  }

  @Override
  public void allowRemote() {
    allowRemote.run();
  }

  @Override
  public String command(String command) {
    if (!command.matches("(init|status|history|doctor|unlock)( --(ticket|reason|json).*)?")) {
      // There is no goal for the rest.
      return "baton " + command;
    }
    Matcher options = OPTION.matcher(command);
    StringBuffer goal = new StringBuffer();
    while (options.find()) {
      String value = options.group(2) == null ? "" : "=" + options.group(2);
      options.appendReplacement(
          goal, Matcher.quoteReplacement(" -D" + PomSettings.PREFIX + options.group(1) + value));
    }
    options.appendTail(goal);
    return "mvn baton:" + goal;
  }

  @Override
  public String setting(String label, String id) {
    return PomSettings.spelled(label, id);
  }

  @Override
  public String waitLonger() {
    return "Wait longer with -Dbaton.waitTimeout=2h or <waitTimeout>";
  }

  @Override
  public String addAdapter(String artifact) {
    return "Name jars that have it: <adapters>" + artifact + ":VERSION</adapters>.";
  }

  @Override
  public String leaveOffline(String label) {
    return "Leave out --offline, or use a store on this machine: "
        + setting(label, "store")
        + " file:DIR.";
  }

  @Override
  public void say(String line) {
    log.info(line);
  }

  @Override
  public void warn(String what, String next) {
    log.warn(Sentences.joined(what, next));
  }

  @Override
  public void fail(String what, String next) {
    log.error(Sentences.joined(what, next));
  }

  @Override
  public void lost(String work, String reason, Duration leaseLeft) {
    onLoss.lost(work, leaseLeft);
  }
}
