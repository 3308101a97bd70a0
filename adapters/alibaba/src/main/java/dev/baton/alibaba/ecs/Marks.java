package dev.baton.alibaba.ecs;

import dev.baton.vm.spi.Owner;
import dev.baton.vm.spi.Request;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * How a resource says whose it is, from the moment of its creation on:
 *
 * <ul>
 *   <li>its name is {@code baton-SPACE-VM}, with an underscore and a hash after it where names must
 *       differ;
 *   <li>its description is the same, a space and the client token;
 *   <li>its tags say both again, and the space alone, which is what can be searched for. Networks,
 *       subnets and addresses cannot have tags when they are created.
 * </ul>
 */
final class Marks {
  static final String OWNER = "baton-owner";
  static final String SPACE = "baton-space";
  static final String TOKEN = "baton-token";

  /** On an instance: the invocation of the script that was run last, or {@link #NONE}. */
  static final String SCRIPT = "baton-script";

  static final String SCRIPT_TOKEN = "baton-script-token";

  /** When it was run. */
  static final String SCRIPT_AT = "baton-script-at";

  static final String SCRIPT_PRINT = "baton-script-print";
  static final String NONE = "none";

  private static final int LONGEST_TOKEN = 64;

  private Marks() {}

  static String name(Request request) {
    return request.owner().tag();
  }

  /**
   * Where two of a kind cannot have the same name. An underscore is in no name of a VM, and every
   * edition of the documentation allows it, which is not so of a dot.
   */
  static String uniqueName(Request request, String more) {
    return name(request) + "_" + hash(request.token() + "\n" + more).substring(0, 16);
  }

  static String description(Request request) {
    return request.owner().tag() + " " + request.token();
  }

  static Map<String, String> tags(Request request) {
    Map<String, String> tags = new LinkedHashMap<>();
    tags.put(OWNER, request.owner().tag());
    tags.put(SPACE, request.owner().space());
    tags.put(TOKEN, request.token());
    return tags;
  }

  /** At most 64 ASCII characters, the same for the same token and part. */
  static String clientToken(Request request, String part) {
    String token = request.token();
    boolean fits = part.isEmpty() && token.length() <= LONGEST_TOKEN && token.matches("[!-~]+");
    return fits ? token : hash(token + "\n" + part);
  }

  /** A tag decides alone; without one the description does, and then the name. */
  static Optional<Owner> owner(Map<String, String> tags, String description, String name) {
    String tag = tags.get(OWNER);
    if (tag != null) {
      return Owner.of(tag);
    }
    Optional<Owner> described = Owner.of(description.split(" ", 2)[0]);
    return described.isPresent() ? described : Owner.of(name.split("_", 2)[0]);
  }

  static Optional<String> token(Map<String, String> tags, String description) {
    String tag = tags.get(TOKEN);
    if (tag != null) {
      return Optional.of(tag);
    }
    String[] parts = description.split(" ", 2);
    return parts.length == 2 && Owner.of(parts[0]).isPresent()
        ? Optional.of(parts[1])
        : Optional.empty();
  }

  static String hash(String text) {
    try {
      return HexFormat.of()
          .formatHex(
              MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
