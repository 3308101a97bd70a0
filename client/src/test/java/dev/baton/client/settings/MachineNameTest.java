package dev.baton.client.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.UnknownHostException;
import org.junit.jupiter.api.Test;

class MachineNameTest {

  @Test
  void aNameThatCannotBeResolvedIsStillKnown() {
    assertThat(
            MachineName.unresolved(new UnknownHostException("box: box: Name or service not known")))
        .isEqualTo("box");
    assertThat(MachineName.unresolved(new UnknownHostException())).isEqualTo("unknown");
  }
}
