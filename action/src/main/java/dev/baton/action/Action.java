package dev.baton.action;

import dev.baton.core.BadSetting;
import dev.baton.core.DocumentException;
import dev.baton.queue.QueueException;
import dev.baton.queue.github.GitHubException;
import dev.baton.vm.VmException;
import java.io.IOException;

/** One phase of a step, from its environment to its exit code. */
final class Action {

  /** What a program that was told to stop by SIGINT ends with. */
  static final int CANCELLED = 130;

  private Action() {}

  static int run(Phase phase, Runner runner) {
    if (VmSteps.isMeant(runner)) {
      return runVm(phase, runner);
    }
    String init = "baton init";
    try {
      Inputs inputs = Inputs.read(runner);
      init = inputs.place().command("init", "");
      runner.console().mask(inputs.token());
      if (phase == Phase.MAIN) {
        return new MainPhase(runner, inputs).run();
      }
      new PostPhase(runner, inputs).run();
      return 0;
    } catch (InterruptedException e) {
      runner.console().say("Cancelled: the place in line is given up.");
      return CANCELLED;
    } catch (QueueException.NotInitialised e) {
      return failed(
          phase,
          runner,
          "There is no such queue",
          e.getMessage()
              + ", once, by a step with `command: init` or by `"
              + init
              + "`. If it was there before, put its branch back instead");
    } catch (QueueException e) {
      return failed(phase, runner, title(e), e.getMessage());
    } catch (DocumentException e) {
      return failed(phase, runner, "The queue cannot be read", e.getMessage());
    } catch (BadSetting e) {
      return failed(phase, runner, "Wrong input", e.getMessage() + ". " + e.next());
    } catch (IllegalArgumentException e) {
      return failed(phase, runner, "Wrong input", e.getMessage());
    } catch (IOException e) {
      return failed(phase, runner, "The runner's files cannot be written", e.getMessage());
    }
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
    } catch (VmException e) {
      return failed(phase, runner, "The VM cannot be had", e.getMessage());
    } catch (BadSetting e) {
      return failed(phase, runner, "Wrong input", e.getMessage() + ". " + e.next());
    } catch (IllegalArgumentException e) {
      return failed(phase, runner, "Wrong input", e.getMessage());
    } catch (IOException e) {
      return failed(phase, runner, "The runner's files cannot be written", e.getMessage());
    }
  }

  private static String title(QueueException e) {
    Throwable cause = e.getCause();
    if (cause instanceof GitHubException.MissingPermission missing) {
      return "Baton needs " + missing.permission();
    } else if (cause instanceof GitHubException.BadToken) {
      return "Baton needs a token";
    } else if (cause instanceof GitHubException) {
      return "GitHub refuses";
    }
    return "The queue cannot be used";
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
