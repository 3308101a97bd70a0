package dev.baton.state.operation;

import dev.baton.core.DocumentException;
import dev.baton.core.Extra;
import dev.baton.core.Problem;
import dev.baton.core.Problem.Kind;
import dev.baton.core.SystemWorld;
import dev.baton.core.World;
import dev.baton.core.json.JsonFile;
import dev.baton.queue.QueueException;
import dev.baton.state.Deployment;
import dev.baton.state.DeploymentState;
import dev.baton.state.Fencing;
import dev.baton.state.LiveLock;
import dev.baton.state.LockSection;
import dev.baton.state.SnapshotName;
import dev.baton.state.StateException;
import dev.baton.state.StateKey;
import dev.baton.state.StateMetadata;
import dev.baton.state.internal.CanonicalJson;
import dev.baton.state.internal.SaveRules;
import dev.baton.state.internal.StateCodec;
import dev.baton.state.spi.StateSpace;
import dev.baton.state.spi.StateSpace.Purpose;
import dev.baton.store.Snapshot;
import dev.baton.store.StoreException;
import dev.baton.store.Version;
import dev.baton.store.WriteResult;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeSet;

/**
 * The states of deployments in one space. Safe for use by several threads.
 *
 * <p>A state is only saved under a live lock, by the newest token:
 *
 * <ol>
 *   <li>The lock must be one of this deployment, and no newer token of it may have worked on the
 *       state, which carries the newest token of each lock key.
 *   <li>The lock is proved by a write to its queue before the state is written.
 *   <li>The state is replaced only if it still is what was loaded.
 *   <li>The lock is proved once more afterwards. So a save that succeeds was made while the lock
 *       was held: it was held before and after, and a token never comes back.
 *   <li>A holder that was paused between proof and write may write late. Whoever {@link #claim}s
 *       the state under the next lock writes its token into it, and from then on the late write
 *       fails; before that, the next holder has not seen anything that could go stale.
 *   <li>After an unknown outcome the state is read back; the same write is sent again only while
 *       reads show what was there before.
 * </ol>
 *
 * <p>That binds all who save through this class. A program that writes the files by itself is not
 * bound; what it wrote is noticed and kept in the history.
 *
 * <p>{@code state.json} is the truth. Each save keeps a copy in {@code history/}; a copy that could
 * not be written is written by the next save, before it replaces the state.
 */
public final class DeploymentStates {

  private static final String STATES = "stacks";
  private static final String JSON = ".json";
  private static final int ATTEMPTS = 3;

  private final StateSpace space;
  private final World world;

  private DeploymentStates(StateSpace space, World world) {
    this.space = Objects.requireNonNull(space, "space");
    this.world = Objects.requireNonNull(world, "world");
  }

  /** By this machine's clock, which gives copies their names and nothing else. */
  public static DeploymentStates in(StateSpace space) {
    return new DeploymentStates(space, new SystemWorld());
  }

  public static DeploymentStates in(StateSpace space, World world) {
    return new DeploymentStates(space, world);
  }

  /**
   * A state as it was read.
   *
   * @param version stands for this content in the next save; {@link Version#ABSENT}: it was never
   *     saved
   */
  public record Loaded(DeploymentState state, Version version) {
    public boolean isNew() {
      return version.isAbsent();
    }

    /** The whole document, which {@link #parse} reads when it comes back changed. */
    public Map<String, Object> json() {
      return StateCodec.shown(state, version.value());
    }
  }

  /**
   * A state that was saved.
   *
   * @param snapshot its name in the history
   * @param notes what did not work beside it; the next save makes up for it
   */
  public record Saved(Loaded loaded, SnapshotName snapshot, List<Problem> notes) {
    public Saved {
      notes = List.copyOf(notes);
    }
  }

  /** Where the states are, for messages. */
  public String location() {
    return space.location();
  }

  // ---- looking

  /** The deployments that have a state, in order. */
  public List<StateKey> keys() throws StateException {
    List<StateKey> keys = new ArrayList<>();
    for (String stack : directories(STATES)) {
      for (String environment : directories(STATES + "/" + stack)) {
        Optional<StateKey> key = key(stack, environment);
        if (key.isPresent() && !list(key.get().directory(), "state.json").isEmpty()) {
          keys.add(key.get());
        }
      }
    }
    return keys;
  }

  private List<String> directories(String of) throws StateException {
    return list(of, "").stream()
        .filter(n -> n.endsWith("/"))
        .map(n -> n.substring(0, n.length() - 1))
        .toList();
  }

