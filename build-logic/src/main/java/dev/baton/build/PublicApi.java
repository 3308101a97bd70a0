package dev.baton.build;

import java.io.File;
import java.io.IOException;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.Member;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.gradle.api.DefaultTask;
import org.gradle.api.GradleException;
import org.gradle.api.file.ConfigurableFileCollection;
import org.gradle.api.file.RegularFileProperty;
import org.gradle.api.provider.Property;
import org.gradle.api.tasks.Classpath;
import org.gradle.api.tasks.Input;
import org.gradle.api.tasks.Internal;
import org.gradle.api.tasks.TaskAction;

/**
 * The public API of a library in a file, a line for each type and each member that is public or
 * protected, without packages named {@code internal}: compared, or written where it may be.
 */
public abstract class PublicApi extends DefaultTask {

  /** The classes of the library alone. */
  @Classpath
  public abstract ConfigurableFileCollection getClasses();

  /** What they need to be loaded. */
  @Classpath
  public abstract ConfigurableFileCollection getLibraries();

  /** Writes the file instead of comparing it. */
  @Input
  public abstract Property<Boolean> getApply();

  @Internal
  public abstract RegularFileProperty getRecord();

  @TaskAction
  void run() throws IOException, ClassNotFoundException {
    Path record = getRecord().get().getAsFile().toPath();
    List<String> now = describe();
    if (getApply().get()) {
      Files.write(record, now);
      return;
    }
    List<String> before = Files.exists(record) ? Files.readAllLines(record) : List.of();
    if (before.equals(now)) {
      return;
    }
    List<String> gone = new ArrayList<>(before);
    gone.removeAll(now);
    List<String> added = new ArrayList<>(now);
    added.removeAll(before);
    throw new GradleException(
        "The public API is not the one in "
            + record
            + ":\n"
            + Stream.concat(gone.stream().map(l -> "- " + l), added.stream().map(l -> "+ " + l))
                .collect(Collectors.joining("\n"))
            + "\nIf that is meant, run `./gradlew updateApi` and commit the file.");
  }

  private List<String> describe() throws IOException, ClassNotFoundException {
    TreeSet<String> lines = new TreeSet<>();
    try (URLClassLoader loader = loader()) {
      for (File root : getClasses()) {
        for (String name : names(root.toPath())) {
          Class<?> type = Class.forName(name, false, loader);
          if (isPublic(type)) {
            describe(type, lines);
          }
        }
      }
    }
    return List.copyOf(lines);
  }

  private URLClassLoader loader() throws MalformedURLException {
    List<URL> urls = new ArrayList<>();
    for (File file : getClasses().plus(getLibraries())) {
      urls.add(file.toURI().toURL());
    }
    return new URLClassLoader(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
  }

  private static List<String> names(Path root) throws IOException {
    if (!Files.isDirectory(root)) {
      return List.of();
    }
    try (Stream<Path> files = Files.walk(root)) {
      return files
          .map(f -> root.relativize(f).toString().replace(File.separatorChar, '.'))
          .filter(n -> n.endsWith(".class") && !n.endsWith("-info.class"))
          .filter(n -> !n.contains(".internal."))
          .map(n -> n.substring(0, n.length() - ".class".length()))
          .sorted(Comparator.naturalOrder())
          .toList();
    }
  }

  private static boolean isPublic(Class<?> type) {
    return !type.isSynthetic()
        && !type.isAnonymousClass()
        && !type.isLocalClass()
        && isSeen(type.getModifiers())
        && (type.getDeclaringClass() == null || isPublic(type.getDeclaringClass()));
  }

  private static boolean isSeen(int modifiers) {
    return Modifier.isPublic(modifiers) || Modifier.isProtected(modifiers);
  }

  private static void describe(Class<?> type, TreeSet<String> lines) {
    String supers =
        Stream.concat(
                Stream.ofNullable(type.getGenericSuperclass()),
                Arrays.stream(type.getGenericInterfaces()))
            .map(Type::getTypeName)
            .filter(n -> !n.equals("java.lang.Object"))
            .collect(Collectors.joining(", "));
    lines.add(type.getName() + ": " + kind(type) + (supers.isEmpty() ? "" : " of " + supers));
    Stream.of(type.getDeclaredFields(), type.getDeclaredConstructors(), type.getDeclaredMethods())
        .flatMap(Arrays::stream)
        .map(Member.class::cast)
        .filter(m -> isSeen(m.getModifiers()) && !m.isSynthetic())
        .forEach(m -> lines.add(type.getName() + ": " + text(m)));
  }

  private static String kind(Class<?> type) {
    String kind =
        type.isAnnotation()
            ? "annotation"
            : type.isInterface()
                ? "interface"
                : type.isEnum() ? "enum" : type.isRecord() ? "record" : "class";
    boolean open = kind.equals("class");
    return (open && Modifier.isAbstract(type.getModifiers()) ? "abstract " : "")
        + (open && Modifier.isFinal(type.getModifiers()) ? "final " : "")
        + (type.isSealed() ? "sealed " : "")
        + kind;
  }

  private static String text(Member member) {
    return member instanceof Field field
        ? field.toGenericString()
        : ((Executable) member).toGenericString();
  }
}
