package dev.baton.vm.internal.operation;

import dev.baton.core.BrokenDocumentException;
import dev.baton.core.Problem;
import dev.baton.store.StoreException;
import dev.baton.vm.BuildVm;
import dev.baton.vm.BuildVm.Push;
import dev.baton.vm.Cleanup;
import dev.baton.vm.DeploySpec;
import dev.baton.vm.HistoryRecord;
import dev.baton.vm.Intent;
import dev.baton.vm.Journal;
import dev.baton.vm.Kind;
import dev.baton.vm.Operation;
import dev.baton.vm.Options;
import dev.baton.vm.Outcome;
import dev.baton.vm.Progress;
import dev.baton.vm.Question;
import dev.baton.vm.Resource;
import dev.baton.vm.SizeChange;
import dev.baton.vm.Status;
import dev.baton.vm.StatusReport;
import dev.baton.vm.Trouble;
import dev.baton.vm.VmException;
import dev.baton.vm.VmName;
import dev.baton.vm.VmState;
import dev.baton.vm.VmState.DataDisk;
import dev.baton.vm.internal.codec.VmCodec;
import dev.baton.vm.internal.lifecycle.Lifecycle;
import dev.baton.vm.internal.lifecycle.Situation;
import dev.baton.vm.internal.lifecycle.Transition;
import dev.baton.vm.internal.lifecycle.Transition.Action;
import dev.baton.vm.spi.Phase;
import dev.baton.vm.spi.ProviderException;
import dev.baton.vm.spi.StoppedException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;

/** Runs the operations of one VM: what is allowed, what is done, and where it leads. */
public final class VmHandle implements BuildVm {

  private final VmContext context;

  public VmHandle(VmContext context) {
    this.context = context;
  }

  @Override
  public VmName name() {
    return context.name();
  }

  // ---- deploy

  @Override
  public Outcome deploy(DeploySpec spec, Options options) throws VmException, InterruptedException {
    Objects.requireNonNull(spec, "spec");
    require(
        !spec.warm() || context.provider().warmStarts().isPresent(),
        "cannot start a VM from a prepared one",
        "Deploy without a warm start.");
    return run(
        Operation.DEPLOY,
        options,
        asking -> (journal, now) -> enterDeploy(journal, now, spec, asking),
        tenure -> new Deploying(tenure, spec).run());
  }

  /** An instance that is there keeps what it started from: to say another changes nothing. */
  private void requireSameImage(Journal journal, DeploySpec spec) throws VmException {
    Optional<Resource> instance =
        journal
            .state()
            .filter(s -> !s.instanceMissing() && s.status() != Status.DESTROYED)
            .flatMap(s -> s.resource(Kind.INSTANCE))
            .filter(i -> !i.attributes().containsKey(Kind.SNAPSHOT.key()));
    String image = instance.map(i -> i.attributes().get(Kind.IMAGE.key())).orElse(spec.image());
    if (!spec.image().isEmpty() && !spec.image().equals(image)) {
      throw new VmException.Impossible(
          Trouble.BAD_REQUEST,
          "VM " + context.name() + " is there already, and its image is " + image,
          "Leave the image out, or run `destroy` first.",
          null);
    }
  }

  private Optional<Admission.Entry> enterDeploy(
      Journal journal, Instant now, DeploySpec spec, Asking asking)
      throws VmException, InterruptedException {
    Transition line = Lifecycle.require(Situation.of(journal), Operation.DEPLOY);
    requireSameRegion(journal, spec);
    if (line.action() == Action.CONTINUE_CREATING) {
      Question question =
          new Question(
              Question.Topic.CONTINUE_DEPLOY,
              "The last deploy of VM " + context.name() + " was not finished. Continue it?",
              true);
      if (!asking.isYes(question)) {
        throw new VmException.Declined("Run `destroy` to delete what the deploy has created.");
      }
    }
    requireSameImage(journal, spec);
    validate(journal, spec);
    Journal next = spec.fresh() ? withoutBackup(journal, now) : journal;
    VmState state =
        next.state()
            .map(s -> s.at(line.entering().orElseThrow(), Optional.empty()))
            .orElseGet(() -> VmState.starting(Status.DEPLOYING, spec.region(), now));
    // What was not finished, or is repaired, keeps the life that it was given.
    Optional<Duration> life =
        spec.maxLife()
            .or(
                () ->
                    next.state()
                        .filter(s -> s.status() != Status.DESTROYED)
                        .flatMap(VmState::maxLife));
    if (line.action() != Action.REPAIR || life.isPresent()) {
      state = Life.deploying(state, life, now);
    }
    return Optional.of(new Admission.Entry(next.withState(Optional.of(state)), line));
  }

