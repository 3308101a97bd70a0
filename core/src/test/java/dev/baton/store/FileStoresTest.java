package dev.baton.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.baton.store.WriteResult.Lost;
import dev.baton.store.WriteResult.Written;
import java.io.IOException;
import java.net.URI;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

class FileStoresTest extends VersionedStoreContract {
  private static final Duration SHORT = Duration.ofMillis(50);

  @TempDir Path place;

  @Override
  protected StoreSpace open() {
    return FileStores.in(place.resolve("created/lazily"));
  }

  @Override
  protected int winsPerThread() {
    return 12; // each is a write that reaches the disk
  }

  @Override
  protected int writesPastWhatIsKept() {
    return 10; // it keeps two
  }

  private Path file(String name) {
    return place.resolve("created/lazily").resolve(name);
  }

  private VersionedStore queue() {
    return open().document("queue");
  }

  private VersionedStore queue(FileOperations files) {
    return new FileStores(file("x").getParent(), files, SHORT, Clock.systemUTC()).document("queue");
  }

  @Test
  void aDocumentTellsWhenItWasChanged() throws Exception {
    assertThat(queue().changedAt()).isEmpty();
    written(queue(), Version.ABSENT, "one");
    Instant noon = Instant.parse("2026-01-01T12:00:00Z");
    Files.setLastModifiedTime(file("queue.json"), FileTime.from(noon));
    assertThat(queue().changedAt()).contains(noon);
  }

  private static Version written(VersionedStore store, Version expected, String next)
      throws StoreException {
    return ((Written) store.write(expected, next, "")).version();
  }

  @Test
  void saysWhatItIs() {
    StoreSpace.Traits traits = open().traits();

    assertThat(traits.kind()).isEqualTo("file");
    assertThat(traits.location()).isEqualTo(file("x").getParent().toString());
    assertThat(traits.ticketCapacity()).isEqualTo(300);
    assertThat(traits.maxStaleness()).isZero();
    assertThat(traits.backOff()).isLessThan(traits.pollInterval());
    assertThat(open()).hasToString("FileStores[" + traits.location() + "]");
  }

  @Test
  void readingCreatesNothing() throws StoreException {
    queue().read();
    queue().earlier(3);

    assertThat(place).isEmptyDirectory();
  }

  @Test
  void theDirectoryHoldsTheDocumentAndWhatItSaidBefore() throws IOException {
    Version version = Version.ABSENT;
    for (String content : List.of("one", "two", "three", "four")) {
      version = written(queue(), version, content);
    }

    assertThat(file("queue.json")).hasContent("four");
    assertThat(file("queue.previous.json")).hasContent("three");
    assertThat(file("queue.previous-2.json")).hasContent("two");
    assertThat(names())
        .containsExactly(
            "queue.json", "queue.lock", "queue.previous-2.json", "queue.previous.json");
  }

  @Test
  void whatWasBeforeSurvivesTheRepairOfABrokenDocument() throws IOException {
    Version one = written(queue(), Version.ABSENT, "one");
    written(queue(), one, "two");
    Files.writeString(file("queue.json"), "{ broken by hand");

    written(queue(), queue().read().version(), "repaired");
    Files.writeString(file("queue.json"), "{ broken again");

    assertThat(queue().earlier(10)).containsExactly("{ broken by hand", "one");
  }

  @Test
  void anEditByHandIsNoticed() throws IOException {
    Version one = written(queue(), Version.ABSENT, "one");
    Files.writeString(file("queue.json"), "by hand");

    assertThat(queue().write(one, "two", "")).isEqualTo(new Lost());
    assertThat(queue().read().content()).contains("by hand");
  }

  @Test
  void aDocumentThatReturnsToAContentReturnsToItsVersion() throws StoreException {
    Version one = written(queue(), Version.ABSENT, "one");
    Version two = written(queue(), one, "two");

    assertThat(written(queue(), two, "one")).isEqualTo(one);
  }

