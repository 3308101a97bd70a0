package dev.baton.alibaba.oss;

import dev.baton.store.Documents;
import dev.baton.store.Snapshot;
import dev.baton.store.StoreException;
import dev.baton.store.Version;
import dev.baton.store.VersionedStore;
import dev.baton.store.WriteResult;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.function.LongSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A document as numbered objects, each of which is created once and never changed. The one with the
 * greatest number is what the document says.
 *
 * <ol>
 *   <li>The names count down, so that a list begins with the newest object, however many there are:
 *       {@code 9999999875-124.json} is number 124.
 *   <li>A read lists one name, and gets the object unless it is known. An object with another
 *       entity tag than the list showed is not the one that was listed: that one was deleted since,
 *       and a writer that had slept created its number again.
 *   <li>A write against number N creates N+1, and OSS lets one writer through.
 *   <li>Then it lists again. Objects are deleted only when {@link #KEPT} newer ones are there, so
 *       while the newest number is less than that ahead, N+1 was free because nobody had written
 *       it, and the write counts. Otherwise N+1 may have been free because it was deleted: the
 *       writer had slept, its object is out of everybody's sight, and the answer is that nobody can
 *       tell.
 *   <li>Whoever writes a number that {@link #PRUNED_EVERY} divides deletes the old ones.
 *   <li>Nothing is sent twice. No answer to a create means that nobody can tell. If somebody on the
 *       way sends it twice, the answer is that it exists; its mark shows that it is the writer's
 *       own.
 * </ol>
 */
final class OssDocument implements VersionedStore {
  private static final Logger LOG = LoggerFactory.getLogger(OssDocument.class);

  static final int MAX_LENGTH = 1_000_000;

  /** This many of the newest objects are deleted by nobody. It must never become less. */
  static final int KEPT = 64;

  static final int PRUNED_EVERY = 32;

  private static final int TRIES = 3;
  private static final int SET_ASIDE_KEPT = 5;
  private static final long HIGHEST = 9_999_999_999L;

  /** After that the document is looked at before it is written: it saves a useless object. */
  private static final Duration SEEN_LATELY = Duration.ofMinutes(5);

  private static final Pattern OBJECT = Pattern.compile("(\\d{10})-(\\d{1,10})\\.json");
  private static final Pattern VERSION = Pattern.compile("(\\d{1,10})-[0-9a-f]{32}");

  /** One of the numbered objects. */
  private record Numbered(long number, String etag) {}

  /**
   * What this client has seen last.
   *
   * @param object absent when there was none
   * @param at on the monotonic clock, before it was asked for
   */
  private record Known(Optional<Numbered> object, Snapshot snapshot, long at) {}

  private final OssSpace space;
  private final Bucket bucket;
  private final OssTrouble trouble;
  private final String name;
  private final String folder;
  private final LongSupplier nanos;
  private volatile Known known;

  OssDocument(OssSpace space, String name, LongSupplier nanos) {
    this.space = space;
    this.bucket = space.bucket();
    this.trouble = space.trouble();
    this.name = name;
    this.folder = space.folder() + name + "/";
    this.nanos = nanos;
  }

  private String key(long number) {
    return folder + String.format(Locale.ROOT, "%010d-%d.json", HIGHEST - number, number);
  }

  private static Version versionOf(long number, String content) {
    return new Version(number + "-" + Documents.sha256(content).substring(0, 32));
  }

  // ---- reading

  @Override
  public Snapshot read() throws StoreException {
    space.requireUsable();
    for (int attempt = 0; attempt < TRIES; attempt++) {
      long before = nanos.getAsLong();
      List<Numbered> newest = newest(1, "read");
      if (newest.isEmpty()) {
        return remember(Optional.empty(), Snapshot.ABSENT, before);
      }
      Numbered object = newest.get(0);
      Known last = known;
      if (last != null && last.object().equals(Optional.of(object))) {
        return remember(last.object(), last.snapshot(), before);
      }
      Optional<String> content = content(object);
      if (content.isPresent()) {
        Version version = versionOf(object.number(), content.get());
        return remember(Optional.of(object), Snapshot.of(version, content.get()), before);
      }
      // So many were written since the list that this one is deleted already, and perhaps created
      // again by a writer that had slept.
    }
    throw StoreException.passing(
        "the document " + name + " changes faster than it can be read from " + space, null);
  }

  private Snapshot remember(Optional<Numbered> object, Snapshot snapshot, long at) {
    known = new Known(object, snapshot, at);
    return snapshot;
  }

  /**
   * The content of the very object that a list has shown; absent if that one is deleted by now.
   * Bytes that are no UTF-8 become replacement characters: a broken document can still be seen.
   */
  private Optional<String> content(Numbered object) throws StoreException {
    return space.ask(
        () ->
            bucket
                .look(key(object.number()))
                .filter(got -> Objects.equals(got.etag(), object.etag()))
                .map(got -> text(got.content())),
        "read the document " + name,
        "oss:GetObject");
  }

  private static String text(byte[] content) {
    return new String(content, StandardCharsets.UTF_8);
  }

  private List<Numbered> newest(int atMost, String doing) throws StoreException {
    return space.ask(() -> newest(atMost), doing + " the document " + name, "oss:ListObjects");
  }

  /** The greatest number first. What else is in the folder is passed over. */
  private List<Numbered> newest(int atMost) throws OssFailure {
    List<Numbered> found = new ArrayList<>();
    String after = "";
    int ask = atMost;
    while (true) {
      Bucket.Page page = bucket.list(folder, after, ask);
      for (Bucket.Listed listed : page.objects()) {
        numberOf(listed.key()).ifPresent(n -> found.add(new Numbered(n, listed.etag())));
        after = listed.key();
      }
      if (found.size() >= atMost || !page.more()) {
        return found.subList(0, Math.min(atMost, found.size()));
      }
      ask = Bucket.MOST_LISTED;
    }
  }

  private Optional<Long> numberOf(String key) {
    Matcher m = OBJECT.matcher(key.substring(folder.length()));
    if (!m.matches()) {
      return Optional.empty();
    }
    long number = Long.parseLong(m.group(2));
    boolean ours = number > 0 && number < HIGHEST && key.equals(key(number));
    return ours ? Optional.of(number) : Optional.empty();
  }

  // ---- writing

  @Override
  public WriteResult write(Version expected, String next, String message) throws StoreException {
    Objects.requireNonNull(expected, "expected");
    Objects.requireNonNull(message, "message");
    byte[] bytes = Texts.encode(next, MAX_LENGTH);
    space.requireUsable();
    Matcher m = VERSION.matcher(expected.value());
    if (!expected.isAbsent() && !m.matches()) {
      return new WriteResult.Lost();
    }
    if (!seenLately(expected) && !read().version().equals(expected)) {
      return new WriteResult.Lost();
    }
    long number = expected.isAbsent() ? 1 : Long.parseLong(m.group(1)) + 1;
    if (number >= HIGHEST) {
      throw new StoreException(
          "the document " + name + " in " + space + " has no numbers left",
          "Begin a new queue.",
          null);
    }
    long before = nanos.getAsLong();
    String mark = UUID.randomUUID().toString();
    try {
      Bucket.Created created = bucket.create(key(number), bytes, mark);
      space.succeeded("write the document " + name, "oss:PutObject");
      switch (created) {
        case EXISTS:
          return existing(number, mark, next, before);
        case IN_VERSIONED_BUCKET:
          throw trouble.versioned("switched on while it was in use");
        default:
          return verified(number, next, before);
      }
    } catch (OssFailure e) {
      known = null;
      if (e.kind() == OssFailure.Kind.UNSURE) {
        return new WriteResult.Unknown(e.trace());
      }
      throw space.explain(e, "write the document " + name, "oss:PutObject");
    }
  }

  /**
   * Lost, unless this very write made it: then somebody on the way had sent it twice. What another
   * one wrote is remembered, so that the next read does not have to get it.
   */
  private WriteResult existing(long number, String mark, String next, long before)
      throws OssFailure, StoreException {
    known = null;
    Optional<Bucket.Got> found = lookPatiently(key(number));
    if (found.isEmpty()) {
      return new WriteResult.Unknown(
          "number " + number + " existed and was deleted: its writer is unknown");
    }
    if (found.get().mark().equals(mark)) {
      return verified(number, next, before);
    }
    String content = text(found.get().content());
    remember(
        Optional.of(new Numbered(number, found.get().etag())),
        Snapshot.of(versionOf(number, content), content),
        before);
    return new WriteResult.Lost();
  }

  private Optional<Bucket.Got> lookPatiently(String key) throws OssFailure {
    for (int attempt = 1; ; attempt++) {
      try {
        return bucket.look(key);
      } catch (OssFailure e) {
        if (attempt == TRIES) {
          throw new OssFailure(
              OssFailure.Kind.UNSURE, "exists, and its writer is unknown", e.trace(), "");
        }
      }
    }
  }

  private boolean seenLately(Version expected) {
    Known last = known;
    return last != null
        && last.snapshot().version().equals(expected)
        && nanos.getAsLong() - last.at() < SEEN_LATELY.toNanos();
  }

  /** Whether the number was free because nobody had written it. */
  private WriteResult verified(long number, String content, long before) throws StoreException {
    known = null;
    String last = "the list does not show it";
    for (int attempt = 0; attempt < TRIES; attempt++) {
      List<Numbered> newest;
      try {
        newest = newest(2);
      } catch (OssFailure e) {
        last = e.trace();
        continue;
      }
      if (newest.isEmpty() || newest.get(0).number() < number) {
        continue; // a list from before the create proves nothing
      }
      long ahead = newest.get(0).number() - number;
      if (ahead >= KEPT) {
        return overslept(number, ahead);
      }
      Version version = versionOf(number, content);
      if (ahead == 0) {
        requireFollower(number, newest);
        remember(Optional.of(newest.get(0)), Snapshot.of(version, content), before);
      }
      if (number % PRUNED_EVERY == 0) {
        // Also where others have written since: in a crowd somebody always has.
        prune(newest.get(0).number());
      }
      return new WriteResult.Written(version);
    }
    return new WriteResult.Unknown("number " + number + " was created, but: " + last);
  }

  private WriteResult overslept(long number, long ahead) {
    String what = "number " + number + " of " + name + " in " + space;
    try {
      bucket.delete(List.of(key(number)));
    } catch (OssFailure e) {
      LOG.info("{} is of no use and stays until the next cleaning: {}", what, e.trace());
    }
    return new WriteResult.Unknown(what + " is " + ahead + " behind: this writer had slept");
  }

  /** Somebody who deletes the objects of a document cannot be told apart from anything else. */
  private void requireFollower(long number, List<Numbered> newest) throws StoreException {
    if (number > 1 && (newest.size() < 2 || newest.get(1).number() != number - 1)) {
      throw new StoreException(
          "the document "
              + name
              + " in "
              + space
              + " was deleted by somebody while it was in use, and this write brought it back as"
              + " number "
              + number,
          "Check that it says what it should, and delete "
              + bucket.name()
              + "/"
              + folder
              + " only while nobody uses it.",
          null);
    }
  }

  /** A write that counts does not fail because something old could not be deleted. */
  private void prune(long newest) {
    if (newest <= KEPT) {
      return;
    }
    try {
      List<String> old = new ArrayList<>();
      for (Bucket.Listed listed :
          bucket.list(folder, key(newest - KEPT + 1), Bucket.MOST_LISTED).objects()) {
        if (numberOf(listed.key()).isPresent()) {
          old.add(listed.key());
        }
      }
      bucket.delete(old);
    } catch (OssFailure e) {
      LOG.warn(
          "old objects of {} stay in {} for now: {}",
          name,
          space,
          trouble.explain(e, "delete old objects of " + name, "oss:DeleteObject").getMessage());
    }
  }

  // ---- the past

  @Override
  public List<String> earlier(Snapshot present, int limit) throws StoreException {
    Documents.requireLimit(limit);
    List<String> found = new ArrayList<>();
    if (limit == 0) {
      return found;
    }
    space.requireUsable();
    List<Numbered> kept = newest(KEPT, "look at earlier contents of");
    if (!versionOf(kept).equals(present.version())) {
      throw StoreException.passing(
          "the document " + name + " has changed while its earlier contents were looked for", null);
    }
    for (Numbered object : kept) {
      if (object.number() <= kept.get(0).number() - KEPT) {
        break; // left over by a writer that had slept, and never a content of this document
      }
      Optional<String> content = object.equals(kept.get(0)) ? Optional.empty() : content(object);
      if (content.isPresent()
          && !content.equals(present.content())
          && (found.isEmpty() || !content.get().equals(found.get(found.size() - 1)))) {
        found.add(content.get());
      }
      if (found.size() == limit) {
        break;
      }
    }
    return List.copyOf(found);
  }

  /** Of the latest of these objects; absent also where that one is deleted by now. */
  private Version versionOf(List<Numbered> kept) throws StoreException {
    if (kept.isEmpty()) {
      return Version.ABSENT;
    }
    Numbered latest = kept.get(0);
    return content(latest).map(c -> versionOf(latest.number(), c)).orElse(Version.ABSENT);
  }

  @Override
  public String setAside(Snapshot broken) throws StoreException {
    String content =
        broken
            .content()
            .orElseThrow(
                () -> new IllegalArgumentException("there is no document that could be set aside"));
    space.requireUsable();
    String aside = space.folder() + name + ".broken/";
    String key = aside + Documents.sha256(content).substring(0, 32) + ".json";
    try {
      bucket.create(key, content.getBytes(StandardCharsets.UTF_8), "aside");
      List<Bucket.Listed> before =
          new ArrayList<>(bucket.list(aside, "", Bucket.MOST_LISTED).objects());
      before.removeIf(listed -> listed.key().equals(key));
      before.sort(Comparator.comparing(Bucket.Listed::modified).reversed());
      if (before.size() >= SET_ASIDE_KEPT) {
        bucket.delete(
            before.subList(SET_ASIDE_KEPT - 1, before.size()).stream()
                .map(Bucket.Listed::key)
                .toList());
      }
    } catch (OssFailure e) {
      throw space.explain(e, "set aside the document " + name, "oss:PutObject");
    }
    return "oss://" + bucket.name() + "/" + key;
  }

  @Override
  public String toString() {
    return "OssDocument[" + name + " in " + space + "]";
  }
}
