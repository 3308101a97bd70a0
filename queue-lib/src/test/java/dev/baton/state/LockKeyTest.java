package dev.baton.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.core.Checks;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LockKeyTest {

  @Test
  void thereAreThreeFormats() {
    StateKey state = new StateKey("user-platform", "production");
    assertThat(LockKey.parse("stack:user-platform:env:production")).isEqualTo(state.lock());
    LockKey service = LockKey.parse("stack:user-platform:env:production:service:user-service");
    assertThat(service).isEqualTo(new LockKey(state, LockLevel.SERVICE, "user-service"));
    LockKey component =
        LockKey.parse("stack:user-platform:env:production:component:user-service/api");
    assertThat(component).isEqualTo(new LockKey(state, LockLevel.COMPONENT, "user-service/api"));
    assertThat(Set.of(state.lock().queueName(), service.queueName(), component.queueName()))
        .hasSize(3);
  }

  /** These names are where queues are kept: another mapping would lose them. */
  @Test
  void theNamesOfQueuesStayWhatTheyAre() {
    assertThat(LockKey.parse("stack:user-platform:env:production").queueName())
        .isEqualTo("user-platform-production-" + QUEUE_HASH);
  }

  private static final String QUEUE_HASH =
      dev.baton.store.Documents.sha256("stack:user-platform:env:production").substring(0, 8);

  @ParameterizedTest
  @ValueSource(
      strings = {
        "stack:..:env:production",
        "stack:a..b:env:production",
        "stack:a/b:env:production",
        "stack:shop:env:",
        "stack::env:x",
        "stack:shop:env:pro\nduction",
        "stack:shop:env:pro\u0000duction",
        "stack:.shop:env:production",
        "stack:shop.:env:production",
        "stack:shop:env:production:service:a/b",
        "stack:shop:env:production:component:a//b",
        "stack:shop:env:production:component:/b",
        "stack:shop:env:production:component:a/../b",
        "stack:shop:env:production:component:a/b/c/d/e/f",
        "stack:shop:env:production:other:a",
        "stack:shop",
        "",
      })
  void whatCouldLeadElsewhereIsRefused(String text) {
    assertThatThrownBy(() -> LockKey.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageNotContainingAny("\n", "\u0000");
  }

  @Provide
  Arbitrary<LockKey> keys() {
    Arbitrary<String> names =
        Arbitraries.strings()
            .withCharRange('a', 'c')
            .withChars('A', '9', '.', '-', '_')
            .ofMinLength(1)
            .ofMaxLength(63)
            .filter(name -> name.matches("(?!.*\\.\\.)[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?"));
    Arbitrary<StateKey> states = Combinators.combine(names, names).as(StateKey::new);
    return Arbitraries.oneOf(
        states.map(StateKey::lock),
        Combinators.combine(states, names).as((s, n) -> new LockKey(s, LockLevel.SERVICE, n)),
        Combinators.combine(states, names, names)
            .as((s, a, b) -> new LockKey(s, LockLevel.COMPONENT, a + "/" + b)));
  }

  @Property(tries = 300)
  void aKeyIsReadBackAndHasAQueue(@ForAll("keys") LockKey key) {
    assertThat(LockKey.parse(key.text())).isEqualTo(key);
    assertThat(Checks.isQueueName(key.queueName())).as(key.queueName()).isTrue();
  }

  @Test
  void keysThatLookAlikeHaveQueuesOfTheirOwn() {
    List<String> names = new ArrayList<>();
    for (String text :
        List.of(
            "stack:a-b:env:c",
            "stack:a:env:b-c",
            "stack:a.b:env:c",
            "stack:a_b:env:c",
            "stack:A-b:env:c",
            "stack:a:env:b:service:c",
            "stack:a:env:b:component:c")) {
      names.add(LockKey.parse(text).queueName());
    }
    assertThat(new HashSet<>(names)).hasSize(names.size());
  }
}