  @Test
  void aDeletedDocumentIsAbsentAndItsPreviousContentIsKept() throws IOException {
    Version one = written(queue(), Version.ABSENT, "one");
    written(queue(), one, "two");
    Files.delete(file("queue.json"));

    assertThat(queue().read()).isEqualTo(Snapshot.ABSENT);
    assertThat(queue().earlier(10)).containsExactly("one");
  }

  @Test
  void foreignBytesCanBeReadReplacedAndSetAsideAsTheyAre() throws IOException {
    written(queue(), Version.ABSENT, "one");
    byte[] foreign = {(byte) 0xff, 0, 'a', (byte) 0xc3, '(', '\n'};
    Files.write(file("queue.json"), foreign);

    Snapshot read = queue().read();
    assertThat(read.content().orElseThrow()).contains("a", "(", "\u0000");

    Path aside = Path.of(queue().setAside(read));
    assertThat(aside).hasBinaryContent(foreign);
    assertThat(queue().write(read.version(), "repaired", "")).isInstanceOf(Written.class);
    assertThat(file("queue.previous.json")).hasBinaryContent(foreign);
  }

  @Test
  void contentsThatOnlyLookEqualHaveTheirOwnVersions() throws IOException {
    written(queue(), Version.ABSENT, "one");
    Files.write(file("queue.json"), new byte[] {(byte) 0xff});
    Snapshot first = queue().read();
    Files.write(file("queue.json"), new byte[] {(byte) 0xfe});

    assertThat(queue().read().content()).isEqualTo(first.content());
    assertThat(queue().read().version()).isNotEqualTo(first.version());
  }

  @Test
  void anEmptyFileIsADocumentThatIsBroken() throws IOException {
    written(queue(), Version.ABSENT, "one");
    Files.write(file("queue.json"), new byte[0]);

    assertThat(queue().read().content()).contains("");
    assertThat(queue().read().version().isAbsent()).isFalse();
  }

  @Test
  void aFileOfAbsurdSizeIsRefused() throws IOException {
    written(queue(), Version.ABSENT, "one");
    Files.write(file("queue.json"), new byte[(16 << 20) + 1]);

    assertThatThrownBy(() -> queue().read())
        .isInstanceOf(StoreException.class)
        .hasMessageContaining(file("queue.json").toString())
        .hasMessageContaining("Move it away");
  }

  @Test
  void theNewestFiveOfWhatWasSetAsideAreKept() throws IOException {
    Instant time = Instant.parse("2024-05-06T07:08:09.010Z");
    VersionedStore store = null;
    for (int i = 0; i < 8; i++) {
      Clock clock = Clock.fixed(time.plusSeconds(i), ZoneOffset.UTC);
      store = new FileStores(file("x").getParent(), new Disk(), SHORT, clock).document("queue");
      store.setAside(Snapshot.of(new Version("gone"), "broken " + i));
    }

    assertThat(names().filter(name -> name.contains("broken")))
        .containsExactly(
            "queue.broken-20240506-070812-010.json",
            "queue.broken-20240506-070813-010.json",
            "queue.broken-20240506-070814-010.json",
            "queue.broken-20240506-070815-010.json",
            "queue.broken-20240506-070816-010.json");
    assertThat(file("queue.broken-20240506-070816-010.json")).hasContent("broken 7");

    // Within the same millisecond, and then with a clock that was set back.
    assertThat(store.setAside(Snapshot.of(new Version("gone"), "same time")))
        .endsWith("queue.broken-20240506-070816-011.json");
    Clock early = Clock.fixed(time.minusSeconds(3600), ZoneOffset.UTC);
    store = new FileStores(file("x").getParent(), new Disk(), SHORT, early).document("queue");
    Path back = Path.of(store.setAside(Snapshot.of(new Version("gone"), "set back")));
    assertThat(back).hasContent("set back");
    assertThat(names().filter(name -> name.contains("broken"))).hasSize(5);
  }

  @Test
  void theSameContentIsSetAsideOnce() throws IOException {
    written(queue(), Version.ABSENT, "broken");

    String first = queue().setAside(queue().read());

    assertThat(queue().setAside(queue().read())).isEqualTo(first);
    assertThat(names().filter(name -> name.contains("broken"))).hasSize(1);
  }

