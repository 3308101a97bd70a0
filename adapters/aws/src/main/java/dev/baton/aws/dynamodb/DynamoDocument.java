package dev.baton.aws.dynamodb;

import dev.baton.aws.account.AwsFailure;
import dev.baton.aws.account.AwsTrouble;
import dev.baton.aws.document.Pages;
import dev.baton.aws.dynamodb.LockGuard.Plan;
import dev.baton.aws.dynamodb.LockTable.Outcome;
import dev.baton.store.ChangeWatch;
import dev.baton.store.Documents;
import dev.baton.store.Snapshot;
import dev.baton.store.StoreException;
import dev.baton.store.Version;
import dev.baton.store.VersionedStore;
import dev.baton.store.WriteResult;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.Put;
import software.amazon.awssdk.services.dynamodb.model.ReturnValuesOnConditionCheckFailure;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;

/**
 * A document in one item of a table, with the contents before it, see {@link Pages}. It is
 * compressed: reads cost by the size of the item.
 *
 * <ol>
 *   <li>It is written on condition that its version still is the one that was read. The version is
 *       the number of the write and the mark that the writer drew for it, so none comes again.
 *   <li>A writer that is refused gets the item that is there for nothing, and knows by its marks
 *       whether the request had been sent twice.
 *   <li>Where a lock is kept beside the queue, {@link LockGuard} says what has to change, or to
 *       hold, in the same transaction.
 *   <li>An answer that is not DynamoDB's, a 5xx and none at all leave the outcome unknown. A
 *       transaction that met another one was surely not done, and is sent again.
 * </ol>
 */
final class DynamoDocument implements VersionedStore {
  static final int MAX_LENGTH = 350_000;

  /** What an item may have, with room for everything beside the document. */
  private static final int LARGEST = 390_000;

  static final String VERSION = "batonVersion";
  private static final String PAGES = "batonPages";
  private static final String ABOUT = "batonAbout";
  private static final int LONGEST_ABOUT = 120;
  private static final int TRIES = 8;
  private static final String READ = "dynamodb:GetItem and dynamodb:BatchGetItem";
  private static final String WRITE =
      "dynamodb:PutItem, dynamodb:UpdateItem, dynamodb:DeleteItem and dynamodb:ConditionCheckItem";

  /** What the queue and its heartbeats have to do with the lock item. */
  enum Role {
    QUEUE,
    BEAT,
    OTHER
  }

  private record Known(Version version, Pages pages) {
    Snapshot snapshot() {
      return Snapshot.of(version, pages.content());
    }
  }

  private final LockTable table;
  private final AwsTrouble trouble;
  private final Optional<LockGuard> guard;
  private final Role role;
  private final String name;
  private final String key;
  private volatile Known known;

  DynamoDocument(
      LockTable table, AwsTrouble trouble, Optional<LockGuard> guard, String home, String name) {
    this.table = table;
    this.trouble = trouble;
    this.name = Documents.requireName(name);
    this.key = home + ":" + name;
    this.guard = guard;
    this.role =
        guard.isEmpty()
            ? Role.OTHER
            : name.equals("queue")
                ? Role.QUEUE
                : name.matches("beat-\\d+") ? Role.BEAT : Role.OTHER;
  }

  // ---- reading

  @Override
  public Snapshot read() throws StoreException {
    return look().map(Known::snapshot).orElse(Snapshot.ABSENT);
  }

  private Optional<Known> look() throws StoreException {
    return trouble.ask(this::ask, "read the document " + name, READ);
  }

  private Optional<Known> ask() throws AwsFailure {
    Optional<Map<String, AttributeValue>> item;
    if (role == Role.QUEUE) {
      LockGuard lock = guard.orElseThrow();
      List<Map<String, AttributeValue>> both = table.both(key, lock.lockKey());
      item = withKey(both, key);
      lock.saw(withKey(both, lock.lockKey()).map(LockItem::of));
    } else {
      item = table.get(key, true);
    }
    return item.map(this::remember);
  }

  private static Optional<Map<String, AttributeValue>> withKey(
      List<Map<String, AttributeValue>> items, String key) {
    return items.stream().filter(i -> key.equals(i.get(LockItem.KEY).s())).findFirst();
  }

  private Known remember(Map<String, AttributeValue> item) {
    AttributeValue version = item.get(VERSION);
    Known last = known;
    if (version != null && last != null && last.version().value().equals(version.s())) {
      return last;
    }
    known = new Known(new Version(versionText(version)), pages(item));
    return known;
  }

