package dev.baton.plugin.engine;

import dev.baton.client.doctor.Wording;
import dev.baton.client.problem.Vocabulary;
import dev.baton.client.queue.Place;
import dev.baton.client.settings.Setting;
import dev.baton.core.Problem;
import dev.baton.plugin.bridge.BuildTool;
import dev.baton.queue.Ticket;

/**
 * How somebody says it who edits a build file.
 *
 * @param label what the build file calls the queue
 */
record ToolWords(BuildTool tool, String label) implements Vocabulary, Wording {

  @Override
  public String command(String command) {
    return "`" + tool.command(command) + "`";
  }

  @Override
  public String setting(Setting setting) {
    return tool.setting(label, setting.id());
  }

  @Override
  public String waitLonger() {
    return tool.waitLonger();
  }

  @Override
  public Problem explain(Exception failure) {
    return Problems.advised(failure, this);
  }

  @Override
  public String create(Place place) {
    return tool.command("init");
  }

  @Override
  public String repair() {
    return command("doctor --repair");
  }

  @Override
  public String unlock(Place place, Ticket holder) {
    return tool.command("unlock --ticket " + holder.number() + " --reason \"…\"");
  }
}
