package dev.baton.cloud.init;

import dev.baton.cloud.account.OwnFiles;
import dev.baton.vm.front.CloudSetup.Done;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
    if (Files.exists(secret)) {
      if (Files.exists(open)) {
        return new Done(PART, secret + " is there", false);
      }
      try {
        write(SshKey.of(Files.readString(secret), comment));
        return new Done(PART, secret + " is there; its public half is written beside it", true);
      } catch (IllegalArgumentException e) {
        return new Done(
            PART,
            secret
                + " is there, in another format than OpenSSH's: run ssh-keygen -y -f "
                + secret
                + " > "
                + open,
            false);
      }
    }
    if (earlier.isPresent() && Files.isReadable(earlier.get())) {
      String text = Files.readString(earlier.get());
      OwnFiles.write(secret, text.endsWith("\n") ? text : text + "\n");
      Done done = ensure(Optional.empty());
      return new Done(PART, done.result() + ", copied from " + earlier.get(), true);
    }
    SshKey made = SshKey.create(comment);
    // The private half first: the public one can be made of it.
    OwnFiles.write(secret, made.privateText());
    write(made);
    return new Done(PART, secret + " is created", true);
  }

  private void write(SshKey key) throws IOException {
    OwnFiles.write(open, key.publicLine() + "\n");
  }
}
