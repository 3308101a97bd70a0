package dev.baton.gradle.internal;

import dev.baton.gradle.BatonSettings;
import dev.baton.gradle.OnTimeout;
import dev.baton.plugin.bridge.QueueTexts;
import java.io.File;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.gradle.api.provider.Provider;

/**
 * What a build file says about a queue, as texts: these stay what they are in the configuration
 * cache and from one class loader to another. There is no token among them, only where it is.
 */
final class QueueSpec {

  private static final Pattern REPOSITORY =
      Pattern.compile("(?!\\.{1,2}/)[A-Za-z0-9._-]+/(?!\\.{1,2}$)[A-Za-z0-9._-]+");
  private static final Pattern QUEUE = Pattern.compile("[a-z0-9][a-z0-9-]{0,38}");

  private final Map<String, String> texts;

  QueueSpec(Map<String, String> texts) {
    this.texts = Map.copyOf(texts);
  }

  /** A map of a kind that the configuration cache can keep. */
  Map<String, String> texts() {
    return new TreeMap<>(texts);
  }

  /**
   * What a build file says and what the build adds.
   *
   * @param label how the build file spells the block
   * @param name the name of the block for one of several queues
   * @param base the block that it takes from what it does not say itself
   * @param overrides what is stronger than both
   */
  static QueueSpec of(
      String label,
      Optional<String> name,
      BatonSettings own,
      BatonSettings base,
      Map<String, String> build,
      Map<String, String> overrides) {
    Map<String, String> texts = new LinkedHashMap<>(build);
    texts.put(QueueTexts.LABEL, label);
    putStoreAndQueue(texts, name, own, base);
    put(texts, "mode", own, base, BatonSettings::getMode, t -> t);
    put(texts, "issue", own, base, BatonSettings::getIssue, Object::toString);
    put(texts, "api", own, base, BatonSettings::getApi, t -> t);
    put(texts, "token-file", own, base, s -> s.getTokenFile().getAsFile(), File::getPath);
    put(texts, QueueTexts.TOKEN_VARIABLE, own, base, BatonSettings::getTokenVariable, t -> t);
    put(texts, QueueTexts.TOKEN_PROPERTY, own, base, BatonSettings::getTokenProperty, t -> t);
    put(texts, "ca-file", own, base, s -> s.getCaFile().getAsFile(), File::getPath);
    put(texts, QueueTexts.TITLE, own, base, BatonSettings::getTitle, t -> t);
    put(texts, QueueTexts.PRIORITY, own, base, BatonSettings::getPriority, Object::toString);
    put(
        texts,
        QueueTexts.WAIT_TIMEOUT,
        own,
        base,
        BatonSettings::getWaitTimeout,
        Duration::toString);
    put(texts, QueueTexts.ON_TIMEOUT, own, base, BatonSettings::getOnTimeout, OnTimeout::name);
    texts.putAll(overrides);
    QueueSpec spec = new QueueSpec(texts);
    spec.check();
    return spec;
  }

  private static <T> void put(
      Map<String, String> texts,
      String key,
      BatonSettings own,
      BatonSettings base,
      Function<BatonSettings, Provider<T>> property,
      Function<T, String> text) {
    T value = property.apply(own).getOrNull();
    if (value == null) {
      value = property.apply(base).getOrNull();
    }
    if (value != null) {
      texts.put(key, text.apply(value));
    }
  }

  private static void putStoreAndQueue(
      Map<String, String> texts, Optional<String> name, BatonSettings own, BatonSettings base) {
    String store = own.getStore().getOrNull();
    String queue = own.getQueue().getOrNull();
    if (store == null && name.isPresent() && base.getStore().isPresent()) {
      // The queue that the outer block's store may name is the outer block's.
      store = base.getStore().get().replaceFirst("#.*", "");
    }
    if (queue == null && name.isPresent() && (store == null || !store.contains("#"))) {
      queue = name.get();
    }
    if (store != null) {
      texts.put("store", store);
    }
    if (queue != null) {
      texts.put("queue", queue);
    }
  }

