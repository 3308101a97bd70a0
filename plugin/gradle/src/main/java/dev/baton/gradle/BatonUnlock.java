package dev.baton.gradle;

import dev.baton.gradle.internal.OptionText;
import org.gradle.api.provider.Property;
import org.gradle.api.tasks.Internal;
import org.gradle.api.tasks.TaskAction;
import org.gradle.api.tasks.options.Option;
import org.gradle.work.DisableCachingByDefault;

/**
 * Takes the lock away from its holder. A holder with a heartbeat stops, and the next one gets the
 * lock when the old lease is surely over. A workflow job does not stop: while it runs, or may, this
 * needs {@code --now}.
 */
@DisableCachingByDefault(because = "the queue changes by itself")
public abstract class BatonUnlock extends BatonTask {

  @Internal
  @Option(option = "ticket", description = "Whose lock, as batonStatus says.")
  public abstract Property<String> getTicket();

  @Internal
  @Option(option = "token", description = "With which fencing token; default: the one it has now.")
  public abstract Property<String> getFencingToken();

  @Internal
  @Option(option = "reason", description = "For the history and the holder.")
  public abstract Property<String> getReason();

  @Internal
  @Option(
      option = "now",
      description =
          "Do not wait for the lease or the workflow job: the old build may still run beside the"
              + " next one.")
  public abstract Property<Boolean> getNow();

  @TaskAction
  void unlock() {
    long ticket =
        OptionText.positive("--ticket", OptionText.needed("--ticket", getTicket().getOrNull()));
    String reason = OptionText.needed("--reason", getReason().getOrNull());
    long token =
        getFencingToken().isPresent() ? OptionText.positive("--token", getFencingToken().get()) : 0;
    boolean now = getNow().getOrElse(false);
    getLogger()
        .lifecycle(
            access().ask((engine, address) -> engine.unlock(address, ticket, token, reason, now)));
  }
}
