package dev.baton.action;

import dev.baton.client.problem.Advice;
import dev.baton.client.problem.Vocabulary;
import dev.baton.client.settings.Setting;
import dev.baton.core.DocumentException;
import dev.baton.core.Problem;
import dev.baton.core.Problem.Kind;
import dev.baton.queue.QueueException;
import dev.baton.queue.github.GitHubException;
import dev.baton.store.StoreException;
import dev.baton.vm.VmException;
import java.io.IOException;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** One phase of a step, from its environment to its exit code. */
final class Action {

  /** What a program that was told to stop by SIGINT ends with. */
  static final int CANCELLED = 130;

  private static final String UNWRITABLE = "The runner's files cannot be written";

  private Action() {}

  static int run(Phase phase, Runner runner) {
    if (VmSteps.isMeant(runner)) {
      return runVm(phase, runner);
    }
    Vocabulary words = new Words(command -> "baton " + command);
    try {
      Inputs inputs = Inputs.read(runner);
      words = words(inputs);
      runner.console().mask(inputs.token());
      inputs.wakeToken().ifPresent(runner.console()::mask);
      if (phase == Phase.MAIN) {
        return new MainPhase(runner, inputs).run();
      }
      new PostPhase(runner, inputs).run();
      return 0;
    } catch (InterruptedException e) {
      runner.console().say("Cancelled: the place in line is given up.");
      return CANCELLED;
    } catch (QueueException | StoreException | DocumentException | IllegalArgumentException e) {
      return failed(phase, runner, "The queue cannot be used", e, words);
    } catch (IOException e) {
      return failed(phase, runner, UNWRITABLE, e.getMessage());
    }
  }

  /** What advice about the queue of a step is put in. */
  static Vocabulary words(Inputs inputs) {
    return new Words(command -> inputs.place().command(command, ""));
  }

  private static int runVm(Phase phase, Runner runner) {
    try {
      VmSteps steps = new VmSteps(runner, VmInputs.read(runner));
      if (phase == Phase.MAIN) {
        return steps.main();
      }
      steps.post();
      return 0;
    } catch (InterruptedException e) {
      runner.console().say("Cancelled: the end of the job takes the VM down.");
      return CANCELLED;
    } catch (VmException | IllegalArgumentException e) {
      Words words = new Words(command -> "baton vm status");
      return failed(phase, runner, "The VM is not available", e, words);
    } catch (IOException e) {
      return failed(phase, runner, UNWRITABLE, e.getMessage());
    }
  }

  private static int failed(
      Phase phase, Runner runner, String usual, Exception e, Vocabulary words) {
    Problem problem = Advice.on(e, words);
    return failed(phase, runner, title(problem.kind(), e).orElse(usual), problem.text());
  }

  /** What an annotation is called, where the kind of a problem says more than where it came up. */
  private static Optional<String> title(Kind kind, Exception e) {
    return switch (kind) {
      case USAGE -> Optional.of("Wrong input");
      case NO_TOKEN -> Optional.of("Baton needs a token");
      case NO_PERMISSION ->
          Optional.of(
              e.getCause() instanceof GitHubException.MissingPermission missing
                  ? "Baton needs " + missing.permission()
                  : "Permission denied");
      case NOT_INITIALISED -> Optional.of("There is no such queue");
      default -> Optional.empty();
    };
  }

  /**
   * How somebody says it who edits a workflow.
   *
   * @param commands as they are typed elsewhere
   */
  private record Words(UnaryOperator<String> commands) implements Vocabulary {

    @Override
    public String command(String command) {
      return "`" + commands.apply(command) + "`";
    }

    @Override
    public String setting(Setting setting) {
      return "`" + setting.id() + "`";
    }

    @Override
    public String waitLonger() {
      return "Raise `wait-timeout`";
    }

    @Override
    public String again() {
      return "Re-run";
    }

    @Override
    public Optional<String> own(Kind kind) {
      return switch (kind) {
        case NOT_INITIALISED ->
            Optional.of(
                "Create it once, by a step with `command: init` or by "
                    + command("init")
                    + ". If it was there before, put its branch back instead.");
        // What is wrong with an input says enough.
        case USAGE -> Optional.of("");
        default -> Optional.empty();
      };
    }
  }

  /** The end of a job must not make a good build a failure: the end of the job frees the lock. */
  private static int failed(Phase phase, Runner runner, String title, String message) {
    if (phase == Phase.POST) {
      runner
          .console()
          .warning(
              title,
              VmSteps.isMeant(runner)
                  ? message
                  : message + " (the lock is freed when the job has ended)");
      return 0;
    }
    runner.console().error(title, message);
    return 1;
  }
}
