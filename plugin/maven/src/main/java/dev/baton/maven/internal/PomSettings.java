package dev.baton.maven.internal;

import dev.baton.plugin.bridge.QueueCheck;
import dev.baton.plugin.bridge.QueueTexts;
import dev.baton.plugin.loader.Kinds;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.codehaus.plexus.util.xml.Xpp3Dom;

/**
 * What a POM and the command line say about queues and guards. What is wrong with it alone is said
 * at once; the rest by the engine, when it is needed.
 */
public final class PomSettings {

  /** How the POM spells what the engine knows by another name. */
  private static final Map<String, String> KEYS = new LinkedHashMap<>();

  static {
    for (String same :
        Arrays.asList("store", "queue", "mode", "issue", "api", "title", "priority")) {
      KEYS.put(same, same);
    }
    KEYS.put("tokenFile", "token-file");
    KEYS.put("tokenVariable", QueueTexts.TOKEN_VARIABLE);
    KEYS.put("tokenServer", QueueTexts.TOKEN_PROPERTY);
    KEYS.put("caFile", "ca-file");
    KEYS.put("waitTimeout", QueueTexts.WAIT_TIMEOUT);
    KEYS.put("onTimeout", QueueTexts.ON_TIMEOUT);
  }

  /** Where a token goes and whose certificates are trusted is no matter of a command line. */
  private static final List<String> POM_ONLY =
      Arrays.asList("api", "tokenFile", "tokenVariable", "tokenServer", "caFile");

  /** What goals take beside that. */
  private static final List<String> OF_GOALS =
      Arrays.asList(
          "queueName",
          "json",
          "limit",
          "ticket",
          "token",
          "reason",
          "now",
          "command",
          "workingDirectory",
          "environmentVariables",
          "detail",
          "goal");

  private static final List<String> STRUCTURE =
      Arrays.asList("queues", "guards", "strict", "adapters");

  static final String PREFIX = "baton.";

  private final Map<String, String> base;
  private final Map<String, Map<String, String>> queues;
  private final List<Guard> guards;
  private final List<String> adapters;
  private final boolean strict;

  private PomSettings(
      Map<String, String> base,
      Map<String, Map<String, String>> queues,
      List<Guard> guards,
      List<String> adapters,
      boolean strict) {
    this.base = base;
    this.queues = queues;
    this.guards = guards;
    this.adapters = adapters;
    this.strict = strict;
  }

  /**
   * @param configuration of the plugin or of one execution of it; null if there is none
   * @param commandLine what was given with {@code -D}
   * @param build what the build adds: where relative paths start, its name
   * @param evaluate what is left of expressions such as {@code ${session.…}}
   */
  public static PomSettings of(
      Xpp3Dom configuration,
      Properties commandLine,
      Map<String, String> build,
      UnaryOperator<String> evaluate) {
    Map<String, String> given = commandLine(commandLine);
    Xpp3Dom dom = configuration == null ? new Xpp3Dom("configuration") : configuration;
    checkNames(
        dom, "the configuration of baton-maven-plugin", all(KEYS.keySet(), OF_GOALS, STRUCTURE));
    Map<String, String> base = new LinkedHashMap<>(build);
    Map<String, String> own = texts(dom, "", evaluate);
    overlay(own, given);
    base.putAll(own);
    base.put(QueueTexts.LABEL, "");
    Map<String, Map<String, String>> queues = new LinkedHashMap<>();
    for (Xpp3Dom queue : children(dom, "queues")) {
      Map<String, String> named = named(queue, base, given, evaluate);
      queues.put(named.get(QueueTexts.LABEL), named);
    }
    List<Guard> guards = new ArrayList<>();
    for (Xpp3Dom guard : children(dom, "guards")) {
      guards.add(guard(guard, queues, evaluate));
    }
    String strict = given.getOrDefault("strict", value(dom, "strict", evaluate).orElse("false"));
    PomSettings settings =
        new PomSettings(
            base, queues, guards, list(dom, "adapters", evaluate), isTrue("strict", strict));
    settings.check();
    return settings;
  }

