package dev.baton.maven.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.maven.model.Plugin;
import org.junit.jupiter.api.Test;

class GoalPatternTest {

  private static Plugin plugin(String group, String artifact) {
    Plugin plugin = new Plugin();
    plugin.setGroupId(group);
    plugin.setArtifactId(artifact);
    return plugin;
  }

  @Test
  void aPrefixFollowsFromTheNameOfAPlugin() {
    GoalPattern deploy = GoalPattern.of("deploy:deploy");
    assertThat(deploy.isPlugin(plugin("org.apache.maven.plugins", "maven-deploy-plugin"))).isTrue();
    assertThat(deploy.isPlugin(plugin("com.example", "deploy-maven-plugin"))).isTrue();
    assertThat(deploy.isPlugin(plugin("com.example", "maven-deploy-plugin-extra"))).isFalse();
    GoalPattern whole = GoalPattern.of("com.example:shelf:put");
    assertThat(whole.isPlugin(plugin("com.example", "shelf"))).isTrue();
    assertThat(whole.isPlugin(plugin("com.other", "shelf"))).isFalse();
  }

  @Test
  void aTaskOfTheCommandLineNamesAGoal() {
    GoalPattern deploy = GoalPattern.of("deploy:deploy");
    assertThat(deploy.isTask("deploy:deploy")).isTrue();
    assertThat(deploy.isTask("deploy:deploy@later")).isTrue();
    assertThat(deploy.isTask("org.apache.maven.plugins:maven-deploy-plugin:3.1.4:deploy")).isTrue();
    assertThat(deploy.isTask("deploy")).isFalse();
    assertThat(deploy.isTask("deploy:deploy-file")).isFalse();
    assertThat(GoalPattern.of("deploy:*").isTask("deploy:deploy-file")).isTrue();
  }

  @Test
  void anythingElseIsRefused() {
    for (String bad : new String[] {"deploy", ":deploy", "a:b:c:d", "deploy:", "*:deploy"}) {
      assertThatThrownBy(() -> GoalPattern.of(bad)).as(bad).isInstanceOf(BadConfiguration.class);
    }
  }
}
