package dev.baton.vm.spi;

import dev.baton.core.HostEnvironment;
import dev.baton.vm.VmException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * Gets an account of a cloud ready: keys, a place for the states of VMs, an SSH key. Each part may
 * be run again, and then changes nothing. Found by {@link java.util.ServiceLoader}.
 */
public interface CloudSetup {

  /** As people name the cloud, such as {@code aliyun}. */
  String cloud();

  /**
   * What is known already, and what has to be asked. Asks nobody.
   *
   * @param newKeys a key will be given, so that one that is saved does not matter, not even if it
   *     cannot be read
   * @throws dev.baton.core.BadSetting when what is set can never work
   */
  Needs needs(HostEnvironment host, boolean newKeys);

  /**
   * Asks nobody yet.
   *
   * @throws dev.baton.core.BadSetting when what is given can never work; never with a part of a key
   */
  Session open(HostEnvironment host, Given given);

  /**
   * What a setup needs.
   *
   * @param keys the parts of a key, as a person is asked for them
   * @param keysFrom where there is a key already; empty: nowhere
   * @param keysAreKept the key that is there comes before one that would be saved, so that there is
   *     no sense in asking for another
   * @param region that is set already
   * @param usualRegion what an empty answer means
   */
  record Needs(
      List<Field> keys,
      Optional<String> keysFrom,
      boolean keysAreKept,
      Optional<String> region,
      String usualRegion) {
    public Needs {
      keys = List.copyOf(keys);
      Objects.requireNonNull(keysFrom, "keysFrom");
      Objects.requireNonNull(region, "region");
      Objects.requireNonNull(usualRegion, "usualRegion");
    }
  }

  /**
   * A part of a key.
   *
   * @param secret nobody may see it while it is typed
   */
  record Field(String label, boolean secret) {
    public Field {
      Objects.requireNonNull(label, "label");
    }
  }

  /**
   * What a person has said. Its text form has no key.
   *
   * @param keys one for each field, to be saved when they have proved to be right; empty: those
   *     that are there
   * @param region empty: the one that is set
   * @param bucket the name of the place; empty: that of the store, else one of the account's own
   * @param store where states are kept by what is set already
   */
  record Given(
      List<String> keys, Optional<String> region, Optional<String> bucket, Optional<String> store) {
    public Given {
      keys = List.copyOf(keys);
      Objects.requireNonNull(region, "region");
      Objects.requireNonNull(bucket, "bucket");
      Objects.requireNonNull(store, "store");
    }

    @Override
    public String toString() {
      return "Given[" + region + ", " + bucket + ", " + store + "]";
    }
  }

  /**
   * What became of a part.
   *
   * @param part for people, in a word or two
   * @param changed whether it was otherwise before
   */
  record Done(String part, String result, boolean changed) {
    public Done {
      Objects.requireNonNull(part, "part");
      Objects.requireNonNull(result, "result");
    }
  }

  /** One run. The parts come in this order, and one that fails leaves nothing half-done. */
  interface Session {

    /**
     * Asks the cloud whose key it is.
     *
     * @throws VmException.CloudFailed {@link dev.baton.vm.Trouble#DENIED} when the key is wrong
     */
    Done identify() throws VmException;

    /** The number of the account, once it is identified. */
    String account();

    String region();

    /** Makes the place for states, or looks whether the one that is there can be used. */
    Done place() throws VmException;

    /** The place, as a setting names it. */
    String store();

    /** Saves the key that was given, and the region. */
    List<Done> save() throws VmException;

    /**
     * Makes an SSH key, or looks at the one that is there.
     *
     * @param earlier that of a VM that is taken over, to be used if there is none yet
     */
    Done sshKey(Optional<Path> earlier) throws VmException;
  }
}
