package dev.baton.alibaba.setup;

import dev.baton.alibaba.account.AlibabaAccount;
import dev.baton.alibaba.account.CredentialsFile;
import dev.baton.alibaba.account.Keys;
import dev.baton.alibaba.account.Region;
import dev.baton.alibaba.oss.OssAccess;
import dev.baton.alibaba.oss.OssPlace;
import dev.baton.alibaba.oss.StateBucket;
import dev.baton.core.BadSetting;
import dev.baton.core.HostEnvironment;
import dev.baton.core.Proxies;
import dev.baton.vm.VmException;
import dev.baton.vm.spi.CloudSetup;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Alibaba Cloud: an access key that works, a bucket for states, an SSH key.
 *
 * <p>Keys in the environment or in Alibaba Cloud's default chain are used and never written down.
 * Those that a person gives are saved when they have proved to be right, and not before.
 */
public final class AliyunSetup implements CloudSetup {
  static final String USUAL_REGION = "ap-southeast-1";

  private static final String BUCKET = "baton-state-";
  private static final String SCHEME = "oss://";

  @Override
  public String cloud() {
    return "aliyun";
  }

  @Override
  public Needs needs(HostEnvironment host, boolean newKeys) {
    return checked(
        () -> {
          CredentialsFile saved = CredentialsFile.in(host);
          CredentialsFile file = newKeys ? saved.forgiving() : saved;
          Optional<Keys> kept = Keys.elsewhere(host);
          Optional<Keys> keys = newKeys ? kept : Keys.found(host, file);
          return new Needs(
              List.of(new Field("Access key id", false), new Field("Access key secret", true)),
              keys.map(Keys::source),
              kept.isPresent(),
              Region.set(host, file),
              USUAL_REGION);
        });
  }

  @Override
  public Session open(HostEnvironment host, Given given) {
    return checked(() -> new Run(host, given));
  }

  private static <T> T checked(Supplier<T> work) {
    try {
      return work.get();
    } catch (IllegalArgumentException e) {
      throw BadSetting.of(e, "See `baton vm init --help`.");
    }
  }

  /** One run. */
  private static final class Run implements Session {
    private final HostEnvironment host;
    private final Optional<Keys.Pair> typed;
    private final CredentialsFile file;
    private final AlibabaAccount account;
    private final Optional<OssPlace> named;
    private final Sts sts;
    private final OssAccess access;
    private String accountId = "";

    Run(HostEnvironment host, Given given) {
      this.host = host;
      CredentialsFile saved = CredentialsFile.in(host);
      this.typed =
          given.keys().isEmpty()
              ? Optional.empty()
              : Optional.of(new Keys.Pair(given.keys().get(0), given.keys().get(1), ""));
      this.file = typed.isPresent() ? saved.forgiving() : saved;
      Keys keys =
          typed
              .map(pair -> Keys.given("your input", () -> pair))
              .or(() -> Keys.found(host, file))
              .orElseThrow(
                  () ->
                      new BadSetting.NoToken(
                          "there are no credentials for Alibaba Cloud",
                          "Run it in a terminal, set "
                              + Keys.ID
                              + " and "
                              + Keys.SECRET
                              + ", or give both with --credentials-stdin.",
                          null));
      this.account = AlibabaAccount.of(region(given), keys, Proxies.of(host.environment()));
      this.named =
          given
              .bucket()
              .map(b -> new OssPlace(b, ""))
              .or(() -> given.store().filter(s -> s.startsWith(SCHEME)).map(OssPlace::parse));
      this.sts = new Sts(host.environment(), account);
      this.access = OssAccess.of(host.environment(), account);
    }

    private String region(Given given) {
      Optional<String> asked = given.region().map(r -> Region.checked(r, "your input"));
      for (String variable : Region.VARIABLES) {
        String set = host.variable(variable).strip();
        if (!set.isEmpty()) {
          String there = Region.checked(set, variable);
          if (asked.filter(r -> !r.equals(there)).isPresent()) {
            throw new BadSetting(
                "the region is to be "
                    + asked.get()
                    + ", and "
                    + variable
                    + " is "
                    + there
                    + ", which comes first for every command",
                "Unset it, or choose " + there + ".");
          }
          return there;
        }
      }
      return asked
          .or(() -> Region.set(host, file))
          .orElseThrow(
              () ->
                  new BadSetting(
                      "the region of the bucket and the VMs is not set",
                      "Add --region NAME, such as --region " + USUAL_REGION + "."));
    }

    @Override
    public Done identify() throws VmException {
      accountId = sts.accountId();
      return new Done(
          "access key", "of account " + accountId + ", from " + account.source(), false);
    }

    @Override
    public String account() {
      return accountId;
    }

    @Override
    public String region() {
      return account.region();
    }

    @Override
    public Done place() throws VmException {
      String own = BUCKET + requireIdentified();
      String name = bucket().bucket();
      try (StateBucket bucket = new StateBucket(name, access)) {
        StateBucket.Ready ready = bucket.ensure(accountId, name.equals(own));
        String what =
            ready.created()
                ? "is created, private and encrypted"
                : ready.changed()
                    ? "is there, and is now "
                        + (ready.secured() && ready.encrypted()
                            ? "private and encrypted"
                            : ready.secured() ? "private" : "encrypted")
                    : "is there";
        return new Done("bucket", name + " in " + region() + " " + what, ready.changed());
      }
    }

    private String requireIdentified() {
      if (accountId.isEmpty()) {
        throw new IllegalStateException("the account is not known yet");
      }
      return accountId;
    }

    private OssPlace bucket() {
      return named.orElseGet(() -> new OssPlace(BUCKET + requireIdentified(), ""));
    }

    @Override
    public String store() {
      return bucket().address();
    }

    @Override
    public List<Done> save() throws VmException {
      boolean regionIsSet = Region.VARIABLES.stream().anyMatch(v -> !host.variable(v).isBlank());
      if (typed.isEmpty() && regionIsSet) {
        return List.of();
      }
      try {
        boolean changed = file.save(typed, region());
        boolean both = typed.isPresent() || file.hasKeys();
        return List.of(
            new Done(
                "credentials",
                (both ? "key and region" : "region")
                    + (changed ? " saved to " : both ? " are in " : " is in ")
                    + file
                    + ", for you alone to read",
                changed));
      } catch (IllegalArgumentException e) {
        throw BadSetting.of(e, "See `baton vm init --help`.");
      } catch (IOException e) {
        throw unwritten(e);
      }
    }

    @Override
    public Done sshKey(Optional<Path> earlier) throws VmException {
      try {
        return new SshFiles(host.home(), "baton").ensure(earlier);
      } catch (IOException e) {
        throw unwritten(e);
      }
    }

    private VmException unwritten(IOException e) {
      // Its message is the name of a file, or what the system says.
      return new VmException.FileFailed(
          "a file in " + file.path().getParent() + " cannot be read or written: " + e.getMessage(),
          "Check whose files they are and that the disk has space left, and run `baton vm init`"
              + " again: it goes on where it stopped.");
    }
  }
}
