package dev.baton.client.vm;

import dev.baton.core.Durations;
import dev.baton.vm.Operation;
import dev.baton.vm.Progress;
import dev.baton.vm.VmName;
import java.time.Duration;
import java.util.Locale;
import java.util.Objects;
import java.util.function.Consumer;

/** How an operation goes, in lines: one for each step that is done, and what people should know. */
public class StepLines implements Progress {

  private static final Duration SHORT = Duration.ofSeconds(10);

  private final Consumer<String> say;
  private boolean begun;

  /**
   * @param say told each line
   */
  public StepLines(Consumer<String> say) {
    this.say = Objects.requireNonNull(say, "say");
  }

  @Override
  public synchronized void started(Step step) {
    begun = true;
  }

  @Override
  public synchronized void finished(Step step, String result, Duration took) {
    say.accept(label(step) + ": " + result + " (" + took(took) + ")");
  }

  @Override
  public synchronized void note(String text) {
    say.accept(text);
  }

  /** Such as {@code [2/5] subnet}. */
  public static String label(Step step) {
    return String.format(Locale.ROOT, "[%d/%d] %s", step.number(), step.of(), step.name());
  }

  /** Most steps are short, so tenths of a second count. */
  static String took(Duration time) {
    return time.compareTo(SHORT) < 0
        ? String.format(Locale.ROOT, "%.1f s", time.toMillis() / 1000.0)
        : Durations.shown(time);
  }

  /** What somebody who stops an operation should know: what it leaves, and what goes on with it. */
  public synchronized String stopped(VmName name, Operation operation, VmWords words) {
    if (!begun) {
      return "Stopped before the first step: nothing was created, changed or deleted.";
    }
    String again = "`" + words.command(operation.word()) + "`";
    return switch (operation) {
      case DEPLOY ->
          "Stopped. VM "
              + name
              + " keeps what was created so far. Go on with "
              + again
              + ", or delete it with `"
              + words.command("destroy")
              + "`.";
      case SUSPEND, RESUME, STOP, START ->
          "Stopped. `"
              + words.command("status")
              + "` shows whether VM "
              + name
              + " runs. Run "
              + again
              + " again to finish.";
      case RESIZE ->
          "Stopped. VM "
              + name
              + " has its old or its new size, and may be off. Go on with "
              + again
              + ", or go back with `"
              + words.command("abandon")
              + "`.";
      case DESTROY ->
          "Stopped. VM " + name + " may be half deleted. Run " + again + " again to finish.";
      default -> "Stopped. Run " + again + " again to finish.";
    };
  }
}
