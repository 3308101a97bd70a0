package dev.baton.maven;

import java.util.Comparator;
import org.apache.maven.plugin.descriptor.MojoDescriptor;
import org.apache.maven.plugins.annotations.Mojo;
import org.apache.maven.plugins.annotations.Parameter;

/** Lists the goals, and with <code>-Ddetail</code> their parameters. */
@Mojo(name = "help", requiresProject = false, aggregator = true, threadSafe = true)
public final class HelpMojo extends QueueMojo {

  /** Also the parameters. */
  @Parameter(property = "detail", defaultValue = "false")
  private boolean detail;

  /** The only goal that is meant. */
  @Parameter(property = "goal")
  private String goal;

  @Override
  public void execute() {
    StringBuilder text = new StringBuilder();
    execution().getMojoDescriptor().getPluginDescriptor().getMojos().stream()
        .filter(mojo -> goal == null || goal.equals(mojo.getGoal()))
        .sorted(Comparator.comparing(MojoDescriptor::getGoal))
        .forEach(mojo -> describe(mojo, text));
    show(text.toString(), false);
  }

  private void describe(MojoDescriptor mojo, StringBuilder text) {
    text.append("baton:").append(mojo.getGoal()).append('\n');
    text.append("  ").append(plain(mojo.getDescription())).append('\n');
    if (detail) {
      mojo.getParameters().stream()
          .filter(org.apache.maven.plugin.descriptor.Parameter::isEditable)
          .forEach(
              parameter -> {
                String given = parameter.getExpression();
                text.append("    ").append(parameter.getName());
                if (given != null && given.startsWith("${")) {
                  text.append(" (-D").append(given, 2, given.length() - 1).append(')');
                }
                text.append('\n');
                text.append("      ").append(plain(parameter.getDescription())).append('\n');
              });
    }
  }

  /** Descriptors have their texts in HTML. */
  private static String plain(String html) {
    return html == null
        ? ""
        : html.replaceAll("<[^>]*>", "")
            .replaceAll("\\s+", " ")
            .replace("&lt;", "<")
            .replace("&gt;", ">")
            .replace("&amp;", "&")
            .trim();
  }
}
