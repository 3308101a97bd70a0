package dev.baton.alibaba.ecs;

import com.aliyun.ecs20140526.models.DescribeCloudAssistantStatusRequest;
import com.aliyun.ecs20140526.models.DescribeInvocationResultsRequest;
import com.aliyun.ecs20140526.models.RunCommandRequest;
import com.aliyun.ecs20140526.models.TagResourcesRequest;
import dev.baton.vm.Kind;
import dev.baton.vm.Trouble;
import dev.baton.vm.spi.Cancel;
import dev.baton.vm.spi.Found;
import dev.baton.vm.spi.Phase;
import dev.baton.vm.spi.ProviderException;
import dev.baton.vm.spi.Request;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Scripts on machines, by Cloud Assistant.
 *
 * <p>ECS forgets invocations after some weeks and has no way to delete them. So the instance itself
 * has a tag that says which invocation made it what it is; the application is there as long as the
 * tag is. Its id is {@code INSTANCE/INVOCATION}.
 */
final class Scripts {
  /** Cloud Assistant takes this much, encoded. */
  static final int LONGEST = 18 * 1024;

  private static final long TIMEOUT_SECONDS = 840;
  private static final Duration ASSISTANT_PATIENCE = Duration.ofMinutes(5);
  private static final Duration LOOK = Duration.ofSeconds(5);

  /** Longer than Cloud Assistant takes to know of a task that it was given. */
  private static final Duration SILENCE = Duration.ofMinutes(5);

  /** Longer than any script takes. */
  private static final Duration LONG_AGO = Duration.ofHours(1);

  private static final Duration ANSWER_PATIENCE = Duration.ofMinutes(1);

  private final Api api;
  private final Machines machines;

  Scripts(Api api, Machines machines) {
    this.api = api;
    this.machines = machines;
  }

  static String encoded(String script) {
    return Base64.getEncoder().encodeToString(script.getBytes(StandardCharsets.UTF_8));
  }

  Found run(Request request, Cancel cancel) throws ProviderException, InterruptedException {
    String instance = request.parameters().getOrDefault(Kind.INSTANCE.key(), "");
    String script =
        request
            .payload()
            .orElseThrow(
                () -> new ProviderException(Trouble.BAD_REQUEST, "no script to run was given"));
    awaitAssistant(instance, cancel);
    String invocation =
        invoke(instance, script, Marks.clientToken(request, ""), TIMEOUT_SECONDS, cancel);
    String print = request.parameters().getOrDefault("fingerprint", "");
    mark(
        instance,
        Map.of(
            Marks.SCRIPT,
            invocation,
            Marks.SCRIPT_AT,
            CloudClock.SECONDS.format(api.clock.now()),
            Marks.SCRIPT_TOKEN,
            request.token(),
            Marks.SCRIPT_PRINT,
            print),
        cancel);
    return ListedResource.created(
        request, instance + "/" + invocation, Map.of("fingerprint", print));
  }

  /** A machine that has just come up takes no commands yet. */
  private void awaitAssistant(String instance, Cancel cancel)
      throws ProviderException, InterruptedException {
    DescribeCloudAssistantStatusRequest asked =
        new DescribeCloudAssistantStatusRequest()
            .setRegionId(api.region())
            .setInstanceId(List.of(instance));
    boolean up =
        Api.await(
            ASSISTANT_PATIENCE,
            LOOK,
            cancel,
            () ->
                api
                    .ask(
                        "look for Cloud Assistant",
                        cancel,
                        how -> api.ecs.describeCloudAssistantStatusWithOptions(asked, how))
                    .getBody()
                    .getInstanceCloudAssistantStatusSet()
                    .getInstanceCloudAssistantStatus()
                    .stream()
                    .anyMatch(s -> "true".equals(s.getCloudAssistantStatus())));
    if (!up) {
      throw new ProviderException(
          Trouble.BAD_REQUEST,
          "Cloud Assistant does not answer on "
              + instance
              + " after "
              + ASSISTANT_PATIENCE.toMinutes()
              + " minutes: use an image that has it");
    }
  }

  private String invoke(
      String instance, String script, String token, long timeoutSeconds, Cancel cancel)
      throws ProviderException, InterruptedException {
    RunCommandRequest asked =
        new RunCommandRequest()
            .setRegionId(api.region())
            .setInstanceId(List.of(instance))
            .setType("RunShellScript")
            .setName("baton")
            .setCommandContent(encoded(script))
            .setContentEncoding("Base64")
            .setKeepCommand(false)
            .setTimeout(timeoutSeconds)
            .setClientToken(token);
    return api.ask("run the script", cancel, how -> api.ecs.runCommandWithOptions(asked, how))
        .getBody()
        .getInvokeId();
  }

  private void mark(String instance, Map<String, String> tags, Cancel cancel)
      throws ProviderException, InterruptedException {
    TagResourcesRequest asked =
        new TagResourcesRequest()
            .setRegionId(api.region())
            .setResourceType("instance")
            .setResourceId(List.of(instance))
            .setTag(
                tags.entrySet().stream()
                    .map(
                        t ->
                            new TagResourcesRequest.TagResourcesRequestTag()
                                .setKey(t.getKey())
                                .setValue(t.getValue()))
                    .toList());
    api.ask("mark the instance", cancel, how -> api.ecs.tagResourcesWithOptions(asked, how));
  }

  /** What an instance's tags say about the script that made it what it is. */
  static Optional<Found> on(ListedResource instance, CloudClock clock) {
    String invocation = instance.tags().getOrDefault(Marks.SCRIPT, Marks.NONE);
    if (invocation.equals(Marks.NONE)) {
      return Optional.empty();
    }
    Found machine = instance.found(clock);
    return Optional.of(
        new Found(
            Kind.APPLICATION,
            instance.id() + "/" + invocation,
            Phase.READY,
            machine.owner(),
            Optional.ofNullable(instance.tags().get(Marks.SCRIPT_TOKEN)),
            machine.age(),
            Map.of("fingerprint", instance.tags().getOrDefault(Marks.SCRIPT_PRINT, ""))));
  }

