package dev.baton.vm;

import java.time.Instant;
import java.util.Objects;

/**
 * A resource that nobody needs and that is still to be deleted.
 *
 * @param why it is not needed, or why it would not go
 */
public record Cleanup(Kind kind, String id, String why, Instant since) {

  public Cleanup {
    Objects.requireNonNull(kind, "kind");
    Texts.id("id", id);
    why = Texts.error(why);
    Objects.requireNonNull(since, "since");
  }

  public boolean isSameAs(Kind otherKind, String otherId) {
    return kind == otherKind && id.equals(otherId);
  }

  @Override
  public String toString() {
    return kind.words() + " " + id + " (" + why + ")";
  }
}
