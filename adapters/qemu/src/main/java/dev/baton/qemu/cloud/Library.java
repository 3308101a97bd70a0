package dev.baton.qemu.cloud;

import dev.baton.core.Checks;
import dev.baton.core.json.Fields;
import dev.baton.core.json.JsonFile;
import dev.baton.core.json.PlainJson;
import dev.baton.qemu.node.Node;
import dev.baton.qemu.node.NodeException;
import dev.baton.qemu.node.QemuImg;
import dev.baton.vm.Trouble;
import dev.baton.vm.spi.ProviderException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The images that VMs start from: {@code images/NAME.qcow2}, never changed, and what is known of
 * each in {@code images/NAME.json}, which is written last.
 */
final class Library {
  private static final String NAME = "[a-z0-9][a-z0-9.-]{0,62}";
  private static final long SPARE = 256L << 20;

  private final Node node;
  private final Path directory;

  Library(Node node) {
    this.node = node;
    this.directory = node.settings().root().resolve("images");
  }

  /**
   * An image.
   *
   * @param sha256 of the file that was added
   * @param format that it had; what is kept is qcow2
   */
  record Book(
      String name, String sha256, String format, long bytes, long virtualBytes, Instant addedAt) {}

  /** What a file must not be without being noticed: changed, or no image at all. */
  Path file(String name) throws ProviderException {
    Optional<Book> book = book(name);
    if (book.isEmpty()) {
      throw unknown(name);
    }
    Path file = image(name);
    try {
      if (!Files.exists(file) || Files.size(file) != book.get().bytes()) {
        throw new ProviderException(
            Trouble.BAD_REQUEST,
            "image " + name + " was changed or removed: " + file,
            "Remove it with `baton vm image remove " + name + "` and add it again.");
      }
    } catch (IOException e) {
      throw Troubles.of("read", file, e);
    }
    return file;
  }

  /** Of the file that was added under that name. */
  String checksum(String name) throws ProviderException {
    Optional<Book> book = book(name);
    if (book.isEmpty()) {
      throw unknown(name);
    }
    return book.get().sha256();
  }

  private ProviderException unknown(String name) throws ProviderException {
    List<String> names = all().stream().map(Book::name).toList();
    return name.isEmpty()
        ? new ProviderException(
            Trouble.BAD_REQUEST,
            "no image was given for the VM to start from",
            "Give one with --image or "
                + QemuSettings.IMAGE
                + (names.isEmpty()
                    ? ", after `baton vm image add NAME FILE`."
                    : ": " + String.join(", ", names) + "."))
        : new ProviderException(
            Trouble.BAD_REQUEST,
            "unknown image " + Checks.shown(name),
            names.isEmpty()
                ? "Add it with `baton vm image add NAME FILE`."
                : "Use one of " + String.join(", ", names) + ", or add it.");
  }

  Optional<Book> book(String name) throws ProviderException {
    if (!name.matches(NAME)) {
      return Optional.empty();
    }
    Path file = directory.resolve(name + ".json");
    if (!Files.exists(file)) {
      return Optional.empty();
    }
    try {
      Fields f = Fields.ofDocument(PlainJson.object(Files.readString(file)));
      return Optional.of(
          new Book(
              name,
              f.string("sha256"),
              f.string("format"),
              f.number("bytes"),
              f.number("virtual_bytes"),
              f.time("added_at")));
    } catch (IOException e) {
      throw Troubles.of("read", file, e);
    }
  }

