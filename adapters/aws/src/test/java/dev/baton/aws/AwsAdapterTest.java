package dev.baton.aws;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.core.adapter.AdapterDescriptor.Variable;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What the descriptor says; AdaptersTest has what all must keep. */
class AwsAdapterTest {
  private static final Pattern DECIDES = Pattern.compile(".*(KEY|TOKEN|ROLE_ARN|FILE|ENDPOINT).*");

  private final List<Variable> variables = new AwsAdapter().descriptor().variables();

  @Test
  void keysAndWhereTheyGoAreSensitive() {
    assertThat(variables)
        .filteredOn(v -> DECIDES.matcher(v.name()).matches())
        .hasSize(11)
        .allMatch(Variable::sensitive);
  }
}
