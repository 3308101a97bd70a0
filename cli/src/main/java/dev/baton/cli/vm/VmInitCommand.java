package dev.baton.cli.vm;

import dev.baton.cli.terminal.Baton;
import dev.baton.cli.terminal.CliException;
import dev.baton.cli.terminal.Configuration;
import dev.baton.cli.terminal.ExitCode;
import dev.baton.cli.terminal.Prompts;
import dev.baton.client.adapter.Extensions;
import dev.baton.client.settings.Host;
import dev.baton.client.settings.Setting;
import dev.baton.client.settings.Settings;
import dev.baton.client.text.JsonOutput;
import dev.baton.client.vm.VmClient;
import dev.baton.core.Checks;
import dev.baton.core.Problem.Kind;
import dev.baton.core.adapter.AdapterDescriptor.Use;
import dev.baton.vm.Client;
import dev.baton.vm.Options;
import dev.baton.vm.Outcome;
import dev.baton.vm.Question;
import dev.baton.vm.Questions;
import dev.baton.vm.Resource;
import dev.baton.vm.StatusReport;
import dev.baton.vm.Trouble;
import dev.baton.vm.VmException;
import dev.baton.vm.VmState;
import dev.baton.vm.spi.CloudSetup;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;

/** Gets an account of a cloud ready. */
@Command(
    name = "init",
    description = {
      "Get an account of a cloud ready for VMs: check the access key, make a private bucket for"
          + " their states, make an SSH key, and remember all that.",
      "Run again, it changes nothing. A VM that an earlier version recorded on this machine is"
          + " taken over.",
    },
    footer = {
      "  baton vm init                                asks for what it needs",
      "  baton vm init --region eu-central-1          with the key in the environment",
      "  printf '%%s\\n"
          + "' \"$ID\" \"$SECRET\" | baton vm init --credentials-stdin --region eu-central-1",
      "  baton vm init --bucket our-vm-states         in a bucket of that name",
      "  baton vm init --migrate ~/old --yes          also take over the VM recorded there",
      "",
      "A key is never taken from the command line, where others could see it. One in the",
      "environment, or where else the cloud's own tools look, is used and not written down.",
      "${bundle:cloud.variables}",
    })
public final class VmInitCommand implements Callable<Integer> {

  private static final int ATTEMPTS = 3;
  private static final String SIMULATED = "simulated";

  @ParentCommand VmCommand parent;

  @Option(names = "--region", paramLabel = "NAME", description = "where bucket and VMs are")
  String region;

  @Option(
      names = "--bucket",
      paramLabel = "NAME",
      description = "for the states; default: baton-state-ACCOUNT")
  String bucket;

  @Option(
      names = "--credentials-stdin",
      description = "read the key from standard input: a line with its id, a line with its secret")
  boolean credentialsStdin;

  @Option(names = "--new-keys", description = "ask for a key even if one is saved")
  boolean newKeys;

  @ArgGroup Migration migration = new Migration();

  /** Which record of an earlier version is taken over. */
  static final class Migration {
    @Option(
        names = "--migrate",
        paramLabel = "DIR",
        description = "an earlier version wrote state.json there; default: ~/.baton, ~/.cloudcode")
    Path directory;

    @Option(names = "--no-migrate", description = "leave such records alone")
    boolean none;
  }

  @Option(
      names = {"-y", "--yes"},
      description = "say yes to every question")
  boolean yes;

  private Baton baton;
  private Prompts prompts;
  private final List<CloudSetup.Done> done = new ArrayList<>();
  private final List<String> notes = new ArrayList<>();
  private final List<Path> empty = new ArrayList<>();
  private VmException unfinished;