  @Test
  void whatKilledWritersLeftIsRemovedAndNothingElse() throws IOException {
    Version one = written(queue(), Version.ABSENT, "one");
    Files.writeString(file("queue.1234.tmp"), "left");
    Files.writeString(file("queue.5678.tmp"), "left");
    Files.writeString(file("queue-2.1234.tmp"), "of another document");
    Files.writeString(file("notes.txt"), "of somebody else");

    written(queue(), one, "two");

    assertThat(names())
        .containsExactly(
            "notes.txt", "queue-2.1234.tmp", "queue.json", "queue.lock", "queue.previous.json");
  }

  @Test
  void readersAlwaysSeeAWholeDocument() throws Exception {
    Version version = written(queue(), Version.ABSENT, "0".repeat(200_000));
    AtomicBoolean done = new AtomicBoolean();
    List<String> torn = new CopyOnWriteArrayList<>();
    Thread reader =
        new Thread(
            () -> {
              while (!done.get()) {
                try {
                  String content = queue().read().content().orElse("");
                  if (content.length() != 200_000 || content.chars().distinct().count() != 1) {
                    torn.add("length " + content.length());
                  }
                } catch (StoreException e) {
                  torn.add(e.toString());
                }
              }
            });
    reader.start();
    try {
      for (int i = 1; i <= 40; i++) {
        version = written(queue(), version, Integer.toString(i % 10).repeat(200_000));
      }
    } finally {
      done.set(true);
    }
    reader.join(30_000);

    assertThat(reader.isAlive()).isFalse();
    assertThat(torn).isEmpty();
  }

  @Test
  void anInterruptedThreadFinishesAndStaysInterrupted() throws StoreException {
    Version one;
    try {
      Thread.currentThread().interrupt();
      one = written(queue(), Version.ABSENT, "one");
      assertThat(queue().read()).isEqualTo(Snapshot.of(one, "one"));
      written(queue(), one, "two");
      assertThat(Thread.currentThread().isInterrupted()).isTrue();
    } finally {
      Thread.interrupted();
    }
    assertThat(queue().earlier(10)).containsExactly("one");
  }

  @Test
  void anInterruptThatComesInTheMiddleChangesNothing() throws StoreException {
    VersionedStore store =
        queue(
            new ForwardingFiles(new Disk()) {
              @Override
              public NewFile create(Path file) throws IOException {
                Thread.currentThread().interrupt();
                return super.create(file);
              }
            });
    try {
      assertThat(store.write(Version.ABSENT, "one", "")).isInstanceOf(Written.class);
      assertThat(Thread.currentThread().isInterrupted()).isTrue();
    } finally {
      Thread.interrupted();
    }
  }

  @Test
  void aLockThatIsHeldElsewhereInThisProcessIsWaitedForWithALimit() throws IOException {
    Version one = written(queue(), Version.ABSENT, "one");
    try (FileChannel channel = FileChannel.open(file("queue.lock"), StandardOpenOption.WRITE);
        FileLock held = channel.lock()) {
      assertThat(held.isValid()).isTrue();
      assertThatThrownBy(() -> queue(new Disk()).write(one, "two", ""))
          .isInstanceOfSatisfying(
              StoreException.class, e -> assertThat(e.isRetryable()).as("retryable").isTrue())
          .hasMessageContaining(file("queue.lock").toString())
          .hasMessageContaining("Do not delete");
      assertThat(queue().read()).isEqualTo(Snapshot.of(one, "one"));
    }
    written(queue(), one, "two");
  }

  @Test
  void aWriterWhoseLockFileIsDeletedWritesNothing() throws IOException {
    Version one = written(queue(), Version.ABSENT, "one");
    VersionedStore robbed =
        queue(
            new ForwardingFiles(new Disk()) {
              @Override
              public NewFile create(Path file) throws IOException {
                Files.delete(file("queue.lock"));
                return super.create(file);
              }
            });

    assertThatThrownBy(() -> robbed.write(one, "two", ""))
        .isInstanceOfSatisfying(
            StoreException.class, e -> assertThat(e.isRetryable()).as("retryable").isTrue())
        .hasMessageContaining("queue.lock was deleted");
    assertThat(queue().read()).isEqualTo(Snapshot.of(one, "one"));
    written(queue(), one, "two");
    assertThat(names().filter(name -> name.endsWith(".tmp"))).isEmpty();
  }

