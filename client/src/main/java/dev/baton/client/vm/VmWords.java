package dev.baton.client.vm;

import dev.baton.core.Problem;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** How the users of a front end run an operation on a VM. */
@FunctionalInterface
public interface VmWords {

  /** Operations as the library names them in its advice: in backticks, without a front end. */
  Pattern OPERATION =
      Pattern.compile(
          "`(deploy|suspend|resume|stop|start|resize|attach|detach|destroy|abandon|status|history"
              + "|sweep|ssh|exec|image list|image add)`");

  /**
   * What is typed for that operation on this VM.
   *
   * @param operation such as {@code deploy}
   */
  String command(String operation);

  /** Advice of the library in this front end's words. */
  default String spelled(String advice) {
    return OPERATION
        .matcher(advice)
        .replaceAll(m -> Matcher.quoteReplacement("`" + command(m.group(1)) + "`"));
  }

  /** The same of what is to be done about a problem. */
  default Problem spelled(Problem problem) {
    return new Problem(problem.kind(), spelled(problem.what()), spelled(problem.next()));
  }
}