  @Override
  public Integer call() throws VmException, InterruptedException {
    baton = parent.baton;
    prompts = new Prompts(baton);
    baton.set(Setting.VM, parent.vm);
    baton.set(Setting.VM_STORE, parent.store);
    baton.set(Setting.CLOUD, parent.cloud);
    Host host = baton.host();
    String cloud =
        baton
            .settings()
            .get(Setting.CLOUD)
            .filter(v -> v.rank() == Settings.DIRECT || !v.text().equals(SIMULATED))
            .map(Settings.Value::text)
            .orElseGet(() -> theCloud(host));
    CloudSetup setup =
        host.extensions()
            .cloudSetup(cloud)
            .orElseThrow(
                () ->
                    CliException.usage(
                        cloud.equals(SIMULATED)
                            ? "the simulated cloud needs no preparation"
                            : "unsupported cloud " + Checks.shown(cloud),
                        cloud.equals(SIMULATED)
                            ? "Run `baton vm deploy`."
                            : host.extensions()
                                .nextWithout(
                                    cloud,
                                    Use.CLOUD_SETUP,
                                    known -> "Use --cloud " + known + ".")));
    Optional<LocalRecord> local = local();
    CloudSetup.Needs needs = setup.needs(host, credentialsStdin || newKeys);
    CloudSetup.Session session = identified(setup, needs, host, local);
    local.ifPresent(l -> requireSameRegion(l, session.region()));
    requireThatWhatIsSetStillWorks(needs.region(), session);
    tell(session.place());
    session.save().forEach(this::tell);
    if (local.isEmpty()) {
      tell(session.sshKey(Optional.empty()));
    }
    remember(cloud, session.store());
    Optional<String> migrated = empty.isEmpty() ? Optional.empty() : Optional.of("empty");
    if (local.isPresent()) {
      migrated = Optional.of(migrate(local.get(), cloud, session));
    }
    empty.forEach(
        directory ->
            tell(
                new CloudSetup.Done(
                    "migration",
                    "none: the record in " + directory + " names nothing to take over",
                    false)));
    report(cloud, session, migrated);
    return ExitCode.OK.code;
  }

  /** Where only one can be got ready, it need not be named. */
  private static String theCloud(Host host) {
    List<String> clouds = host.extensions().addresses(Use.CLOUD_SETUP);
    if (clouds.size() != 1) {
      throw CliException.usage(
          "several clouds can be prepared",
          "Name one with --cloud " + Extensions.orOf(clouds) + ".");
    }
    return clouds.get(0);
  }

  private void tell(CloudSetup.Done part) {
    done.add(part);
    if (!baton.json) {
      baton.say(
          baton.paint().good("✓")
              + String.format(Locale.ROOT, " %-12s", part.part())
              + part.result());
    }
  }

  // ---- who, and where

  private CloudSetup.Session identified(
      CloudSetup setup, CloudSetup.Needs needs, Host host, Optional<LocalRecord> local)
      throws VmException, InterruptedException {
    if (needs.keysAreKept() && (credentialsStdin || newKeys)) {
      throw CliException.usage(
          "a key is already set in " + needs.keysFrom().orElseThrow() + ", which comes first",
          "Take that away, or leave out "
              + (credentialsStdin ? "--credentials-stdin" : "--new-keys")
              + ".");
    }
    List<String> keys = List.of();
    if (credentialsStdin) {
      keys = fromStdin(needs);
    } else if ((newKeys || needs.keysFrom().isEmpty()) && prompts.canAsk()) {
      keys = askKeys(needs);
    } else if (newKeys) {
      throw CliException.usage(
          "--new-keys asks for a key, and there is no terminal to ask on",
          "Use --credentials-stdin.");
    }
    Optional<String> where = region(needs, !keys.isEmpty(), local);
    for (int attempt = 1; ; attempt++) {
      CloudSetup.Session session =
          setup.open(
              host,
              new CloudSetup.Given(
                  keys,
                  where,
                  Optional.ofNullable(bucket),
                  baton.settings().get(Setting.VM_STORE).map(Settings.Value::text)));
      try {
        tell(session.identify());
        return session;
      } catch (VmException.CloudFailed e) {
        boolean mayHelp =
            e.trouble() == Trouble.DENIED
                && prompts.canAsk()
                && !needs.keysAreKept()
                && !credentialsStdin;
        if (!mayHelp || attempt == ATTEMPTS) {
          throw e;
        }
        baton.say(baton.paint().bad("✗") + " access key  " + e.what());
        baton.say("Enter another one, or press Ctrl-C: nothing was saved or created.");
        keys = askKeys(needs);
      }
    }
  }

