package dev.baton.core.adapter;

import dev.baton.core.BadSetting;
import dev.baton.core.HostEnvironment;
import dev.baton.store.StoreException;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * Makes the places of an adapter's stores, or checks them, for {@code baton COMMAND init}. Found by
 * {@link java.util.ServiceLoader}; implementations have a public constructor without parameters and
 * keep no state.
 */
public interface StoreSetup {

  /** The command that the descriptor of the adapter names. */
  String command();

  /**
   * Asks nobody for anything yet.
   *
   * @param addresses of stores whose kinds have the use {@link AdapterDescriptor.Use#SETUP}
   * @throws BadSetting when one is wrong, or the environment is
   */
  Session open(List<String> addresses, HostEnvironment host);

  /** Some places of which it is seen what they lack. Used by one thread. */
  interface Session extends AutoCloseable {

    /**
     * What there is and what it takes; changes nothing.
     *
     * @throws StoreException when that cannot be told: no permission, the place of somebody else,
     *     or one that cannot be used at all
     */
    List<Part> look() throws StoreException, InterruptedException;

    /**
     * Creates and changes what {@link #look} has found to be missing or different, and nothing
     * else. Interrupted or failed, it can be run again: it goes on where it stopped.
     *
     * @param done told each part as soon as it is as wanted
     */
    void change(Consumer<Part> done) throws StoreException, InterruptedException;

    @Override
    void close();
  }

  /** What is to be done about a part. */
  enum State {
    /** It is as it should be. */
    READY,
    /** It does not exist, and is created. */
    MISSING,
    /** It is set otherwise, and is changed. */
    DIFFERENT,
    /** It is set otherwise, and only a person can decide about that: it is left as it is. */
    BY_HAND
  }

  /**
   * One thing about a place.
   *
   * @param place such as {@code the bucket team-builds}
   * @param name what about it, such as {@code versioning}
   * @param there what there is, without a full stop
   * @param next what is made of it, or what to do by hand; empty if it is ready
   */
  record Part(String place, String name, State state, String there, String next) {
    public Part {
      Objects.requireNonNull(place, "place");
      Objects.requireNonNull(name, "name");
      Objects.requireNonNull(state, "state");
      Objects.requireNonNull(there, "there");
      Objects.requireNonNull(next, "next");
    }

    /** Whether {@link Session#change} does something about it. */
    public boolean isToChange() {
      return state == State.MISSING || state == State.DIFFERENT;
    }
  }
}