  private static Optional<StateKey> key(String stack, String environment) {
    try {
      return Optional.of(new StateKey(stack, environment));
    } catch (IllegalArgumentException e) {
      return Optional.empty(); // What others have put there is theirs.
    }
  }

  private List<String> list(String directory, String prefix) throws StateException {
    try {
      return space.list(directory).stream().filter(n -> n.startsWith(prefix)).toList();
    } catch (StoreException e) {
      throw new StateException(e.problem(), e);
    }
  }

  /**
   * The state as it is now, with its checksums verified. One that was never saved is empty.
   *
   * @throws StateException also when it is damaged; then {@link #restore} gets an earlier one
   */
  public Loaded load(StateKey key) throws StateException {
    return decoded(key, state(key), stored(state(key)));
  }

  /** Like {@link #load} for a state that must be there. */
  public Loaded require(StateKey key) throws StateException {
    Loaded loaded = load(key);
    if (loaded.isNew()) {
      throw new StateException(SaveRules.missing(key, location()), null);
    }
    return loaded;
  }

  /** One of the copies, verified. */
  public DeploymentState snapshot(StateKey key, SnapshotName name) throws StateException {
    String path = snapshot(key, name.text());
    Snapshot stored = stored(path);
    if (stored.version().isAbsent()) {
      throw new StateException(
          Kind.USAGE,
          "there is no state of " + key + " from " + name + " in " + location(),
          "`baton state history` lists those that there are.");
    }
    return decoded(key, path, stored).state();
  }

  /** The copies of earlier states and of the present one, the newest first. */
  public List<SnapshotName> snapshots(StateKey key) throws StateException {
    TreeSet<SnapshotName> names = new TreeSet<>();
    for (String file : list(key.directory() + "/history", "")) {
      if (file.endsWith(JSON)) {
        SnapshotName.parse(file.substring(0, file.length() - JSON.length())).ifPresent(names::add);
      }
    }
    return List.copyOf(names.descendingSet());
  }

  /** The newest copy that is not from after that time. */
  public SnapshotName snapshotAt(StateKey key, Instant time) throws StateException {
    List<SnapshotName> all = snapshots(key);
    return all.stream()
        .filter(name -> !name.at().isAfter(time))
        .findFirst()
        .orElseThrow(
            () ->
                new StateException(
                    Kind.USAGE,
                    "there is no state of "
                        + key
                        + " from "
                        + time
                        + " or before in "
                        + location()
                        + (all.isEmpty() ? "" : "; the oldest is " + all.get(all.size() - 1)),
                    "`baton state history` lists those that there are."));
  }

  // ---- under a lock

  /**
   * Loads the state for whoever is going to save it, and writes the token of the lock into it: from
   * now on no holder with an older token can save. A state that is missing is created, empty.
   */
  public Loaded claim(StateKey key, LiveLock lock) throws StateException, InterruptedException {
    Loaded present = load(key);
    require(present.state(), lock);
    boolean isClaimed =
        present.state().fencing().of(lock.key()).filter(f -> f.token() == lock.token()).isPresent();
    if (isClaimed) {
      prove(lock, false);
      return present;
    }
    keepCopy(present);
    DeploymentState claimed =
        present
            .state()
            .with(present.state().lock().heldBy(lock, now()))
            .with(present.state().fencing().next(lock, present.state().fencing().snapshot()));
    Version version = replace(key, present.version(), encoded(claimed), lock);
    showLock(key, claimed.lock());
    return new Loaded(claimed, version);
  }

  /**
   * Saves a state, and a copy of it in the history.
   *
   * @param next resources, outputs, history and fields of others are taken from it
   * @param loaded what it was made from
   * @param deployment what has led to it, for the history of deployments
   * @throws StateException saying whether anything was written
   */
  public Saved save(
      DeploymentState next, Version loaded, Optional<Deployment> deployment, LiveLock lock)
      throws StateException, InterruptedException {
    Loaded present = load(next.key());
    if (!present.version().equals(loaded)) {
      // A newer holder says more than that something has changed.
      require(present.state(), lock);
      throw new StateException(SaveRules.changed(next.key(), present.state()), null);
    }
    return save(next, present, deployment, lock);
  }

  private Saved save(
      DeploymentState next, Loaded present, Optional<Deployment> deployment, LiveLock lock)
      throws StateException, InterruptedException {
    StateKey key = next.key();
    require(present.state(), lock);
    keepCopy(present);
    SnapshotName name = freeName(key, present.state().fencing());
    DeploymentState saved = stamped(next, deployment, lock, present.state(), name);
    String text = encoded(saved);
    Version version = replace(key, present.version(), text, lock);
    List<Problem> notes = new ArrayList<>();
    tryTo(notes, () -> copy(key, name, text));
    tryTo(notes, () -> hideLock(key));
    return new Saved(new Loaded(saved, version), name, notes);
  }