  @Test
  void worksWithoutSecondNamesForFiles() throws IOException {
    VersionedStore store =
        queue(
            new ForwardingFiles(new Disk()) {
              @Override
              public void link(Path existing, Path name) {
                throw new UnsupportedOperationException("no links here");
              }
            });
    Version one = written(store, Version.ABSENT, "one");
    written(store, one, "two");

    assertThat(store.earlier(10)).containsExactly("one");
    assertThat(names()).containsExactly("queue.json", "queue.lock", "queue.previous.json");
  }

  @Test
  void aDirectoryThatCannotBeSyncedLeavesTheOutcomeUnknown() throws StoreException {
    VersionedStore store =
        queue(
            new ForwardingFiles(new Disk()) {
              @Override
              public void syncDirectory(Path directory) throws IOException {
                throw new IOException("Input/output error");
              }
            });

    assertThat(store.write(Version.ABSENT, "one", ""))
        .isInstanceOfSatisfying(
            WriteResult.Unknown.class,
            unknown -> assertThat(unknown.reason()).contains("queue.json", "Input/output error"));
    assertThat(queue().read().content()).contains("one");
  }

  @Test
  void theNextWriterNeedNotWaitUntilTheDirectoryIsSynced() throws StoreException {
    List<WriteResult> next = new ArrayList<>();
    VersionedStore store =
        queue(
            new ForwardingFiles(new Disk()) {
              @Override
              public void syncDirectory(Path directory) throws IOException {
                Version one = queue().read().version();
                next.add(queue(new Disk()).write(one, "two", ""));
                super.syncDirectory(directory);
              }
            });

    assertThat(store.write(Version.ABSENT, "one", "")).isInstanceOf(Written.class);
    assertThat(next).hasSize(1).first().isInstanceOf(Written.class);
    assertThat(queue().read().content()).contains("two");
  }

  @Test
  void aDocumentThatWasReadBeforeIsNoticedToHaveChanged() throws IOException {
    VersionedStore store = queue();
    Version one = written(store, Version.ABSENT, "one");
    assertThat(store.read()).isEqualTo(Snapshot.of(one, "one"));
    Files.writeString(file("queue.json"), "two");

    assertThat(store.read().content()).contains("two");
    assertThat(store.write(one, "three", "")).isEqualTo(new Lost());
    Files.delete(file("queue.json"));
    assertThat(store.read()).isEqualTo(Snapshot.ABSENT);
    Files.write(file("queue.json"), new byte[0]);
    assertThat(store.read().content()).contains("");
  }

  @Test
  void aRenameThatHappenedInSpiteOfAnErrorIsUnknown() throws StoreException {
    VersionedStore store =
        queue(
            new ForwardingFiles(new Disk()) {
              @Override
              public void rename(Path from, Path to) throws IOException {
                super.rename(from, to);
                throw new IOException("answer lost");
              }
            });

    assertThat(store.write(Version.ABSENT, "one", "")).isInstanceOf(WriteResult.Unknown.class);
    assertThat(queue().read().content()).contains("one");
  }

  @Test
  void aFullDiskIsReportedAndLeavesTheDocument() throws IOException {
    Version one = written(queue(), Version.ABSENT, "one");
    VersionedStore full = queue(failingWrites(new IOException("No space left on device")));

    assertThatThrownBy(() -> full.write(one, "two", ""))
        .isInstanceOfSatisfying(
            StoreException.class, e -> assertThat(e.isRetryable()).as("retryable").isFalse())
        .hasMessageContaining(file("queue.json").toString())
        .hasMessageContaining("No space left on device")
        .hasMessageContaining("space");
    assertThat(queue().read()).isEqualTo(Snapshot.of(one, "one"));
    assertThat(names()).containsExactly("queue.json", "queue.lock");
  }

