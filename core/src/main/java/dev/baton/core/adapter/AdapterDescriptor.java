package dev.baton.core.adapter;

import dev.baton.core.Checks;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * All that front ends know of an adapter before they load it. Help texts, error messages and
 * documentation are made from descriptors or checked against them, so that a new adapter needs no
 * edit outside its module.
 *
 * @param name for people, such as {@code Alibaba Cloud}
 * @param artifact {@code GROUP:MODULE} that has it; empty: it is part of Baton
 * @param image the variant of the action that has it: {@code alibaba} is {@code @v1-alibaba}
 * @param command the word of its own commands, as in {@code baton COMMAND init}; there is one if
 *     and only if a kind has the use {@link Use#SETUP}
 * @param advice where its credentials come from, as sentences
 * @param permissions what its credentials must be allowed to do
 * @param guide the page of the documentation about it
 * @param kinds the stores and clouds that it brings
 * @param variables the environment variables that it reads
 * @param requestLogs the loggers, with those below them, of libraries that log whole requests in
 *     detail: build tools that show all logs leave out what they say below {@code INFO}
 */
public record AdapterDescriptor(
    String name,
    Optional<String> artifact,
    Optional<String> image,
    Optional<String> command,
    String advice,
    String permissions,
    String guide,
    List<Kind> kinds,
    List<Variable> variables,
    List<String> requestLogs) {

  private static final Pattern ARTIFACT = Pattern.compile("[A-Za-z0-9._-]+:[A-Za-z0-9._-]+");
  private static final Pattern WORD = Pattern.compile("[a-z][a-z0-9-]*");
  private static final Pattern LOGGER = Pattern.compile("\\w+(\\.\\w+)+");
  private static final Pattern VARIABLE = Pattern.compile("[A-Z][A-Z0-9_]*");
  private static final int LONGEST = 300;

  public AdapterDescriptor {
    text("name", name);
    artifact.ifPresent(a -> matching("artifact", ARTIFACT, a));
    image.ifPresent(i -> matching("image", WORD, i));
    command.ifPresent(c -> matching("command", WORD, c));
    line("advice", advice);
    line("permissions", permissions);
    line("guide", guide);
    kinds = List.copyOf(kinds);
    variables = List.copyOf(variables);
    requestLogs = List.copyOf(requestLogs);
    requestLogs.forEach(l -> matching("the name of a logger", LOGGER, l));
    if (kinds.isEmpty()) {
      throw new IllegalArgumentException("the adapter " + name + " brings neither store nor cloud");
    }
    boolean setUp = kinds.stream().anyMatch(k -> k.uses().contains(Use.SETUP));
    if (setUp != command.isPresent()) {
      throw new IllegalArgumentException(
          "the adapter "
              + name
              + (setUp
                  ? " names no command for its setup"
                  : " names a command, and sets up nothing"));
    }
  }

  /** What a store or a cloud can be used for. */
  public enum Use {
    /** It keeps queues: there is a {@code StoreProvider} for it. */
    QUEUES,
    /** It keeps the states of VMs: there is a {@code VmSpaceKind} for it. */
    VM_STATES,
    /** It keeps the states of deployments: there is a {@code StateSpaceKind} for it. */
    DEPLOYMENT_STATES,
    /** It has VMs: there is a {@code CloudKind} for it. */
    CLOUD,
    /** {@code baton COMMAND init} makes or checks it: there is a {@link StoreSetup} for it. */
    SETUP,
    /** {@code baton vm init} gets it ready: there is a {@code CloudSetup} for it. */
    CLOUD_SETUP,
    /** {@code baton probe} checks it: its {@code StoreSpace} is {@code Probeable}. */
    PROBE;

    /** As a descriptor spells it. */
    public String id() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private static Use of(String id) {
      return Arrays.stream(values())
          .filter(u -> u.id().equals(id))
          .findFirst()
          .orElseThrow(() -> new IllegalArgumentException("no use of an adapter: " + id));
    }
  }

  /**
   * A store or a cloud.
   *
   * @param name the scheme of a store, or the name of a cloud
   * @param uses what it can be used for
   * @param address its form, such as {@code oss://BUCKET/PREFIX}; of a cloud its name
   * @param example an address that could be real, for help texts
   * @param note what it is, to follow an example in a help text
   */
  public record Kind(String name, Set<Use> uses, String address, String example, String note) {
    public Kind {
      matching("the name of a kind", WORD, name);
      uses = Set.copyOf(uses);
      text(name + ".address", address);
      text(name + ".example", example);
      line(name + ".note", note);
      if (uses.isEmpty()) {
        throw new IllegalArgumentException(name + " has no use");
      }
      boolean cloud = uses.contains(Use.CLOUD);
      if (!(cloud ? address.equals(name) : address.startsWith(name + ":"))) {
        throw new IllegalArgumentException(address + " is not an address of " + name);
      }
    }
  }

  /**
   * An environment variable that the adapter reads.
   *
   * @param purpose for people
   * @param sensitive whether it is a secret, or decides where one is sent or who gets in
   */
  public record Variable(String name, String purpose, boolean sensitive) {
    public Variable {
      matching("the name of a variable", VARIABLE, name);
      text(name, purpose);
    }
  }

  public boolean isBuiltIn() {
    return artifact.isEmpty();
  }

  /** What it brings for this use. */
  public List<Kind> kinds(Use use) {
    return kinds.stream().filter(k -> k.uses().contains(use)).toList();
  }

  /**
   * Reads a descriptor from lines such as {@code artifact=dev.baton:adapter-alibaba}; {@code
   * CONTRIBUTING.md} lists them. A key that it does not know is an error, and a variable is
   * sensitive unless the descriptor says otherwise.
   *
   * @param in UTF-8, in the format of {@link Properties}; not closed
   * @throws IllegalArgumentException naming what is wrong
   */
  public static AdapterDescriptor read(InputStream in) throws IOException {
    Properties read = new Properties();
    read.load(new InputStreamReader(in, StandardCharsets.UTF_8));
    Fields fields = new Fields(read);
    AdapterDescriptor descriptor =
        new AdapterDescriptor(
            fields.take("name", ""),
            Optional.of(fields.take("artifact", "")).filter(t -> !t.isEmpty()),
            Optional.of(fields.take("image", "")).filter(t -> !t.isEmpty()),
            Optional.of(fields.take("command", "")).filter(t -> !t.isEmpty()),
            fields.take("advice", ""),
            fields.take("permissions", ""),
            fields.take("guide", ""),
            fields.list("kinds").stream().map(fields::kind).toList(),
            fields.list("variables").stream().map(fields::variable).toList(),
            fields.list("request-logs"));
    fields.requireNoMore();
    return descriptor;
  }

  /** Each is taken once; what is left is unknown. */
  private record Fields(Properties left) {

    String take(String key, String otherwise) {
      Object value = left.remove(key);
      return value == null ? otherwise : value.toString().strip();
    }

    List<String> list(String key) {
      return Arrays.stream(take(key, "").split("[, ]+")).filter(t -> !t.isEmpty()).toList();
    }

    Kind kind(String name) {
      Set<Use> uses =
          list(name + ".uses").stream()
              .map(Use::of)
              .collect(Collectors.toCollection(() -> EnumSet.noneOf(Use.class)));
      String address = take(name + ".address", name);
      return new Kind(
          name, uses, address, take(name + ".example", address), take(name + ".note", ""));
    }

    Variable variable(String name) {
      String sensitive = take(name + ".sensitive", "true");
      return new Variable(name, take(name, ""), !sensitive.equals("false"));
    }

    void requireNoMore() {
      if (!left.isEmpty()) {
        throw new IllegalArgumentException(
            "unknown in the descriptor of an adapter: "
                + left.keySet().stream()
                    .map(k -> Checks.shown(k.toString()))
                    .sorted()
                    .collect(Collectors.joining(", ")));
      }
    }
  }

  private static void matching(String what, Pattern pattern, String value) {
    if (!pattern.matcher(value).matches()) {
      throw new IllegalArgumentException(what + " cannot be " + Checks.shown(value));
    }
  }

  private static void text(String what, String value) {
    Checks.line(what, value, 1, LONGEST);
  }

  private static void line(String what, String value) {
    Checks.line(what, value, 0, LONGEST);
  }
}