  private static Journal withoutBackup(Journal journal, Instant now) {
    return journal
        .backup()
        .map(
            b ->
                journal
                    .withBackup(Optional.empty())
                    .with(new Cleanup(Kind.SNAPSHOT, b.snapshotId(), "deployed from scratch", now)))
        .orElse(journal);
  }

  private static void requireSameRegion(Journal journal, DeploySpec spec) throws VmException {
    Optional<String> region =
        journal
            .state()
            .filter(s -> s.status() != Status.DESTROYED || journal.backup().isPresent())
            .map(VmState::region);
    if (region.isPresent() && !spec.region().equals(region.get())) {
      throw new VmException.Impossible(
          Trouble.BAD_REQUEST,
          "the VM, or its snapshot, is in region " + region.get() + ", not in " + spec.region(),
          "Use that region, destroy the VM first, or use another VM name.",
          null);
    }
  }

  /** As far as the cloud can tell beforehand: so that bad input creates nothing at all. */
  private void validate(Journal journal, DeploySpec spec) throws VmException, InterruptedException {
    Life.require(spec.maxLife());
    Calls calls = Calls.withoutLock(context);
    Set<Kind> toCreate = EnumSet.noneOf(Kind.class);
    for (Kind kind : Deploying.wanted(calls.traits(), spec, journal)) {
      if (journal.state().flatMap(s -> s.resource(kind)).isEmpty()
          && journal.intent(kind).isEmpty()) {
        toCreate.add(kind);
      }
    }
    try {
      calls.retried(
          c -> {
            context.provider().validate(spec, toCreate, c);
            return null;
          });
      if (Deploying.startsFromSnapshot(spec, journal)) {
        String id = journal.backup().orElseThrow().snapshotId();
        if (calls.describe(Kind.SNAPSHOT, id).isEmpty()) {
          throw new VmException.Impossible(
              Trouble.NOT_FOUND,
              "snapshot " + id + " does not exist any more",
              "Deploy from scratch (--fresh).",
              null);
        }
      }
    } catch (ProviderException e) {
      throw new VmException.Impossible(e.trouble(), advised(e).within("nothing was created: "), e);
    }
  }

  /** Where the cloud says what would be right, "correct it" adds nothing. */
  static Problem advised(ProviderException e) {
    boolean isSaid = e.trouble() == Trouble.BAD_REQUEST && !e.problem().next().isEmpty();
    return isSaid ? e.problem() : e.problem().then(advice(e.trouble()));
  }

  public static String advice(Trouble trouble) {
    return switch (trouble) {
      case NOT_FOUND -> "Run `status` to see what is gone; `deploy` repairs it.";
      case THROTTLED, UNAVAILABLE -> "Run the same command again in a few minutes.";
      case QUOTA_EXCEEDED -> "Run `sweep`, destroy what is not needed, or ask for a larger quota.";
      case OUT_OF_STOCK -> "Choose another instance type or zone, or try again later.";
      case DEPENDENCY -> "Remove what is still in use by others and run the same command again.";
      case TOKEN_MISMATCH -> "Run the same command again.";
      case DENIED -> "Give these credentials the right to do that.";
      case BAD_REQUEST -> "Correct what was asked for.";
    };
  }

  // ---- suspend and resume

  @Override
  public Outcome suspend(Options options) throws VmException, InterruptedException {
    return run(
        Operation.SUSPEND,
        options,
        asking ->
            (journal, now) ->
                enter(journal, Operation.SUSPEND, state -> Life.suspending(state, now)),
        this::turn);
  }

