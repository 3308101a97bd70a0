package dev.baton.action;

import dev.baton.client.identity.Who;
import dev.baton.client.problem.Advice;
import dev.baton.client.queue.Place;
import dev.baton.client.steering.CommentText;
import dev.baton.client.steering.GitHubEvent;
import dev.baton.client.steering.Steered;
import dev.baton.client.steering.Steering;
import dev.baton.client.steering.SteeringCommand;
import dev.baton.core.Checks;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.QueueException;
import dev.baton.queue.Ticket;
import dev.baton.queue.board.BoardButton;
import dev.baton.queue.board.BoardTick;
import dev.baton.queue.board.Discussion;
import dev.baton.queue.board.Discussion.Reaction;
import dev.baton.queue.board.Discussion.Remark;
import dev.baton.queue.board.Discussion.Role;
import dev.baton.store.StoreException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * What maintainers say in the issue that shows the queue: comments, and boxes that they tick.
 *
 * <ol>
 *   <li>The event that has started the workflow is read from its file. Most events ask for nothing,
 *       and end here without a request.
 *   <li>The issue must be the board of this queue.
 *   <li>GitHub is asked what the author of the comment, or the editor of the board, may do. Others
 *       get no answer and no reaction.
 *   <li>A comment is taken by a reaction, which GitHub gives to one of several deliveries as new;
 *       all others end here. So a command is carried out at most once. A tick needs no such thing:
 *       its box fits the queue no more once it is carried out.
 *   <li>The command is carried out in the name of its author, a reaction says how that went, and an
 *       answer is written where there is something to say.
 * </ol>
 *
 * The step fails only where it could not do that; a refused command is no failure of the step.
 */
final class IssueSteps {

  private static final int DONE = 0;
  private static final int ATTEMPTS = 4;
  private static final int PAINTINGS = 3;
  private static final Duration PAUSE = Duration.ofSeconds(2);
  private static final Duration LONGEST_PAUSE = Duration.ofMinutes(1);
  private static final String BY_A_BOX = "by a box on the board";

  private final Runner runner;
  private final Inputs inputs;
  private final Console console;
  private final StepQueue stepQueue;
  private final Role needed;

  IssueSteps(Runner runner, Inputs inputs, StepQueue stepQueue) {
    this.runner = Objects.requireNonNull(runner, "runner");
    this.inputs = Objects.requireNonNull(inputs, "inputs");
    this.console = runner.console();
    this.stepQueue = Objects.requireNonNull(stepQueue, "stepQueue");
    this.needed = needed(Inputs.input(runner, "comment-permission"));
  }

  /** Less than write would let anybody in who can see a public repository. */
  private static Role needed(String text) {
    return switch (text) {
      case "", "write" -> Role.WRITE;
      case "maintain" -> Role.MAINTAIN;
      case "admin" -> Role.ADMIN;
      default ->
          throw new IllegalArgumentException(
              "comment-permission must be one of write, maintain, admin: " + Checks.shown(text));
    };
  }

  int run() throws IOException, InterruptedException {
    if (!(inputs.place() instanceof Place.Repository)) {
      throw new IllegalArgumentException(
          "comment needs a queue that is kept in a repository: leave `store` out");
    }
    try {
      GitHubEvent event = GitHubEvent.read(runner.get("GITHUB_EVENT_NAME"), payload());
      if (event instanceof GitHubEvent.Comment comment) {
        return comment(comment);
      } else if (event instanceof GitHubEvent.Edit edit) {
        return edit(edit);
      }
      return nothing(((GitHubEvent.Other) event).why());
    } finally {
      stepQueue.close();
    }
  }

  private String payload() throws IOException {
    Path file = Path.of(runner.get("GITHUB_EVENT_PATH"));
    if (!Files.isRegularFile(file)) {
      throw new IllegalArgumentException(
          "GITHUB_EVENT_PATH names no file: run `command: comment` in a workflow that starts on"
              + " issue_comment or issues");
    }
    try (InputStream in = Files.newInputStream(file)) {
      // One byte more than is read as an event.
      return new String(in.readNBytes(GitHubEvent.MAX_LENGTH + 1), StandardCharsets.UTF_8);
    }
  }

  // ---- comments

