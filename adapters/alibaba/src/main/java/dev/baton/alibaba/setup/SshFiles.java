package dev.baton.alibaba.setup;

import dev.baton.alibaba.account.OwnFiles;
import dev.baton.vm.spi.CloudSetup.Done;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;

/** {@code ~/.baton/ssh_key} and {@code ssh_key.pub}. A key that is there is never replaced. */
final class SshFiles {
  private static final String PART = "SSH key";

  private final Path secret;
  private final Path open;
  private final String comment;

  SshFiles(Path home, String comment) {
    this.secret = home.resolve(".baton/ssh_key");
    this.open = home.resolve(".baton/ssh_key.pub");
    this.comment = comment;
  }

  /**
   * @param earlier the key of a VM that is taken over; used if there is none yet
   */
  Done ensure(Optional<Path> earlier) throws IOException {
    Optional<Path> old = earlier.filter(Files::isReadable);
    if (Files.exists(secret)) {
      Done done = present();
      return old.isPresent() && !isSame(old.get())
          ? new Done(PART, done.result() + other(old.get()), done.changed())
          : done;
    }
    if (old.isPresent()) {
      OwnFiles.write(secret, withLineBreak(Files.readAllBytes(old.get())));
      return new Done(PART, present().result() + ", copied from " + old.get(), true);
    }
    SshKey made = SshKey.create(comment);
    // The private half first: the public one can be made of it.
    OwnFiles.write(secret, made.privateText());
    write(made);
    return new Done(PART, secret + " is created", true);
  }

  private Done present() throws IOException {
    boolean tightened = OwnFiles.tighten(secret);
    String there =
        secret + " is there" + (tightened ? "; others could read it, now only you can" : "");
    if (Files.exists(open)) {
      return new Done(PART, there, tightened);
    }
    try {
      // Byte by byte: whatever is no text is no key either.
      String text = new String(Files.readAllBytes(secret), StandardCharsets.ISO_8859_1);
      write(SshKey.of(text, comment));
      return new Done(PART, there + "; its public half is written beside it", true);
    } catch (IllegalArgumentException e) {
      return new Done(
          PART,
          there
              + ", in another format than OpenSSH's: run ssh-keygen -y -f "
              + secret
              + " > "
              + open,
          tightened);
    }
  }

  private boolean isSame(Path old) throws IOException {
    return Arrays.equals(
        withLineBreak(Files.readAllBytes(old)), withLineBreak(Files.readAllBytes(secret)));
  }

  private String other(Path old) {
    return "; it stays, and is not the key of the VM that is taken over, which is "
        + old
        + ": to log in there, move "
        + secret
        + " and "
        + open.getFileName()
        + " away, copy that one to "
        + secret
        + " and run `baton vm init` again";
  }

  /** OpenSSH wants one at the end. */
  private static byte[] withLineBreak(byte[] key) {
    if (key.length > 0 && key[key.length - 1] == '\n') {
      return key;
    }
    byte[] longer = Arrays.copyOf(key, key.length + 1);
    longer[key.length] = '\n';
    return longer;
  }

  private void write(SshKey key) throws IOException {
    OwnFiles.write(open, key.publicLine() + "\n");
  }
}