  private void check() {
    for (String adapter : adapters) {
      if (!adapter.matches("[^:\\s]+:[^:\\s]+:[^:\\s]+")) {
        throw new BadConfiguration(
            "<adapters> cannot be '" + adapter + "'", "Write GROUP:ARTIFACT:VERSION.");
      }
    }
    check(base, "");
    queues.forEach((name, queue) -> check(queue, name));
  }

  private void check(Map<String, String> queue, String label) {
    checkTogether(queue, label);
    if (adapters.isEmpty()) {
      checkStore(queue, label);
    }
  }

  /** What an execution of a goal says: without what is for the goal alone and not for users. */
  static Xpp3Dom ofExecution(Xpp3Dom configuration) {
    Xpp3Dom own = new Xpp3Dom("configuration");
    List<String> known = all(KEYS.keySet(), OF_GOALS, STRUCTURE);
    if (configuration != null) {
      for (Xpp3Dom child : configuration.getChildren()) {
        if (known.contains(child.getName())) {
          own.addChild(child);
        }
      }
    }
    return own;
  }

  // ---- what a configuration has

  @SafeVarargs
  private static List<String> all(Iterable<String>... some) {
    List<String> all = new ArrayList<>();
    for (Iterable<String> one : some) {
      one.forEach(all::add);
    }
    return all;
  }

  private static void checkNames(Xpp3Dom dom, String where, List<String> known) {
    for (Xpp3Dom child : dom.getChildren()) {
      if (!known.contains(child.getName())) {
        throw new BadConfiguration(
            "unknown setting <" + child.getName() + "> in " + where,
            "Use one of " + String.join(", ", new TreeSet<>(known)) + ".");
      }
    }
  }

  private static List<Xpp3Dom> children(Xpp3Dom dom, String name) {
    Xpp3Dom child = dom.getChild(name);
    return child == null ? Collections.emptyList() : Arrays.asList(child.getChildren());
  }

  /** Without what a goal has by default, which is what the command line says. */
  private static Optional<String> value(Xpp3Dom dom, String name, UnaryOperator<String> evaluate) {
    Xpp3Dom child = dom.getChild(name);
    String text = child == null || child.getValue() == null ? "" : child.getValue().trim();
    if (text.isEmpty() || text.equals("${" + PREFIX + name + "}")) {
      return Optional.empty();
    }
    return Optional.of(evaluated(name, text, evaluate));
  }

  private static String evaluated(String name, String text, UnaryOperator<String> evaluate) {
    String value = text.contains("${") ? evaluate.apply(text) : text;
    if (value == null || value.contains("${")) {
      throw new BadConfiguration(
          "<" + name + "> is '" + text + "', and nothing says what that is",
          "Define the property, or write the value.");
    }
    return value;
  }

  private static Map<String, String> texts(
      Xpp3Dom dom, String label, UnaryOperator<String> evaluate) {
    Map<String, String> texts = new LinkedHashMap<>();
    KEYS.forEach(
        (name, key) ->
            value(dom, name, evaluate)
                .ifPresent(
                    text -> {
                      check(key, text, spelled(label, name));
                      texts.put(key, text);
                    }));
    return texts;
  }

