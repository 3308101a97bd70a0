package dev.baton.gradle.internal;

import dev.baton.gradle.BatonSettings;
import dev.baton.gradle.OnTimeout;
import dev.baton.plugin.bridge.QueueCheck;
import dev.baton.plugin.bridge.QueueTexts;
import dev.baton.plugin.loader.Kinds;
import java.io.File;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.gradle.api.provider.Provider;

/**
 * What a build file says about a queue, as texts: these stay what they are in the configuration
 * cache and from one class loader to another. There is no token among them, only where it is.
 */
final class QueueSpec {

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
        QueueSpec::written);
    put(texts, QueueTexts.ON_TIMEOUT, own, base, BatonSettings::getOnTimeout, QueueSpec::written);
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
    QueueCheck.check(texts)
        .ifPresent(
            fault -> {
              throw bad(fault.key(), fault.text(), fault.next());
            });
    text("store").ifPresent(this::checkStore);
    if (QueueCheck.hasSeveralTokens(texts)) {
      throw Sentences.badSetting(
          label() + " says in several ways where the token is",
          "Set one of " + label() + ".tokenFile, tokenVariable and tokenProperty.");
    }
  }

  private void checkStore(String store) {
    if (!Kinds.isStore(store) && !texts.containsKey(ExtensionJars.DECLARED)) {
      throw bad("store", QueueCheck.withoutSecrets(store), "Write " + Kinds.STORES);
    }
    QueueCheck.otherQueueInStore(texts)
        .ifPresent(
            other -> {
              throw Sentences.badSetting(
                  spelled("store")
                      + " names the queue '"
                      + other
                      + "' and "
                      + spelled("queue")
                      + " the queue '"
                      + texts.get("queue")
                      + "'",
                  "Name the queue once.");
            });
  }

  private RuntimeException bad(String key, String value, String next) {
    String setting = GradleTool.camelCase(key);
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

  /** As people write it; a part of a second is a whole one. */
  private static String written(Duration d) {
    long seconds = d.getSeconds() + (d.getNano() > 0 ? 1 : 0);
    long days = Math.max(0, TimeUnit.SECONDS.toDays(seconds));
    return (days > 0 ? days + "d" : "") + (seconds - TimeUnit.DAYS.toSeconds(days)) + "s";
  }

  private static String written(OnTimeout then) {
    return then.name().toLowerCase(Locale.ROOT);
  }
}
