package dev.baton.plugin.engine;

import dev.baton.client.identity.Who;
import dev.baton.client.lock.BuildLock;
import dev.baton.client.lock.LockFailure;
import dev.baton.client.lock.LockQueue;
import dev.baton.client.lock.LockSite;
import dev.baton.client.lock.QueueLock;
import dev.baton.client.problem.Advice;
import dev.baton.client.queue.OpenQueue;
import dev.baton.client.queue.Place;
import dev.baton.client.settings.Host;
import dev.baton.client.settings.Setting;
import dev.baton.client.settings.Settings;
import dev.baton.client.settings.Tokens;
import dev.baton.core.BadSetting;
import dev.baton.core.Durations;
import dev.baton.core.Problem;
import dev.baton.core.Problem.Kind;
import dev.baton.plugin.bridge.BuildTool;
import dev.baton.plugin.bridge.EngineFailure;
import dev.baton.plugin.bridge.QueueTexts;
import dev.baton.queue.Entry;
import dev.baton.queue.QueueException;
import dev.baton.queue.Request;
import dev.baton.queue.Rules;
import dev.baton.queue.Ticket;
import dev.baton.store.StoreException;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * A queue as a build file means it.
 *
 * @param texts what it says, by the keys of {@link QueueTexts}
 */
record ToolQueue(BuildTool tool, Map<String, String> texts) implements LockQueue {

  private static final Set<Setting> OF_QUEUES =
      EnumSet.of(
          Setting.STORE,
          Setting.QUEUE,
          Setting.MODE,
          Setting.ISSUE,
          Setting.API,
          Setting.TOKEN_FILE,
          Setting.CA_FILE);

  /** What the texts mean. */
  record Meant(Host host, Settings settings, Place place) {}

  /** Something to do with an open queue. */
  interface Work<T> {
    T on(OpenQueue open, Meant meant) throws QueueException, StoreException, InterruptedException;
  }

  ToolQueue {
    texts = Map.copyOf(texts);
  }

  private Optional<String> text(String key) {
    return Optional.ofNullable(texts.get(key));
  }

  String label() {
    return texts.getOrDefault(QueueTexts.LABEL, "baton");
  }

  ToolWords words() {
    return new ToolWords(tool, label());
  }

  @Override
  public String shown() {
    return text(Setting.STORE.id()).orElse("the default store")
        + text(Setting.QUEUE.id()).map(q -> "#" + q).orElse("");
  }

  /**
   * What adapters have is loaded with what the engine has for GitHub, and must not bring its own.
   */
  private Meant meant() {
    if (isElsewhere()) {
      tool.allowRemote();
    }
    Host host = Hosts.of(tool, label(), texts);
    Settings settings = Hosts.settings(host, texts, OF_QUEUES);
    return new Meant(host, settings, Place.of(settings, host));
  }

  private boolean isElsewhere() {
    return texts.containsKey(QueueTexts.ELSEWHERE);
  }

  private boolean isOffline() {
    return texts.containsKey(QueueTexts.OFFLINE);
  }

  private OpenQueue open(Meant meant) {
    if (!(meant.place() instanceof Place.Directory)) {
      if (isOffline()) {
        throw unreachable();
      }
      tool.allowRemote();
    }
    return OpenQueue.open(
        meant.place(), meant.settings(), meant.host(), tool.agent(), () -> token(meant));
  }

  private LockFailure unreachable() {
    return new LockFailure(
        new Problem(
            Kind.USAGE,
            "the queue " + shown() + " cannot be reached with --offline",
            tool.leaveOffline(label())));
  }

  private Supplier<String> token(Meant meant) {
    Optional<Supplier<String>> named =
        text(QueueTexts.TOKEN_VARIABLE)
            .<Supplier<String>>map(
                name ->
                    () ->
                        found(
                            Optional.ofNullable(tool.environment().get(name)),
                            "the environment variable " + name,
                            QueueTexts.TOKEN_VARIABLE))
            .or(
                () ->
                    text(QueueTexts.TOKEN_PROPERTY)
                        .map(
                            name ->
                                () ->
                                    found(
                                        tool.property(name),
                                        "the property " + name,
                                        QueueTexts.TOKEN_PROPERTY)));
    // Now, so that a missing one is told at once.
    named.ifPresent(Supplier::get);
    return named.orElseGet(() -> Tokens.of(meant.settings(), meant.host()));
  }

