package dev.baton.qemu.cloud;

import dev.baton.core.BrokenDocumentException;
import dev.baton.core.json.Fields;
import dev.baton.core.json.JsonFile;
import dev.baton.core.json.PlainJson;
import dev.baton.vm.Kind;
import dev.baton.vm.Trouble;
import dev.baton.vm.spi.ProviderException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What there is on this machine and whose it is: {@code resources/ID.json} each. */
final class Books {
  private final Path directory;
  private final Path resources;

  Books(Path directory) {
    this.directory = directory;
    this.resources = directory.resolve("resources");
  }

  interface Work<T> {
    T run() throws IOException, ProviderException;
  }

  /** Does the work while no one else changes anything; it must be short. */
  <T> T alone(Work<T> work) throws ProviderException {
    // See Node: the system does not let one process lock a file twice.
    synchronized (("dev.baton.qemu.books " + directory).intern()) {
      try {
        Files.createDirectories(resources);
        try (FileChannel channel =
                FileChannel.open(
                    directory.resolve("lock"),
                    StandardOpenOption.CREATE,
                    StandardOpenOption.WRITE);
            FileLock lock = channel.lock()) {
          if (!lock.isValid()) {
            throw new IOException("the lock is not valid");
          }
          return work.run();
        }
      } catch (IOException e) {
        throw Troubles.of("use", directory, e);
      }
    }
  }

  List<Entry> all() throws ProviderException {
    List<Entry> entries = new ArrayList<>();
    if (!Files.isDirectory(resources)) {
      return entries;
    }
    try (DirectoryStream<Path> files = Files.newDirectoryStream(resources, "*.json")) {
      for (Path file : files) {
        read(file).ifPresent(entries::add);
      }
    } catch (IOException e) {
      throw Troubles.of("read", resources, e);
    }
    entries.sort(Comparator.comparing(Entry::kind).thenComparing(Entry::id));
    return entries;
  }

  Optional<Entry> get(Kind kind, String id) throws ProviderException {
    if (!id.matches("[a-z0-9-]{1,40}")) {
      return Optional.empty();
    }
    try {
      return read(file(id)).filter(e -> e.kind() == kind);
    } catch (IOException e) {
      throw Troubles.of("read", file(id), e);
    }
  }

  void put(Entry e) throws ProviderException {
    Map<String, Object> m = new LinkedHashMap<>();
    m.put("id", e.id());
    m.put("kind", e.kind().key());
    m.put("owner", e.owner());
    m.put("token", e.token());
    m.put("created_at", e.createdAt().toString());
    m.put("done", e.done());
    m.put("parameters", e.parameters());
    m.put("attributes", e.attributes());
    Path file = file(e.id());
    Path temporary = file.resolveSibling(e.id() + ".tmp");
    try {
      Files.createDirectories(resources);
      Files.writeString(temporary, JsonFile.of(m));
      Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException x) {
      throw Troubles.of("write", file, x);
    }
  }

  void remove(String id) throws ProviderException {
    try {
      Files.deleteIfExists(file(id));
    } catch (IOException e) {
      throw Troubles.of("remove", file(id), e);
    }
  }

  private Path file(String id) {
    return resources.resolve(id + ".json");
  }

  private static Optional<Entry> read(Path file) throws IOException, ProviderException {
    try {
      Fields f = Fields.ofDocument(PlainJson.object(Files.readString(file)));
      String key = f.string("kind");
      return Optional.of(
          f.checked(
              () ->
                  new Entry(
                      f.string("id"),
                      kind(key),
                      f.string("owner"),
                      f.string("token"),
                      f.time("created_at"),
                      f.flag("done"),
                      f.strings("parameters"),
                      f.strings("attributes"))));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (BrokenDocumentException e) {
      throw new ProviderException(
          Trouble.BAD_REQUEST,
          new dev.baton.core.Problem(
              dev.baton.core.Problem.Kind.UNREADABLE,
              file + " is damaged: " + e.what(),
              "Repair it; it says whose a resource is."),
          (Duration) null,
          e);
    }
  }

  private static Kind kind(String key) {
    return Arrays.stream(Kind.values())
        .filter(k -> k.key().equals(key))
        .findFirst()
        .orElseThrow(() -> new BrokenDocumentException("kind is unknown: " + key));
  }
}
