package dev.baton.aws.vm;

import dev.baton.aws.account.AwsAccount;
import dev.baton.aws.account.AwsFailure;
import dev.baton.aws.account.AwsTrouble;
import dev.baton.aws.dynamodb.DynamoPlace;
import dev.baton.aws.dynamodb.DynamoSpace;
import dev.baton.aws.s3.BucketRules;
import dev.baton.aws.s3.BucketSetup;
import dev.baton.aws.s3.S3Bucket;
import dev.baton.aws.s3.S3Place;
import dev.baton.aws.s3.S3Space;
import dev.baton.store.Documents;
import dev.baton.store.Snapshot;
import dev.baton.store.StoreException;
import dev.baton.store.Version;
import dev.baton.store.VersionedStore;
import dev.baton.store.WriteResult;
import dev.baton.vm.VmName;
import dev.baton.vm.spi.SpaceId;
import dev.baton.vm.spi.VmSpace;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * VMs whose state is in a bucket of S3. Below the prefix:
 *
 * <pre>
 * state.json backup.json .lock history/    the default VM: readable copies
 * NAME/state.json …                        the same for the VM called NAME
 * .journal/vms/journal-NAME.json           the journals, the truth, with the locks in them
 * .journal/vms/space.json                  the id of this space
 * .journal/table/NAME.json                 instead of a journal: the table of DynamoDB has it
 * </pre>
 *
 * <p>A place has its journals either in the bucket or in the table, for all clients; one that looks
 * in the other place is refused. Rules of the bucket delete history after 30 days, by a tag; where
 * they cannot be set, clients do.
 *
 * <p>Safe for use by several threads.
 */