  @Test
  void missingPermissionIsReported() throws IOException {
    Version one = written(queue(), Version.ABSENT, "one");
    VersionedStore denied = queue(failingWrites(new AccessDeniedException("some file")));

    assertThatThrownBy(() -> denied.write(one, "two", ""))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("permission denied")
        .hasMessageContaining("right to read and write " + file("x").getParent());
    assertThat(queue().read()).isEqualTo(Snapshot.of(one, "one"));
  }

  @Test
  void aDirectoryInThePlaceOfTheDocumentIsReported() throws IOException {
    Files.createDirectories(file("queue.json"));

    for (Attempt attempt : attempts(queue())) {
      assertThatThrownBy(attempt::run)
          .isInstanceOf(StoreException.class)
          .hasMessageContaining(file("queue.json") + ": it is a directory");
    }
  }

  /** In a shared directory another user could have placed it, to have a private file copied. */
  @Test
  @DisabledOnOs(value = OS.WINDOWS, disabledReason = "making links takes a right there")
  void whatALinkLeadsToIsNotRead() throws IOException {
    VersionedStore queue = queue();
    Version one = written(queue, Version.ABSENT, "one");
    Path secret = Files.writeString(place.resolve("secret"), "private");
    for (String name : List.of("queue.json", "queue.previous.json")) {
      Files.deleteIfExists(file(name));
      Files.createSymbolicLink(file(name), secret);
    }
    List<Attempt> attempts = new ArrayList<>(attempts(queue));
    attempts.add(() -> queue.setAside(Snapshot.of(one, "one")));
    for (Attempt attempt : attempts) {
      assertThatThrownBy(attempt::run)
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("it is a link")
          .hasMessageContaining("Put the file itself there, or remove the link.");
    }
    assertThat(names()).containsExactly("queue.json", "queue.lock", "queue.previous.json");
    assertThat(secret).hasContent("private");
  }

  /** In a shared directory another user could have placed it, and nobody writes to it. */
  @Test
  @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void aPipeInThePlaceOfAFileHoldsUpNobody() throws Exception {
    assumeTrue(Files.isExecutable(Path.of("/usr/bin/mkfifo")));
    VersionedStore queue = queue();
    written(queue, written(queue, Version.ABSENT, "one"), "two");
    for (String name : List.of("queue.json", "queue.previous.json", "queue.lock")) {
      Path there = Files.move(file(name), place.resolve("kept"));
      Process made = new ProcessBuilder("mkfifo", file(name).toString()).start();
      assertThat(made.waitFor()).isZero();
      Attempt attempt =
          name.equals("queue.json")
              ? queue::read
              : name.equals("queue.lock")
                  ? () -> queue.write(Version.ABSENT, "three", "")
                  : () -> queue.earlier(2);
      assertThatThrownBy(attempt::run)
          .isInstanceOf(StoreException.class)
          .hasMessageContaining(file(name) + ": it is a pipe, a socket or a device")
          .hasMessageContaining("Move it away.");
      Files.delete(file(name));
      Files.move(there, file(name));
    }
  }

  @Test
  void aDirectoryInThePlaceOfTheLockFileIsReported() throws IOException {
    Files.createDirectories(file("queue.lock"));

    assertThatThrownBy(() -> queue().write(Version.ABSENT, "one", ""))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining(file("queue.lock") + ": it is a directory");
  }

  @Test
  void aFileInThePlaceOfTheDirectoryIsReported() throws IOException {
    Files.writeString(place.resolve("created"), "a file");

    for (Attempt attempt : attempts(queue())) {
      assertThatThrownBy(attempt::run)
          .isInstanceOf(StoreException.class)
          .hasMessageContaining(place.resolve("created") + " is a file");
    }
    assertThat(place.resolve("created")).hasContent("a file");
  }

  @Test
  void aPathThatIsNotOnADiskIsRefused() throws IOException {
    URI archive = URI.create("jar:" + place.resolve("archive.zip").toUri());
    try (FileSystem zip = FileSystems.newFileSystem(archive, Map.of("create", "true"))) {
      Path inside = zip.getPath("/queue");

      assertThatThrownBy(() -> FileStores.in(inside))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("archive.zip");
    }
    assertThatThrownBy(() -> FileStores.in(null)).isInstanceOf(NullPointerException.class);
  }

