package dev.baton.vm.store;

import dev.baton.core.Problem;
import dev.baton.core.Problem.Kind;
import dev.baton.store.FileStores;
import dev.baton.store.StoreException;
import dev.baton.store.VersionedStore;
import dev.baton.vm.VmName;
import dev.baton.vm.spi.SpaceId;
import dev.baton.vm.spi.VmSpace;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * VMs in a directory that the processes of one machine share.
 *
 * <pre>
 * state.json backup.json .lock history/    the default VM: readable copies
 * .journal/journal.json                    its journal, the truth, see {@link FileStores}
 * .journal/space.json                      the id of this space
 * NAME/state.json …  NAME/.journal/…       the same for the VM called NAME
 * </pre>
 */
public final class FileVmSpace implements VmSpace {
  private static final String JOURNAL = ".journal";
  private static final Pattern FILE = Pattern.compile("(history/)?\\.?[A-Za-z0-9_-]+(\\.[a-z]+)?");

  private final Path root;
  private final Clock clock;
  private final SpaceId id;

  private FileVmSpace(Path root, Clock clock) {
    this.root = root.toAbsolutePath().normalize();
    this.clock = Objects.requireNonNull(clock, "clock");
    Path hidden = this.root.resolve(JOURNAL);
    this.id =
        new SpaceId(
            FileStores.in(hidden).document("space"),
            hidden.resolve("space.json").toString(),
            this::names);
  }

  /** The directory need not exist yet. */
  public static FileVmSpace in(Path directory) {
    return new FileVmSpace(directory, Clock.systemUTC());
  }

  /**
   * @param clock the one by which all clients of the directory judge the age of locks
   */
  public static FileVmSpace in(Path directory, Clock clock) {
    return new FileVmSpace(directory, clock);
  }

  @Override
  public String id() throws StoreException {
    return id.get();
  }

  @Override
  public String location() {
    return root.toString();
  }

  @Override
  public VersionedStore journal(VmName name) {
    return id.before(FileStores.in(home(name).resolve(JOURNAL)).document("journal"));
  }

  private Path home(VmName name) {
    return name.isDefault() ? root : root.resolve(name.value());
  }

  @Override
  public List<VmName> names() throws StoreException {
    List<VmName> names = new ArrayList<>();
    if (hasJournal(root)) {
      names.add(VmName.DEFAULT);
    }
    for (Path entry : entries(root)) {
      String name = entry.getFileName().toString();
      if (!name.startsWith(".") && hasJournal(entry)) {
        try {
          names.add(new VmName(name));
        } catch (IllegalArgumentException e) {
          throw new StoreException(
              entry + " is not the directory of a VM: " + e.getMessage(), "Move it away.", e);
        }
      }
    }
    Collections.sort(names);
    return List.copyOf(names);
  }

  private static boolean hasJournal(Path home) {
    return Files.exists(home.resolve(JOURNAL).resolve("journal.json"));
  }

  @Override
  public Instant now() {
    return clock.instant();
  }

  @Override
  public void put(VmName name, String file, String content) throws StoreException {
    Path target = path(name, file);
    try {
      Files.createDirectories(target.getParent());
      // A second name, then one step: whoever reads sees the old text or the new one.
      Path temporary = Files.createTempFile(target.getParent(), "." + target.getFileName(), ".tmp");
      try {
        Files.writeString(temporary, content);
        Files.move(temporary, target, StandardCopyOption.ATOMIC_MOVE);
      } finally {
        Files.deleteIfExists(temporary);
      }
    } catch (IOException e) {
      throw trouble("write", target, e);
    }
  }

  @Override
  public Optional<String> get(VmName name, String file) throws StoreException {
    Path source = path(name, file);
    try {
      if (Files.readAttributes(source, BasicFileAttributes.class).isOther()) {
        // To open a pipe may take for ever.
        throw new FileSystemException(
            source.toString(), null, "it is a pipe, a socket or a device: move it away");
      }
      return Optional.of(Files.readString(source));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (java.nio.charset.CharacterCodingException e) {
      return Optional.of("\uFFFD"); // there is something, and it is not text
    } catch (IOException e) {
      throw trouble("read", source, e);
    }
  }

  @Override
  public void remove(VmName name, String file) throws StoreException {
    Path target = path(name, file);
    try {
      Files.deleteIfExists(target);
    } catch (IOException e) {
      throw trouble("remove", target, e);
    }
  }

  @Override
  public List<String> list(VmName name, String directory) throws StoreException {
    List<String> files = new ArrayList<>();
    for (Path entry : entries(home(name).resolve(directory))) {
      String file = directory + "/" + entry.getFileName();
      if (FILE.matcher(file).matches() && file.endsWith(".json")) {
        files.add(file);
      }
    }
    Collections.sort(files);
    return List.copyOf(files);
  }

  @Override
  public Optional<Duration> historyKept() {
    return Optional.of(Duration.ofDays(30));
  }

  private Path path(VmName name, String file) {
    if (!FILE.matcher(file).matches()) {
      throw new IllegalArgumentException("no file of a VM is called " + file);
    }
    return home(name).resolve(file);
  }

  private static List<Path> entries(Path directory) throws StoreException {
    List<Path> entries = new ArrayList<>();
    try (DirectoryStream<Path> stream = Files.newDirectoryStream(directory)) {
      stream.forEach(entries::add);
    } catch (NoSuchFileException | NotDirectoryException e) {
      return List.of();
    } catch (IOException e) {
      throw trouble("list", directory, e);
    }
    return entries;
  }

  private static StoreException trouble(String doing, Path file, IOException cause) {
    return new StoreException(
        new Problem(
            cause instanceof AccessDeniedException ? Kind.NO_PERMISSION : Kind.UNREACHABLE,
            "cannot " + doing + " " + file + ": " + cause,
            "Check that this user may use the directory and that the disk has space left."),
        cause);
  }

  @Override
  public String toString() {
    return "FileVmSpace[" + root + "]";
  }
}
