package dev.baton.cloud.oss;

import dev.baton.store.Snapshot;
import dev.baton.store.StoreException;
import dev.baton.store.Version;
import dev.baton.store.VersionedStore;
import dev.baton.store.WriteResult;
import dev.baton.vm.VmName;
import dev.baton.vm.store.VmSpace;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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
 * <p>Files in {@code history} have a tag, and a rule of the bucket deletes what has that tag after
 * 30 days. Where that rule cannot be set, clients delete them.
 */
public final class OssVmSpace implements VmSpace, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(OssVmSpace.class);

  private static final String QUEUE = "vms";
  private static final String JOURNAL = "journal-";
  private static final String SPACE = "space";
  private static final String HISTORY = "history/";
  private static final int HISTORY_DAYS = 30;
  private static final Map<String, String> HISTORY_TAG = Map.of("baton", "history");
  private static final int ATTEMPTS = 20;
  private static final Duration BELIEVED = Duration.ofSeconds(20);
  private static final Duration DOUBTED = Duration.ofSeconds(1);

  private static final Pattern ID =
      Pattern.compile("\\s*\\{\\s*\"id\":\\s*\"([a-z0-9]{8,32})\"\\s*}\\s*");
  private static final Pattern FILE = Pattern.compile("(history/)?\\.?[A-Za-z0-9_-]+(\\.[a-z]+)?");
  private static final Pattern OBJECT = Pattern.compile("([a-z0-9-]+)/\\d{10}-\\d{1,10}\\.json");

  private final OssPlace place;
  private final OssSpace documents;
  private final OssFiles files;
  private final OssTrouble trouble;
  private final Clocks clocks;
  private volatile String id;
  private volatile Told told;
  private Optional<Boolean> expires = Optional.empty();

  /** A time that OSS told, and when it was asked for it, on both clocks of this machine. */
  private record Told(Instant time, Instant wall, long nanos) {}

  /** The clocks of this machine. */
  interface Clocks {
    Instant now();

    long nanos();
  }

  private OssVmSpace(OssPlace place, OssAccess access, Clocks clocks) {
    this.place = place;
    this.clocks = clocks;
    OssPlace hidden =
        new OssPlace(
            place.bucket(), (place.prefix().isEmpty() ? "" : place.prefix() + "/") + ".journal");
    this.documents = OssSpace.open(hidden, QUEUE, access);
    this.files = new OssFiles(place.bucket(), access);
    this.trouble = new OssTrouble(place, access);
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
        });
  }

  static OssVmSpace open(OssPlace place, OssAccess access, Clocks clocks) {
    return new OssVmSpace(place, access, clocks);
  }

  // ---- journals

  @Override
  public String id() throws StoreException {
    if (id != null) {
      return id;
    }
    VersionedStore store = documents.document(SPACE);
    for (int i = 0; i < ATTEMPTS; i++) {
      Snapshot snapshot = store.read();
      if (snapshot.content().isPresent()) {
        id = requireId(snapshot.content().get());
        return id;
      }
      byte[] random = new byte[6];
      new SecureRandom().nextBytes(random);
      String next = HexFormat.of().formatHex(random);
      if (store.write(Version.ABSENT, "{\"id\": \"" + next + "\"}\n", "a space for VMs")
          instanceof WriteResult.Written) {
        id = next;
        return id;
      }
    }
    throw StoreException.passing("the id of " + place + " could not be written. Try again.", null);
  }

  private String requireId(String content) throws StoreException {
    Matcher m = ID.matcher(content);
    if (!m.matches()) {
      throw new StoreException(
          "the object below "
              + documents.folder()
              + SPACE
              + "/ in "
              + place.bucket()
              + " is broken. Write the id into it that the names of this space's resources in the"
              + " cloud have.",
          null);
    }
    return m.group(1);
  }

  @Override
  public String location() {
    return place.address();
  }

  @Override
  public VersionedStore journal(VmName name) {
    return documents.document(JOURNAL + name.value());
  }

  /** One request for each VM, however long its journal is. */
  @Override
  public List<VmName> names() throws StoreException {
    documents.requireUsable();
    String start = documents.folder() + JOURNAL;
    List<VmName> names = new ArrayList<>();
    String after = "";
    try {
      while (true) {
        List<Bucket.Listed> next = documents.bucket().list(start, after, 1).objects();
        if (next.isEmpty()) {
          Collections.sort(names);
          return List.copyOf(names);
        }
        String key = next.get(0).key();
        Matcher m = OBJECT.matcher(key.substring(start.length()));
        if (m.matches()) {
          names.add(new VmName(m.group(1)));
        }
        // Behind everything in that folder: its objects begin with digits.
        after = key.substring(0, key.lastIndexOf('/') + 1) + "~";
      }
    } catch (OssFailure e) {
      throw trouble.explain(e, "look for VMs", "oss:ListObjects");
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
    try {
      String known = documents.folder() + SPACE + "/9999999998-1.json";
      Optional<Instant> time = files.time(known);
      if (time.isEmpty()) {
        id();
        time = files.time(known);
      }
      return time.orElseThrow(
          () ->
              new StoreException(
                  "the id of " + place + " was deleted. Put it back before anything else.", null));
    } catch (OssFailure e) {
      throw trouble.explain(e, "ask for the time", "oss:GetObject");
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
    try {
      return documents.bucket().get(key).map(OssVmSpace::text);
    } catch (OssFailure e) {
      throw trouble.explain(e, "read " + key, "oss:GetObject");
    }
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
        if (!page.more() || page.objects().isEmpty()) {
          Collections.sort(found);
          return List.copyOf(found);
        }
      }
    } catch (OssFailure e) {
      throw trouble.explain(e, "list " + home + directory, "oss:ListObjects");
    }
  }

  /** Sees to the bucket's rule, once. */
  @Override
  public synchronized Optional<Duration> historyKept() {
    if (expires.isEmpty()) {
      expires = Optional.of(setRule());
    }
    return expires.get() ? Optional.empty() : Optional.of(Duration.ofDays(HISTORY_DAYS));
  }

  private boolean setRule() {
    String prefix = place.prefix().isEmpty() ? "" : place.prefix() + "/";
    String rule = "baton-history-" + Texts.sha256(prefix).substring(0, 12);
    try {
      files.expire(rule, prefix, HISTORY_TAG, HISTORY_DAYS);
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
