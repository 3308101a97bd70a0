package dev.baton.client.adapter;

import dev.baton.core.adapter.AdapterDescriptor;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * The adapters that are known whether their jars are here or not: those that are built in, and
 * those of this version. The build collects their descriptors; nobody lists them by hand. They are
 * read when they are first asked for, which is for help and for errors.
 */
public final class KnownAdapters {

  private static final String DIRECTORY = "known/";

  private KnownAdapters() {}

  private static final class Holder {
    static final List<AdapterDescriptor> ALL = read();
  }

  /** What is built in comes first. */
  public static List<AdapterDescriptor> all() {
    return Holder.ALL;
  }

  /** Whether a store or a cloud of this name is part of Baton. */
  public static boolean isBuiltIn(String kind) {
    return all().stream()
        .filter(AdapterDescriptor::isBuiltIn)
        .flatMap(d -> d.kinds().stream())
        .anyMatch(k -> k.name().equals(kind));
  }

  private static List<AdapterDescriptor> read() {
    try (InputStream index = resource("index")) {
      List<AdapterDescriptor> all = new ArrayList<>();
      for (String name :
          new String(index.readAllBytes(), StandardCharsets.UTF_8).lines().toList()) {
        try (InputStream in = resource(name + ".properties")) {
          all.add(AdapterDescriptor.read(in));
        }
      }
      return List.copyOf(all);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static InputStream resource(String name) {
    InputStream in = KnownAdapters.class.getResourceAsStream(DIRECTORY + name);
    if (in == null) {
      throw new IllegalStateException("baton was built without " + DIRECTORY + name);
    }
    return in;
  }
}