  /** What could not be read again is not written. */
  private static String encoded(DeploymentState state) throws StateException {
    try {
      return StateCodec.encode(state);
    } catch (DocumentException e) {
      throw new StateException(
          new Problem(
              Kind.USAGE,
              "nothing was saved, as it could not be read again: " + e.what(),
              "Take out of the state what makes it so."),
          e);
    }
  }

  private DeploymentState stamped(
      DeploymentState next,
      Optional<Deployment> deployment,
      LiveLock lock,
      DeploymentState present,
      SnapshotName name) {
    StateMetadata m = next.metadata();
    StateMetadata stamped =
        new StateMetadata(
            m.key(),
            Optional.of(now()),
            Optional.of(lock.holder()),
            deployment.map(Deployment::id).or(m::deploymentId),
            deployment.flatMap(Deployment::gitCommit).or(m::gitCommit),
            m.gitBranch(),
            m.extra());
    return next.with(stamped)
        .with(present.lock().free())
        .with(present.fencing().next(lock, Optional.of(name.text())))
        .with(deployment);
  }

  /**
   * Makes an earlier state the present one, also where the present one is damaged: then a copy of
   * that stays beside it. The history of deployments goes on.
   */
  public Saved restore(StateKey key, SnapshotName name, LiveLock lock)
      throws StateException, InterruptedException {
    DeploymentState earlier = snapshot(key, name);
    Snapshot stored = stored(state(key));
    Loaded present;
    try {
      present = decoded(key, state(key), stored);
    } catch (StateException e) {
      if (e.problem().kind() != Kind.UNREADABLE) {
        throw e;
      }
      present = new Loaded(setAside(key, stored, lock), stored.version());
    }
    Deployment restored =
        new Deployment(
            "restore-" + name,
            now(),
            Optional.of(lock.holder()),
            earlier.metadata().gitCommit(),
            Optional.empty(),
            Optional.of("restored"),
            Optional.empty(),
            Optional.empty(),
            Extra.NONE);
    List<Deployment> history =
        present.state().history().isEmpty() ? earlier.history() : present.state().history();
    return save(earlier.withHistory(history), present, Optional.of(restored), lock);
  }

  /** Keeps a damaged state for a person to look at; what its fence was has to be known. */
  private DeploymentState setAside(StateKey key, Snapshot broken, LiveLock lock)
      throws StateException, InterruptedException {
    prove(lock, false);
    SnapshotName time = SnapshotName.at(world.now());
    String path = key.directory() + "/state.json.broken-" + time;
    create(path, broken.content().orElseThrow(), Purpose.STATE);
    DeploymentState empty = DeploymentState.empty(key);
    try {
      DeploymentState readable = StateCodec.read(broken.content().orElseThrow());
      return empty.with(readable.fencing()).withHistory(readable.history());
    } catch (DocumentException e) {
      return empty.with(newestFencing(key));
    }
  }

  private Fencing newestFencing(StateKey key) throws StateException {
    for (SnapshotName name : snapshots(key)) {
      try {
        return snapshot(key, name).fencing();
      } catch (StateException e) {
        if (e.problem().kind() != Kind.UNREADABLE) {
          throw e;
        }
      }
    }
    return Fencing.NONE;
  }

  // ---- without a lock

  /** Keeps a copy of the present state under the present time. It needs no lock. */
  public SnapshotName backup(StateKey key) throws StateException {
    Loaded present = require(key);
    SnapshotName name = freeName(key, present.state().fencing());
    while (true) {
      if (create(snapshot(key, name.text()), stored(state(key), present), Purpose.HISTORY)) {
        return name;
      }
      name = name.next(); // Another client was faster.
    }
  }

  private String stored(String path, Loaded present) throws StateException {
    Snapshot again = stored(path);
    if (!again.version().equals(present.version())) {
      throw new StateException(SaveRules.changed(present.state().key(), present.state()), null);
    }
    return again.content().orElseThrow();
  }

  // ---- copies

