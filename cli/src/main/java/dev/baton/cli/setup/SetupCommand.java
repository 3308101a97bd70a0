package dev.baton.cli.setup;

import dev.baton.cli.terminal.Baton;
import dev.baton.cli.terminal.CliException;
import dev.baton.cli.terminal.ExitCode;
import dev.baton.client.adapter.Extensions;
import dev.baton.client.settings.Setting;
import dev.baton.client.settings.Settings;
import dev.baton.core.adapter.AdapterDescriptor;
import dev.baton.core.adapter.AdapterDescriptor.Use;
import dev.baton.core.adapter.StoreSetup;
import dev.baton.core.adapter.StoreSetup.Part;
import dev.baton.store.StoreException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;

/** Makes or checks the places of stores, with what their adapter brings for that. */
@Command(name = "init")
final class SetupCommand implements Callable<Integer> {

  @ParentCommand AdapterCommand parent;

  @Parameters(
      arity = "0..*",
      paramLabel = "STORE",
      description =
          "which ones; default: those that the settings name (store, vm-store, state-store)")
  List<String> named = List.of();

  @Option(names = "--check", description = "change nothing; exit code 12 if something is missing")
  boolean check;

  @Option(
      names = {"-y", "--yes"},
      description = "do not ask")
  boolean yes;

  @Override
  public Integer call() throws StoreException, InterruptedException {
    Baton baton = parent.baton;
    AdapterDescriptor adapter = parent.adapter();
    List<String> stores = stores(baton, adapter);
    String word = adapter.command().orElseThrow();
    StoreSetup setup =
        baton
            .host()
            .extensions()
            .storeSetup(word)
            .orElseThrow(
                () ->
                    CliException.usage(
                        adapter.name() + " is not part of this installation",
                        baton
                            .host()
                            .extensions()
                            .nextWithout(
                                adapter.kinds(Use.SETUP).get(0).name(),
                                Use.SETUP,
                                known -> "Use " + known + ".")));
    try (StoreSetup.Session session = setup.open(stores, baton.host())) {
      List<Part> before = session.look();
      SetupText text = new SetupText(stores);
      long changes = before.stream().filter(Part::isToChange).count();
      if (check || changes == 0) {
        return told(baton, text, before, List.of());
      }
      if (!isMeant(baton, text, before, changes)) {
        baton.say("Nothing was changed.");
        return ExitCode.REFUSED.code;
      }
      List<Part> changed = new ArrayList<>();
      session.change(
          part -> {
            changed.add(part);
            baton.say(SetupText.done(part, baton.paint()));
          });
      return told(baton, text, session.look(), changed);
    }
  }

  private static int told(Baton baton, SetupText text, List<Part> parts, List<Part> changed) {
    baton.result(text.json(parts, changed), text.text(parts, changed, baton.paint()));
    return parts.stream().allMatch(p -> p.state() == StoreSetup.State.READY)
        ? ExitCode.OK.code
        : ExitCode.NOT_SET_UP.code;
  }

  private boolean isMeant(Baton baton, SetupText text, List<Part> parts, long changes) {
    String announcement = text.announcement(parts, baton.paint());
    if (yes) {
      baton.say(announcement);
      return true;
    }
    if (!baton.shell().terminal()) {
      throw CliException.usage(
          (changes == 1 ? "one thing is" : changes + " things are")
              + " to be changed, and there is no terminal to ask on",
          "Add --yes, or --check to see what they are; nothing was changed.");
    }
    return baton.confirm(announcement + "\nGo on? [y/N] ");
  }

  /** What only a file of a checkout names is not meant by anybody. */
  private List<String> stores(Baton baton, AdapterDescriptor adapter) {
    List<String> addresses =
        adapter.kinds(Use.SETUP).stream().map(AdapterDescriptor.Kind::address).toList();
    String use = "Name " + Extensions.orOf(addresses) + ".";
    for (String one : named) {
      if (!isOf(adapter, one)) {
        throw CliException.usage(
            "an argument is not an address of " + adapter.name() + " that can be set up", use);
      }
    }
    if (!named.isEmpty()) {
      return named.stream().distinct().toList();
    }
    List<String> set = new ArrayList<>();
    for (Setting setting : List.of(Setting.STORE, Setting.VM_STORE, Setting.STATE_STORE)) {
      Optional<Settings.Value> value =
          baton.settings().get(setting).filter(v -> isOf(adapter, v.text()));
      if (value.filter(v -> v.project().isPresent()).isPresent()) {
        throw CliException.usage(
            "the store is named only by "
                + value.get().source()
                + ", and this command may write to it",
            "Name it yourself: `baton " + adapter.command().orElseThrow() + " init STORE`.");
      }
      value.map(Settings.Value::text).filter(v -> !set.contains(v)).ifPresent(set::add);
    }
    if (set.isEmpty()) {
      throw CliException.usage("it is not said what to set up", use);
    }
    return set;
  }

  private static boolean isOf(AdapterDescriptor adapter, String address) {
    return adapter.kinds(Use.SETUP).stream().anyMatch(k -> address.startsWith(k.name() + ":"));
  }
}
