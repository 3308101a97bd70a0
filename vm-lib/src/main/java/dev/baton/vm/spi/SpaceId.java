package dev.baton.vm.spi;

import dev.baton.store.Snapshot;
import dev.baton.store.StoreException;
import dev.baton.store.Version;
import dev.baton.store.VersionedStore;
import dev.baton.store.WriteResult;
import dev.baton.vm.VmName;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The id of a space, in a document of its own. Resources are found again by it, so it is made once:
 * before the first journal, and never where there are journals already.
 */
public final class SpaceId {
  private static final Pattern FORM =
      Pattern.compile("\\s*\\{\\s*\"id\":\\s*\"([a-z0-9]{8,32})\"\\s*}\\s*");
  private static final int ATTEMPTS = 20;

  /** The VMs of the space. */
  public interface Names {
    List<VmName> all() throws StoreException;
  }

  private final VersionedStore document;
  private final String where;
  private final Names names;
  private volatile String known;

  /**
   * @param where the document as people find it
   */
  public SpaceId(VersionedStore document, String where, Names names) {
    this.document = Objects.requireNonNull(document, "document");
    this.where = Objects.requireNonNull(where, "where");
    this.names = Objects.requireNonNull(names, "names");
  }

  public String get() throws StoreException {
    for (int i = 0; known == null && i < ATTEMPTS; i++) {
      Snapshot now = document.read();
      if (now.content().isEmpty() && !names.all().isEmpty()) {
        // Somebody else may have made it, and a journal after it, between the two looks.
        now = document.read();
        if (now.content().isEmpty()) {
          throw missing();
        }
      }
      known = now.content().isPresent() ? required(now.content().get()) : made();
    }
    if (known == null) {
      throw StoreException.passing(where + " could not be written", "Try again.", null);
    }
    return known;
  }

  /** Null when somebody else was quicker, or nobody can tell. */
  private String made() throws StoreException {
    byte[] random = new byte[6];
    new SecureRandom().nextBytes(random);
    String next = HexFormat.of().formatHex(random);
    WriteResult result =
        document.write(Version.ABSENT, "{\"id\": \"" + next + "\"}\n", "a space for VMs");
    return result instanceof WriteResult.Written ? next : null;
  }

  private String required(String content) throws StoreException {
    Matcher m = FORM.matcher(content);
    if (!m.matches()) {
      throw new StoreException(where + " is broken", remedy(), null);
    }
    return m.group(1);
  }

  /** What to say where it was there once. */
  public StoreException missing() {
    return new StoreException(
        where + " is missing, and without it nothing that the VMs here own is found",
        remedy(),
        null);
  }

  private static String remedy() {
    return "Put it back: {\"id\": \"ID\"}, with the ID that the names of the VMs' resources in the"
        + " cloud have, baton-ID-VM. If nothing of them exists there, take any 12 of a-z and 0-9.";
  }

  /** The same journal, but it is not begun before there is an id. */
  public VersionedStore before(VersionedStore journal) {
    return new Journal(journal, this);
  }

  private record Journal(VersionedStore store, SpaceId id) implements VersionedStore {
    @Override
    public Snapshot read() throws StoreException {
      return store.read();
    }

    @Override
    public Snapshot readExpecting(List<String> guesses) throws StoreException {
      return store.readExpecting(guesses);
    }

    @Override
    public WriteResult write(Version expected, String next, String message) throws StoreException {
      if (expected.isAbsent()) {
        id.get();
      }
      return store.write(expected, next, message);
    }

    @Override
    public List<String> earlier(Snapshot present, int limit) throws StoreException {
      return store.earlier(present, limit);
    }

    @Override
    public String setAside(Snapshot broken) throws StoreException {
      return store.setAside(broken);
    }
  }
}
