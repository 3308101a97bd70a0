package dev.baton.cli;

import dev.baton.cli.terminal.Baton;
import dev.baton.client.adapter.Extensions;
import dev.baton.client.adapter.KnownAdapters;
import dev.baton.core.BadSetting;
import dev.baton.core.adapter.AdapterDescriptor;
import dev.baton.core.adapter.AdapterDescriptor.Kind;
import dev.baton.core.adapter.AdapterDescriptor.Use;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.Locale;
import java.util.ResourceBundle;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * What help texts say of stores and clouds: {@code ${bundle:stores}} and the like, made from the
 * descriptors of adapters when a help text is printed and not before.
 */
final class AdapterTexts extends ResourceBundle {

  private static final Set<String> KEYS =
      Set.of(
          "stores",
          "vm-stores",
          "state-stores",
          "clouds",
          "probed",
          "init.examples",
          "probe.examples",
          "cloud.variables");

  private final Baton baton;
  private List<AdapterDescriptor> adapters;

  AdapterTexts(Baton baton) {
    this.baton = baton;
  }

  @Override
  protected Object handleGetObject(String key) {
    return switch (key) {
      case "stores" -> addresses(Use.QUEUES);
      case "vm-stores" -> addresses(Use.VM_STATES);
      case "state-stores" -> addresses(Use.DEPLOYMENT_STATES);
      case "clouds" -> addresses(Use.CLOUD);
      case "probed" -> addresses(Use.PROBE);
      case "init.examples" ->
          examples(
              Use.QUEUES,
              adapter ->
                  kind ->
                      String.format(
                          Locale.ROOT,
                          "  %-46s %s",
                          "baton init --store " + kind.example(),
                          noteOn(kind) + "see " + adapter.guide()));
      case "probe.examples" ->
          examples(Use.PROBE, adapter -> kind -> "  baton probe " + kind.example());
      case "cloud.variables" -> variables();
      default -> null;
    };
  }

  @Override
  public Enumeration<String> getKeys() {
    return Collections.enumeration(KEYS);
  }

  private String addresses(Use use) {
    return text(
        Extensions.orOf(
            adapters().stream()
                .flatMap(adapter -> adapter.kinds(use).stream())
                .map(Kind::address)
                .toList()));
  }

  /** Of what is built in there are examples already. */
  private String examples(Use use, Function<AdapterDescriptor, Function<Kind, String>> line) {
    return text(
        adapters().stream()
            .filter(adapter -> !adapter.isBuiltIn())
            .flatMap(adapter -> adapter.kinds(use).stream().map(line.apply(adapter)))
            .collect(Collectors.joining("\n")));
  }

  private static String noteOn(Kind kind) {
    return kind.note().isEmpty() ? "" : kind.note() + ", ";
  }

  private String variables() {
    return text(
        adapters().stream()
            .filter(adapter -> !adapter.kinds(Use.CLOUD_SETUP).isEmpty())
            .map(
                adapter ->
                    "\n"
                        + adapter.name()
                        + ". "
                        + adapter.advice()
                        + " Variables:\n"
                        + adapter.variables().stream()
                            .map(
                                v ->
                                    String.format(Locale.ROOT, "  %-33s %s", v.name(), v.purpose()))
                            .collect(Collectors.joining("\n")))
            .collect(Collectors.joining("\n")));
  }

  private List<AdapterDescriptor> adapters() {
    if (adapters == null) {
      adapters = adapters(baton);
    }
    return adapters;
  }

  static List<AdapterDescriptor> adapters(Baton baton) {
    try {
      return baton.host().extensions().adapters();
    } catch (BadSetting e) {
      // Help is what somebody reads who has to put them right; commands that need them fail.
      return KnownAdapters.all();
    }
  }

  /** What is put into a help text is a format, and may have styles in it. */
  private static String text(String plain) {
    return plain.replace("%", "%%").replace("@|", "@ |");
  }
}
