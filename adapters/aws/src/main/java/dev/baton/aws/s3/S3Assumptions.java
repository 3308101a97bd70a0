package dev.baton.aws.s3;

import static dev.baton.core.probe.Assumption.read;
import static dev.baton.core.probe.Assumption.written;

import dev.baton.core.probe.Assumption;
import java.util.List;

/** All that is taken for granted about S3, in the order in which it is tried. */
final class S3Assumptions {

  private static final String TWO_LOCKS =
      "Two builds can hold one lock: do not keep a queue in this bucket.";

  static final Assumption DELETE_ABSENT =
      read(
          "delete-absent",
          1,
          "The key may delete objects, and deleting one that does not exist is no failure.",
          List.of("S3Bucket.delete"),
          "Nothing is written, since it could not be removed.");

  static final Assumption CREATE =
      written(
          "create",
          1,
          "A put with If-None-Match: * creates an object that does not exist, and the answer has"
              + " its ETag.",
          List.of("S3Bucket.put", "S3Document.write"),
          "Nothing can be written to a queue in this bucket.");

  static final Assumption CREATE_REFUSED =
      written(
          "create-refused",
          1,
          "A put with If-None-Match: * is refused with 412 if the object exists.",
          List.of("S3Bucket.put"),
          "If it is accepted, two clients that create one queue can replace each other's. If only"
              + " the status differs, writes that lose a race fail instead of being repeated.");

  static final Assumption READ_BACK =
      read(
          "read-back",
          1,
          "A read shows an object at once, as it was put, with the ETag that the put has told.",
          List.of("S3Document.look"),
          "A client takes an old queue for the present one: its writes are refused, and changes"
              + " take longer.");

  static final Assumption CONDITIONAL_READ =
      read(
          "conditional-read",
          1,
          "A read with If-None-Match and the object's ETag is answered with 304.",
          List.of("S3Bucket.get"),
          "Each look at an unchanged queue transfers all of it; the price of a request is the"
              + " same.");

  static final Assumption REPLACE =
      written(
          "replace",
          1,
          "A put with If-Match and the object's ETag replaces it, and the answer has another ETag.",
          List.of("S3Bucket.put", "S3Document.write"),
          "A queue in this bucket cannot be changed.");

  static final Assumption REPLACE_REFUSED =
      written(
          "replace-refused",
          2,
          "A put with If-Match and an older ETag is refused with 412 and changes nothing.",
          List.of("S3Bucket.put", "S3Document.write"),
          TWO_LOCKS);

  static final Assumption REPLACE_ABSENT =
      written(
          "replace-absent",
          2,
          "A put with If-Match of an object that does not exist is refused, and creates nothing.",
          List.of("S3Bucket.put"),
          "A queue that somebody has deleted comes back with an old content.");

  static final Assumption ABSENT_GET =
      read(
          "absent-get",
          1,
          "An object that does not exist is NoSuchKey: the key may list the bucket.",
          List.of("S3Bucket.get"),
          "A queue that was never created looks like a missing permission, so `baton init` cannot"
              + " create one.");

  static final Assumption ONE_CREATES =
      written(
          "one-creates",
          4,
          "Of several puts with If-None-Match: * at the same moment exactly one is accepted.",
          List.of("S3Document.write"),
          TWO_LOCKS);

  static final Assumption ONE_REPLACES =
      written(
          "one-replaces",
          4,
          "Of several puts with the same If-Match at the same moment exactly one is accepted.",
          List.of("S3Document.write"),
          TWO_LOCKS);

  static final Assumption LISTED =
      read(
          "list",
          2,
          "A list shows objects at once, in the order of their names, and goes on after a name"
              + " that is given.",
          List.of("S3Bucket.list"),
          "`baton list`, the history of states and sweeps of VMs miss something; no lock depends"
              + " on a list.");

  static final Assumption SERVER_TIME =
      read(
              "server-time",
              1,
              "An answer has the time of the server in its Date header.",
              List.of("S3Bucket.time"),
              "States of VMs cannot be kept in this bucket: old journals cannot be told from new"
                  + " ones.")
          .asOptional();

  static final Assumption TAGS =
      written(
              "tags",
              2,
              "An object that is put with tags has them, and the key may put such objects.",
              List.of("BucketRules.expire"),
              "History of states and of VMs cannot be kept in this bucket, or stays for ever, since"
                  + " rules find it by its tag. Queues do not need this.")
          .asOptional();

  static final Assumption DELETE =
      written(
          "delete",
          2,
          "An object that was deleted is gone at once.",
          List.of("S3Bucket.delete"),
          "The notes about who works on a state, and old journals of VMs, are shown although they"
              + " were removed.");

  static final Assumption QUICK_ANSWERS =
      read(
          "quick-answers",
          0,
          "Every request is answered within 20 s.",
          List.of("AwsAccount.http"),
          "Requests that take longer are given up, and the outcome of such a write is unknown"
              + " until a read shows it.");

  private S3Assumptions() {}

  static List<Assumption> all() {
    return List.of(
        DELETE_ABSENT,
        CREATE,
        CREATE_REFUSED,
        READ_BACK,
        CONDITIONAL_READ,
        REPLACE,
        REPLACE_REFUSED,
        REPLACE_ABSENT,
        ABSENT_GET,
        ONE_CREATES,
        ONE_REPLACES,
        LISTED,
        SERVER_TIME,
        TAGS,
        DELETE,
        QUICK_ANSWERS);
  }
}
