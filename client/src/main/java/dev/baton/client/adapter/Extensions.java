package dev.baton.client.adapter;

import dev.baton.client.text.Slips;
import dev.baton.core.BadSetting;
import dev.baton.core.adapter.Adapter;
import dev.baton.core.adapter.AdapterDescriptor;
import dev.baton.core.adapter.AdapterDescriptor.Use;
import dev.baton.core.adapter.StoreSetup;
import dev.baton.queue.spi.StoreProvider;
import dev.baton.state.spi.StateSpaceKind;
import dev.baton.vm.spi.CloudKind;
import dev.baton.vm.spi.CloudSetup;
import dev.baton.vm.spi.VmSpaceKind;
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
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Stores and clouds that are not part of this library. They are on the class path, or in jars that
 * are loaded only when somebody asks for what is in them: their clients are large.
 *
 * @param jars asked for only when needed
 * @param advice how the users of this front end get an adapter that is missing, as sentences
 */
public record Extensions(
    Supplier<List<Path>> jars, Function<? super AdapterDescriptor, String> advice) {

  /** Those on the class path alone. */
  public static final Extensions NONE =
      new Extensions(
          List::of,
          adapter ->
              "Add " + adapter.artifact().orElse("it") + " of this version to the class path.");

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
  public static Extensions besides(
      Class<?> program, Function<? super AdapterDescriptor, String> advice) {
    return new Extensions(() -> jarsBesides(program), advice);
  }

  // ---- what adapters bring

  /** The store whose addresses begin with this scheme, if there is one. */
  public Optional<StoreProvider> storeProvider(String scheme) {
    return find(StoreProvider.class, p -> p.scheme().equals(scheme));
  }

  /** The place for states of VMs whose addresses begin with this scheme, if there is one. */
  public Optional<VmSpaceKind> vmSpaceKind(String scheme) {
    return find(VmSpaceKind.class, k -> k.scheme().equals(scheme));
  }

  /** The place for states of deployments whose addresses begin with this scheme, if any. */
  public Optional<StateSpaceKind> stateSpaceKind(String scheme) {
    return find(StateSpaceKind.class, k -> k.scheme().equals(scheme));
  }

  /** The cloud of this name, if there is one. */
  public Optional<CloudKind> cloudKind(String name) {
    return find(CloudKind.class, k -> k.name().equals(name));
  }

  /** What gets an account of that cloud ready, if there is something. */
  public Optional<CloudSetup> cloudSetup(String cloud) {
    return find(CloudSetup.class, s -> s.cloud().equals(cloud));
  }

  /** What makes and checks the places of an adapter's stores, by the word of its commands. */
  public Optional<StoreSetup> storeSetup(String command) {
    return find(StoreSetup.class, s -> s.command().equals(command));
  }

  // ---- what adapters say about themselves

  /**
   * Those that are known, and those that are here beside them.
   *
   * @throws BadSetting when the jars of one cannot be used
   */
  public List<AdapterDescriptor> adapters() {
    List<AdapterDescriptor> all = new ArrayList<>(KnownAdapters.all());
    try {
      services(Adapter.class, Adapter.class.getClassLoader()).forEach(a -> add(all, a));
      inJars(
          Adapter.class,
          found -> {
            found.forEach(a -> add(all, a));
            return all;
          });
    } catch (IllegalArgumentException e) {
      throw unusable(e.getMessage(), e);
    }
    return List.copyOf(all);
  }

  private static void add(List<AdapterDescriptor> all, Adapter adapter) {
    AdapterDescriptor one = adapter.descriptor();
    if (one.isBuiltIn()) {
      throw new IllegalArgumentException("the adapter for " + one.name() + " names no artifact");
    }
    for (AdapterDescriptor.Kind kind : one.kinds()) {
      if (KnownAdapters.isBuiltIn(kind.name())) {
        throw new IllegalArgumentException(
            "the adapter for " + one.name() + " brings " + kind.name() + ", which is built in");
      }
    }
    // What is on the class path is seen from the jars too.
    if (all.stream().noneMatch(k -> k.artifact().equals(one.artifact()))) {
      all.add(one);
    }
  }

  /** The stores or clouds for this use, as a person may write them. */
  public List<String> addresses(Use use) {
    return adapters().stream()
        .flatMap(d -> d.kinds(use).stream())
        .map(AdapterDescriptor.Kind::address)
        .toList();
  }

  /**
   * What to do about a store or a cloud that is not here.
   *
   * @param kind its scheme or its name
   * @param otherwise says which there are, if no known adapter has this one
   */
  public String nextWithout(String kind, Use use, Function<String, String> otherwise) {
    return KnownAdapters.all().stream()
        .filter(d -> !d.isBuiltIn() && d.kinds(use).stream().anyMatch(k -> k.name().equals(kind)))
        .findFirst()
        .<String>map(advice)
        .orElseGet(
            () ->
                Slips.nearest(kind, addresses(use)).map(n -> "Did you mean " + n + "? ").orElse("")
                    + otherwise.apply(orOf(addresses(use))));
  }

  /** As in {@code a, b or c}. */
  public static String orOf(List<String> words) {
    int last = words.size() - 1;
    return last < 1
        ? String.join("", words)
        : String.join(", ", words.subList(0, last)) + " or " + words.get(last);
  }

  // ---- finding them

  private <T> Optional<T> find(Class<T> kind, Predicate<? super T> wanted) {
    Optional<T> here = services(kind, kind.getClassLoader()).filter(wanted).findFirst();
    return here.isPresent() ? here : inJars(kind, found -> found.filter(wanted).findFirst());
  }

  private <T, R> R inJars(Class<T> kind, Function<Stream<T>, R> look) {
    List<Path> found = jars.get();
    if (found.isEmpty()) {
      return look.apply(Stream.empty());
    }
    try {
      List<Jar> there = new ArrayList<>();
      for (Path path : found) {
        there.add(Jar.at(path));
      }
      ClassLoader parent = kind.getClassLoader();
      return look.apply(services(kind, LOADERS.computeIfAbsent(there, j -> loader(found, parent))));
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
        "They must be whole and of the same version as baton. "
            + KnownAdapters.all().stream()
                .filter(d -> !d.isBuiltIn())
                .map(advice)
                .distinct()
                .collect(Collectors.joining(" ")),
        cause);
  }

  private static <T> Stream<T> services(Class<T> kind, ClassLoader loader) {
    return ServiceLoader.load(kind, loader).stream().map(ServiceLoader.Provider::get);
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
          "Check who may read them, or reinstall Baton.",
          e);
    }
  }
}
