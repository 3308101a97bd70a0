package dev.baton.client.adapter;

import dev.baton.core.BadSetting;
import dev.baton.queue.spi.StoreProvider;
import dev.baton.vm.spi.CloudSetup;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.security.CodeSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Kinds of stores and clouds that are no part of this library. They are on the class path, or in
 * jars that nobody loads before somebody asks for what is in them: their clients are large.
 *
 * @param jars asked for only when needed
 * @param advice how somebody gets those that are missing, as a sentence
 */
public record Extensions(Supplier<List<Path>> jars, String advice) {

  /** Those on the class path alone. */
  public static final Extensions NONE =
      new Extensions(List::of, "Add the adapter-alibaba of this version to the class path.");

  private static final ConcurrentMap<List<Jar>, ClassLoader> LOADERS = new ConcurrentHashMap<>();

  /** A jar as it was when it was loaded: another one under the same name is another one. */
  private record Jar(Path path, long length, FileTime changed) {
    static Jar at(Path path) throws IOException {
      BasicFileAttributes about = Files.readAttributes(path, BasicFileAttributes.class);
      return new Jar(path, about.size(), about.lastModifiedTime());
    }
  }

  public Extensions {
    Objects.requireNonNull(jars, "jars");
    Objects.requireNonNull(advice, "advice");
  }

  /** The jars in {@code extensions/} beside the one that this class was loaded from. */
  public static Extensions besides(Class<?> program, String advice) {
    return new Extensions(() -> jarsBesides(program), advice);
  }

  /** The store whose addresses begin with this scheme, if there is one. */
  public Optional<StoreProvider> storeProvider(String scheme) {
    return find(StoreProvider.class, p -> p.scheme().equals(scheme));
  }

  /** What gets an account of that cloud ready, if there is something. */
  public Optional<CloudSetup> cloudSetup(String cloud) {
    return find(CloudSetup.class, s -> s.cloud().equals(cloud));
  }

  /** The first that fits, found by {@link ServiceLoader}. */
  public <T> Optional<T> find(Class<T> kind, Predicate<? super T> wanted) {
    Optional<T> here = find(kind, wanted, kind.getClassLoader());
    if (here.isPresent()) {
      return here;
    }
    List<Path> found = jars.get();
    if (found.isEmpty()) {
      return Optional.empty();
    }
    try {
      List<Jar> there = new ArrayList<>();
      for (Path path : found) {
        there.add(Jar.at(path));
      }
      ClassLoader parent = kind.getClassLoader();
      return find(kind, wanted, LOADERS.computeIfAbsent(there, j -> loader(found, parent)));
    } catch (IOException e) {
      throw unusable("a jar is missing: " + e.getMessage(), e);
    } catch (ServiceConfigurationError | LinkageError e) {
      throw unusable(e.toString(), e);
    }
  }

  /** Some of the jars, or those of another version, are worse than none. */
  private BadSetting unusable(String why, Throwable cause) {
    return new BadSetting(
        "the extensions of baton cannot be used (" + why + ")",
        "They must be whole and of the same version as baton. " + advice,
        cause);
  }

  private static <T> Optional<T> find(
      Class<T> kind, Predicate<? super T> wanted, ClassLoader loader) {
    return ServiceLoader.load(kind, loader).stream()
        .map(ServiceLoader.Provider::get)
        .filter(wanted)
        .findFirst();
  }

  private static ClassLoader loader(List<Path> jars, ClassLoader parent) {
    URL[] urls = new URL[jars.size()];
    for (int i = 0; i < urls.length; i++) {
      try {
        urls[i] = jars.get(i).toUri().toURL();
      } catch (MalformedURLException e) {
        throw new IllegalStateException("no place of a jar: " + jars.get(i), e);
      }
    }
    // Never closed: what is in it is used until this process ends.
    return new URLClassLoader("baton-extensions", urls, parent);
  }

  private static List<Path> jarsBesides(Class<?> program) {
    CodeSource source = program.getProtectionDomain().getCodeSource();
    if (source == null) {
      return List.of();
    }
    try {
      Path directory = Path.of(source.getLocation().toURI()).resolveSibling("extensions");
      if (!Files.isDirectory(directory)) {
        return List.of();
      }
      try (Stream<Path> files = Files.list(directory)) {
        return files.filter(f -> f.toString().endsWith(".jar")).sorted().toList();
      }
    } catch (URISyntaxException | IOException e) {
      throw new BadSetting(
          "the extensions beside baton cannot be read: " + e.getMessage(),
          "Check who may read them, or install baton anew.",
          e);
    }
  }
}