  private List<String> fromStdin(CloudSetup.Needs needs) {
    List<String> keys = new ArrayList<>();
    try {
      for (CloudSetup.Field field : needs.keys()) {
        String line = Prompts.read(baton.shell().in());
        if (line == null || line.isEmpty()) {
          throw CliException.usage(
              "standard input has no line with the " + field.label().toLowerCase(Locale.ROOT),
              "It must have "
                  + needs.keys().size()
                  + " lines: "
                  + String.join(
                      ", then ",
                      needs.keys().stream().map(f -> f.label().toLowerCase(Locale.ROOT)).toList())
                  + ".");
        }
        keys.add(line);
      }
    } catch (IOException e) {
      throw new CliException(
          Kind.USAGE, "standard input cannot be read", "Pipe the key into it.", e);
    }
    return keys;
  }

  private List<String> askKeys(CloudSetup.Needs needs) throws InterruptedException {
    List<String> keys = new ArrayList<>();
    for (CloudSetup.Field field : needs.keys()) {
      String question = field.label() + ": ";
      Optional<String> said = field.secret() ? prompts.secret(question) : prompts.line(question);
      keys.add(
          said.filter(s -> !s.isEmpty())
              .orElseThrow(
                  () ->
                      CliException.usage(
                          "no " + field.label().toLowerCase(Locale.ROOT) + " was given",
                          "Nothing was saved or created. Make a key in the RAM console and run it"
                              + " again.")));
    }
    return keys;
  }

  private Optional<String> region(
      CloudSetup.Needs needs, boolean asking, Optional<LocalRecord> local)
      throws InterruptedException {
    if (region != null) {
      return Optional.of(region);
    }
    Optional<String> ofRecord = local.map(l -> l.legacy().region()).filter(r -> !r.isEmpty());
    if (needs.region().isPresent() && !asking) {
      return Optional.empty();
    }
    String usual = needs.region().or(() -> ofRecord).orElse(needs.usualRegion());
    if (!prompts.canAsk() || credentialsStdin) {
      return needs.region().isPresent() ? Optional.empty() : ofRecord;
    }
    return prompts.line("Region [" + usual + "]: ").map(said -> said.isEmpty() ? usual : said);
  }

  // ---- what the next commands need to know

  /** A bucket that is set is looked for in the region that is saved, and stays set. */
  private void requireThatWhatIsSetStillWorks(Optional<String> saved, CloudSetup.Session session) {
    Optional<Settings.Value> set =
        settings(Map.of())
            .get(Setting.VM_STORE)
            .filter(v -> scheme(v.text()).equals(scheme(session.store())))
            .filter(v -> !v.text().equals(session.store()));
    if (set.isPresent() && saved.filter(r -> !r.equals(session.region())).isPresent()) {
      throw CliException.usage(
          "vm-store is "
              + set.get().text()
              + " by "
              + set.get().source()
              + ", in region "
              + saved.get()
              + ", and would be looked for in "
              + session.region()
              + " from now on",
          "Set vm-store="
              + session.store()
              + " there first, or stay in "
              + saved.get()
              + "; nothing was changed.");
    }
  }

  private static String scheme(String store) {
    return store.split(":", 2)[0];
  }

