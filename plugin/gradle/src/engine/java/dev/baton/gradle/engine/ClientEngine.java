package dev.baton.gradle.engine;

import dev.baton.client.doctor.Diagnosis;
import dev.baton.client.doctor.Doctor;
import dev.baton.client.doctor.Finding;
import dev.baton.client.doctor.Finding.Check;
import dev.baton.client.doctor.Wording;
import dev.baton.client.identity.Who;
import dev.baton.client.queue.Inherited;
import dev.baton.client.queue.InheritedLocks;
import dev.baton.client.queue.LockAttempt;
import dev.baton.client.queue.OpenQueue;
import dev.baton.client.queue.Place;
import dev.baton.client.queue.UnlockPlan;
import dev.baton.client.queue.WaitLines;
import dev.baton.client.report.QueueHistory;
import dev.baton.client.report.QueueStatus;
import dev.baton.client.report.TextStyle;
import dev.baton.client.settings.Host;
import dev.baton.client.settings.Setting;
import dev.baton.client.settings.Settings;
import dev.baton.client.settings.Tokens;
import dev.baton.client.text.JsonOutput;
import dev.baton.client.text.LogText;
import dev.baton.core.Problem;
import dev.baton.gradle.internal.bridge.Address;
import dev.baton.gradle.internal.bridge.Engine;
import dev.baton.gradle.internal.bridge.EngineFailure;
import dev.baton.gradle.internal.bridge.Wish;
import dev.baton.queue.Answer;
import dev.baton.queue.Entry;
import dev.baton.queue.HistoryEntry;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.QueueException;
import dev.baton.queue.Request;
import dev.baton.queue.Rules;
import dev.baton.queue.Slot;
import dev.baton.queue.Ticket;
import dev.baton.store.StoreException;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** The queue behind the bridge. */
public final class ClientEngine implements Engine {

  private static final String AGENT = "baton-gradle";

  /** What an address means. */
  private record Meant(Host host, Settings settings, Place place) {

    static Meant by(Address address) {
      Host host =
          Hosts.of(
              address.environment(),
              address.directory(),
              setting -> address.label() + "." + spelled(setting),
              address.extensions());
      Settings settings = Settings.ofEnvironment(host);
      for (Setting setting : Setting.values()) {
        String text = address.settings().get(setting.id());
        if (text != null) {
          String source = address.label() + "." + spelled(setting);
          settings.put(
              setting, new Settings.Value(text, source, Settings.DIRECT, address.directory()));
        }
      }
      return new Meant(host, settings, Place.of(settings, host));
    }

    /** As build files spell it. */
    private static String spelled(Setting setting) {
      return switch (setting) {
        case TOKEN_FILE -> "tokenFile";
        case CA_FILE -> "caFile";
        default -> setting.id();
      };
    }
  }

  /** Something to do with an open queue. */
  private interface Work<T> {
    T on(OpenQueue open, Meant meant) throws QueueException, StoreException, InterruptedException;
  }

  private static OpenQueue open(Meant meant, Address address) {
    Supplier<Supplier<String>> token =
        () ->
            address
                .token()
                .map(
                    named -> {
                      // Now, so that a missing one is told at once.
                      named.get();
                      return named;
                    })
                .orElseGet(() -> Tokens.of(meant.settings(), meant.host()));
    return OpenQueue.open(meant.place(), meant.settings(), meant.host(), AGENT, token);
  }

  private static <T> T with(Address address, Work<T> work) throws InterruptedException {
    ClassLoader before = OwnLoader.enter();
    try {
      Meant meant = Meant.by(address);
      try (OpenQueue open = open(meant, address)) {
        return work.on(open, meant);
      }
    } catch (QueueException | StoreException | RuntimeException e) {
      throw Problems.explain(e, address.label());
    } finally {
      OwnLoader.leave(before);
    }
  }

  @Override
  public String identity(Address address) {
    return meant(address).place().identity();
  }

  @Override
  public boolean isRemote(Address address) {
    return !(meant(address).place() instanceof Place.Directory);
  }

  private static Meant meant(Address address) {
    ClassLoader before = OwnLoader.enter();
    try {
      return Meant.by(address);
    } catch (RuntimeException e) {
      throw Problems.explain(e, address.label());
    } finally {
      OwnLoader.leave(before);
    }
  }

  // ---- the lock

  @Override
  public Lock take(Address address, Wish wish, Consumer<String> say) throws InterruptedException {
    OpenQueue open = null;
    boolean taken = false;
    ClassLoader before = OwnLoader.enter();
    try {
      Meant meant = Meant.by(address);
      open = open(meant, address);
      // A store that does not answer is told within seconds, before the patience of a build.
      Duration lease =
          open.glance(meant.host()).map(QueueDocument::rules).orElse(Rules.DEFAULT).lease();
      Optional<Inherited> outer = InheritedLocks.of(meant.host()).of(meant.place());
      Lock lock =
          outer.isPresent() ? adopt(outer.get(), open, meant) : acquire(open, meant, wish, say);
      Leases.add(lock, lease);
      taken = true;
      return lock;
    } catch (QueueException | RuntimeException e) {
      throw Problems.explain(e, address.label());
    } finally {
      if (!taken && open != null) {
        open.close();
      }
      OwnLoader.leave(before);
    }
  }

