package dev.baton.vm.simulated;

import dev.baton.core.BrokenDocumentException;
import dev.baton.core.Extra;
import dev.baton.core.Problem;
import dev.baton.core.json.Fields;
import dev.baton.core.json.JsonFile;
import dev.baton.core.json.PlainJson;
import dev.baton.vm.Kind;
import dev.baton.vm.Trouble;
import dev.baton.vm.internal.codec.VmCodec;
import dev.baton.vm.spi.Phase;
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
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * The files of a simulated cloud, for one thread of one process at a time:
 *
 * <pre>
 * cloud.json           what the cloud is like
 * resources/ID.json    each resource; edit or delete it, and the truth is what the file says
 * counter              the last number that was given out
 * cloud.lock           what those who work here lock
 * </pre>
 */
final class DirectoryShelf implements Shelf {

  private final Path directory;
  private final Path resources;

  DirectoryShelf(Path directory) {
    this.directory = directory.toAbsolutePath().normalize();
    this.resources = this.directory.resolve("resources");
  }

  @Override
  public <T> T alone(Work<T> work) throws ProviderException {
    // Interned strings are the same for every copy of this class in the process, and the system
    // does not let one process lock a file twice.
    synchronized (("dev.baton.vm.simulated " + directory).intern()) {
      try {
        Files.createDirectories(resources);
        try (FileChannel channel =
                FileChannel.open(
                    directory.resolve("cloud.lock"),
                    StandardOpenOption.CREATE,
                    StandardOpenOption.WRITE);
            FileLock lock = channel.lock()) {
          if (!lock.isValid()) {
            throw new IOException("the lock on " + directory + " is not valid");
          }
          return work.run();
        }
      } catch (IOException e) {
        throw new ProviderException(
            Trouble.UNAVAILABLE,
            "the simulated cloud in " + directory + " cannot be used: " + e,
            null,
            e);
      } catch (BrokenDocumentException e) {
        throw new ProviderException(
            Trouble.BAD_REQUEST,
            new Problem(Trouble.BAD_REQUEST.kind(), e.what(), e.next()),
            null,
            e);
      }
    }
  }

  @Override
  public long nextNumber() throws IOException {
    Path counter = directory.resolve("counter");
    long next = Files.exists(counter) ? Long.parseLong(Files.readString(counter).trim()) + 1 : 1;
    put(counter, next + "\n");
    return next;
  }

  // ---- resources