  private int comment(GitHubEvent.Comment comment) throws IOException, InterruptedException {
    CommentText.Asked asked = CommentText.read(comment.body());
    if (asked instanceof CommentText.Nothing) {
      return nothing("the comment has no line that starts with /baton");
    }
    Optional<String> why =
        whyNot(
            comment.repository(),
            comment.issue(),
            comment.by(),
            stepQueue.queue().statusOrRepair());
    if (why.isPresent()) {
      return nothing(why.get());
    }
    Claim claim = claim(comment.id());
    if (claim == Claim.TAKEN) {
      return nothing("the comment was taken before, by this reaction of Baton's: 👀");
    }
    if (claim == Claim.DOUBTFUL) {
      answer(
          comment,
          new Steered.Refused(
              "GitHub's answer was lost, so it is not known whether this command was taken by"
                  + " another run. Look at the board, and if nothing came of it, comment again."));
      return DONE;
    }
    if (asked instanceof CommentText.Mistake mistake) {
      console.notice("Comment", "not understood: " + mistake.what());
      show(comment.id(), Reaction.REFUSED);
      reply(
          comment.issue(),
          new Remark(comment.by().login() + ": " + mistake.what() + ".", CommentText.HELP));
      return DONE;
    }
    answer(comment, carryOut(comment, ((CommentText.Command) asked).command()));
    return DONE;
  }

  private Steered carryOut(GitHubEvent.Comment comment, SteeringCommand command)
      throws QueueException, InterruptedException {
    try {
      return steering(comment.by()).carryOut(command);
    } catch (QueueException e) {
      show(comment.id(), Reaction.REFUSED);
      reply(
          comment.issue(),
          Remark.of(
              comment.by().login()
                  + ": it is not known whether that was done. Look at the board. "
                  + Advice.on(e, Action.words(inputs)).text()));
      throw e;
    }
  }

  private void answer(GitHubEvent.Comment comment, Steered steered) throws InterruptedException {
    console.notice(
        steered.isRefused() ? "Refused" : "Done",
        "for " + comment.by().login() + ": " + steered.text());
    show(comment.id(), steered.isRefused() ? Reaction.REFUSED : Reaction.DONE);
    remark(comment.by(), steered).ifPresent(remark -> reply(comment.issue(), remark));
  }

  /** What is done needs no words: the board shows it. */
  private static Optional<Remark> remark(GitHubEvent.Actor to, Steered steered) {
    String text = to.login() + ": " + steered.text();
    if (steered instanceof Steered.Told told) {
      return Optional.of(new Remark(told.text(), told.code()));
    } else if (steered instanceof Steered.HeldByOthers others) {
      return Optional.of(
          new Remark(
              text,
              others.holders().stream()
                  .map(s -> "/baton unlock " + s.ticket() + " " + s.token() + " REASON")
                  .collect(Collectors.joining("\n"))));
    }
    return steered.isRefused() ? Optional.of(Remark.of(text)) : Optional.empty();
  }

  private enum Claim {
    OURS,
    TAKEN,
    DOUBTFUL
  }

  /** One of several deliveries is told that its reaction is new. */
  private Claim claim(long comment) throws StoreException, InterruptedException {
    boolean doubtful = false;
    for (int attempt = 1; ; attempt++) {
      try {
        if (discussion().react(comment, Reaction.SEEN)) {
          return Claim.OURS;
        }
        return doubtful ? Claim.DOUBTFUL : Claim.TAKEN;
      } catch (StoreException e) {
        // What failed without an answer may have been done all the same.
        doubtful = doubtful || e.retryAfter().isEmpty() || e.isOutage();
        pauseAfter(e, attempt);
      }
    }
  }

  // ---- boxes

  private int edit(GitHubEvent.Edit edit) throws IOException, InterruptedException {
    Optional<List<BoardTick>> ticks = discussion().ticks(edit.before(), edit.after());
    if (ticks.isEmpty() || ticks.get().isEmpty()) {
      return nothing("the edit has ticked no box of the board");
    }
    BoardTick tick = ticks.get().get(0);
    QueueDocument d = stepQueue.statusSince(tick.version());
    Optional<String> why = whyNot(edit.repository(), edit.issue(), edit.by(), d);
    if (why.isPresent()) {
      return nothing(why.get());
    }
    Optional<BoardButton> button =
        ticks.get().size() > 1 ? Optional.empty() : discussion().button(tick, d);
    if (button.isEmpty()) {
      console.notice("Board", "the box does not fit the queue as it is now: nothing was changed");
    } else {
      press(edit, button.get());
    }
    paintBack();
    return DONE;
  }

