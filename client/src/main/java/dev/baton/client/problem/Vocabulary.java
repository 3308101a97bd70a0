package dev.baton.client.problem;

import dev.baton.client.settings.Setting;
import dev.baton.core.Problem;
import java.util.Optional;

/** How the users of a front end say what advice is about. Pure: safe for use by several threads. */
public interface Vocabulary {

  /** A command on the queue as it stands in a sentence, such as {@code `baton doctor`}. */
  String command(String command);

  /** A setting, such as {@code --store}. */
  String setting(Setting setting);

  /** How the time to wait is raised, as the start of a sentence. */
  default String waitLonger() {
    return "Wait longer";
  }

  /** How what needs the lock is started once more, as the start of a sentence. */
  default String again() {
    return "Run it again";
  }

  /** What this front end says instead of the usual advice, in whole sentences. */
  default Optional<String> own(Problem.Kind kind) {
    return Optional.empty();
  }
}