  @Override
  public Outcome resume(Options options) throws VmException, InterruptedException {
    return run(
        Operation.RESUME,
        options,
        asking ->
            (journal, now) -> enter(journal, Operation.RESUME, state -> Life.resuming(state, now)),
        this::turn);
  }

  /** By the table alone. */
  private static Optional<Admission.Entry> enter(Journal journal, Operation operation)
      throws VmException {
    return enter(journal, operation, state -> state);
  }

  private static Optional<Admission.Entry> enter(
      Journal journal, Operation operation, UnaryOperator<VmState> change) throws VmException {
    Transition line = Lifecycle.require(Situation.of(journal), operation);
    if (line.action() == Action.SKIP) {
      return Optional.empty();
    }
    Journal next = entering(journal, line);
    return Optional.of(new Admission.Entry(next.withState(next.state().map(change)), line));
  }

  private static Journal entering(Journal journal, Transition line) {
    Optional<VmState> state = journal.state();
    if (state.isEmpty() || line.entering().isEmpty()) {
      return journal;
    }
    Status entered = line.entering().get();
    Optional<Status> previous =
        line.remember() ? Optional.of(state.get().status()) : state.get().previousStatus();
    return journal.withState(
        Optional.of(
            state.get().at(entered, VmState.hasPrevious(entered) ? previous : Optional.empty())));
  }

  private void turn(Tenure tenure) throws VmException, ProviderException, InterruptedException {
    new Turning(tenure, new Calls(context, tenure)).run();
  }

  // ---- stop and start

  @Override
  public Outcome stop(Options options) throws VmException, InterruptedException {
    requirePower("stop", "Run `suspend`: there it powers the VM off and keeps its disk.");
    return run(
        Operation.STOP,
        options,
        asking -> (journal, now) -> enterStop(journal, now, asking),
        this::turn);
  }

  private Optional<Admission.Entry> enterStop(Journal journal, Instant now, Asking asking)
      throws VmException, InterruptedException {
    Optional<Admission.Entry> entry =
        enter(journal, Operation.STOP, state -> Life.suspending(state, now));
    Question question =
        new Question(
            Question.Topic.DROP_MEMORY,
            "VM "
                + context.name()
                + " is suspended. Stopping it drops its memory, as a power cut does. Stop it?",
            false);
    if (entry.isPresent()
        && journal.status().equals(Optional.of(Status.SUSPENDED))
        && !asking.isYes(question)) {
      throw new VmException.Declined("Run `resume` and then `stop` to shut it down properly.");
    }
    return entry;
  }

  @Override
  public Outcome start(Options options) throws VmException, InterruptedException {
    requirePower("start", "Run `resume`.");
    return run(
        Operation.START,
        options,
        asking ->
            (journal, now) -> enter(journal, Operation.START, state -> Life.resuming(state, now)),
        this::turn);
  }

  private void requirePower(String doing, String next) throws VmException {
    require(
        context.provider().power().isPresent(),
        "cannot " + doing + " a VM apart from suspending and resuming it",
        next);
  }

  private void require(boolean can, String cannot, String next) throws VmException.Impossible {
    if (!can) {
      throw new VmException.Impossible(
          Trouble.BAD_REQUEST,
          "the cloud " + context.provider().traits().name() + " " + cannot,
          next,
          null);
    }
  }

  // ---- resize

  @Override
  public Outcome resize(SizeChange change, Options options)
      throws VmException, InterruptedException {
    Objects.requireNonNull(change, "change");
    require(
        context.provider().sizes().isPresent(),
        "cannot resize a VM",
        "Destroy it with a snapshot, and deploy it with another type.");
    Outcome outcome =
        run(
            Operation.RESIZE,
            options,
            asking -> (journal, now) -> enterResize(journal, change),
            tenure -> new Resizing(tenure, new Calls(context, tenure)).run());
    return explained(outcome, "VM " + context.name() + " has that size already");
  }