  Optional<Found> describe(String id, Cancel cancel)
      throws ProviderException, InterruptedException {
    Optional<ListedResource> machine = machines.instance(instanceOf(id), cancel);
    Optional<Found> found = machine.flatMap(i -> on(i, api.clock)).filter(a -> a.id().equals(id));
    if (found.isEmpty()) {
      return found;
    }
    Found f = found.get();
    boolean done = isDone(machine.get(), id.substring(id.indexOf('/') + 1), cancel);
    return Optional.of(
        new Found(
            f.kind(),
            f.id(),
            done ? Phase.READY : Phase.PENDING,
            f.owner(),
            f.token(),
            f.age(),
            f.attributes()));
  }

  private Optional<Found> marked(String id, Cancel cancel)
      throws ProviderException, InterruptedException {
    return machines
        .instance(instanceOf(id), cancel)
        .flatMap(i -> on(i, api.clock))
        .filter(f -> f.id().equals(id));
  }

  private static String instanceOf(String id) {
    return id.split("/", 2)[0];
  }

  /**
   * @throws ProviderException when the script has failed
   */
  private boolean isDone(ListedResource machine, String invocation, Cancel cancel)
      throws ProviderException, InterruptedException {
    String instance = machine.id();
    Optional<Result> result;
    try {
      result = result(instance, invocation, cancel);
    } catch (ProviderException e) {
      if (e.trouble() == Trouble.NOT_FOUND) {
        return true; // so long ago that it is forgotten
      }
      throw e;
    }
    if (result.isEmpty()) {
      return isForgotten(machine, invocation);
    }
    if (result.get().isUnderWay()) {
      return false;
    }
    if (!result.get().status().equals("Success")) {
      // Without what it said: that may be a secret.
      throw new ProviderException(
          Trouble.BAD_REQUEST,
          "the script has failed on " + instance + ": " + result.get().why(),
          "What it said is in the console of ECS, Cloud Assistant, task " + invocation + ".");
    }
    return true;
  }

  /**
   * Of what is forgotten Cloud Assistant says as much as of what it does not know yet: nothing.
   *
   * @return false: it may still come to know of it
   */
  private boolean isForgotten(ListedResource machine, String invocation) throws ProviderException {
    String at = machine.tags().getOrDefault(Marks.SCRIPT_AT, "");
    Duration age = at.isEmpty() ? LONG_AGO : api.clock.age(at);
    if (age.compareTo(SILENCE) >= 0 && age.compareTo(LONG_AGO) < 0) {
      throw new ProviderException(
          Trouble.BAD_REQUEST,
          "Cloud Assistant knows nothing of task "
              + invocation
              + " on "
              + machine.id()
              + " after "
              + age.toMinutes()
              + " minutes: run the script again");
    }
    return age.compareTo(LONG_AGO) >= 0;
  }

  private record Result(String status, String error, Long exitCode, String output) {
    boolean isUnderWay() {
      return List.of("Pending", "Scheduled", "Running", "Stopping", "").contains(status);
    }

    String why() {
      return exitCode != null && exitCode != 0
          ? "exit code " + exitCode
          : error.isEmpty() ? status : error;
    }
  }

  private Optional<Result> result(String instance, String invocation, Cancel cancel)
      throws ProviderException, InterruptedException {
    DescribeInvocationResultsRequest asked =
        new DescribeInvocationResultsRequest()
            .setRegionId(api.region())
            .setInvokeId(invocation)
            .setInstanceId(instance);
    return api
        .ask(
            "look at the script",
            cancel,
            how -> api.ecs.describeInvocationResultsWithOptions(asked, how))
        .getBody()
        .getInvocation()
        .getInvocationResults()
        .getInvocationResult()
        .stream()
        .filter(r -> instance.equals(r.getInstanceId()))
        .map(
            r ->
                new Result(
                    ListedResource.text(r.getInvocationStatus()),
                    ListedResource.text(r.getErrorCode()),
                    r.getExitCode(),
                    ListedResource.text(r.getOutput())))
        .findFirst();
  }

  /** The machine stays as it is; nobody takes it for an application any more. */
  void forget(String id, Cancel cancel) throws ProviderException, InterruptedException {
    if (marked(id, cancel).isEmpty()) {
      throw new ProviderException(Trouble.NOT_FOUND, "application " + id + " does not exist");
    }
    mark(instanceOf(id), Map.of(Marks.SCRIPT, Marks.NONE), cancel);
  }

  /** What a command says, by a way that only this account has. */
  String ask(String instance, String command, Cancel cancel)
      throws ProviderException, InterruptedException {
    awaitAssistant(instance, cancel);
    String token = Marks.hash(instance + "\n" + command + "\n" + System.nanoTime());
    String invocation = invoke(instance, command, token, 60, cancel);
    Result[] last = {null};
    boolean done =
        Api.await(
            ANSWER_PATIENCE,
            Duration.ofSeconds(1),
            cancel,
            () -> {
              last[0] = result(instance, invocation, cancel).orElse(null);
              return last[0] != null && !last[0].isUnderWay();
            });
    if (!done || !last[0].status().equals("Success")) {
      throw new ProviderException(
          Trouble.UNAVAILABLE,
          "a command on " + instance + " has not succeeded, task " + invocation);
    }
    try {
      return new String(Base64.getDecoder().decode(last[0].output()), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      return "";
    }
  }
}