  private void press(GitHubEvent.Edit edit, BoardButton button)
      throws QueueException, InterruptedException {
    Steered steered = steering(edit.by()).carryOut(command(button));
    console.notice(
        steered.isRefused() ? "Refused" : "Done",
        "for " + edit.by().login() + ": " + steered.text());
    remark(edit.by(), steered).ifPresent(remark -> reply(edit.issue(), remark));
  }

  private static SteeringCommand command(BoardButton button) {
    if (button instanceof BoardButton.Pause) {
      return new SteeringCommand.Pause(Optional.of(BY_A_BOX));
    } else if (button instanceof BoardButton.Resume) {
      return new SteeringCommand.Resume();
    } else if (button instanceof BoardButton.First first) {
      return new SteeringCommand.Bump(List.of(first.ticket()), Optional.of(first.before()));
    }
    BoardButton.Unlock unlock = (BoardButton.Unlock) button;
    return new SteeringCommand.Unlock(unlock.ticket(), unlock.token(), BY_A_BOX, false);
  }

  /** A change paints the board, unless requests run short; without one nobody else would. */
  private void paintBack() throws QueueException, InterruptedException {
    try {
      QueueDocument shown = stepQueue.queue().status();
      for (int i = 0; i < PAINTINGS; i++) {
        discussion().paint(shown);
        QueueDocument now = stepQueue.queue().status();
        if (now.version() == shown.version()) {
          return;
        }
        shown = now;
      }
    } catch (StoreException e) {
      console.warning("The box was not painted back", e.getMessage());
    }
  }

  // ---- who may

  /** Why an event is none of this step's business; empty when it is. */
  private Optional<String> whyNot(
      String repository, long issue, GitHubEvent.Actor by, QueueDocument d)
      throws StoreException, InterruptedException {
    if (!repository.equalsIgnoreCase(inputs.github().repository())) {
      return Optional.of("the queue " + inputs.store() + " is kept in another repository");
    }
    if (d.board() != issue) {
      return Optional.of(
          "issue " + issue + " is not the board of " + inputs.store() + ", issue " + d.board());
    }
    if (!by.person()) {
      return Optional.of(by.login() + " is no person");
    }
    Role role = patiently(() -> discussion().role(by.login()));
    return role.compareTo(needed) < 0
        ? Optional.of(
            by.login()
                + " may not steer the queue: that takes the permission "
                + needed.name().toLowerCase(Locale.ROOT)
                + " on "
                + inputs.github().repository())
        : Optional.empty();
  }

  private Steering steering(GitHubEvent.Actor by) {
    return new Steering(
        stepQueue.open(),
        stepQueue.queue(),
        Who.line(by.login(), Ticket.MAX_OWNER),
        runner.world());
  }

  private int nothing(String why) {
    console.say("Nothing to do: " + why + ".");
    return DONE;
  }

  // ---- GitHub

  private Discussion discussion() {
    return stepQueue.github().discussion();
  }

  /** What it says is said by the reaction too, or by the board. */
  private void reply(long issue, Remark remark) {
    try {
      discussion().reply(issue, remark);
    } catch (StoreException e) {
      console.warning("The answer could not be written", e.getMessage());
    }
  }

  private void show(long comment, Reaction reaction) throws InterruptedException {
    try {
      patiently(() -> discussion().react(comment, reaction));
    } catch (StoreException e) {
      console.warning("The reaction could not be made", e.getMessage());
    }
  }

  /** Asks GitHub for something that does no harm when it is done twice. */
  private interface Request<T> {
    T send() throws StoreException;
  }

  private <T> T patiently(Request<T> request) throws StoreException, InterruptedException {
    for (int attempt = 1; ; attempt++) {
      try {
        return request.send();
      } catch (StoreException e) {
        pauseAfter(e, attempt);
      }
    }
  }

  private void pauseAfter(StoreException e, int attempt)
      throws StoreException, InterruptedException {
    Duration pause = e.retryAfter().orElse(PAUSE);
    if (!e.isRetryable() || attempt == ATTEMPTS || pause.compareTo(LONGEST_PAUSE) > 0) {
      throw e;
    }
    runner.world().newSignal().await(pause);
  }
}