public final class S3VmSpace implements VmSpace, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(S3VmSpace.class);

  private static final String HIDDEN = ".journal";
  private static final String DOCUMENTS = "vms";
  private static final String JOURNAL = "journal-";
  private static final String SPACE = "space";
  private static final String IN_TABLE = "table";
  private static final String HISTORY = "history/";
  private static final int HISTORY_DAYS = 30;
  private static final Duration BELIEVED = Duration.ofSeconds(20);
  private static final Duration DOUBTED = Duration.ofSeconds(1);

  private static final Pattern FILE = Pattern.compile("(history/)?\\.?[A-Za-z0-9_-]+(\\.[a-z]+)?");
  private static final Pattern OBJECT = Pattern.compile("([a-z0-9-]+)\\.json");

  private final S3Place place;
  private final S3Bucket bucket;
  private final S3Space documents;
  private final Optional<DynamoSpace> table;
  private final AwsTrouble trouble;
  private final Clocks clocks;
  private final Consumer<String> warning;
  private final SpaceId id;
  private volatile Told told;
  private volatile boolean checked;
  private Optional<Boolean> expires = Optional.empty();

  /** A time that S3 told, and when it was asked for it, on both clocks of this machine. */
  private record Told(Instant time, Instant wall, long nanos) {}

  /** The clocks of this machine. */
  interface Clocks {
    Instant now();

    long nanos();
  }

  private S3VmSpace(S3Place place, AwsAccount account, Clocks clocks, Consumer<String> warning) {
    this.place = place;
    this.clocks = clocks;
    this.warning = warning;
    this.bucket = new S3Bucket(place.bucket(), account);
    this.documents =
        S3Space.open(
            new S3Place(place.bucket(), home(VmName.DEFAULT) + HIDDEN), DOCUMENTS, account);
    this.table =
        place
            .locks()
            .map(name -> new DynamoPlace(name, tableKey(place)))
            .map(in -> DynamoSpace.open(in, DOCUMENTS, account));
    this.trouble =
        new AwsTrouble(
            account,
            AwsAccount.Service.S3,
            "the bucket " + place.bucket(),
            place.address(),
            clocks::nanos);
    this.id =
        new SpaceId(
            documents.document(SPACE), "s3://" + place.bucket() + "/" + idKey(), this::names);
  }

  private static String tableKey(S3Place place) {
    return "s3:" + place.bucket() + (place.prefix().isEmpty() ? "" : "/" + place.prefix());
  }

  /** Asks nobody for anything yet. */
  public static S3VmSpace open(S3Place place, AwsAccount account) {
    return open(
        place,
        account,
        new Clocks() {
          @Override
          public Instant now() {
            return Instant.now();
          }

          @Override
          public long nanos() {
            return System.nanoTime();
          }
        },
        LOG::warn);
  }

  /**
   * @param warning told what a person should see to
   */
  static S3VmSpace open(
      S3Place place, AwsAccount account, Clocks clocks, Consumer<String> warning) {
    return new S3VmSpace(place, account, clocks, warning);
  }

  // ---- journals

  private String hidden(String folder) {
    return home(VmName.DEFAULT) + HIDDEN + "/" + folder + "/";
  }

  private String idKey() {
    return hidden(DOCUMENTS) + SPACE + ".json";
  }

  @Override
  public String id() throws StoreException {
    return id.get();
  }

  @Override
  public String location() {
    return place.address();
  }

  @Override
  public VersionedStore journal(VmName name) {
    String document = JOURNAL + name.value();
    return id.before(
        table.isEmpty()
            ? new Noted(documents.document(document), Optional.empty())
            : new Noted(table.get().document(document), Optional.of(name)));
  }

  /** A journal; where a table has it, the bucket knows of it before it is begun. */
  private final class Noted implements VersionedStore {
    private final VersionedStore journal;
    private final Optional<VmName> noted;

    Noted(VersionedStore journal, Optional<VmName> noted) {
      this.journal = journal;
      this.noted = noted;
    }

    @Override
    public Snapshot read() throws StoreException {
      requireOnePlace();
      return journal.read();
    }

    @Override
    public WriteResult write(Version expected, String next, String message) throws StoreException {
      requireOnePlace();
      if (expected.isAbsent() && noted.isPresent()) {
        putWhole(
            hidden(IN_TABLE) + noted.get().value() + ".json",
            "{\"table\": \"" + place.locks().orElseThrow() + "\"}\n",
            Map.of());
      }
      return journal.write(expected, next, message);
    }

    @Override
    public List<String> earlier(Snapshot present, int limit) throws StoreException {
      return journal.earlier(present, limit);
    }

    @Override
    public String setAside(Snapshot broken) throws StoreException {
      return journal.setAside(broken);
    }
  }

  /** Looks once whether others keep the journals of this place somewhere else. */
  private void requireOnePlace() throws StoreException {
    if (checked) {
      return;
    }
    String other = table.isEmpty() ? hidden(IN_TABLE) : hidden(DOCUMENTS) + JOURNAL;
    boolean found =
        !trouble
            .ask(() -> bucket.list(other, "", 1), "look for VMs", "s3:ListBucket")
            .objects()
            .isEmpty();
    if (found) {
      throw new StoreException(
          "the VMs in "
              + place.address()
              + (table.isEmpty()
                  ? " have their journals in a table of DynamoDB"
                  : " have their journals in the bucket, not in a table"),
          table.isEmpty()
              ? "Add ?locks=TABLE to the address, with the table that " + other + " names."
              : "Leave out ?locks= in the address, or use another prefix.",
          null);
    }
    checked = true;
  }

  @Override
  public List<VmName> names() throws StoreException {
    String start = table.isEmpty() ? hidden(DOCUMENTS) + JOURNAL : hidden(IN_TABLE);
    List<VmName> names = new ArrayList<>();
    for (String key : keys(start)) {
      Matcher m = OBJECT.matcher(key.substring(start.length()));
      if (m.matches()) {
        VmName name = named(m.group(1), key);
        if (table.isEmpty() || hasJournal(name)) {
          names.add(name);
        }
      }
    }
    Collections.sort(names);
    return List.copyOf(names);
  }

  /** It may have been noted by somebody who was killed before it was begun. */
  private boolean hasJournal(VmName name) throws StoreException {
    return table.orElseThrow().document(JOURNAL + name.value()).read().content().isPresent();
  }

  private List<String> keys(String start) throws StoreException {
    return trouble.ask(() -> allKeys(start), "look for " + start, "s3:ListBucket");
  }

  private List<String> allKeys(String start) throws AwsFailure {
    List<String> all = new ArrayList<>();
    String after = "";
    while (true) {
      S3Bucket.Page page = bucket.list(start, after, S3Bucket.MOST_LISTED);
      for (S3Bucket.Listed listed : page.objects()) {
        after = listed.key();
        all.add(after);
      }
      if (!page.more()) {
        return all;
      }
    }
  }

  private VmName named(String name, String key) throws StoreException {
    try {
      return new VmName(name);
    } catch (IllegalArgumentException e) {
      throw new StoreException(
          key + " in " + place.bucket() + " is not the journal of a VM: " + e.getMessage(),
          "Move it away.",
          e);
    }
  }

  /**
   * S3's own, from the head of an object that is always there; for some seconds after that, from
   * the clocks of this machine, as long as they agree on how long ago it was: they do not if the
   * machine has slept.
   */
  @Override
  public Instant now() throws StoreException {
    Told last = told;
    if (last != null) {
      Duration ago = Duration.ofNanos(clocks.nanos() - last.nanos());
      Duration disagreement = Duration.between(last.wall().plus(ago), clocks.now()).abs();
      if (ago.compareTo(BELIEVED) < 0 && disagreement.compareTo(DOUBTED) < 0) {
        return last.time().plus(ago);
      }
    }
    Instant wall = clocks.now();
    long nanos = clocks.nanos();
    Optional<Instant> time = askForTime();
    if (time.isEmpty()) {
      id();
      time = askForTime();
    }
    told = new Told(time.orElseThrow(id::missing), wall, nanos);
    return told.time();
  }

  private Optional<Instant> askForTime() throws StoreException {
    return trouble.ask(
        () -> bucket.time(idKey()), "ask for the time", "s3:GetObject and s3:ListBucket");
  }

  // ---- files

  @Override
  public void put(VmName name, String file, String content) throws StoreException {
    putWhole(
        key(name, file), content, file.startsWith(HISTORY) ? BucketSetup.HISTORY_TAG : Map.of());
  }

  private void putWhole(String key, String content, Map<String, String> tags)
      throws StoreException {
    S3Bucket.Put put =
        trouble.ask(
            () ->
                bucket.put(
                    key,
                    content.getBytes(StandardCharsets.UTF_8),
                    new S3Bucket.Condition.None(),
                    tags),
            "write " + key,
            "s3:PutObject" + (tags.isEmpty() ? "" : " and s3:PutObjectTagging"));
    if (put instanceof S3Bucket.Put.Unknown unknown) {
      throw StoreException.passing(
          "cannot tell whether " + key + " was written: " + unknown.reason(), null);
    }
  }

  @Override
  public Optional<String> get(VmName name, String file) throws StoreException {
    String key = key(name, file);
    return trouble
        .ask(() -> bucket.get(key), "read " + key, "s3:GetObject and s3:ListBucket")
        .map(got -> text(got.content()));
  }

  private static String text(byte[] content) {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(content)).toString();
    } catch (CharacterCodingException e) {
      return "\uFFFD"; // there is something, and it is not text
    }
  }

  @Override
  public void remove(VmName name, String file) throws StoreException {
    String key = key(name, file);
    trouble.ask(
        () -> {
          bucket.delete(key);
          return "";
        },
        "remove " + key,
        "s3:DeleteObject");
  }

  @Override
  public List<String> list(VmName name, String directory) throws StoreException {
    String home = home(name);
    return keys(home + directory + "/").stream()
        .map(key -> key.substring(home.length()))
        .filter(file -> FILE.matcher(file).matches() && file.endsWith(".json"))
        .sorted()
        .toList();
  }

  /** Sees to the bucket's rules, once. */
  @Override
  public synchronized Optional<Duration> historyKept() {
    if (expires.isEmpty()) {
      expires = Optional.of(setRules());
    }
    return expires.get() ? Optional.empty() : Optional.of(Duration.ofDays(HISTORY_DAYS));
  }

  private boolean setRules() {
    String start = home(VmName.DEFAULT);
    String name = "baton-history-" + Documents.sha256(start).substring(0, 12);
    try {
      new BucketRules(bucket)
          .expire(
              List.of(new BucketRules.Expiry(name, start, BucketSetup.HISTORY_TAG, HISTORY_DAYS)),
              start + HIDDEN + "/",
              this::warn);
      return true;
    } catch (AwsFailure e) {
      LOG.info(
          "{} Old history is removed by clients instead.",
          trouble
              .explain(
                  e,
                  "have old history expire",
                  "s3:GetLifecycleConfiguration and s3:PutLifecycleConfiguration")
              .getMessage());
      return false;
    }
  }

  private void warn(String rule) {
    warning.accept(
        "the lifecycle rule "
            + rule
            + " of the bucket "
            + place.bucket()
            + " deletes what is below "
            + home(VmName.DEFAULT)
            + HIDDEN
            + "/, where the truth about the VMs is. Switch it off, or restrict it to other"
            + " prefixes.");
  }

  private String home(VmName name) {
    String start = place.prefix().isEmpty() ? "" : place.prefix() + "/";
    return name.isDefault() ? start : start + name.value() + "/";
  }

  private String key(VmName name, String file) {
    if (!FILE.matcher(file).matches()) {
      throw new IllegalArgumentException("no file of a VM is called " + file);
    }
    return home(name) + file;
  }

  @Override
  public void close() {
    documents.close();
    bucket.close();
    table.ifPresent(DynamoSpace::close);
  }

  @Override
  public String toString() {
    return "S3VmSpace[" + place + "]";
  }
}
