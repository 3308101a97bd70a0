package dev.baton.client.queue;

import dev.baton.client.adapter.Extensions;
import dev.baton.client.identity.WorkflowRun;
import dev.baton.client.settings.Host;
import dev.baton.core.BadSetting;
import dev.baton.core.adapter.AdapterDescriptor;
import dev.baton.core.probe.Probe;
import dev.baton.core.probe.ProbeClock;
import dev.baton.core.probe.ProbeOutcome;
import dev.baton.core.probe.Probeable;
import dev.baton.queue.github.GitHubPlace;
import dev.baton.queue.github.GitHubSpace;
import dev.baton.queue.github.probe.GitHubProbe;
import java.util.List;
import java.util.Optional;

/** Probes of the service that keeps a queue. */
public final class Probes {

  private Probes() {}

  /**
   * Nothing is asked of the service yet.
   *
   * @param withIssue whether an issue may be made on GitHub
   * @throws BadSetting when the queue is kept by no service
   */
  public static Probe of(OpenQueue open, Host host, boolean withIssue) {
    if (open.github().isPresent()) {
      return onGitHub(open.github().get(), host, withIssue);
    }
    if (open.space() instanceof Probeable probeable) {
      return probeable.probe();
    }
    throw new BadSetting(
        "there is no probe for " + open.place().store(),
        "Name a service: "
            + Extensions.orOf(host.extensions().addresses(AdapterDescriptor.Use.PROBE))
            + ".");
  }

  private static GitHubProbe onGitHub(GitHubSpace space, Host host, boolean withIssue) {
    return new GitHubProbe(
        space.place(),
        space.transport(),
        ProbeClock.SYSTEM,
        withIssue,
        WorkflowRun.of(host.environment()).map(WorkflowRun::thisJob),
        host.variable("RUNNER_NAME"));
  }

  /**
   * What two more reads of the queue tell about the service; nothing is written.
   *
   * @return empty where that tells nothing
   */
  public static List<ProbeOutcome> glance(OpenQueue open) throws InterruptedException {
    Optional<GitHubSpace> github =
        open.github().filter(space -> space.place().mode() == GitHubPlace.Mode.GIT);
    return github.isEmpty()
        ? List.of()
        : new GitHubProbe(
                github.get().place(),
                github.get().transport(),
                ProbeClock.SYSTEM,
                false,
                Optional.empty(),
                "")
            .glance();
  }
}