  private static Lock adopt(Inherited outer, OpenQueue open, Meant meant)
      throws QueueException, InterruptedException {
    if (!open.patient().verify(outer.ticket(), outer.token())) {
      throw new EngineFailure(
          "the lock that this build was started under (ticket "
              + outer.ticket()
              + ", token "
              + outer.token()
              + ") is not held any more; "
              + HeldLock.holderOf(open.quick().status()),
          "Stop the outer build. To stand in line on one's own, unset "
              + Inherited.TICKET
              + ", "
              + Inherited.TOKEN
              + " and "
              + Inherited.ALL
              + ".");
    }
    return new InheritedLock(outer, open, site(meant));
  }

  private static Lock acquire(OpenQueue open, Meant meant, Wish wish, Consumer<String> say)
      throws QueueException, InterruptedException {
    Who who = new Who(meant.host());
    Entry entry =
        open.entry(
            who,
            Request.newNonce(),
            wish.title()
                .map(t -> Who.line(t, Ticket.MAX_TITLE))
                .orElseGet(() -> who.title(List.of(wish.otherwise()))),
            wish.priority(),
            true);
    WaitLines lines = new WaitLines();
    LockAttempt attempt =
        LockAttempt.make(
            open,
            new Request(entry, wish.waitTimeout()),
            progress ->
                lines
                    .plain(progress, Duration.ZERO, Instant.now())
                    .map(LogText::of)
                    .ifPresent(say));
    if (attempt instanceof LockAttempt.Granted granted) {
      return new HeldLock(granted.grant(), open, site(meant));
    }
    if (attempt instanceof LockAttempt.Covered own) {
      return new InheritedLock(own.lock(), open, site(meant));
    }
    throw Problems.notAcquired(
        ((LockAttempt.Missed) attempt).answer(), wish.waitTimeout(), meant.host());
  }

  private static LockSite site(Meant meant) {
    Map<String, String> files = new LinkedHashMap<>();
    for (Setting file : List.of(Setting.TOKEN_FILE, Setting.CA_FILE)) {
      meant.settings().path(file).ifPresent(p -> files.put(file.variable(), p.toString()));
    }
    return new LockSite(meant.place(), InheritedLocks.of(meant.host()), files);
  }

  @Override
  public Map<String, String> environment(List<Lock> locks) {
    return LockSite.environment(locks.stream().map(LockSite.Sited.class::cast).toList());
  }

  // ---- looking at the queue, and after it

  /**
   * For a log, with what others wrote. JSON is not changed by this, {@link JsonOutput} sees to it.
   */
  private static String text(Address address, Work<String> work) throws InterruptedException {
    return LogText.of(with(address, work));
  }

  @Override
  public String create(Address address) throws InterruptedException {
    return text(
        address,
        (open, meant) -> {
          boolean created = open.quick().create(Rules.DEFAULT);
          return "The queue "
              + meant.place().shown()
              + (created ? " is created." : " was there already.");
        });
  }

  @Override
  public String status(Address address, boolean json) throws InterruptedException {
    return text(
        address,
        (open, meant) -> {
          QueueStatus status = QueueStatus.of(open, open.quick().status(), Instant.now());
          return json ? JsonOutput.text(status.json()) : status.text(TextStyle.PLAIN);
        });
  }

  @Override
  public String history(Address address, int limit, boolean json) throws InterruptedException {
    return text(
        address,
        (open, meant) -> {
          QueueHistory history = QueueHistory.of(open.quick().status(), limit);
          return json ? JsonOutput.text(history.json()) : history.text(TextStyle.PLAIN);
        });
  }

  @Override
  public Report doctor(Address address, boolean json) throws InterruptedException {
    Diagnosis diagnosis;
    try {
      diagnosis =
          with(
              address,
              (open, meant) ->
                  new Doctor(open, Instant.now(), new BuildFileWording(address.label())).examine());
    } catch (EngineFailure e) {
      diagnosis = new Diagnosis(List.of(Finding.problem(Check.STORE, e.getMessage(), e.next())));
    }
    return new Report(
        json ? JsonOutput.text(diagnosis.json()) : LogText.of(diagnosis.text(TextStyle.PLAIN)),
        diagnosis.isHealthy());
  }

  /**
   * What to do as somebody does it who has the build at hand.
   *
   * @param label what the build file calls the queue
   */
  private record BuildFileWording(String label) implements Wording {

    @Override
    public Problem explain(Exception failure) {
      return Problems.advised(failure, label);
    }

    @Override
    public String create(Place place) {
      return "gradle batonInit";
    }

    @Override
    public String repair() {
      return "`baton doctor --repair`";
    }

    @Override
    public String unlock(Place place, Ticket holder) {
      return "gradle batonUnlock --ticket " + holder.number() + " --reason \"…\"";
    }
  }

  @Override
  public String unlock(Address address, long ticket, long token, String reason, boolean now)
      throws InterruptedException {
    return text(
        address,
        (open, meant) -> {
          QueueDocument d = open.quick().status();
          long held = token == 0 ? d.slotOf(ticket).map(Slot::token).orElse(0L) : token;
          UnlockPlan plan = UnlockPlan.of(d, open.runStatus(), ticket, held, now);
          if (plan instanceof UnlockPlan.NotHolder) {
            throw new EngineFailure(plan.what(), "`gradle batonStatus` shows who has the lock.");
          }
          if (plan instanceof UnlockPlan.Beside beside && !now) {
            throw new EngineFailure(
                "nothing was changed: " + beside.what(),
                "To do: " + beside.remedy() + ", or add --now to let them run side by side.");
          }
          if (reason.codePointCount(0, reason.length()) > HistoryEntry.MAX_NOTE) {
            throw new EngineFailure(
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
            throw new EngineFailure(
                refused.problem().what(), "`gradle batonStatus` shows who has the lock.");
          }
          return "The lock is taken away: " + plan.cameTo(open.quick().status()).what() + ".";
        });
  }
}