  @Override
  public List<Thing> all() throws IOException {
    List<Thing> things = new ArrayList<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(resources, "*.json")) {
      for (Path file : files) {
        read(file).ifPresent(things::add);
      }
    }
    things.sort(Comparator.comparing(Thing::kind).thenComparing(Thing::id));
    return things;
  }

  @Override
  public Optional<Thing> get(String id) throws IOException {
    if (!id.matches("[a-z0-9-]+")) {
      return Optional.empty();
    }
    return read(file(id));
  }

  @Override
  public void remove(String id) throws IOException {
    Files.deleteIfExists(file(id));
  }

  @Override
  public void put(Thing t) throws IOException {
    Map<String, Object> m = new LinkedHashMap<>();
    m.put("id", t.id());
    m.put("kind", t.kind().key());
    m.put("owner", t.owner());
    m.put("token", t.token());
    m.put("phase", word(t.phase()));
    t.then()
        .ifPresent(
            p -> {
              m.put("then", word(p));
              m.put("then_at", t.thenAt().toString());
            });
    if (t.then().isEmpty() && t.phase() == Phase.DELETING) {
      m.put("then_at", t.thenAt().toString());
    }
    m.put("created_at", t.createdAt().toString());
    m.put("visible_at", t.visibleAt().toString());
    t.releaseAt().ifPresent(at -> m.put("release_at", at.toString()));
    m.put("parameters", t.parameters());
    m.put("attributes", t.attributes());
    put(file(t.id()), JsonFile.of(m));
  }

  private Optional<Thing> read(Path file) throws IOException {
    String text;
    try {
      text = Files.readString(file);
    } catch (NoSuchFileException e) {
      return Optional.empty();
    }
    try {
      Fields f = Fields.ofDocument(PlainJson.object(text));
      String key = f.string("kind");
      Instant createdAt = f.time("created_at");
      return Optional.of(
          f.checked(
              () ->
                  new Thing(
                      f.string("id"),
                      VmCodec.kind(key)
                          .orElseThrow(
                              () -> new BrokenDocumentException("kind is unknown: " + key)),
                      f.string("owner", ""),
                      f.string("token", ""),
                      f.choice("phase", Phase.class),
                      f.optional("then", n -> f.choice(n, Phase.class)),
                      f.optional("then_at", f::time).orElse(createdAt),
                      createdAt,
                      f.optional("visible_at", f::time).orElse(createdAt),
                      f.optional("release_at", f::time),
                      f.strings("parameters"),
                      f.strings("attributes"))));
    } catch (BrokenDocumentException e) {
      throw new BrokenDocumentException(file + ": " + e.getMessage(), "Repair or delete it.");
    }
  }

  private Path file(String id) {
    return resources.resolve(id + ".json");
  }

  // ---- settings

  @Override
  public CloudSettings settings() throws IOException {
    Path file = directory.resolve("cloud.json");
    if (!Files.exists(file)) {
      return CloudSettings.DEFAULT;
    }
    try {
      Fields f = Fields.ofDocument(PlainJson.object(Files.readString(file)));
      Map<Kind, Integer> quota = new EnumMap<>(Kind.class);
      f.map("quota")
          .forEach(
              (key, value) -> {
                Kind kind =
                    VmCodec.kind(key)
                        .orElseThrow(() -> new BrokenDocumentException("no such kind: " + key));
                if (!(value instanceof Long n)) {
                  throw new BrokenDocumentException("quota." + key + " must be a whole number");
                }
                quota.put(kind, n.intValue());
              });
      CloudSettings usual = CloudSettings.DEFAULT;
      CloudSettings settings =
          f.checked(
              () ->
                  new CloudSettings(
                      names(f, "types", usual.types()),
                      names(f, "out_of_stock", usual.outOfStock()),
                      names(f, "always_billed", usual.alwaysBilled()),
                      millis(f, "latency_ms"),
                      millis(f, "ready_ms"),
                      millis(f, "snapshot_ms"),
                      millis(f, "delete_ms"),
                      f.flag("silent_deletes"),
                      millis(f, "visible_ms"),
                      quota,
                      !f.flag("no_client_tokens"),
                      !f.flag("no_memory"),
                      f.objects("faults", DirectoryShelf::fault)));
      if (!f.rest().equals(Extra.NONE)) {
        // Written by hand: what is misspelled must not be passed over.
        throw new BrokenDocumentException(
            "unknown setting " + String.join(", ", f.rest().fields().keySet()));
      }
      return settings;
    } catch (BrokenDocumentException e) {
      throw new BrokenDocumentException(file + ": " + e.getMessage(), "Repair or delete it.");
    }
  }

  private static List<String> names(Fields f, String name, List<String> usual) {
    if (!f.has(name)) {
      f.skip(name);
      return usual;
    }
    return f.list(name).stream().map(n -> Fields.asString(() -> name, n)).toList();
  }

  private static Duration millis(Fields f, String name) {
    return Duration.ofMillis(f.number(name, 0));
  }

  private static Fault fault(Fields f) {
    String key = f.string("kind", "");
    return new Fault(
        f.string("call"),
        key.isEmpty() ? Optional.empty() : VmCodec.kind(key),
        f.flag("afterwards"),
        f.choice("trouble", Trouble.class),
        (int) f.number("times", 1));
  }

  @Override
  public void put(CloudSettings s) throws IOException {
    Map<String, Object> m = new LinkedHashMap<>();
    m.put("types", s.types());
    m.put("out_of_stock", s.outOfStock());
    m.put("always_billed", s.alwaysBilled());
    m.put("latency_ms", s.latency().toMillis());
    m.put("ready_ms", s.readyTime().toMillis());
    m.put("snapshot_ms", s.snapshotTime().toMillis());
    m.put("delete_ms", s.deleteTime().toMillis());
    m.put("silent_deletes", s.silentDeletes());
    m.put("visible_ms", s.visibility().toMillis());
    Map<String, Object> quota = new LinkedHashMap<>();
    s.quota().forEach((kind, limit) -> quota.put(kind.key(), limit));
    m.put("quota", quota);
    m.put("no_client_tokens", !s.clientTokens());
    m.put("no_memory", !s.keepsMemory());
    List<Map<String, Object>> faults = new ArrayList<>();
    for (Fault fault : s.faults()) {
      Map<String, Object> entry = new LinkedHashMap<>();
      entry.put("call", fault.call());
      fault.kind().ifPresent(kind -> entry.put("kind", kind.key()));
      entry.put("afterwards", fault.afterwards());
      entry.put("trouble", fault.trouble().name().toLowerCase(Locale.ROOT));
      entry.put("times", fault.times());
      faults.add(entry);
    }
    m.put("faults", faults);
    put(directory.resolve("cloud.json"), JsonFile.of(m));
  }

  /** In one step: a process that is killed here leaves the old file or the new one. */
  private static void put(Path file, String content) throws IOException {
    Path temporary = file.resolveSibling(file.getFileName() + ".tmp");
    Files.writeString(temporary, content);
    Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
  }

  private static String word(Phase phase) {
    return phase.name().toLowerCase(Locale.ROOT);
  }
}