  @Test
  @DisabledOnOs(OS.WINDOWS)
  void filesAreForTheirOwnerAlone() throws IOException {
    Version one = written(queue(), Version.ABSENT, "one");
    written(queue(), one, "two");
    queue().setAside(queue().read());

    assertThat(permissions(place.resolve("created"))).isEqualTo("rwx------");
    assertThat(permissions(file("x").getParent())).isEqualTo("rwx------");
    for (String name : names().toList()) {
      assertThat(permissions(file(name))).as(name).isEqualTo("rw-------");
    }
  }

  @Test
  @DisabledOnOs(OS.WINDOWS)
  void filesAreSharedWithAGroupThatMayWriteTheDirectory() throws IOException {
    Files.createDirectories(file("x").getParent());
    Files.setPosixFilePermissions(
        file("x").getParent(), PosixFilePermissions.fromString("rwxrwx---"));

    Version one = written(queue(), Version.ABSENT, "one");
    written(queue(), one, "two");

    assertThat(names()).containsExactly("queue.json", "queue.lock", "queue.previous.json");
    for (String name : names().toList()) {
      assertThat(permissions(file(name))).as(name).isEqualTo("rw-rw----");
    }
  }

  @Test
  @DisabledOnOs(OS.WINDOWS)
  void aDirectoryIsSharedLikeTheOneAboveIt() throws IOException {
    Files.setAttribute(place, "unix:mode", 02770);

    written(queue(), Version.ABSENT, "one");

    for (Path directory : List.of(place.resolve("created"), file("x").getParent())) {
      assertThat((int) Files.getAttribute(directory, "unix:mode") & 07777)
          .as("%s", directory)
          .isEqualTo(02770);
      assertThat(Files.getAttribute(directory, "unix:gid"))
          .isEqualTo(Files.getAttribute(place, "unix:gid"));
    }
    for (String name : names().toList()) {
      assertThat(permissions(file(name))).as(name).isEqualTo("rw-rw----");
    }
  }

  /** As in /tmp: everybody may write there, so it is shared with no group. */
  @Test
  @DisabledOnOs(OS.WINDOWS)
  void aDirectoryInOneThatEverybodyMayWriteIsForItsOwnerAlone() throws IOException {
    Files.setPosixFilePermissions(place, PosixFilePermissions.fromString("rwxrwxrwx"));

    written(queue(), Version.ABSENT, "one");

    assertThat(permissions(place.resolve("created"))).isEqualTo("rwx------");
    assertThat(permissions(file("queue.json"))).isEqualTo("rw-------");
  }

  @Test
  @DisabledOnOs(OS.WINDOWS)
  void twoPathsToTheSameDirectoryAreOnePlace() throws IOException {
    Version one = written(queue(), Version.ABSENT, "one");
    Path other = Files.createSymbolicLink(place.resolve("other"), file("x").getParent());

    assertThat(FileStores.in(other).document("queue").write(one, "two", ""))
        .isInstanceOf(Written.class);
    assertThat(queue().read().content()).contains("two");
  }

  private interface Attempt {
    void run() throws StoreException;
  }

  private static List<Attempt> attempts(VersionedStore store) {
    return List.of(
        store::read, () -> store.write(Version.ABSENT, "one", ""), () -> store.earlier(1));
  }

  private static FileOperations failingWrites(IOException failure) {
    return new ForwardingFiles(new Disk()) {
      @Override
      public NewFile create(Path file) throws IOException {
        return new ForwardingNewFile(super.create(file)) {
          @Override
          public void write(byte[] content) throws IOException {
            super.write("half".getBytes(StandardCharsets.UTF_8));
            throw failure;
          }
        };
      }
    };
  }

  private static String permissions(Path file) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
  }

  private Stream<String> names() throws IOException {
    try (Stream<Path> entries = Files.list(file("x").getParent())) {
      return entries.map(entry -> entry.getFileName().toString()).sorted().toList().stream();
    }
  }
}