  private Optional<Admission.Entry> enterResize(Journal journal, SizeChange change)
      throws VmException, InterruptedException {
    Transition line = Lifecycle.require(Situation.of(journal), Operation.RESIZE);
    if (change.isEmpty() && journal.resize().isEmpty()) {
      throw new VmException.Impossible(
          Trouble.BAD_REQUEST,
          "no new size was given for VM " + context.name(),
          "Say how many processors or how much memory it is to have.",
          null);
    }
    Optional<Journal.ResizePlan> plan = Resizing.plan(context, journal, change);
    return plan.map(p -> new Admission.Entry(entering(journal, line).withResize(plan), line));
  }

  // ---- further disks

  @Override
  public Outcome attach(String disk, Optional<Integer> gigabytes, Options options)
      throws VmException, InterruptedException {
    DataDisk.requireName(disk);
    gigabytes.ifPresent(DataDisk::requireSize);
    requireDisks();
    DiskRequest request = new DiskRequest(context, disk);
    Outcome outcome =
        run(
            Operation.ATTACH,
            options,
            asking -> (journal, now) -> request.attach(journal, gigabytes),
            tenure -> new FurtherDisks(tenure, new Calls(context, tenure)).attach(disk, gigabytes));
    return explained(outcome, "disk " + disk + " of VM " + context.name() + " is already attached");
  }

  @Override
  public Outcome detach(String disk, boolean delete, Options options)
      throws VmException, InterruptedException {
    DataDisk.requireName(disk);
    requireDisks();
    DiskRequest request = new DiskRequest(context, disk);
    Outcome outcome =
        run(
            Operation.DETACH,
            options,
            asking -> (journal, now) -> request.detach(journal, delete, asking),
            tenure -> new FurtherDisks(tenure, new Calls(context, tenure)).detach(disk, delete));
    return explained(
        outcome,
        delete
            ? "VM " + context.name() + " has no disk " + disk
            : "disk " + disk + " of VM " + context.name() + " is already detached");
  }

  private void requireDisks() throws VmException {
    require(
        context.provider().disks().isPresent(),
        "cannot attach or detach disks",
        "Deploy the VM with a larger disk.");
  }

  /** Why nothing was done, where it is not the status that was so already. */
  private static Outcome explained(Outcome outcome, String why) {
    return outcome instanceof Outcome.Unchanged same
        ? new Outcome.Unchanged(same.operation(), same.state(), why)
        : outcome;
  }

  // ---- destroy and abandon

  @Override
  public Outcome destroy(Disk disk, Options options) throws VmException, InterruptedException {
    Objects.requireNonNull(disk, "disk");
    return run(
        Operation.DESTROY,
        options,
        asking -> (journal, now) -> enterDestroy(journal, disk, false, asking),
        this::takeApart);
  }

  /** Its disk and its memory become what other VMs start from; the rest of it goes. */
  Outcome prepare(Options options) throws VmException, InterruptedException {
    return run(
        Operation.DESTROY,
        options,
        asking -> (journal, now) -> enterDestroy(journal, Disk.KEEP, true, asking),
        this::takeApart);
  }

  private Optional<Admission.Entry> enterDestroy(
      Journal journal, Disk disk, boolean memory, Asking asking)
      throws VmException, InterruptedException {
    Transition line = Lifecycle.require(Situation.of(journal), Operation.DESTROY);
    if (line.action() == Action.CLEAN_UP) {
      return Optional.of(new Admission.Entry(givingUpDeploy(journal, disk), line));
    }
    boolean keep = keep(journal, disk, asking);
    if (keep && !context.provider().traits().snapshots()) {
      throw new VmException.Impossible(
          Trouble.BAD_REQUEST,
          context.provider().traits().name() + " has no snapshots",
          "Destroy the VM without one.",
          null);
    }
    if (line.action() == Action.DELETE_LEFTOVERS && nothingLeft(journal, keep)) {
      return Optional.empty();
    }
    boolean taken =
        line.action() == Action.DELETE
            && journal.status().equals(Optional.of(Status.DESTROYING))
            && journal.destroy().filter(Journal.DestroyPlan::snapshotTaken).isPresent();
    boolean withMemory =
        memory || journal.destroy().filter(Journal.DestroyPlan::withMemory).isPresent();
    Journal next =
        entering(journal, line)
            .withResize(Optional.empty())
            .withDestroy(
                Optional.of(new Journal.DestroyPlan(keep, keep && taken, keep && withMemory)));
    return Optional.of(new Admission.Entry(next, line));
  }

