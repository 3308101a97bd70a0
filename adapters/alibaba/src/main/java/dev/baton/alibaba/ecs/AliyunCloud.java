package dev.baton.alibaba.ecs;

import dev.baton.core.BadSetting;
import dev.baton.core.Checkout;
import dev.baton.core.HostEnvironment;
import dev.baton.vm.DeploySpec;
import dev.baton.vm.Kind;
import dev.baton.vm.Resource;
import dev.baton.vm.Trouble;
import dev.baton.vm.VmException;
import dev.baton.vm.VmState;
import dev.baton.vm.spi.Access;
import dev.baton.vm.spi.Cancel;
import dev.baton.vm.spi.Cloud;
import dev.baton.vm.spi.Provider;
import dev.baton.vm.spi.ProviderException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Alibaba Cloud, open for use. */
final class AliyunCloud implements Cloud {
  private static final Pattern HOST_KEY =
      Pattern.compile("(?m)^(ssh-ed25519|ecdsa-sha2-nistp256|ssh-rsa) ([A-Za-z0-9+/=]+)");
  private static final String ASK_HOST_KEY =
      "cat /etc/ssh/ssh_host_ed25519_key.pub /etc/ssh/ssh_host_ecdsa_key.pub"
          + " /etc/ssh/ssh_host_rsa_key.pub 2>/dev/null || true";

  private static final Cancel NEVER =
      new Cancel() {
        @Override
        public void check() {
          // nothing is changed, so nothing can be lost
        }

        @Override
        public void pause(Duration time) throws InterruptedException {
          Thread.sleep(time.toMillis());
        }
      };

  private final String region;
  private final AliyunSettings settings;
  private final AliyunProvider provider;
  private final Path home;
  private final Path directory;
  private final Map<String, String> hostKeys = new ConcurrentHashMap<>();

  AliyunCloud(
      String region, AliyunSettings settings, AliyunProvider provider, HostEnvironment host) {
    this.region = region;
    this.settings = settings;
    this.provider = provider;
    this.home = host.home();
    this.directory = host.directory();
  }

  @Override
  public Provider provider() {
    return provider;
  }

  /** Whoever has the key of {@code baton vm init} may log in. */
  @Override
  public DeploySpec defaults() {
    DeploySpec spec = DeploySpec.of(region, settings.types());
    Path key = home.resolve(".baton/ssh_key.pub");
    if (!Files.isRegularFile(key)) {
      return spec;
    }
    Checkout.requireOutside(key, directory);
    try {
      return spec.withPublicKey(Files.readString(key).strip());
    } catch (IOException | IllegalArgumentException e) {
      throw new BadSetting(
          "the public key in " + key + " cannot be read",
          "Move it away and run `baton vm init`, or correct it.",
          e);
    }
  }

  /**
   * By SSH, to a machine that is known by its own key before the first connection; from the
   * addresses that are given now, whatever was given when it was deployed.
   */
  @Override
  public Access access(VmState state) throws VmException {
    String address =
        state
            .resource(Kind.ADDRESS)
            .map(r -> r.attributes().get("ip"))
            .orElseThrow(() -> missing("address"));
    Resource instance = state.resource(Kind.INSTANCE).orElseThrow(() -> missing("instance"));
    Resource group =
        state.resource(Kind.SECURITY_GROUP).orElseThrow(() -> missing("security group"));
    letIn(group.id());
    String hostKey =
        Optional.ofNullable(instance.attributes().get("host_key"))
            .or(() -> Optional.ofNullable(hostKeys.get(instance.id())))
            .orElse("");
    if (hostKey.isEmpty()) {
      hostKey = ask(instance.id());
      hostKeys.put(instance.id(), hostKey);
    }
    return new Access.Ssh(address, 22, "root", home.resolve(".baton/ssh_key"), hostKey);
  }

  private static VmException missing(String what) {
    return new VmException.CloudFailed(
        Trouble.NOT_FOUND, "the VM has no " + what, "Run `deploy`: it makes a new one.", null);
  }

  /** Beside the lock: a rule that is there already changes nothing, and none is taken away. */
  private void letIn(String group) throws VmException {
    if (settings.sshFrom().isEmpty()) {
      throw new VmException.CloudFailed(
          Trouble.BAD_REQUEST,
          "nothing lets SSH in",
          "Set " + AliyunSettings.SSH_FROM + "=YOUR.ADDRESS and try again.",
          null);
    }
    try {
      provider.accessResources().letSshIn(group, settings.sshFrom(), NEVER);
    } catch (ProviderException e) {
      throw new VmException.CloudFailed(e.trouble(), e.problem().then("SSH needs it."), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new VmException.CloudFailed(
          Trouble.UNAVAILABLE, "interrupted while letting SSH in", "Try again.", null);
    }
  }

  /** Through Cloud Assistant: nobody between here and the machine can answer instead of it. */
  private String ask(String instance) throws VmException {
    String said;
    try {
      said = provider.scripts().ask(instance, ASK_HOST_KEY, NEVER);
    } catch (ProviderException e) {
      throw new VmException.CloudFailed(
          e.trouble(),
          e.problem()
              .within("the SSH host key of " + instance + " is not available: ")
              .then("Try again; without it the machine that answers could be another one."),
          e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new VmException.CloudFailed(
          Trouble.UNAVAILABLE, "interrupted while asking for the SSH host key", "Try again.", null);
    }
    Matcher m = HOST_KEY.matcher(said);
    if (!m.find()) {
      throw new VmException.CloudFailed(
          Trouble.BAD_REQUEST,
          "instance " + instance + " has no SSH host key",
          "Use an image with an SSH server.",
          null);
    }
    return m.group(1) + " " + m.group(2);
  }

  @Override
  public void close() {
    // The clients keep idle connections that close by themselves.
  }
}