  /** In the order of their names. */
  List<Book> all() throws ProviderException {
    List<Book> books = new ArrayList<>();
    if (!Files.isDirectory(directory)) {
      return books;
    }
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, "*.json")) {
      for (Path file : files) {
        String name = file.getFileName().toString();
        book(name.substring(0, name.length() - ".json".length())).ifPresent(books::add);
      }
    } catch (IOException e) {
      throw Troubles.of("read", directory, e);
    }
    books.sort(Comparator.comparing(Book::name));
    return books;
  }

  private Path image(String name) {
    return directory.resolve(name + ".qcow2");
  }

  /**
   * Copies a file here, whole or not at all. It must stand alone: one that refers to another file
   * would give a guest what is in that.
   */
  Book add(String name, Path file, Optional<String> sha256, Instant now)
      throws ProviderException, InterruptedException {
    if (!name.matches(NAME)) {
      throw new ProviderException(
          Trouble.BAD_REQUEST,
          Checks.shown(name) + " is not a name for an image",
          "Use up to 63 of a-z, 0-9, dots and hyphens, with a letter or digit at the beginning.");
    }
    if (!Files.isRegularFile(file)) {
      throw new ProviderException(
          Trouble.BAD_REQUEST, "there is no file " + file, "Give the file of an image.");
    }
    try {
      node.directory("images");
      try (FileChannel channel =
              FileChannel.open(
                  directory.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
          FileLock lock = channel.tryLock()) {
        if (lock == null) {
          throw new ProviderException(
              Trouble.UNAVAILABLE, "another image is being added", "Try again when it is there.");
        }
        return addAlone(name, file, sha256, now);
      }
    } catch (IOException e) {
      throw Troubles.of("write", directory, e);
    } catch (NodeException e) {
      throw Troubles.of(e);
    }
  }

  private Book addAlone(String name, Path file, Optional<String> sha256, Instant now)
      throws ProviderException, NodeException, IOException, InterruptedException {
    Path copy = directory.resolve("adding");
    try {
      long size = Files.size(file);
      long free = node.host().freeSpace(directory);
      // It may have to be converted.
      if (free < 2 * size + SPARE) {
        throw new ProviderException(
            Trouble.QUOTA_EXCEEDED,
            directory
                + " has "
                + (free >> 20)
                + " MB left, and the image needs "
                + ((2 * size + SPARE) >> 20),
            "Make room there.");
      }
      String sum = copied(file, copy);
      if (sha256.filter(s -> !s.equalsIgnoreCase(sum)).isPresent()) {
        throw new ProviderException(
            Trouble.BAD_REQUEST,
            file + " has the SHA-256 checksum " + sum + " and not " + sha256.get(),
            "Download it again, or correct the checksum.");
      }
      Optional<Book> there = book(name);
      if (there.isPresent()) {
        if (there.get().sha256().equals(sum)) {
          return there.get();
        }
        throw new ProviderException(
            Trouble.BAD_REQUEST,
            "there is an image " + name + " already, of another file",
            "Take another name, such as " + name + "-2.");
      }
      QemuImg.Info info = checked(file, copy);
      Path image = image(name);
      node.disks().copy(copy, info.format(), Optional.empty(), image);
      Files.setPosixFilePermissions(image, PosixFilePermissions.fromString("r--r--r--"));
      Book book = new Book(name, sum, info.format(), Files.size(image), info.virtualBytes(), now);
      write(book);
      return book;
    } finally {
      Files.deleteIfExists(copy);
    }
  }

  private QemuImg.Info checked(Path file, Path copy)
      throws ProviderException, NodeException, InterruptedException {
    // What begins with the mark of qcow2 is one; anything else is bytes of a disk, and is never
    // asked what it is: a guest could have written an answer there.
    boolean qcow2 = isQcow2(copy);
    QemuImg.Info info;
    try {
      info = node.disks().info(copy, Optional.of(qcow2 ? "qcow2" : "raw"));
    } catch (NodeException e) {
      throw new ProviderException(
          Trouble.BAD_REQUEST,
          file + " is not an image: " + e.what(),
          "Use the qcow2 or raw image of a cloud, such as Debian's genericcloud.");
    }
    if (!qcow2 && !isBootable(copy)) {
      throw new ProviderException(
          Trouble.BAD_REQUEST,
          file + " is neither a qcow2 image nor a disk that boots",
          "Use the qcow2 or raw image of a cloud, such as Debian's genericcloud. Unpack it first"
              + " if it is compressed.");
    }
    if (info.backing().isPresent() || info.foreign()) {
      throw new ProviderException(
          Trouble.BAD_REQUEST,
          file + " refers to another file for its data",
          "Make a whole image of it with `qemu-img convert -O qcow2`.");
    }
    return info;
  }

  private static boolean isQcow2(Path file) throws ProviderException {
    byte[] start = start(file, 4);
    return start.length == 4
        && start[0] == 'Q'
        && start[1] == 'F'
        && start[2] == 'I'
        && start[3] == (byte) 0xfb;
  }

  private static boolean isBootable(Path file) throws ProviderException {
    byte[] start = start(file, 512);
    return start.length == 512 && start[510] == 0x55 && start[511] == (byte) 0xaa;
  }

  private static byte[] start(Path file, int length) throws ProviderException {
    try (InputStream in = Files.newInputStream(file)) {
      return in.readNBytes(length);
    } catch (IOException e) {
      throw Troubles.of("read", file, e);
    }
  }

  /** The checksum is that of what was copied, whatever becomes of the file meanwhile. */
  private static String copied(Path file, Path copy) throws IOException {
    MessageDigest digest;
    try {
      digest = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
    try (InputStream in = Files.newInputStream(file);
        OutputStream out = Files.newOutputStream(copy)) {
      byte[] buffer = new byte[1 << 16];
      for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
        digest.update(buffer, 0, n);
        out.write(buffer, 0, n);
      }
    }
    return HexFormat.of().formatHex(digest.digest());
  }

  private void write(Book book) throws IOException {
    Map<String, Object> m = new LinkedHashMap<>();
    m.put("sha256", book.sha256());
    m.put("format", book.format());
    m.put("bytes", book.bytes());
    m.put("virtual_bytes", book.virtualBytes());
    m.put("added_at", book.addedAt().toString());
    Path file = directory.resolve(book.name() + ".json");
    Path temporary = directory.resolve(book.name() + ".tmp");
    Files.writeString(temporary, JsonFile.of(m));
    Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
  }

  /** Nothing may start from it any more. */
  void remove(String name) throws ProviderException {
    try {
      if (book(name).isEmpty()) {
        throw new ProviderException(
            Trouble.NOT_FOUND, "there is no image " + Checks.shown(name), "");
      }
      Files.deleteIfExists(directory.resolve(name + ".json"));
      Files.deleteIfExists(image(name));
    } catch (IOException e) {
      throw Troubles.of("remove", image(name), e);
    }
  }
}