  /** What can be told to be wrong from the build file alone. */
  private void check() {
    text("store").ifPresent(this::checkStore);
    text("queue").ifPresent(q -> checkQueue("queue", q));
    text("mode")
        .filter(m -> !m.equals("git") && !m.equals("issue"))
        .ifPresent(
            m -> {
              throw bad(
                  "mode", m, "Write 'git', or 'issue' where the token may not write contents");
            });
    text("issue")
        .filter(i -> Integer.parseInt(i) <= 0)
        .ifPresent(
            i -> {
              throw bad("issue", i, "Give the number from the address of the issue, such as 12");
            });
    text(QueueTexts.WAIT_TIMEOUT)
        .filter(t -> Duration.parse(t).isNegative())
        .ifPresent(
            t -> {
              throw bad("waitTimeout", t, "Give a duration that is not negative");
            });
    long sources =
        List.of("token-file", QueueTexts.TOKEN_VARIABLE, QueueTexts.TOKEN_PROPERTY).stream()
            .filter(texts::containsKey)
            .count();
    if (sources > 1) {
      throw Sentences.badSetting(
          label() + " says in several ways where the token is",
          "Set one of " + label() + ".tokenFile, tokenVariable and tokenProperty.");
    }
  }

  private void checkStore(String store) {
    String[] parts = store.split("#", 2);
    if (parts[0].startsWith("github:")) {
      if (!REPOSITORY.matcher(parts[0].substring("github:".length())).matches()) {
        throw bad("store", withoutSecrets(store), "Write 'github:OWNER/REPO'");
      }
    } else if (!Kinds.isStore(parts[0]) && !texts.containsKey(ExtensionJars.DECLARED)) {
      throw bad("store", withoutSecrets(store), "Write " + Kinds.STORES);
    }
    if (parts.length == 2) {
      checkQueue("store", parts[1]);
      text("queue")
          .filter(q -> !q.equals(parts[1]))
          .ifPresent(
              q -> {
                throw Sentences.badSetting(
                    spelled("store")
                        + " names the queue '"
                        + parts[1]
                        + "' and "
                        + spelled("queue")
                        + " the queue '"
                        + q
                        + "'",
                    "Name the queue once.");
              });
    }
  }

  /** As in a message: before an @, and in parameters, there may be a token or a password. */
  private static String withoutSecrets(String store) {
    return store.replaceFirst("^.*@", "…@").replaceFirst("\\?.*", "?…");
  }

  private void checkQueue(String setting, String queue) {
    if (!QUEUE.matcher(queue).matches()) {
      throw bad(
          setting, queue, "The name of a queue has 1 to 39 lower-case letters, digits and hyphens");
    }
  }

  private RuntimeException bad(String setting, String value, String next) {
    return Sentences.badSetting(
        spelled(setting) + " cannot be '" + value + "'",
        next + ": " + label() + " { " + setting + " = … }.");
  }

  private String spelled(String setting) {
    return label() + "." + setting;
  }

  private Optional<String> text(String key) {
    return Optional.ofNullable(texts.get(key));
  }

  String label() {
    return texts.getOrDefault(QueueTexts.LABEL, "baton");
  }

  /** For people. */
  String shown() {
    return text("store").orElse("the default store") + text("queue").map(q -> "#" + q).orElse("");
  }

  boolean isOffline() {
    return texts.containsKey(QueueTexts.OFFLINE);
  }

  /** The same with what an extension takes, if it is in such a store. */
  QueueSpec located(ExtensionJars extensions) {
    Map<String, String> all = new LinkedHashMap<>(texts);
    extensions.addTo(all, isOffline(), Map.of("store", "BATON_STORE"));
    return new QueueSpec(all);
  }

  static OnTimeout onTimeout(String setting, String text) {
    for (OnTimeout one : OnTimeout.values()) {
      if (one.name().toLowerCase(Locale.ROOT).equals(text)) {
        return one;
      }
    }
    throw Sentences.badSetting(setting + " is '" + text + "'", "Write fail or proceed.");
  }
}