  /** The disk of a VM that was never finished is not worth keeping; one that was kept before is. */
  private Journal givingUpDeploy(Journal journal, Disk disk) throws VmException.Impossible {
    if (disk == Disk.KEEP && journal.backup().isEmpty()) {
      throw new VmException.Impossible(
          Trouble.BAD_REQUEST,
          "the deploy of VM " + context.name() + " was not finished, so there is no disk to keep",
          "Destroy it without a snapshot, or run `deploy` to finish it first.",
          null);
    }
    boolean keep = disk != Disk.DROP && journal.backup().isPresent();
    return journal.withDestroy(Optional.of(new Journal.DestroyPlan(keep, keep)));
  }

  private boolean keep(Journal journal, Disk disk, Asking asking)
      throws VmException, InterruptedException {
    return switch (disk) {
      case KEEP -> true;
      case DROP -> false;
      case ASK ->
          journal.state().isPresent()
              && asking.isYes(
                  new Question(Question.Topic.KEEP_SNAPSHOT, keepQuestion(journal), true));
    };
  }

  private String keepQuestion(Journal journal) {
    return journal
        .backup()
        .filter(b -> journal.status().equals(Optional.of(Status.DESTROYED)))
        .map(b -> "Keep " + b.snapshotId() + ", the snapshot of VM " + context.name() + "?")
        .orElseGet(
            () ->
                "Keep the disk of VM "
                    + context.name()
                    + " as a snapshot"
                    + (journal.state().map(s -> s.disks().isEmpty()).orElse(true)
                        ? "?"
                        : ", and its further disks?"));
  }

  /** A VM that is gone: only what was left, or what is not wanted any more, is a reason to act. */
  private boolean nothingLeft(Journal journal, boolean keep)
      throws VmException, InterruptedException {
    if (!journal.cleanup().isEmpty()
        || !journal.intents().isEmpty()
        || !keep && journal.backup().isPresent()) {
      return false;
    }
    try {
      return Calls.withoutLock(context).owned().stream()
          .allMatch(f -> journal.records(f.kind(), f.id()));
    } catch (ProviderException e) {
      throw new VmException.CloudFailed(
          e.trouble(),
          e.problem()
              .within("cannot find out whether anything is left: ")
              .then(advice(e.trouble())),
          e);
    }
  }

  private void takeApart(Tenure tenure)
      throws VmException, ProviderException, InterruptedException {
    Calls calls = new Calls(context, tenure);
    Deleting deleting = new Deleting(tenure, calls);
    boolean keep = tenure.draft().destroy().filter(Journal.DestroyPlan::keepSnapshot).isPresent();
    int parts = tenure.draft().state().map(s -> s.resources().size()).orElse(0);
    int disks = keep ? 0 : tenure.draft().state().map(s -> s.disks().size()).orElse(0);
    int steps = parts + disks + (keep ? 2 : 1);
    if (tenure.line().action() == Action.CLEAN_UP) {
      deleting.everything(tenure.state().resources().size() + 1, !keep);
      return;
    }
    if (tenure.line().action() == Action.DELETE) {
      if (keep) {
        tenure.step(
            steps,
            "snapshot",
            done -> tenure.draft().backup().map(b -> b.snapshotId()).orElse("none"),
            () -> {
              deleting.keepDisk();
              return null;
            });
      }
      deleting.everything(steps, !keep);
      return;
    }
    if (!keep) {
      deleting.furtherDisks(steps);
      deleting.declineBackup("not wanted any more");
    }
    tenure.step(steps, "leftovers", n -> n == 0 ? "none" : n + " deleted", deleting::leftovers);
  }

  @Override
  public Outcome abandon(Options options) throws VmException, InterruptedException {
    return run(
        Operation.ABANDON,
        options,
        asking -> (journal, now) -> enter(journal, Operation.ABANDON),
        this::giveUp);
  }

