package dev.baton.alibaba.ecs;

import dev.baton.core.BadSetting;
import dev.baton.core.Checks;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Where the API is, if not where Alibaba Cloud's clients look for it.
 *
 * @param ecs a host, perhaps with a port; empty: the one of the region
 * @param vpc the same
 * @param plain without TLS; on loopback only
 */
record Endpoints(String ecs, String vpc, boolean plain) {
  static final String ECS = "BATON_ECS_ENDPOINT";
  static final String VPC = "BATON_VPC_ENDPOINT";
  static final Endpoints OF_THE_REGION = new Endpoints("", "", false);

  private static final Pattern FORM =
      Pattern.compile("(?:(https?)://)?([A-Za-z0-9.-]+(?::\\d{1,5})?)/?");

  Endpoints {
    Objects.requireNonNull(ecs, "ecs");
    Objects.requireNonNull(vpc, "vpc");
  }

  /** Both on one server of this machine. */
  static Endpoints onLoopback(String address) {
    return new Endpoints(address, address, true);
  }

  /**
   * @throws IllegalArgumentException saying what is wrong, and what to do
   */
  static Endpoints of(Map<String, String> environment) {
    String ecs = environment.getOrDefault(ECS, "").strip();
    String vpc = environment.getOrDefault(VPC, "").strip();
    boolean plain = ecs.startsWith("http://") || vpc.startsWith("http://");
    return new Endpoints(host(ecs, ECS, plain), host(vpc, VPC, plain), plain);
  }

  private static String host(String text, String variable, boolean plain) {
    if (text.isEmpty() && !plain) {
      return "";
    }
    Matcher m = FORM.matcher(text);
    if (!m.matches()) {
      throw new BadSetting(
          (text.contains("@") ? "what it says" : Checks.shown(text))
              + " ("
              + variable
              + ") is not an endpoint",
          "Use https://HOST for both " + ECS + " and " + VPC + ", or neither.");
    }
    boolean loopback = m.group(2).matches("(localhost|127(\\.\\d{1,3}){3})(:\\d+)?");
    if (plain && !loopback) {
      throw new BadSetting(
          Checks.shown(text) + " (" + variable + ") would send everything for all to read",
          "Use https.");
    }
    return m.group(2);
  }
}