  private String found(Optional<String> token, String where, String key) {
    return token
        .map(String::strip)
        .filter(t -> !t.isEmpty())
        .orElseThrow(
            () ->
                new BadSetting.NoToken(
                    "there is no token for GitHub: "
                        + where
                        + " of "
                        + tool.setting(label(), key)
                        + " is not set",
                    "Set it to a token with `contents: write` and `issues: write`.",
                    null));
  }

  /** Does it; what goes wrong is an {@link EngineFailure} in the words of the build tool. */
  <T> T with(Work<T> work) throws InterruptedException {
    ClassLoader before = OwnLoader.enter();
    try {
      if (isElsewhere() && isOffline()) {
        throw unreachable();
      }
      Meant meant = meant();
      try (OpenQueue open = open(meant)) {
        return work.on(open, meant);
      }
    } catch (EngineFailure e) {
      throw e;
    } catch (QueueException | StoreException | RuntimeException e) {
      throw Problems.explain(e, words());
    } finally {
      OwnLoader.leave(before);
    }
  }

  // ---- its lock; called with the class loader of the engine

  @Override
  public String identity() {
    if (isElsewhere() && isOffline()) {
      // Nobody will take it; only adapters, which are not there, know more of it.
      return shown();
    }
    try {
      return meant().place().identity();
    } catch (RuntimeException e) {
      throw failure(e);
    }
  }

  @Override
  public Optional<String> withoutLock() {
    String then = text(QueueTexts.ON_TIMEOUT).orElse("fail");
    return then.equalsIgnoreCase("proceed")
        ? Optional.of(
            "Going on without the lock, as "
                + tool.setting(label(), QueueTexts.ON_TIMEOUT)
                + " says.")
        : Optional.empty();
  }

  @Override
  public BuildLock take(Optional<Duration> atMost, Consumer<String> say)
      throws InterruptedException {
    if (isElsewhere() && isOffline()) {
      throw unreachable();
    }
    OpenQueue open = null;
    boolean taken = false;
    try {
      Meant meant = meant();
      open = open(meant);
      Request request = new Request(entry(open, meant), atMost.or(this::waitTimeout));
      LockSite site = LockSite.of(meant.place(), meant.settings(), meant.host());
      BuildLock lock = QueueLock.take(open, meant.host(), site, request, words(), say);
      taken = true;
      return lock;
    } catch (QueueException | RuntimeException e) {
      throw failure(e);
    } finally {
      if (!taken && open != null) {
        open.close();
      }
    }
  }

  /** In the words of the build file; something that is not to be explained as it is. */
  private RuntimeException failure(Exception e) {
    if (e instanceof LockFailure || !Problems.isKnown(e)) {
      return e instanceof RuntimeException r ? r : new IllegalStateException(e);
    }
    return new LockFailure(Advice.on(e, words()), e);
  }

  private Optional<Duration> waitTimeout() {
    return text(QueueTexts.WAIT_TIMEOUT).map(Durations::parse);
  }

  private Entry entry(OpenQueue open, Meant meant) {
    Who who = new Who(meant.host());
    return open.entry(
        who,
        Request.newNonce(),
        text(QueueTexts.TITLE)
            .map(t -> Who.line(t, Ticket.MAX_TITLE))
            .orElseGet(() -> who.title(List.of(texts.getOrDefault(QueueTexts.BUILD, "build")))),
        Integer.parseInt(texts.getOrDefault(QueueTexts.PRIORITY, "0")),
        true);
  }

  @Override
  public String create() throws InterruptedException {
    try (OpenQueue open = open(meant())) {
      return create(open);
    } catch (QueueException | RuntimeException e) {
      throw failure(e);
    }
  }

  static String create(OpenQueue open) throws QueueException, InterruptedException {
    boolean created = open.quick().create(Rules.DEFAULT);
    return "The queue " + open.place().shown() + (created ? " is created." : " was there already.");
  }
}