  private void remember(String cloud, String store) {
    Path file =
        baton.config == null
            ? baton.host().userFile()
            : baton.shell().directory().resolve(baton.config);
    Map<Setting, String> wanted = new LinkedHashMap<>();
    wanted.put(Setting.VM_STORE, store);
    wanted.put(Setting.CLOUD, cloud);
    Map<Setting, String> missing = new LinkedHashMap<>(wanted);
    Settings before = settings(Map.of());
    missing.entrySet().removeIf(e -> isSet(before, e.getKey(), e.getValue()));
    Map<String, String> lines = new LinkedHashMap<>();
    missing.forEach((setting, value) -> lines.put(setting.id(), value));
    List<String> added = new UserFile(file).add(lines);
    tell(
        new CloudSetup.Done(
            "settings",
            added.isEmpty()
                ? (missing.isEmpty() ? "vm-store and cloud are set" : "stay as they are in " + file)
                : String.join(" and ", added) + " saved to " + file,
            !added.isEmpty()));
    Settings now = settings(Map.of());
    wanted.forEach(
        (setting, value) -> {
          if (!isSet(now, setting, value)) {
            notes.add(
                now.get(setting)
                        .map(v -> setting.id() + " is " + v.text() + " by " + v.source())
                        .orElse(setting.id() + " could not be saved to " + file)
                    + ": set "
                    + setting.id()
                    + "="
                    + value
                    + " there, or use --"
                    + setting.id()
                    + " "
                    + value);
          }
        });
  }

  private static boolean isSet(Settings settings, Setting setting, String value) {
    return settings.get(setting).filter(v -> v.text().equals(value)).isPresent();
  }

  private Settings settings(Map<Setting, String> flags) {
    return Configuration.resolve(
        flags,
        baton.host(),
        Optional.ofNullable(baton.config)
            .map(baton.shell().directory()::resolve)
            .filter(java.nio.file.Files::exists),
        note -> {}); // told already, when the settings of all commands were read
  }

  // ---- a VM of an earlier version

  private Optional<LocalRecord> local() {
    if (migration.none) {
      return Optional.empty();
    }
    if (migration.directory != null) {
      Path directory = baton.shell().directory().resolve(migration.directory);
      if (!LocalRecord.isThere(directory)) {
        throw CliException.usage(
            "there is neither state.json nor backup.json in " + directory,
            "Name the directory that has them, or leave out --migrate.");
      }
      return read(directory);
    }
    List<LocalRecord> found = new ArrayList<>();
    LocalRecord.usualPlaces(baton.shell().home()).forEach(d -> read(d).ifPresent(found::add));
    if (found.size() > 1) {
      throw CliException.usage(
          "there are records of VMs by an earlier version in "
              + found.get(0).directory()
              + " and "
              + found.get(1).directory(),
          "Choose one with --migrate DIR, or leave both alone with --no-migrate.");
    }
    return found.stream().findFirst();
  }

  private Optional<LocalRecord> read(Path directory) {
    Optional<LocalRecord> found = LocalRecord.read(directory, baton.shell().clock());
    if (found.isEmpty()) {
      empty.add(directory);
    }
    return found;
  }

  private static void requireSameRegion(LocalRecord local, String region) {
    String there = local.legacy().region();
    if (!there.isEmpty() && !there.equals(region)) {
      throw CliException.usage(
          "the VM recorded in "
              + local.directory()
              + " is in region "
              + there
              + ", not in "
              + region,
          "Use --region " + there + ", or leave that VM alone with --no-migrate.");
    }
  }

  private String migrate(LocalRecord local, String cloud, CloudSetup.Session session)
      throws VmException, InterruptedException {
    Map<Setting, String> flags = new LinkedHashMap<>();
    flags.put(Setting.VM_STORE, session.store());
    flags.put(Setting.CLOUD, cloud);
    try (VmClient vmClient = VmClient.open(settings(flags), baton.host(), Client.ofThisProcess())) {
      Outcome outcome;
      try (VmProgress progress = new VmProgress(baton)) {
        Questions questions = yes ? Questions.assumeYes() : this::ask;
        outcome =
            vmClient
                .vms()
                .migrate(
                    parent.name(),
                    local.legacy().in(session.region()),
                    Options.DEFAULT.asking(questions).telling(progress),
                    () -> finish(local, session));
      }
      if (outcome instanceof Outcome.Done) {
        requireFinished();
        return "moved";
      }
      Optional<VmState> there = outcome.state();
      if (there.isEmpty()) {
        tell(
            new CloudSetup.Done(
                "migration",
                "not needed: " + ((Outcome.Unchanged) outcome).why() + "; it is left as it is",
                false));
        tell(session.sshKey(Optional.empty()));
        return "nothing-there";
      }
      StatusReport report = vmClient.vms().vm(parent.name()).status();
      if (local.legacy().isOf(there.get(), report.backup())) {
        // Somebody was stopped after he had moved it.
        finish(local, session);
        requireFinished();
        return "moved-before";
      }
      tell(session.sshKey(Optional.empty()));
      return leave(local, session, vmClient.vms().unclaimed(local.legacy()));
    }
  }

