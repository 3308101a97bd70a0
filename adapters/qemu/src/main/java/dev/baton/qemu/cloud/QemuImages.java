package dev.baton.qemu.cloud;

import dev.baton.vm.Trouble;
import dev.baton.vm.spi.Cancel;
import dev.baton.vm.spi.Images;
import dev.baton.vm.spi.ProviderException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The library of images, with what uses each. */
final class QemuImages implements Images {
  private final Library library;
  private final QemuProvider provider;

  QemuImages(Library library, QemuProvider provider) {
    this.library = library;
    this.provider = provider;
  }

  @Override
  public Image add(String name, Path file, Optional<String> sha256, Cancel cancel)
      throws ProviderException, InterruptedException {
    cancel.check();
    return image(library.add(name, file, sha256, Instant.now()));
  }

  private Image image(Library.Book book) throws ProviderException {
    return new Image(
        book.name(),
        book.sha256(),
        book.format(),
        book.bytes(),
        book.virtualBytes(),
        book.addedAt(),
        provider.usersOf(book.name()));
  }

  @Override
  public List<Image> list(Cancel cancel) throws ProviderException {
    cancel.check();
    List<Image> images = new ArrayList<>();
    for (Library.Book book : library.all()) {
      images.add(image(book));
    }
    return images;
  }

  @Override
  public void remove(String name, Cancel cancel) throws ProviderException {
    cancel.check();
    List<String> users = provider.usersOf(name);
    if (!users.isEmpty()) {
      throw new ProviderException(
          Trouble.DEPENDENCY,
          "image " + name + " is in use by " + String.join(", ", users),
          "Destroy them without a snapshot first.");
    }
    library.remove(name);
  }
}
