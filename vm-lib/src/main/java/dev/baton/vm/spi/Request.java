package dev.baton.vm.spi;

import dev.baton.vm.Kind;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * A resource that is to be created.
 *
 * @param parameters from {@link Provider#plan}, perhaps by an earlier process
 * @param token the same for each attempt at this one resource
 * @param payload what must not be written anywhere, such as a script with a secret in it
 */
public record Request(
    Kind kind,
    Map<String, String> parameters,
    String token,
    Owner owner,
    Optional<String> payload) {

  public Request {
    Objects.requireNonNull(kind, "kind");
    parameters = Collections.unmodifiableMap(new LinkedHashMap<>(parameters));
    Objects.requireNonNull(token, "token");
    Objects.requireNonNull(owner, "owner");
    Objects.requireNonNull(payload, "payload");
  }

  @Override
  public String toString() {
    return "Request[" + kind.words() + ", " + parameters + ", " + token + ", " + owner.tag() + "]";
  }
}
