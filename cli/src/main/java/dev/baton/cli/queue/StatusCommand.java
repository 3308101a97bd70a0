package dev.baton.cli.queue;

import dev.baton.cli.terminal.CliException;
import dev.baton.cli.terminal.ExitCode;
import dev.baton.cli.terminal.TerminalCodes;
import dev.baton.client.queue.OpenQueue;
import dev.baton.client.queue.Place;
import dev.baton.client.report.QueueStatus;
import dev.baton.client.settings.Setting;
import dev.baton.client.settings.Tokens;
import dev.baton.client.text.JsonOutput;
import dev.baton.core.Checks;
import dev.baton.core.adapter.AdapterDescriptor.Use;
import dev.baton.core.adapter.AdapterDescriptor.Variable;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.QueueException;
import dev.baton.store.StoreException;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Who builds, who waits. */
@Command(
    name = "status",
    description = "Who builds, who waits, for how long.",
    footer = {
      "  baton status",
      "  baton status --watch",
      "  baton status --json",
      "  baton status --prometheus > baton.prom",
      "  baton status -v             and where each setting came from",
    })
public final class StatusCommand extends QueueCommand {

  @Option(names = "--watch", description = "go on until Ctrl-C")
  boolean watch;

  @Option(names = "--prometheus", description = "metrics in the text format of Prometheus")
  boolean prometheus;

  @Override
  public void check() {
    if (watch && prometheus) {
      throw CliException.usage("--watch does not go with --prometheus", "Choose one of them.");
    }
  }

  @Override
  public int on(OpenQueue open) throws QueueException, StoreException, InterruptedException {
    if (watch) {
      watch(open);
      return ExitCode.OK.code;
    }
    QueueDocument d = open.quick().status();
    QueueStatus status = QueueStatus.of(open, d, baton.shell().clock().instant());
    if (prometheus) {
      baton.shell().out().println(Prometheus.of(status));
      return ExitCode.OK.code;
    }
    Map<String, Object> data = status.json();
    String text = status.text(baton.paint());
    if (baton.isVerbose()) {
      Map<String, Object> origins = origins(open);
      data.put("settings", origins);
      text += "\n\n" + baton.paint().bold("Settings") + table(origins);
    }
    baton.result(data, text);
    return ExitCode.OK.code;
  }

  private static String table(Map<String, Object> rows) {
    int width = rows.keySet().stream().mapToInt(String::length).max().orElse(0) + 2;
    return rows.entrySet().stream()
        .map(e -> String.format(Locale.ROOT, "\n  %-" + width + "s%s", e.getKey(), e.getValue()))
        .collect(Collectors.joining());
  }

  private Map<String, Object> origins(OpenQueue open) {
    Map<String, Object> all = new LinkedHashMap<>();
    for (Setting key : Setting.values()) {
      baton
          .settings()
          .get(key)
          .ifPresent(v -> all.put(key.id(), shown(key, v.text()) + "  from " + v.source()));
    }
    all.putIfAbsent(Setting.STORE.id(), open.place().store() + "  by default");
    all.putIfAbsent(Setting.QUEUE.id(), open.place().queue() + "  by default or from the store");
    if (open.github().isPresent()) {
      all.putIfAbsent(Setting.API.id(), Place.DEFAULT_API + "  by default");
      Tokens.source(baton.settings(), baton.host())
          .ifPresent(source -> all.put("token", "from " + source));
    }
    if (open.place() instanceof Place.Elsewhere elsewhere) {
      variables(elsewhere.provider().scheme()).forEach(v -> put(all, v));
    }
    return all;
  }

  /** What the adapter of the store may be told by the environment. */
  private List<Variable> variables(String scheme) {
    return baton.host().extensions().adapters().stream()
        .filter(d -> d.kinds(Use.QUEUES).stream().anyMatch(k -> k.name().equals(scheme)))
        .flatMap(d -> d.variables().stream())
        .toList();
  }

  /** Its value is shown only if its adapter says that this is safe. */
  private void put(Map<String, Object> all, Variable variable) {
    String value = baton.host().variable(variable.name());
    if (!value.isEmpty()) {
      all.put(
          variable.name(),
          (variable.sensitive() ? "(set, not shown)" : Checks.shown(value))
              + "  from the environment");
    }
  }

  /** What this command has no use for, nobody has checked: there may be a password in it. */
  private static String shown(Setting key, String text) {
    return switch (key) {
      case API, STORE, VM_STORE, STATE_STORE ->
          text.startsWith("file:") ? text : Checks.withoutSecrets(text);
      default -> text;
    };
  }

  private void watch(OpenQueue open) throws QueueException, StoreException, InterruptedException {
    boolean redraws = baton.shell().terminal() && !baton.json;
    Duration pause = redraws ? Duration.ofSeconds(1) : Duration.ofSeconds(2);
    Duration poll = open.github().isPresent() ? Duration.ofSeconds(5) : pause;
    QueueDocument shown = null;
    QueueDocument d = null;
    long looked = 0;
    while (true) {
      long nanos = System.nanoTime();
      if (d == null || nanos - looked >= poll.toNanos()) {
        d = open.quick().status();
        looked = nanos;
      }
      Instant now = baton.shell().clock().instant();
      if (redraws) {
        baton
            .shell()
            .out()
            .print(
                TerminalCodes.CLEAR_SCREEN
                    + QueueStatus.of(open, d, now).text(baton.paint())
                    + "\n\nCtrl-C ends this.\n");
        baton.shell().out().flush();
      } else if (shown == null || shown.version() != d.version()) {
        QueueStatus status = QueueStatus.of(open, d, now);
        baton.shell().out().println(baton.json ? JsonOutput.line(status.json()) : status.brief());
        baton.shell().out().flush();
        shown = d;
      }
      Thread.sleep(pause.toMillis());
    }
  }
}
