package dev.baton.plugin.engine;

import dev.baton.client.doctor.Diagnosis;
import dev.baton.client.doctor.Doctor;
import dev.baton.client.doctor.Finding;
import dev.baton.client.doctor.Finding.Check;
import dev.baton.client.identity.Who;
import dev.baton.client.queue.UnlockPlan;
import dev.baton.client.report.QueueHistory;
import dev.baton.client.report.QueueStatus;
import dev.baton.client.report.TextStyle;
import dev.baton.client.text.JsonOutput;
import dev.baton.client.text.LogText;
import dev.baton.core.Problem;
import dev.baton.core.Problem.Kind;
import dev.baton.plugin.bridge.BuildTool;
import dev.baton.plugin.bridge.Engine;
import dev.baton.plugin.bridge.EngineFailure;
import dev.baton.plugin.bridge.GuardLocks;
import dev.baton.queue.Answer;
import dev.baton.queue.HistoryEntry;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.Slot;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/** Queues behind the bridge. */
public final class ClientEngine implements Engine {

  private final BuildTool tool;

  public ClientEngine(BuildTool tool) {
    this.tool = tool;
  }

  private ToolQueue queue(Map<String, String> texts) {
    return new ToolQueue(tool, texts);
  }

  @Override
  public void prepare() {
    ClassLoader before = OwnLoader.enter();
    try {
      Rehearsal.of(tool);
    } finally {
      OwnLoader.leave(before);
    }
  }

  @Override
  public GuardLocks locks(
      Map<String, List<Map<String, String>>> known, Collection<Map<String, String>> created) {
    return new ToolLocks(tool, known, created);
  }

  /**
   * For a log, with what others wrote. JSON is not changed by this, {@link JsonOutput} sees to it.
   */
  private static String text(ToolQueue queue, ToolQueue.Work<String> work)
      throws InterruptedException {
    return LogText.of(queue.with(work));
  }

  @Override
  public String create(Map<String, String> queue) throws InterruptedException {
    return text(queue(queue), (open, meant) -> ToolQueue.create(open));
  }

  @Override
  public String status(Map<String, String> queue, boolean json) throws InterruptedException {
    return text(
        queue(queue),
        (open, meant) -> {
          QueueStatus status = QueueStatus.of(open, open.quick().status(), Instant.now());
          return json ? JsonOutput.text(status.json()) : status.text(TextStyle.PLAIN);
        });
  }

  @Override
  public String history(Map<String, String> queue, int limit, boolean json)
      throws InterruptedException {
    return text(
        queue(queue),
        (open, meant) -> {
          QueueHistory history = QueueHistory.of(open.quick().status(), limit);
          return json ? JsonOutput.text(history.json()) : history.text(TextStyle.PLAIN);
        });
  }

  @Override
  public Report doctor(Map<String, String> queue, boolean json) throws InterruptedException {
    ToolQueue examined = queue(queue);
    Diagnosis diagnosis;
    try {
      diagnosis =
          examined.with(
              (open, meant) -> new Doctor(open, Instant.now(), examined.words()).examine());
    } catch (EngineFailure e) {
      diagnosis = new Diagnosis(List.of(Finding.problem(Check.STORE, e.getMessage(), e.next())));
    }
    return new Report(
        json ? JsonOutput.text(diagnosis.json()) : LogText.of(diagnosis.text(TextStyle.PLAIN)),
        diagnosis.isHealthy());
  }

  @Override
  public String unlock(
      Map<String, String> queue, long ticket, long token, String reason, boolean now)
      throws InterruptedException {
    String look = "`" + tool.command("status") + "` shows who has the lock.";
    return text(
        queue(queue),
        (open, meant) -> {
          QueueDocument d = open.quick().status();
          long held = token == 0 ? d.slotOf(ticket).map(Slot::token).orElse(0L) : token;
          UnlockPlan plan = UnlockPlan.of(d, open.runStatus(), ticket, held, now);
          if (plan instanceof UnlockPlan.NotHolder) {
            throw refused(plan.what(), look);
          }
          if (plan instanceof UnlockPlan.Beside beside && !now) {
            throw refused(
                "nothing was changed: " + beside.what(),
                "To do: "
                    + beside.remedy()
                    + ". To let them run side by side: `"
                    + tool.command("unlock --ticket " + ticket + " --reason \"…\" --now")
                    + "`.");
          }
          if (reason.codePointCount(0, reason.length()) > HistoryEntry.MAX_NOTE) {
            throw refused(
                "the reason is longer than " + HistoryEntry.MAX_NOTE + " characters",
                "Shorten it.");
          }
          Answer answer =
              open.quick()
                  .forceUnlock(
                      ticket,
                      held,
                      new Who(meant.host()).person(),
                      Who.line(reason, HistoryEntry.MAX_NOTE),
                      now);
          if (answer instanceof Answer.Refused refused) {
            throw refused(refused.problem().what(), look);
          }
          return plan.taken(open.quick()::status);
        });
  }

  private static EngineFailure refused(String what, String next) {
    return Problems.of(new Problem(Kind.REFUSED, what, next));
  }
}