  private void giveUp(Tenure tenure) throws VmException, ProviderException, InterruptedException {
    Calls calls = new Calls(context, tenure);
    if (tenure.draft().resize().isPresent()) {
      new Resizing(tenure, calls).goBack();
      return;
    }
    Deleting deleting = new Deleting(tenure, calls);
    if (tenure.line().action() == Action.CLEAN_UP) {
      deleting.everything(tenure.state().resources().size() + 1, false);
      return;
    }
    for (Resource r : List.copyOf(tenure.state().resources().values())) {
      if (r.kind() != Kind.INSTANCE
          && calls.describe(r.kind(), r.id()).filter(f -> f.phase() != Phase.DELETING).isEmpty()) {
        // Deleted before the kill, and not written down any more.
        tenure.changeState(s -> s.without(r.kind()));
      }
    }
    Optional<Resource> instance = tenure.state().resource(Kind.INSTANCE);
    boolean gone =
        instance.isEmpty() || calls.describe(Kind.INSTANCE, instance.get().id()).isEmpty();
    tenure.changeState(s -> s.withInstanceMissing(gone));
    if (!gone && tenure.state().expiresAt().isEmpty()) {
      Deploying.releaseAfter(tenure, calls, Optional.empty());
    }
    Intents intents = new Intents(tenure, calls);
    for (Intent intent : tenure.draft().intents()) {
      intents.salvage(intent);
    }
    deleting.cleanUp();
  }

  @Override
  public Outcome takeDown(Options options) throws VmException, InterruptedException {
    return destroy(Disk.DROP, options);
  }

  // ---- extend

  @Override
  public Outcome extend(Duration life, Options options) throws VmException, InterruptedException {
    if (life.isNegative() || life.isZero()) {
      throw new IllegalArgumentException("life must be positive: " + life.toSeconds() + " s");
    }
    Life.require(Optional.of(life));
    return run(
        Operation.EXTEND,
        options,
        asking ->
            (journal, now) -> {
              Instant end = now.plus(life);
              return enter(
                  journal,
                  Operation.EXTEND,
                  s ->
                      s.living(s.maxLife().or(() -> Optional.of(life)), now)
                          .withExpiresAt(Optional.of(end)));
            },
        tenure -> Deploying.releaseAfter(tenure, new Calls(context, tenure), Optional.of(life)));
  }

  @Override
  public Push push(Duration atLeast, boolean anyway) throws VmException, InterruptedException {
    if (atLeast.isNegative()) {
      throw new IllegalArgumentException("atLeast must not be negative: " + atLeast);
    }
    return new Pushing(context).run(atLeast, anyway);
  }

  // ---- status and history

  @Override
  public StatusReport status() throws VmException, InterruptedException {
    return new Looking(context).report();
  }

  @Override
  public List<HistoryRecord> history(int limit) throws VmException, InterruptedException {
    if (limit < 0) {
      throw new IllegalArgumentException("limit must not be negative: " + limit);
    }
    List<HistoryRecord> records = new ArrayList<>(context.file().read().journal().unpublished());
    try {
      List<String> files = new ArrayList<>(context.space().list(name(), Publisher.HISTORY));
      files.sort(Comparator.reverseOrder());
      for (String file : files.subList(0, Math.min(limit, files.size()))) {
        Optional<String> text = context.space().get(name(), file);
        if (text.isPresent()) {
          addIfReadable(records, text.get());
        }
      }
    } catch (StoreException e) {
      throw new VmException.StoreFailed(
          e.problem()
              .within("cannot read the history of VM " + name() + ": ")
              .then("Try again when " + context.space().location() + " can be used."),
          e);
    }
    return records.stream()
        .distinct()
        .sorted(
            Comparator.comparing(HistoryRecord::timestamp)
                .thenComparing(HistoryRecord::fencing)
                .reversed())
        .limit(limit)
        .toList();
  }

  private static void addIfReadable(List<HistoryRecord> records, String text) {
    try {
      records.add(VmCodec.decodeHistory(text));
    } catch (BrokenDocumentException e) {
      // Somebody has edited a file that nothing depends on; the others still tell the story.
      return;
    }
  }

  // ---- the frame of every operation

  interface GateMaker {
    Admission.Gate with(Asking asking);
  }

  interface Work {
    void run(Tenure tenure) throws VmException, ProviderException, InterruptedException;
  }