  private static Map<String, String> named(
      Xpp3Dom queue,
      Map<String, String> base,
      Map<String, String> given,
      UnaryOperator<String> evaluate) {
    checkNames(queue, "a <queue>", all(KEYS.keySet(), Collections.singletonList("name")));
    String name =
        value(queue, "name", evaluate)
            .orElseThrow(
                () ->
                    new BadConfiguration(
                        "a <queue> has no <name>",
                        "Add one: <queue><name>device-lab</name>…</queue>."));
    check("queue", name, "the <name> of a <queue>");
    Map<String, String> texts = new HashMap<>(base);
    Map<String, String> own = texts(queue, name, evaluate);
    if (own.containsKey("token-file")
        || own.containsKey(QueueTexts.TOKEN_VARIABLE)
        || own.containsKey(QueueTexts.TOKEN_PROPERTY)) {
      texts
          .keySet()
          .removeAll(
              Arrays.asList("token-file", QueueTexts.TOKEN_VARIABLE, QueueTexts.TOKEN_PROPERTY));
    }
    texts.remove("queue");
    // The queue that the outer store may name is the outer one's.
    texts.computeIfPresent("store", (k, store) -> store.replaceFirst("#.*", ""));
    texts.putAll(own);
    for (String stronger : Arrays.asList(QueueTexts.WAIT_TIMEOUT, QueueTexts.ON_TIMEOUT)) {
      String key = stronger.equals(QueueTexts.WAIT_TIMEOUT) ? "waitTimeout" : "onTimeout";
      if (given.containsKey(key)) {
        texts.put(stronger, given.get(key));
      }
    }
    if (!texts.containsKey("queue") && !texts.getOrDefault("store", "").contains("#")) {
      texts.put("queue", name);
    }
    texts.put(QueueTexts.LABEL, name);
    return texts;
  }

  private static Guard guard(Xpp3Dom guard, Map<String, ?> queues, UnaryOperator<String> evaluate) {
    checkNames(guard, "a <guard>", Arrays.asList("goals", "phases", "executions", "queues"));
    List<String> goals = list(guard, "goals", evaluate);
    List<String> phases = list(guard, "phases", evaluate);
    List<String> executions = list(guard, "executions", evaluate);
    if (goals.isEmpty() && phases.isEmpty() && executions.isEmpty()) {
      throw new BadConfiguration(
          "a <guard> names nothing",
          "Add <goals>, <phases> or <executions>: <goals>deploy:deploy</goals>.");
    }
    List<String> names = list(guard, "queues", evaluate);
    for (String name : names) {
      if (!queues.containsKey(name)) {
        throw new BadConfiguration(
            "a <guard> needs the queue '" + name + "', which is not among <queues>",
            "Add it: <queues><queue><name>" + name + "</name>…</queue></queues>.");
      }
    }
    return new Guard(goals, phases, executions, names);
  }

  /** With commas, or an element each. */
  private static List<String> list(Xpp3Dom dom, String name, UnaryOperator<String> evaluate) {
    Xpp3Dom child = dom.getChild(name);
    if (child == null) {
      return Collections.emptyList();
    }
    List<String> texts = new ArrayList<>();
    if (child.getChildCount() == 0) {
      texts.add(child.getValue());
    }
    for (Xpp3Dom one : child.getChildren()) {
      texts.add(one.getValue());
    }
    return texts.stream()
        .filter(text -> text != null)
        .flatMap(text -> Arrays.stream(evaluated(name, text, evaluate).split(",")))
        .map(String::trim)
        .filter(text -> !text.isEmpty())
        .collect(Collectors.toList());
  }

  // ---- what the command line has

  /** By the names of the POM. */
  private static Map<String, String> commandLine(Properties properties) {
    Map<String, String> given = new LinkedHashMap<>();
    for (String property : new TreeSet<>(properties.stringPropertyNames())) {
      if (!property.startsWith(PREFIX)) {
        continue;
      }
      String name = property.substring(PREFIX.length());
      if (POM_ONLY.contains(name)) {
        throw new BadConfiguration(
            "-D" + property + " is not taken from a command line, which files of a checkout add to",
            "Write <"
                + name
                + "> in the POM, or set the environment: BATON_API, BATON_TOKEN,"
                + " BATON_TOKEN_FILE, BATON_CA_FILE.");
      }
      if (!KEYS.containsKey(name) && !OF_GOALS.contains(name) && !name.equals("strict")) {
        throw new BadConfiguration(
            "unknown setting -D" + property, "`mvn baton:help -Ddetail` lists all.");
      }
      String text = properties.getProperty(property).trim();
      if (!text.isEmpty()) {
        if (KEYS.containsKey(name)) {
          check(KEYS.get(name), text, "-D" + property);
        }
        given.put(name, text);
      }
    }
    return given;
  }

