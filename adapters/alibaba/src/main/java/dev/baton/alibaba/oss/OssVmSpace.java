package dev.baton.alibaba.oss;

import dev.baton.store.Documents;
import dev.baton.store.StoreException;
import dev.baton.store.VersionedStore;
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
 * VMs whose state is in a bucket of Alibaba Cloud. Below the prefix:
 *
 * <pre>
 * state.json backup.json .lock history/    the default VM: readable copies
 * NAME/state.json …                        the same for the VM called NAME
 * .journal/vms/journal-NAME/               the journals, the truth, see {@link OssSpace}
 * .journal/vms/space/                      the id of this space
 * </pre>
 *
 * <p>Rules of the bucket delete history after 30 days: one for the default VM's folder, whoever
 * wrote what is in it, and one for a tag that files in {@code history} have, since no prefix fits
 * the folders of all other VMs. Where these rules cannot be set, clients delete them.
 */
public final class OssVmSpace implements VmSpace, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(OssVmSpace.class);

  private static final String HIDDEN = ".journal";
  private static final String QUEUE = "vms";
  private static final String JOURNAL = "journal-";
  private static final String SPACE = "space";
  private static final String HISTORY = "history/";
  private static final int HISTORY_DAYS = 30;
  private static final Map<String, String> HISTORY_TAG = Map.of("baton", "history");
  private static final Duration BELIEVED = Duration.ofSeconds(20);
  private static final Duration DOUBTED = Duration.ofSeconds(1);

  private static final Pattern FILE = Pattern.compile("(history/)?\\.?[A-Za-z0-9_-]+(\\.[a-z]+)?");
  private static final Pattern OBJECT = Pattern.compile("([a-z0-9-]+)/\\d{10}-\\d{1,10}\\.json");

  private final OssPlace place;
  private final OssSpace documents;
  private final OssFiles files;
  private final OssTrouble trouble;
  private final Clocks clocks;
  private final Consumer<String> warning;
  private final SpaceId id;
  private volatile Told told;
  private Optional<Boolean> expires = Optional.empty();

  /** A time that OSS told, and when it was asked for it, on both clocks of this machine. */
  private record Told(Instant time, Instant wall, long nanos) {}

  /** The clocks of this machine. */
  interface Clocks {
    Instant now();

    long nanos();
  }

  private OssVmSpace(OssPlace place, OssAccess access, Clocks clocks, Consumer<String> warning) {
    this.place = place;
    this.clocks = clocks;
    this.warning = warning;
    OssPlace hidden = new OssPlace(place.bucket(), home(VmName.DEFAULT) + HIDDEN);
    this.documents = OssSpace.open(hidden, QUEUE, access);
    this.files = new OssFiles(place.bucket(), access);
    this.trouble = new OssTrouble(place, access);
    this.id =
        new SpaceId(
            documents.document(SPACE), "oss://" + place.bucket() + "/" + idKey(), this::names);
  }

  /** The first and only object of that document. */
  private String idKey() {
    return documents.folder() + SPACE + "/9999999998-1.json";
  }

  /** Asks nobody for anything yet. */
  public static OssVmSpace open(OssPlace place, OssAccess access) {
    return open(
        place,
        access,
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
   * @param warning whom to tell of what a person should see to
   */
  static OssVmSpace open(
      OssPlace place, OssAccess access, Clocks clocks, Consumer<String> warning) {
    return new OssVmSpace(place, access, clocks, warning);
  }

  // ---- journals

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
    return id.before(documents.document(JOURNAL + name.value()));
  }

  /** One request for each VM, however long its journal is. */
  @Override
  public List<VmName> names() throws StoreException {
    documents.requireUsable();
    String start = documents.folder() + JOURNAL;
    List<VmName> names = new ArrayList<>();
    String after = "";
    int ask = 1;
    try {
      while (true) {
        Bucket.Page page = documents.bucket().list(start, after, ask);
        ask = 1;
        for (Bucket.Listed listed : page.objects()) {
          if (listed.key().compareTo(after) <= 0) {
            continue;
          }
          Matcher m = OBJECT.matcher(listed.key().substring(start.length()));
          if (m.matches()) {
            names.add(named(m.group(1), listed.key()));
            // Behind everything in that folder: its objects begin with digits.
            after = listed.key().substring(0, listed.key().lastIndexOf('/') + 1) + "~";
          } else {
            after = listed.key();
            ask = Bucket.MOST_LISTED; // where one stray object is, there may be many
          }
        }
        if (!page.more()) {
          Collections.sort(names);
          return List.copyOf(names);
        }
      }
    } catch (OssFailure e) {
      throw trouble.explain(e, "look for VMs", "oss:ListObjects");
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
   * OSS's own, from the head of an object that is always there; for some seconds after that, from
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
    Instant time = askForTime();
    told = new Told(time, wall, nanos);
    return time;
  }

  private Instant askForTime() throws StoreException {
    Optional<Instant> time = fileTime();
    if (time.isEmpty()) {
      id();
      time = fileTime();
    }
    return time.orElseThrow(id::missing);
  }

  private Optional<Instant> fileTime() throws StoreException {
    return ask(() -> files.time(idKey()), "ask for the time", "oss:GetObject");
  }

  /** For what an operation asks for again if it fails: one odd answer does not stop it. */
  private <T> T ask(OssSpace.Requests<T> requests, String doing, String permission)
      throws StoreException {
    try {
      T answer = requests.send();
      documents.succeeded(doing, permission);
      return answer;
    } catch (OssFailure e) {
      throw documents.weighed(trouble.explain(e, doing, permission), e, doing, permission);
    }
  }

  // ---- files

  @Override
  public void put(VmName name, String file, String content) throws StoreException {
    String key = key(name, file);
    documents.requireUsable();
    try {
      files.put(
          key,
          content.getBytes(StandardCharsets.UTF_8),
          file.startsWith(HISTORY) ? HISTORY_TAG : Map.of());
    } catch (OssFailure e) {
      throw trouble.explain(e, "write " + key, "oss:PutObject and oss:PutObjectTagging");
    }
  }

  @Override
  public Optional<String> get(VmName name, String file) throws StoreException {
    String key = key(name, file);
    return ask(() -> documents.bucket().get(key), "read " + key, "oss:GetObject")
        .map(OssVmSpace::text);
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
    documents.requireUsable();
    try {
      documents.bucket().delete(List.of(key));
    } catch (OssFailure e) {
      throw trouble.explain(e, "remove " + key, "oss:DeleteObject");
    }
  }

  @Override
  public List<String> list(VmName name, String directory) throws StoreException {
    String home = home(name);
    List<String> found = new ArrayList<>();
    String after = "";
    try {
      while (true) {
        Bucket.Page page =
            documents.bucket().list(home + directory + "/", after, Bucket.MOST_LISTED);
        for (Bucket.Listed listed : page.objects()) {
          after = listed.key();
          String file = listed.key().substring(home.length());
          if (FILE.matcher(file).matches() && file.endsWith(".json")) {
            found.add(file);
          }
        }
        if (!page.more()) {
          Collections.sort(found);
          return List.copyOf(found);
        }
      }
    } catch (OssFailure e) {
      throw trouble.explain(e, "list " + home + directory, "oss:ListObjects");
    }
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
      files.expire(
          List.of(
              new Expiry(name, start, HISTORY_TAG, HISTORY_DAYS),
              new Expiry(name + "-default", start + HISTORY, Map.of(), HISTORY_DAYS)),
          start + HIDDEN + "/",
          this::warn);
      return true;
    } catch (OssFailure e) {
      LOG.info(
          "{} Old history is removed by clients instead.",
          trouble
              .explain(
                  e, "have old history expire", "oss:GetBucketLifecycle and oss:PutBucketLifecycle")
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
            + " deletes or archives what is below "
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
    files.close();
  }

  @Override
  public String toString() {
    return "OssVmSpace[" + place + "]";
  }
}
