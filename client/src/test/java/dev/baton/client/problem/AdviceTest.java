package dev.baton.client.problem;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.client.settings.Setting;
import dev.baton.core.BadSetting;
import dev.baton.core.Problem;
import dev.baton.core.Problem.Kind;
import dev.baton.queue.QueueException;
import dev.baton.store.StoreException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class AdviceTest {

  private static final Vocabulary WORDS =
      new Vocabulary() {
        @Override
        public String command(String command) {
          return "<" + command + ">";
        }

        @Override
        public String setting(Setting setting) {
          return "[" + setting.id() + "]";
        }
      };

  @ParameterizedTest
  @EnumSource(Kind.class)
  void everyKindHasAdvice(Kind kind) {
    assertThat(Advice.on(new Problem(kind, "it broke"), WORDS).next()).endsWith(".");
  }

  @Test
  void adviceUsesTheWordsOfTheFrontEnd() {
    assertThat(Advice.on(new QueueException.NotInitialised("X"), WORDS))
        .isEqualTo(
            new Problem(
                Kind.NOT_INITIALISED,
                "there is no queue in X",
                "Create it with <init>, or choose another with [store] and [queue]."));
  }

  @Test
  void whatALibraryAdvisesCounts() {
    StoreException failure = new StoreException("cannot read X", "Look at it.", null);
    assertThat(Advice.on(new QueueException(failure), WORDS)).isEqualTo(failure.problem());
  }

  @Test
  void aBadSettingBelowTheStoreIsWhatIsTold() {
    BadSetting bad = new BadSetting.NoToken("the token file is gone", "Put it back.", null);
    assertThat(Advice.on(new QueueException(new StoreException("no answer", bad)), WORDS))
        .isEqualTo(bad.problem());
  }

  @Test
  void whatNobodyHasThoughtOfIsSaidToBeUnexpected() {
    assertThat(Advice.on(new IllegalStateException("oh"), WORDS).kind()).isEqualTo(Kind.UNEXPECTED);
    assertThat(Advice.on(new IllegalArgumentException("no"), WORDS).kind()).isEqualTo(Kind.USAGE);
  }
}