  Outcome run(Operation operation, Options options, GateMaker gate, Work work)
      throws VmException, InterruptedException {
    Asking asking = new Asking(options.questions());
    Optional<Tenure> entered =
        new Admission(context, operation, options, asking)
            .enter(published(gate.with(asking), options.progress()));
    if (entered.isEmpty()) {
      Journal journal = context.file().read().journal();
      new Looking(context).converge(journal);
      return new Outcome.Unchanged(
          operation,
          journal.state(),
          "VM "
              + name()
              + " is "
              + journal.status().map(s -> "already " + s).orElse("not deployed"));
    }
    Tenure tenure = entered.get();
    Optional<Status> from = tenure.draft().lock().orElseThrow().from();
    Map<Kind, Resource> before = resources(tenure);
    try {
      work.run(tenure);
      tenure.succeed(tenure.line().success(), operation != Operation.EXTEND);
      return new Outcome.Done(
          operation,
          how(tenure.line().action()),
          from,
          tenure.draft().state(),
          operation == Operation.DEPLOY ? created(before, resources(tenure)) : List.of(),
          tenure.draft().cleanup(),
          tenure.notes(),
          tenure.took());
    } catch (StoppedException e) {
      throw new VmException.LockLost(name(), operation, e.getMessage());
    } catch (ProviderException e) {
      VmException failure =
          new VmException.CloudFailed(
              e.trouble(),
              e.problem()
                  .within(operation + " of VM " + name() + " has failed: ")
                  .then(tenure.isUndecided() ? undecided(operation) : advice(e.trouble())),
              e);
      throw failed(tenure, failure);
    } catch (VmException e) {
      throw failed(tenure, e);
    } catch (InterruptedException e) {
      failed(tenure, new VmException.LockLost(name(), operation, "it was interrupted"));
      throw e;
    } finally {
      tenure.close();
    }
  }

  private static String undecided(Operation operation) {
    return switch (operation) {
      case RESIZE -> "Run `resize` again to go on, or `abandon` to give the VM its old size back.";
      case ABANDON -> "Run `abandon` again, or `destroy` to delete the VM.";
      default -> "Run `status` to see what has become of it, or `" + operation + "` again.";
    };
  }

  private static Map<Kind, Resource> resources(Tenure tenure) {
    return tenure.draft().state().map(VmState::resources).orElse(Map.of());
  }

  private static List<Kind> created(Map<Kind, Resource> before, Map<Kind, Resource> after) {
    return after.values().stream()
        .filter(r -> before.get(r.kind()) == null || !before.get(r.kind()).id().equals(r.id()))
        .map(Resource::kind)
        .toList();
  }

  /** History that a crash has kept from its files gets there before the journal forgets it. */
  private Admission.Gate published(Admission.Gate gate, Progress progress) {
    return (journal, now) -> {
      Optional<Admission.Entry> entry = gate.enter(journal, now);
      if (entry.isEmpty() || journal.unpublished().isEmpty()) {
        return entry;
      }
      boolean all = context.publisher(progress).publishHistory(journal.unpublished());
      return all
          ? entry.map(e -> new Admission.Entry(e.next().withUnpublished(List.of()), e.line()))
          : entry;
    };
  }

  private static VmException failed(Tenure tenure, VmException failure)
      throws InterruptedException {
    try {
      tenure.fail(failure.what());
    } catch (StoppedException e) {
      // Whatever else went wrong: somebody else has the VM now, and perhaps caused it.
      VmException lost =
          new VmException.LockLost(tenure.context().name(), tenure.operation(), e.getMessage());
      lost.addSuppressed(failure);
      return lost;
    } catch (VmException e) {
      // The state stays as it was written last, and the lock expires by itself.
      failure.addSuppressed(e);
    }
    return failure;
  }

  private static Outcome.How how(Action action) {
    return switch (action) {
      case CREATE_FROM_SNAPSHOT -> Outcome.How.FROM_SNAPSHOT;
      case CONTINUE_CREATING -> Outcome.How.CONTINUED;
      case REPAIR -> Outcome.How.REPAIRED;
      default -> Outcome.How.FRESH;
    };
  }
}
