package dev.baton.build;

import org.gradle.api.logging.Logger;
import org.gradle.api.logging.Logging;
import org.gradle.api.tasks.testing.TestDescriptor;
import org.gradle.api.tasks.testing.TestListener;
import org.gradle.api.tasks.testing.TestResult;

/** Says in a line what a test task came to. */
public final class TestCount implements TestListener {
  private static final Logger LOG = Logging.getLogger(TestCount.class);

  private final String task;

  public TestCount(String task) {
    this.task = task;
  }

  @Override
  public void beforeSuite(TestDescriptor suite) {}

  @Override
  public void afterSuite(TestDescriptor suite, TestResult result) {
    if (suite.getParent() == null) {
      LOG.lifecycle(
          "{}: {} passed, {} failed, {} skipped",
          task,
          result.getSuccessfulTestCount(),
          result.getFailedTestCount(),
          result.getSkippedTestCount());
    }
  }

  @Override
  public void beforeTest(TestDescriptor test) {}

  @Override
  public void afterTest(TestDescriptor test, TestResult result) {}
}