  /** Before the present state is replaced, the history must have it. */
  private void keepCopy(Loaded present) throws StateException {
    DeploymentState state = present.state();
    StateKey key = state.key();
    Optional<SnapshotName> known = state.fencing().snapshot().flatMap(SnapshotName::parse);
    boolean isEmpty = state.resources().isEmpty() && state.outputs().isEmpty();
    if (known.isEmpty() && isEmpty || known.isPresent() && isCopied(state, known.get())) {
      return;
    }
    Snapshot now = stored(state(key));
    if (now.version().equals(present.version())) {
      SnapshotName name =
          known.filter(n -> !isThere(key, n)).orElse(freeName(key, state.fencing()));
      while (!create(snapshot(key, name.text()), now.content().orElseThrow(), Purpose.HISTORY)) {
        name = name.next();
      }
    }
  }

  private boolean isThere(StateKey key, SnapshotName name) {
    try {
      return !stored(snapshot(key, name.text())).version().isAbsent();
    } catch (StateException e) {
      return true; // Then another name is used.
    }
  }

  /** A program that knows nothing of fences may have changed the state since. */
  private boolean isCopied(DeploymentState state, SnapshotName name) throws StateException {
    Snapshot copy = stored(snapshot(state.key(), name.text()));
    if (copy.version().isAbsent()) {
      return false;
    }
    try {
      DeploymentState copied = StateCodec.read(copy.content().orElseThrow());
      return isSame(copied.resources(), state.resources())
          && isSame(copied.outputs(), state.outputs());
    } catch (DocumentException e) {
      return false;
    }
  }

  private static boolean isSame(Object a, Object b) {
    return CanonicalJson.of(a).equals(CanonicalJson.of(b));
  }

  private SnapshotName freeName(StateKey key, Fencing present) throws StateException {
    List<SnapshotName> taken = new ArrayList<>(snapshots(key));
    // Its copy may not have been written yet.
    present.snapshot().flatMap(SnapshotName::parse).ifPresent(taken::add);
    return SaveRules.free(world.now(), taken);
  }

  private void copy(StateKey key, SnapshotName name, String text) throws StateException {
    if (!create(snapshot(key, name.text()), text, Purpose.HISTORY)) {
      throw new StateException(
          Kind.FAILED,
          "its copy in the history was not written, as another file is called " + name,
          "The next save keeps it under another name.");
    }
  }

  // ---- the lock, for people

  private void showLock(StateKey key, LockSection lock) throws StateException {
    Map<String, Object> shown = new LinkedHashMap<>();
    shown.put("lock_key", key.lock().text());
    lock.id().ifPresent(id -> shown.put("lock_id", id));
    lock.by().ifPresent(by -> shown.put("locked_by", by));
    lock.at().ifPresent(at -> shown.put("locked_at", at));
    try {
      Version there = space.get(lockFile(key)).version();
      space.put(lockFile(key), there, JsonFile.of(shown), Purpose.STATE);
    } catch (StoreException e) {
      throw new StateException(e.problem(), e);
    }
  }

  private void hideLock(StateKey key) throws StateException {
    try {
      Version there = space.get(lockFile(key)).version();
      if (!there.isAbsent()) {
        space.remove(lockFile(key), there);
      }
    } catch (StoreException e) {
      throw new StateException(e.problem(), e);
    }
  }

  // ---- writing

  private void require(DeploymentState present, LiveLock lock) throws StateException {
    Optional<Problem> refusal = SaveRules.refusal(present, lock);
    if (refusal.isPresent()) {
      throw new StateException(refusal.get(), null);
    }
  }

  private void prove(LiveLock lock, boolean written) throws StateException, InterruptedException {
    try {
      if (!lock.verify()) {
        throw new StateException(SaveRules.lost(lock, written), null);
      }
    } catch (QueueException e) {
      Problem problem =
          e.problem()
              .within(
                  written
                      ? "the state was written, and whether its lock was held to the end cannot be"
                          + " proved: "
                      : "nothing was saved, as the lock cannot be proved: ");
      throw new StateException(problem, e);
    }
  }

