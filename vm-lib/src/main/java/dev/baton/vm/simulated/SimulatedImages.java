package dev.baton.vm.simulated;

import dev.baton.core.BrokenDocumentException;
import dev.baton.core.Checks;
import dev.baton.core.World;
import dev.baton.core.json.Fields;
import dev.baton.core.json.JsonFile;
import dev.baton.core.json.PlainJson;
import dev.baton.vm.Kind;
import dev.baton.vm.Trouble;
import dev.baton.vm.spi.Cancel;
import dev.baton.vm.spi.Images;
import dev.baton.vm.spi.Owner;
import dev.baton.vm.spi.ProviderException;
import java.io.IOException;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * The images of a simulated cloud: the copy of a file, {@code NAME.img}, and what is known of it,
 * {@code NAME.json}, which is written last and removed first. Any file will do: nothing boots here.
 */
final class SimulatedImages implements Images {

  /** Of an instance: what it was created from. */
  static final String PARAMETER = "image_name";

  private static final String NAME = "[a-z0-9][a-z0-9.-]{0,62}";
  private static final String SUM = "[0-9a-f]{64}";

  private final Path directory;
  private final Shelf shelf;
  private final World world;

  SimulatedImages(Path directory, Shelf shelf, World world) {
    this.directory = directory.toAbsolutePath().normalize();
    this.shelf = shelf;
    this.world = world;
  }

  @Override
  public Image add(String name, Path file, Optional<String> sha256, Cancel cancel)
      throws ProviderException {
    cancel.check();
    if (!name.matches(NAME)) {
      throw bad(
          "image name must be 1 to 63 lower-case letters, digits, dots and hyphens, and begin with"
              + " a letter or digit: "
              + Checks.shown(name));
    }
    Optional<String> wanted = sha256.map(s -> s.strip().toLowerCase(Locale.ROOT));
    if (wanted.filter(s -> !s.matches(SUM)).isPresent()) {
      throw bad("a SHA-256 checksum has 64 of 0-9 and a-f: " + Checks.shown(sha256.get()));
    }
    if (!Files.isRegularFile(file) || !Files.isReadable(file)) {
      throw bad("the image " + file + " is not a file that can be read");
    }
    return shelf.alone(() -> added(name, file, wanted));
  }

  private Image added(String name, Path file, Optional<String> wanted)
      throws IOException, ProviderException {
    Files.createDirectories(directory);
    Path copy = directory.resolve(name + ".part");
    Files.deleteIfExists(copy);
    try {
      String sum = Sha256.copying(file, copy);
      if (wanted.filter(s -> !s.equals(sum)).isPresent()) {
        throw new ProviderException(
            Trouble.BAD_REQUEST,
            "the checksum of " + file + " is " + sum + ", not " + wanted.get(),
            "Get the file again, or correct the checksum.");
      }
      Optional<Image> there = read(name);
      if (there.isPresent()) {
        if (there.get().sha256().equals(sum)) {
          return there.get();
        }
        throw new ProviderException(
            Trouble.BAD_REQUEST,
            "there is another image " + name + " already",
            "Choose another name, or remove that image first.");
      }
      long bytes = Files.size(copy);
      move(copy, directory.resolve(name + ".img"));
      Image image =
          new Image(
              name,
              sum,
              "any",
              bytes,
              bytes,
              world.now().truncatedTo(ChronoUnit.SECONDS),
              List.of());
      write(image);
      return image;
    } finally {
      Files.deleteIfExists(copy);
    }
  }

  @Override
  public List<Image> list(Cancel cancel) throws ProviderException {
    cancel.check();
    return shelf.alone(
        () -> {
          List<Image> images = new ArrayList<>();
          if (Files.isDirectory(directory)) {
            try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, "*.json")) {
              for (Path file : files) {
                String name = file.getFileName().toString();
                read(name.substring(0, name.length() - ".json".length())).ifPresent(images::add);
              }
            }
          }
          images.sort(Comparator.comparing(Image::name));
          return images;
        });
  }

  @Override
  public void remove(String name, Cancel cancel) throws ProviderException {
    cancel.check();
    shelf.alone(
        () -> {
          Optional<Image> image = name.matches(NAME) ? read(name) : Optional.empty();
          if (image.isEmpty()) {
            throw new ProviderException(
                Trouble.NOT_FOUND, "there is no image " + Checks.shown(name));
          }
          if (!image.get().usedBy().isEmpty()) {
            throw new ProviderException(
                Trouble.DEPENDENCY,
                "image " + name + " is used by VM " + String.join(", ", image.get().usedBy()));
          }
          Files.deleteIfExists(directory.resolve(name + ".json"));
          Files.deleteIfExists(directory.resolve(name + ".img"));
          return null;
        });
  }

  /** Within {@link Shelf#alone}. */
  void require(String name) throws IOException, ProviderException {
    if (!name.matches(NAME) || read(name).isEmpty()) {
      throw new ProviderException(
          Trouble.BAD_REQUEST,
          "unknown image " + Checks.shown(name),
          "Run `image list` to see those that there are, or `image add` to add one.");
    }
  }

  /** What is in it; within {@link Shelf#alone}. */
  String fingerprint(String name) {
    try {
      return name.matches(NAME) ? read(name).map(Image::sha256).orElse(name) : name;
    } catch (IOException e) {
      return name; // a start from it says why
    }
  }

  private Optional<Image> read(String name) throws IOException {
    Path file = directory.resolve(name + ".json");
    if (!Files.exists(file)) {
      return Optional.empty();
    }
    try {
      Fields f = Fields.ofDocument(PlainJson.object(Files.readString(file)));
      List<String> users = usedBy(name);
      long bytes = f.number("bytes");
      return Optional.of(
          f.checked(
              () ->
                  new Image(
                      name,
                      f.string("sha256"),
                      f.string("format"),
                      bytes,
                      bytes,
                      f.time("added_at"),
                      users)));
    } catch (BrokenDocumentException e) {
      throw new BrokenDocumentException(file + ": " + e.getMessage(), "Repair or delete it.");
    }
  }

  private List<String> usedBy(String name) throws IOException {
    return shelf.all().stream()
        .filter(t -> t.kind() == Kind.INSTANCE && name.equals(t.parameters().get(PARAMETER)))
        .map(t -> Owner.of(t.owner()).map(o -> o.vm().value()).orElse(t.id()))
        .distinct()
        .toList();
  }

  private void write(Image image) throws IOException {
    Map<String, Object> m = new LinkedHashMap<>();
    m.put("sha256", image.sha256());
    m.put("format", image.format());
    m.put("bytes", image.bytes());
    m.put("added_at", image.addedAt().toString());
    Path part = directory.resolve(image.name() + ".json.part");
    Files.writeString(part, JsonFile.of(m));
    move(part, directory.resolve(image.name() + ".json"));
  }

  private static void move(Path from, Path to) throws IOException {
    try {
      Files.move(from, to, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } catch (AtomicMoveNotSupportedException e) {
      Files.move(from, to, StandardCopyOption.REPLACE_EXISTING);
    }
  }

  private static ProviderException bad(String what) {
    return new ProviderException(Trouble.BAD_REQUEST, what);
  }
}