  private static void overlay(Map<String, String> own, Map<String, String> given) {
    if (given.getOrDefault("store", "").contains("#") && !given.containsKey("queue")) {
      own.remove("queue");
    }
    if (given.containsKey("queue")) {
      own.computeIfPresent("store", (k, store) -> store.replaceFirst("#.*", ""));
    }
    KEYS.forEach(
        (name, key) -> {
          if (given.containsKey(name)) {
            own.put(key, given.get(name));
          }
        });
  }

  // ---- what can be told to be wrong without the engine

  /**
   * @param spelled as its users wrote it
   */
  private static void check(String key, String text, String spelled) {
    QueueCheck.check(key, text)
        .ifPresent(
            fault -> {
              throw new BadConfiguration(
                  spelled + " cannot be '" + fault.text() + "'", fault.next() + ".");
            });
  }

  /** An adapter that the POM names may know others. */
  private static void checkStore(Map<String, String> texts, String label) {
    String store = texts.get("store");
    if (store != null && !Kinds.isStore(store)) {
      throw new BadConfiguration(
          spelled(label, "store") + " cannot be '" + QueueCheck.withoutSecrets(store) + "'",
          "Write " + Kinds.STORES + ".");
    }
  }

  private static void checkTogether(Map<String, String> texts, String label) {
    if (QueueCheck.hasSeveralTokens(texts)) {
      throw new BadConfiguration(
          "the configuration says in several ways where the token is",
          "Set one of " + spelled(label, "tokenFile") + ", <tokenVariable> and <tokenServer>.");
    }
    QueueCheck.otherQueueInStore(texts)
        .ifPresent(
            other -> {
              throw new BadConfiguration(
                  spelled(label, "store")
                      + " names the queue '"
                      + other
                      + "' and "
                      + spelled(label, "queue")
                      + " the queue '"
                      + texts.get("queue")
                      + "'",
                  "Name the queue once.");
            });
  }

  private static boolean isTrue(String name, String text) {
    if (!text.equals("true") && !text.equals("false")) {
      throw new BadConfiguration("<" + name + "> cannot be '" + text + "'", "Write true or false.");
    }
    return text.equals("true");
  }

  /**
   * As the POM spells it.
   *
   * @param label the name of a queue, or nothing
   * @param name of the setting, as the POM or as the engine has it
   */
  static String spelled(String label, String name) {
    String own =
        KEYS.entrySet().stream()
            .filter(e -> e.getValue().equals(name))
            .map(Map.Entry::getKey)
            .findFirst()
            .orElse(name);
    return "<" + own + ">" + (label.isEmpty() ? "" : " of the queue '" + label + "'");
  }

  // ---- what it comes to

  /** The names that may follow {@code -Dbaton.}. */
  static List<String> properties() {
    List<String> names = all(KEYS.keySet(), OF_GOALS, Collections.singletonList("strict"));
    names.removeAll(POM_ONLY);
    return names;
  }

  /** Empty when the POM names none: then {@link Guard#DEFAULT} counts. */
  List<Guard> configured() {
    return guards;
  }

  List<Guard> guards() {
    return guards.isEmpty() ? Collections.singletonList(Guard.DEFAULT) : guards;
  }

  List<String> adapters() {
    return adapters;
  }

  boolean isStrict() {
    return strict;
  }

  /**
   * @param name that of one of several queues, or nothing
   */
  public Map<String, String> queue(String name) {
    if (name == null || name.isEmpty()) {
      return base;
    }
    if (!queues.containsKey(name)) {
      throw new BadConfiguration(
          "there is no queue '" + name + "' among <queues>",
          "Add it: <queues><queue><name>" + name + "</name>…</queue></queues>.");
    }
    return queues.get(name);
  }

  List<Map<String, String>> queues(Guard guard) {
    return guard.queues().isEmpty()
        ? Collections.singletonList(base)
        : guard.queues().stream().map(this::queue).collect(Collectors.toList());
  }
}