  /**
   * @param unclaimed what of it exists
   */
  private String leave(LocalRecord local, CloudSetup.Session session, List<Resource> unclaimed) {
    boolean another = !unclaimed.isEmpty();
    tell(
        new CloudSetup.Done(
            "migration",
            "none: "
                + session.store()
                + " has a state of VM "
                + parent.name()
                + " already, which counts; the record in "
                + local.directory()
                + (another ? " is of another VM" : " is out of date")
                + " and left as it is",
            false));
    if (!another) {
      return "out-of-date";
    }
    notes.add(
        "the VM recorded in "
            + local.directory()
            + " is another one than "
            + parent.name()
            + ", exists ("
            + String.join(", ", unclaimed.stream().map(Resource::toString).toList())
            + ") and is not looked after by Baton: take it over under a name of its own with `baton"
            + " vm init --vm NAME --migrate "
            + local.directory()
            + "`");
    return "another-vm";
  }

  /** The key first: a record that is put aside is not found again. */
  private void finish(LocalRecord local, CloudSetup.Session session) {
    try {
      tell(session.sshKey(local.sshKey()));
      putAside(local);
    } catch (VmException e) {
      unfinished = e;
    }
  }

  private void requireFinished() throws VmException {
    if (unfinished != null) {
      throw unfinished;
    }
  }

  private Questions.Answer ask(Question question) throws InterruptedException {
    if (!prompts.canAsk() || credentialsStdin) {
      return Questions.Answer.NOBODY;
    }
    Optional<String> said = prompts.line(question.prompt() + " ");
    if (said.isEmpty()) {
      return Questions.Answer.NOBODY;
    }
    boolean isYes =
        said.get().isEmpty() ? question.yesByDefault() : said.get().matches("(?i)y|yes");
    return isYes ? Questions.Answer.YES : Questions.Answer.NO;
  }

  private void putAside(LocalRecord local) {
    try {
      tell(
          new CloudSetup.Done(
              "migration",
              "the VM recorded in "
                  + local.directory()
                  + " is taken over; the record is kept as "
                  + String.join(
                      " and ",
                      local.putAside().stream().map(p -> p.getFileName().toString()).toList()),
              true));
    } catch (IOException e) {
      tell(
          new CloudSetup.Done(
              "migration",
              "the VM recorded in "
                  + local.directory()
                  + " is taken over; the record could not be renamed, which the next `baton vm"
                  + " init` tries again",
              true));
    }
  }

  // ---- the end

  private void report(String cloud, CloudSetup.Session session, Optional<String> migrated) {
    boolean changed = done.stream().anyMatch(CloudSetup.Done::changed);
    notes.forEach(note -> baton.say(baton.paint().warn("!") + " " + note));
    boolean there =
        migrated.filter(m -> !m.equals("nothing-there") && !m.equals("empty")).isPresent();
    baton.result(
        JsonOutput.object(
            "cloud",
            cloud,
            "account",
            session.account(),
            "region",
            session.region(),
            "vmStore",
            session.store(),
            "changed",
            changed,
            "migration",
            migrated,
            "parts",
            done.stream()
                .map(
                    d ->
                        JsonOutput.object(
                            "part", d.part(), "result", d.result(), "changed", d.changed()))
                .toList(),
            "notes",
            notes),
        (changed ? "Ready." : "Nothing to do: all of it was there.")
            + " Next: baton vm "
            + (there ? "status" : "deploy"));
  }
}
