package dev.baton.vm;

import dev.baton.core.Checks;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;

/**
 * A resource that is about to be created. It is in the journal before the cloud is asked, so
 * whoever comes after a crash can ask again with the same token and gets the same resource.
 *
 * @param token the provider's proof that two requests are one
 * @param parameters everything that the request says; a replay must say the same. No secrets
 */
public record Intent(Kind kind, String token, Map<String, String> parameters, Instant at) {

  public static final int MAX_TOKEN = 64;

  public Intent {
    Objects.requireNonNull(kind, "kind");
    Checks.line("token", token, 8, MAX_TOKEN);
    if (!token.chars().allMatch(c -> c > ' ' && c < 127)) {
      throw new IllegalArgumentException("token must be ASCII without spaces: " + token);
    }
    parameters = Texts.fields("parameters", parameters);
    Objects.requireNonNull(at, "at");
  }
}
