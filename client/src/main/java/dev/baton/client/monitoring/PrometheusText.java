package dev.baton.client.monitoring;

import dev.baton.client.monitoring.Measure.Metric;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The metrics of locks in the text format of Prometheus, summed up over many short processes. Pure.
 */
final class PrometheusText {

  private static final String FIRST_LINE = "# Locks, counted by baton";
  private static final Pattern SAMPLE =
      Pattern.compile(
          "(?<name>[a-z_]+)\\{(?<labels>(?:[a-z_]+=\"(?:[^\"\\\\\\n]|\\\\.)*\",?)*)\\}"
              + " (?<value>[0-9]{1,18}(?:\\.[0-9]{1,9})?)");

  private PrometheusText() {}

  /** Somebody else's file. */
  static final class NotOurs extends IllegalArgumentException {
    private static final long serialVersionUID = 1;

    NotOurs(String what) {
      super(what);
    }
  }

  /**
   * A text with more measures in it.
   *
   * @param before the whole text so far; empty at first
   * @throws NotOurs when it was not written here
   */
  static String with(String before, LockIdentity lock, List<Measure> measures) {
    Map<String, BigDecimal> samples = read(before);
    String labels = labels(lock);
    for (Measure m : measures) {
      if (m.metric().isCount()) {
        samples.merge(name(m.metric()) + "{" + labels + "}", m.value(), BigDecimal::add);
      } else {
        String name = name(m.metric());
        samples.merge(name + "_sum{" + labels + "}", seconds(m), BigDecimal::add);
        samples.merge(name + "_count{" + labels + "}", BigDecimal.ONE, BigDecimal::add);
      }
    }
    return text(samples);
  }

  private static BigDecimal seconds(Measure m) {
    return m.metric().unit.equals("Milliseconds") ? m.value().movePointLeft(3) : m.value();
  }

  private static Map<String, BigDecimal> read(String text) {
    Map<String, BigDecimal> samples = new TreeMap<>();
    if (!text.isEmpty() && !text.startsWith(FIRST_LINE + "\n")) {
      throw new NotOurs("it was not written by baton");
    }
    for (String line : text.lines().toList()) {
      if (!line.startsWith("#")) {
        Matcher m = SAMPLE.matcher(line);
        if (!m.matches()) {
          throw new NotOurs("it was changed by somebody else");
        }
        samples.put(
            m.group("name") + "{" + m.group("labels") + "}", new BigDecimal(m.group("value")));
      }
    }
    return samples;
  }

  /** As base units and suffixes of Prometheus want it. */
  static String name(Metric metric) {
    String plain = metric.id.replace('.', '_');
    return metric.isCount() ? plain + "_total" : plain + "_seconds";
  }

  private static String labels(LockIdentity lock) {
    return lock.dimensions().entrySet().stream()
        .map(e -> label(e.getKey()) + "=\"" + escaped(e.getValue()) + "\"")
        .collect(Collectors.joining(","));
  }

  private static String label(String dimension) {
    return dimension.replaceAll("(?<=[a-z])(?=[A-Z])", "_").toLowerCase(Locale.ROOT);
  }

  private static String escaped(String value) {
    return value.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
  }

  private static String text(Map<String, BigDecimal> samples) {
    List<String> lines = new ArrayList<>(List.of(FIRST_LINE));
    for (Metric metric : Metric.values()) {
      String name = name(metric);
      List<String> own =
          samples.entrySet().stream()
              .filter(e -> isOf(name, e.getKey()))
              .map(e -> e.getKey() + " " + e.getValue().toPlainString())
              .toList();
      if (!own.isEmpty()) {
        lines.add("# HELP " + name + " " + metric.help);
        lines.add("# TYPE " + name + " " + (metric.isCount() ? "counter" : "summary"));
        lines.addAll(own);
      }
    }
    return String.join("\n", lines) + "\n";
  }

  private static boolean isOf(String name, String sample) {
    String of = sample.substring(0, sample.indexOf('{'));
    return of.equals(name) || of.equals(name + "_sum") || of.equals(name + "_count");
  }
}
