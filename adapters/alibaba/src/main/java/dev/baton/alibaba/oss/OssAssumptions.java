package dev.baton.alibaba.oss;

import static dev.baton.core.probe.Assumption.read;
import static dev.baton.core.probe.Assumption.written;

import dev.baton.core.probe.Assumption;
import java.time.Duration;
import java.util.List;

/** All that documents in OSS take for granted, in the order in which it is tried. */
final class OssAssumptions {

  /** The client waits no longer for the next byte. */
  static final Duration LONGEST_REQUEST = Duration.ofSeconds(20);

  static final Assumption NOT_VERSIONED =
      read(
          "not-versioned",
          1,
          "Versioning was never enabled for the bucket, and the key may look at that.",
          List.of("OssSpace.requireUsable"),
          "OSS overwrites there what must not be overwritten, so two builds could hold one lock."
              + " Baton refuses the bucket. Versioning can only be suspended, which is no better:"
              + " use another bucket.");

  static final Assumption CREATE =
      written(
          "create",
          1,
          "A put that forbids overwriting creates an object that does not exist, and the answer"
              + " names no version.",
          List.of("Bucket.create"),
          "Nothing can be written to a queue in this bucket.");

  static final Assumption FORBID_OVERWRITE =
      written(
          "forbid-overwrite",
          1,
          "A put that forbids overwriting is refused with FileAlreadyExists if the object exists.",
          List.of("Bucket.create"),
          "If it is accepted, two builds can hold one lock: do not keep a queue in this bucket. If"
              + " only the code differs, writes that lose a race fail instead of being repeated.");

  static final Assumption LIST_AFTER_CREATE =
      written(
          "list-after-create",
          3,
          "A list that is asked for after a create shows the object.",
          List.of("OssDocument.verified"),
          "The outcome of such a write is unknown: Baton reads again, and changes of the queue take"
              + " longer. Nothing is lost.");

  static final Assumption READ_BACK =
      written(
          "read-back",
          1,
          "An object is read back at once, as it was put.",
          List.of("OssDocument.content"),
          "A read of the queue can fail right after a write.");

  static final Assumption MARK =
      written(
          "mark",
          0,
          "The mark that its writer put on an object comes back with it.",
          List.of("OssDocument.existing"),
          "Where a proxy sends a write twice, the writer takes itself for a loser: a lock may then"
              + " stay taken until its lease ends.");

  static final Assumption LIST_ETAG =
      written(
          "list-etag",
          0,
          "A list shows the same entity tag as a read.",
          List.of("OssDocument.read"),
          "Each look at an unchanged queue takes two requests instead of one.");

  static final Assumption NEWEST_FIRST =
      written(
          "newest-first",
          2,
          "A list is in the order of the names, so that one name is that of the newest object.",
          List.of("OssDocument.newest"),
          "Reads show an old queue: do not keep a queue in this bucket.");

  static final Assumption START_AFTER =
      read(
          "start-after",
          1,
          "A list goes on after a name that is given.",
          List.of("OssDocument.prune"),
          "Old objects of the queue are not found, and stay until you delete them.");

  static final Assumption ABSENT_GET =
      read(
          "absent-get",
          1,
          "An object that does not exist is NoSuchKey.",
          List.of("Bucket.look"),
          "Reads fail while another client deletes old objects.");

  static final Assumption ONE_WINNER =
      written(
          "one-winner",
          4,
          "Of several puts of one name at the same moment exactly one is accepted.",
          List.of("OssDocument.write"),
          "Two builds can hold one lock: do not keep a queue in this bucket.");

  static final Assumption DELETE =
      written(
          "delete",
          2,
          "Several objects are deleted at once, lists do not show them any more, and one that does"
              + " not exist is no failure.",
          List.of("Bucket.delete", "OssDocument.prune"),
          "Old objects of the queue stay until you delete them.");

  static final Assumption DELETED_IS_FREE =
      written(
          "deleted-is-free",
          1,
          "The name of an object that was deleted can be created again.",
          List.of("OssDocument.overslept"),
          "That is better than assumed: a writer that slept cannot take a number that was used.");

  static final Assumption QUICK_ANSWERS =
      read(
          "quick-answers",
          0,
          "Every request is answered within 20 s.",
          List.of("OssClient.broken"),
          "Requests that take longer are given up, and the outcome of such a write is unknown until"
              + " a read shows it.");

  private OssAssumptions() {}

  static List<Assumption> all() {
    return List.of(
        NOT_VERSIONED,
        CREATE,
        FORBID_OVERWRITE,
        LIST_AFTER_CREATE,
        READ_BACK,
        MARK,
        LIST_ETAG,
        NEWEST_FIRST,
        START_AFTER,
        ABSENT_GET,
        ONE_WINNER,
        DELETE,
        DELETED_IS_FREE,
        QUICK_ANSWERS);
  }
}
