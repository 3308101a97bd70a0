package dev.baton.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.baton.queue.BuildResult.Ending;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BuildResultTest {

  @ParameterizedTest
  @CsvSource({"1, FAILED", "127, FAILED", "130, CANCELLED", "137, FAILED", "143, CANCELLED"})
  void anExitCodeTellsHowACommandEnded(int code, Ending ending) {
    assertThat(BuildResult.exited(code)).isEqualTo(new BuildResult(ending, Optional.of(code)));
  }

  @Test
  void onlyWhatCameToNothingHasAnExitCode() {
    assertThat(BuildResult.exited(0)).isEqualTo(BuildResult.SUCCEEDED);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new BuildResult(Ending.SUCCEEDED, Optional.of(1)));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new BuildResult(Ending.FAILED, Optional.of(0)));
  }
}
