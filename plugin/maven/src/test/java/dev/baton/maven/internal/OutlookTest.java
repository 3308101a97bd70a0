package dev.baton.maven.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.apache.maven.execution.DefaultMavenExecutionRequest;
import org.apache.maven.execution.DefaultMavenExecutionResult;
import org.apache.maven.execution.MavenExecutionRequest;
import org.apache.maven.execution.MavenSession;
import org.apache.maven.model.Build;
import org.apache.maven.model.Plugin;
import org.apache.maven.model.PluginExecution;
import org.apache.maven.project.MavenProject;
import org.eclipse.aether.DefaultRepositorySystemSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OutlookTest {

  private final MavenProject project = new MavenProject();

  /** A build with one more plugin that says nothing about Baton. */
  private void binds(String artifact, String goal, String phase) {
    PluginExecution execution = new PluginExecution();
    execution.setId("default-" + goal);
    execution.addGoal(goal);
    execution.setPhase(phase);
    Plugin plugin = new Plugin();
    plugin.setArtifactId(artifact);
    plugin.addExecution(execution);
    if (project.getBuild() == null) {
      project.setBuild(new Build());
    }
    project.getBuild().addPlugin(plugin);
  }

  @SuppressWarnings("deprecation") // Maven has no other constructor for tests
  private boolean isGuarded(String... tasks) {
    project.setGroupId("test");
    project.setArtifactId("app");
    project.setVersion("1");
    MavenExecutionRequest request = new DefaultMavenExecutionRequest();
    request.setGoals(List.of(tasks));
    MavenSession session =
        new MavenSession(
            null, new DefaultRepositorySystemSession(), request, new DefaultMavenExecutionResult());
    session.setProjects(List.of(project));
    return new Outlook(session, new ProjectSettings(session)).isGuarded();
  }

  @ParameterizedTest
  @CsvSource({
    "deploy, true",
    "clean deploy, true",
    "verify, false",
    "clean, false",
    "deploy:deploy, true",
    "org.apache.maven.plugins:maven-deploy-plugin:3.1.4:deploy, true",
    "deploy:help, false",
    "baton:run, true",
    "baton:status, false",
  })
  void aDeploymentIsExpectedWhenItsPhaseIsReached(String tasks, boolean guarded) {
    binds("maven-compiler-plugin", "compile", "compile");
    binds("maven-deploy-plugin", "deploy", "deploy");
    assertThat(isGuarded(tasks.split(" "))).isEqualTo(guarded);
  }

  @Test
  void aGoalWithoutAPhaseMayRunInAny() {
    binds("nexus-staging-maven-plugin", "deploy", null);
    assertThat(isGuarded("verify")).isTrue();
  }

  @Test
  void theDefaultGoalCounts() {
    binds("maven-deploy-plugin", "deploy", "deploy");
    project.getBuild().setDefaultGoal("clean deploy");
    assertThat(isGuarded()).isTrue();
  }

  @Test
  void nothingIsExpectedOfABuildThatPublishesNothing() {
    assertThat(isGuarded("deploy")).isFalse();
  }
}