  /** Replaces the state between two proofs of the lock. */
  private Version replace(StateKey key, Version expected, String text, LiveLock lock)
      throws StateException, InterruptedException {
    boolean doubtful = false;
    for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
      prove(lock, false);
      WriteResult result = sent(key, expected, text, doubtful);
      if (result instanceof WriteResult.Written written) {
        prove(lock, true);
        return written.version();
      }
      Snapshot now = readBack(key, result);
      if (now.content().equals(Optional.of(text))) {
        // An answer was lost, or the same write came twice.
        prove(lock, true);
        return now.version();
      }
      doubtful |= result instanceof WriteResult.Unknown;
      if (!now.version().equals(expected)) {
        throw doubtful ? unknown(key, "another client has written since") : changed(key, now);
      }
    }
    throw unknown(key, "the store does not say what became of it");
  }

  private WriteResult sent(StateKey key, Version expected, String text, boolean doubtful)
      throws StateException {
    try {
      return space.put(state(key), expected, text, Purpose.STATE);
    } catch (StoreException e) {
      throw doubtful ? unknown(key, e.what()) : new StateException(e.problem(), e);
    }
  }

  private Snapshot readBack(StateKey key, WriteResult result) throws StateException {
    try {
      return space.get(state(key));
    } catch (StoreException e) {
      throw result instanceof WriteResult.Unknown
          ? unknown(key, e.what())
          : new StateException(e.problem(), e);
    }
  }

  private static StateException unknown(StateKey key, String why) {
    return new StateException(
        Kind.UNREACHABLE,
        "it is unknown whether the state of " + key + " was saved: " + why,
        "Look at the state before you go on: it is the old one or the new one, whole.");
  }

  private StateException changed(StateKey key, Snapshot now) throws StateException {
    DeploymentState present = decoded(key, state(key), now).state();
    return new StateException(SaveRules.changed(key, present), null);
  }

  /** Whether it was created; false: another one has the name. */
  private boolean create(String path, String text, Purpose purpose) throws StateException {
    try {
      for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
        WriteResult result = space.put(path, Version.ABSENT, text, purpose);
        if (result instanceof WriteResult.Written) {
          return true;
        }
        Snapshot there = space.get(path);
        if (!there.version().isAbsent()) {
          return there.content().equals(Optional.of(text));
        }
      }
      throw new StateException(
          Kind.UNREACHABLE,
          "it is unknown whether " + path + " was written in " + location(),
          "Try again.");
    } catch (StoreException e) {
      throw new StateException(e.problem(), e);
    }
  }

  private interface Step {
    void run() throws StateException;
  }

  private static void tryTo(List<Problem> notes, Step step) {
    try {
      step.run();
    } catch (StateException e) {
      notes.add(e.problem());
    }
  }

  // ---- reading

  private Snapshot stored(String path) throws StateException {
    try {
      return space.get(path);
    } catch (StoreException e) {
      throw new StateException(e.problem(), e);
    }
  }

  private Loaded decoded(StateKey key, String path, Snapshot stored) throws StateException {
    if (stored.content().isEmpty()) {
      return new Loaded(DeploymentState.empty(key), Version.ABSENT);
    }
    DeploymentState state;
    try {
      state = StateCodec.decode(stored.content().get());
    } catch (DocumentException e) {
      Problem problem =
          e.problem().within("the state " + path + " in " + location() + " cannot be used: ");
      throw new StateException(
          e.next().isEmpty() && problem.kind() == Kind.UNREADABLE
              ? problem.advising("Restore an earlier state with `baton state restore`.")
              : problem,
          e);
    }
    if (!state.key().equals(key)) {
      throw new StateException(
          Kind.UNREADABLE,
          "the state " + path + " in " + location() + " says that it is the one of " + state.key(),
          "Restore an earlier state with `baton state restore`, or put the file where it belongs.");
    }
    return new Loaded(state, stored.version());
  }

  /**
   * A whole document that somebody has made, such as one that {@link Loaded#json} has shown and
   * that was changed since. Its checksums are not looked at: they were those of what was shown.
   *
   * @throws StateException when it is not a state of this deployment
   */
  public static Loaded parse(StateKey key, String text) throws StateException {
    try {
      DeploymentState state = StateCodec.read(text);
      if (!state.key().equals(key)) {
        throw new StateException(
            Kind.USAGE,
            "the file is a state of " + state.key() + ", not of " + key,
            "Name that deployment, or correct metadata.stack and metadata.environment.");
      }
      return new Loaded(state, new Version(StateCodec.loadedVersion(text).orElse("")));
    } catch (DocumentException e) {
      throw new StateException(
          new Problem(Kind.USAGE, "the file is not a state: " + e.what(), "Correct it."), e);
    } catch (IllegalArgumentException e) {
      throw new StateException(
          new Problem(Kind.USAGE, "the file is not a state: " + e.getMessage(), "Correct it."), e);
    }
  }

  private Instant now() {
    return world.now().truncatedTo(ChronoUnit.SECONDS);
  }

  private static String state(StateKey key) {
    return key.directory() + "/state.json";
  }

  private static String lockFile(StateKey key) {
    return key.directory() + "/state.json.lock";
  }

  private static String snapshot(StateKey key, String name) {
    return key.directory() + "/history/" + name + JSON;
  }
}