  private static String versionText(AttributeValue version) {
    return version == null || version.s() == null || version.s().isEmpty() ? "none" : version.s();
  }

  private static Pages pages(Map<String, AttributeValue> item) {
    AttributeValue pages = item.get(PAGES);
    if (pages == null || pages.b() == null) {
      return Pages.of(new byte[0]);
    }
    byte[] bytes = pages.b().asByteArray();
    try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(bytes))) {
      return Pages.of(in.readAllBytes());
    } catch (IOException e) {
      return Pages.of(bytes); // damaged: it is shown as it is
    }
  }

  @Override
  public List<String> earlier(Snapshot present, int limit) throws StoreException {
    Documents.requireLimit(limit);
    Optional<Known> now = look();
    if (!now.map(Known::snapshot).orElse(Snapshot.ABSENT).version().equals(present.version())) {
      throw StoreException.passing(
          "the document " + name + " has changed while its earlier contents were looked for", null);
    }
    return now.map(k -> k.pages().earlier().stream().limit(limit).toList()).orElse(List.of());
  }

  /** By a look that costs half, and may be of a moment ago. */
  @Override
  public Optional<ChangeWatch> onChange(Runnable told) {
    return Optional.of(new Glances(table, key, VERSION, told));
  }

  // ---- writing

  @Override
  public WriteResult write(Version expected, String next, String message) throws StoreException {
    Objects.requireNonNull(expected, "expected");
    Objects.requireNonNull(message, "message");
    requireFitting(Objects.requireNonNull(next, "next"));
    if (expected.isAbsent()) {
      return put(Optional.empty(), Pages.first(next), message);
    }
    Optional<Known> before = Optional.ofNullable(known).filter(k -> k.version().equals(expected));
    if (before.isEmpty()) {
      before = look().filter(k -> k.version().equals(expected));
    }
    return before.isEmpty()
        ? new WriteResult.Lost()
        : put(before, before.get().pages().next(next), message);
  }

  private static void requireFitting(String next) throws StoreException {
    if (next.length() > MAX_LENGTH) {
      throw tooLarge("the document would have " + next.length() + " characters", MAX_LENGTH);
    }
  }

  private static StoreException tooLarge(String what, int most) {
    return new StoreException(
        what + ", and this store takes " + most,
        "An item of DynamoDB has at most 400 KB: have fewer builds in line, or keep the queue in"
            + " S3.",
        null);
  }

  private WriteResult put(Optional<Known> before, Pages pages, String message)
      throws StoreException {
    Map<String, AttributeValue> item = item(pages, message);
    boolean fresh = false;
    for (int i = 1; ; i++) {
      Plan plan = plan(before, pages.content(), fresh);
      if (plan instanceof Plan.Blocked blocked) {
        return new WriteResult.Blocked(blocked.by());
      }
      if (plan instanceof Plan.Look) {
        lookAtLock();
        fresh = true;
        continue;
      }
      try {
        Optional<WriteResult> result = send(before, pages, item, plan);
        if (result.isPresent()) {
          return result.get();
        }
        // The lock item was another one, and is known now.
        fresh = true;
      } catch (AwsFailure e) {
        boolean met = e.code().startsWith("Transaction") && e.kind() == AwsFailure.Kind.BUSY;
        if (!met || i >= TRIES) {
          return trouble.ask(
              () -> {
                throw e;
              },
              "write the document " + name,
              WRITE);
        }
        pause(i);
      }
      if (i >= TRIES) {
        throw StoreException.passing("the lock item changes faster than it can be followed", null);
      }
    }
  }

  private static void pause(int attempt) {
    try {
      Thread.sleep(ThreadLocalRandom.current().nextLong(5, 20L * attempt));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private Plan plan(Optional<Known> before, String next, boolean fresh) {
    return switch (role) {
      case QUEUE -> guard.orElseThrow().forQueue(before.map(k -> k.pages().content()), next, fresh);
      case BEAT -> guard.orElseThrow().forBeat(next, fresh);
      case OTHER -> new Plan.Alone();
    };
  }

  private void lookAtLock() throws StoreException {
    LockGuard lock = guard.orElseThrow();
    lock.saw(
        trouble.ask(
            () -> table.get(lock.lockKey(), true).map(LockItem::of),
            "look at the lock " + lock.lockKey(),
            READ));
  }

  /** Empty when the lock item was not as it was known: what to do has to be thought over. */
  private Optional<WriteResult> send(
      Optional<Known> before, Pages pages, Map<String, AttributeValue> item, Plan plan)
      throws AwsFailure {
    Put put = conditional(before, item);
    Outcome outcome;
    if (plan instanceof Plan.Together together) {
      outcome =
          table.transact(
              List.of(
                  TransactWriteItem.builder()
                      .put(put.toBuilder().tableName(table.name()).build())
                      .build(),
                  together.item()));
    } else {
      outcome = table.put(put);
    }
    if (outcome instanceof Outcome.Done) {
      known = new Known(new Version(item.get(VERSION).s()), pages);
      if (plan instanceof Plan.Together together) {
        guard.orElseThrow().did(together.item());
      }
      return Optional.of(new WriteResult.Written(known.version()));
    }
    if (outcome instanceof Outcome.Unknown unknown) {
      return Optional.of(new WriteResult.Unknown(unknown.reason()));
    }
    Outcome.Refused refused = (Outcome.Refused) outcome;
    if (refused.failed().get(0)) {
      return Optional.of(afterRefusal(pages, refused.there().get(0)));
    }
    Map<String, AttributeValue> there = refused.there().get(1);
    guard.orElseThrow().saw(there.isEmpty() ? Optional.empty() : Optional.of(LockItem.of(there)));
    return Optional.empty();
  }

  private static Put conditional(Optional<Known> before, Map<String, AttributeValue> item) {
    Put.Builder put =
        Put.builder()
            .item(item)
            .returnValuesOnConditionCheckFailure(ReturnValuesOnConditionCheckFailure.ALL_OLD);
    if (before.isEmpty()) {
      put.conditionExpression("attribute_not_exists(lockKey)");
    } else {
      put.conditionExpression("batonVersion = :v")
          .expressionAttributeValues(
              Map.of(":v", AttributeValue.fromS(before.get().version().value())));
    }
    return put.build();
  }

  private WriteResult afterRefusal(Pages sent, Map<String, AttributeValue> there) {
    if (there.isEmpty()) {
      return new WriteResult.Lost(); // it was deleted, or the service does not say what is there
    }
    Known now = remember(there);
    return switch (sent.fate(now.pages())) {
      case PRESENT -> new WriteResult.Written(now.version());
      case NEVER_DONE -> new WriteResult.Lost();
      case UNKNOWN -> new WriteResult.Unknown("refused, perhaps after it had been written");
    };
  }

  // ---- items

  private Map<String, AttributeValue> item(Pages pages, String message) throws StoreException {
    byte[] bytes = compressed(pages.bytes());
    if (bytes.length > LARGEST) {
      bytes = compressed(pages.alone().bytes());
    }
    if (bytes.length > LARGEST) {
      throw tooLarge("the document would have " + bytes.length + " bytes", LARGEST);
    }
    Map<String, AttributeValue> item = new LinkedHashMap<>();
    item.put(LockItem.KEY, AttributeValue.fromS(key));
    item.put(VERSION, AttributeValue.fromS(pages.number() + "." + pages.marks().get(0)));
    item.put(PAGES, AttributeValue.fromB(SdkBytes.fromByteArray(bytes)));
    item.put(ABOUT, AttributeValue.fromS(about(message)));
    return item;
  }

  /** For people who look at the table: half of a surrogate pair would be refused. */
  private static String about(String message) {
    String line = message.replaceAll("[\\p{Cntrl}\\p{Cs}]+", " ").strip();
    return line.length() <= LONGEST_ABOUT ? line : line.substring(0, LONGEST_ABOUT) + "…";
  }

  private static byte[] compressed(byte[] bytes) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
      gzip.write(bytes);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return out.toByteArray();
  }

  @Override
  public String setAside(Snapshot broken) throws StoreException {
    String content =
        broken
            .content()
            .orElseThrow(
                () -> new IllegalArgumentException("there is no document that could be set aside"));
    String to = key + ":broken:" + Documents.sha256(content).substring(0, 16);
    Map<String, AttributeValue> item = new LinkedHashMap<>();
    item.put(LockItem.KEY, AttributeValue.fromS(to));
    item.put(PAGES, AttributeValue.fromB(SdkBytes.fromByteArray(compressed(plain(content)))));
    Outcome outcome =
        trouble.ask(
            () -> table.put(Put.builder().item(item).build()),
            "set the document " + name + " aside",
            WRITE);
    if (outcome instanceof Outcome.Unknown unknown) {
      throw StoreException.passing(
          "cannot tell whether " + to + " was written: " + unknown.reason(), null);
    }
    return to + " in table " + table.name();
  }

  private static byte[] plain(String content) {
    return content.getBytes(StandardCharsets.UTF_8);
  }
}
