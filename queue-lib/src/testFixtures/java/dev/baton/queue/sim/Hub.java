package dev.baton.queue.sim;

import dev.baton.queue.github.GitHubSpace;
import dev.baton.queue.github.SimulatedNetwork;
import dev.baton.queue.github.SimulatedNetwork.Reply;
import dev.baton.queue.github.SimulatedNetwork.Request;
import dev.baton.store.Snapshot;
import dev.baton.store.StoreSpace;
import dev.baton.store.Version;
import dev.baton.store.WriteResult;
import java.io.IOException;
import java.net.SocketException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * A GitHub in front of the {@link Cloud}: files on branches over HTTP, as far as a queue in git
 * mode asks for them. Now and then it gives an answer that is false or in words that nobody knows.
 * The store, its doubts and the HTTP client in front of it are the real ones.
 */
final class Hub {

  /** Answers that are not what they should be, one at a time. */
  private enum Odd {
    BAD_CREDENTIALS(401, "Bad credentials", false),
    FORBIDDEN(403, "Resource not accessible by integration", false),
    FORBIDDEN_IN_OTHER_WORDS(403, "The gnomes are on strike", false),
    NOT_FOUND(404, "Not Found", false),
    GONE(410, "This is no more", false),
    TEAPOT(418, "I am a teapot", false),
    CONFLICT_IN_OTHER_WORDS(409, "Somebody has been here, try again", false),
    CONFLICT_AND_WRITTEN(409, "Somebody has been here, try again", true),
    REFUSED_FALSELY(
        409, "queue.json does not match 0123456789012345678901234567890123456789", false),
    REFUSED_AND_WRITTEN(
        409, "queue.json does not match 0123456789012345678901234567890123456789", true),
    MOVED_ON(409, "is at 0123 but expected 4567", false),
    UNPROCESSABLE(422, "Update is not what we hoped for", false),
    UNPROCESSABLE_AND_WRITTEN(422, "Update is not what we hoped for", true),
    LEGAL(451, "Unavailable for reasons", false),
    REDIRECT(301, "Moved Permanently", false),
    SERVER_ERROR(500, "Server Error", true),
    BAD_GATEWAY(502, "", false),
    UNAVAILABLE_FOR_A_WHILE(503, "Come back later", false),
    TOO_MANY(429, "You have exceeded a secondary rate limit", false),
    HOUR_IS_SPENT(403, "API rate limit exceeded", false),
    PAGE_OF_A_PROXY(200, "<html>Please log in</html>", false),
    GARBLED(200, "{\"content\": {\"sha\"", true),
    OTHER_OBJECT(200, "{\"hello\": \"world\"}", true),
    EMPTY(200, "", true),
    CUT_OFF(200, "{\"content\":", true);

    private final int status;
    private final String says;

    /** Whether a write was carried out all the same. */
    private final boolean carriedOut;

    Odd(int status, String says, boolean carriedOut) {
      this.status = status;
      this.says = says;
      this.carriedOut = carriedOut;
    }

    Reply reply(Chance chance) {
      Map<String, String> headers = new LinkedHashMap<>();
      boolean page = this == PAGE_OF_A_PROXY || this == BAD_GATEWAY;
      headers.put("Content-Type", page ? "text/html" : "application/json");
      if (this == REDIRECT) {
        headers.put("Location", "http://127.0.0.1:2/elsewhere");
      } else if (this == TOO_MANY) {
        headers.put("Retry-After", Integer.toString(chance.between(30, 1_200)));
      } else if (this == UNAVAILABLE_FOR_A_WHILE) {
        headers.put("Retry-After", "30");
      } else if (this == HOUR_IS_SPENT) {
        headers.put("X-RateLimit-Remaining", "0");
        headers.put("X-RateLimit-Limit", "1000");
        headers.put("X-RateLimit-Reset", "1767229200");
      }
      String body = status == 200 || page ? says : SimulatedNetwork.json(Map.of("message", says));
      return new Reply(status, headers, body, this == CUT_OFF);
    }
  }

  private static final Map<String, String> JSON = Map.of("Content-Type", "application/json");
  private static final Duration LEAST = Duration.ofSeconds(120);
  private static final Duration MOST = Duration.ofSeconds(300);
  private static final Duration GIVE_UP = Duration.ofSeconds(12);

  private final Simulation sim;
  private final Cloud cloud;
  private final Chance chance;
  private final Set<String> branches = new HashSet<>();
  private final Map<Process, GitHubSpace> spaces = new HashMap<>();
  private long nextOdd;

  Hub(Simulation sim, Cloud cloud) {
    this.sim = sim;
    this.cloud = cloud;
    this.chance = sim.chance;
  }

  /** The documents as one process reaches them, by the real store. */
  StoreSpace seenBy(Process process) {
    spaces.keySet().removeIf(Process::isDead);
    return spaces.computeIfAbsent(
        process, p -> SimulatedNetwork.open(p, request -> answer(p, request)));
  }

  /** Blocks the process until its request has arrived, and again until the answer has. */
  private Reply answer(Process process, Request request) throws IOException {
    sim.operation();
    boolean odd = isOddNow();
    Odd kind = odd ? Odd.values()[chance.between(0, Odd.values().length - 1)] : null;
    Supplier<Reply> truth = () -> truly(process, request);
    if (kind == null) {
      return trip(process, truth, delay());
    }
    sim.log(process.name, "gets a false answer to " + request.method() + ":", kind, null);
    boolean lost = chance.hits(0.2);
    Reply said =
        trip(
            process,
            () -> {
              if (kind.carriedOut) {
                truth.get();
              }
              return kind.reply(chance);
            },
            lost ? GIVE_UP.toNanos() : delay());
    if (lost) {
      throw new SocketException("Connection reset");
    }
    return said;
  }

  private boolean isOddNow() {
    if (!cloud.faults().odd() || sim.scheduler.now() < nextOdd) {
      return false;
    }
    nextOdd = sim.scheduler.now() + chance.nanos(LEAST, MOST);
    return true;
  }

  private long delay() {
    Profile.StoreFaults f = cloud.faults();
    return 1_000_000 + chance.delay(f.usualDelay(), f.greatestDelay());
  }

  private Reply trip(Process process, Supplier<Reply> deed, long back) {
    process.nanos();
    Scheduler.Task task = process.running();
    long blocking = task.blocking();
    sim.scheduler.after(
        delay(),
        () -> {
          Reply reply = deed.get();
          sim.scheduler.after(back, () -> process.wakeWhenAwake(task, blocking, reply));
        });
    Reply reply = (Reply) process.block();
    process.answered();
    return reply;
  }

  // ---- what GitHub does

  private Reply truly(Process by, Request request) {
    String path = request.path().replaceFirst("\\?.*", "");
    String below = path.replaceFirst("^/repos/octo/app", "");
    Map<String, String> query = query(request.path());
    if (below.isEmpty()) {
      return ok(200, Map.of("full_name", "octo/app"));
    } else if (below.startsWith("/contents/")) {
      String document = SimulatedNetwork.documentOf(below.substring("/contents/".length()));
      return request.method().equals("GET")
          ? read(document, query.get("ref"), request)
          : write(by, document, SimulatedNetwork.members(request.body()));
    } else if (below.equals("/commits")) {
      return commits(SimulatedNetwork.documentOf(query.get("path")));
    } else if (below.equals("/git/refs")) {
      return newBranch(SimulatedNetwork.members(request.body()).get("ref"));
    } else if (below.startsWith("/git/")) {
      return ok(201, Map.of("sha", SimulatedNetwork.blobSha(request.body())));
    }
    if (path.equals("/graphql")) {
      // A server without it: branches grow. That they start over is in another profile.
      return refusal(404, "Not Found");
    }
    throw new IllegalStateException("nobody asks for this: " + request);
  }

  private static Map<String, String> query(String path) {
    Map<String, String> found = new HashMap<>();
    int start = path.indexOf('?');
    for (String pair : start < 0 ? new String[0] : path.substring(start + 1).split("&")) {
      String[] parts = pair.split("=", 2);
      found.put(parts[0], URLDecoder.decode(parts[1], StandardCharsets.UTF_8));
    }
    return found;
  }

  private static Reply ok(int status, Map<String, String> members) {
    return new Reply(status, JSON, SimulatedNetwork.json(members));
  }

  private static Reply refusal(int status, String message) {
    return ok(status, Map.of("message", message));
  }

  private static String branchOf(String document) {
    return document.equals("queue") ? "baton/sim" : "baton-side/sim/" + document;
  }

  private Reply read(String document, String ref, Request request) {
    if (!ref.equals(branchOf(document))) {
      return described(document, committed(document, ref), request);
    }
    return described(document, cloud.lookAt(document), request);
  }

  private Snapshot committed(String document, String commit) {
    return cloud.contentsOf(document).stream()
        .filter(content -> commitOf(content).equals(commit))
        .findFirst()
        .orElse(Snapshot.ABSENT);
  }

  private static String commitOf(Snapshot content) {
    return "commit-of-" + content.version().value();
  }

  private static Reply described(String document, Snapshot seen, Request request) {
    if (seen.content().isEmpty()) {
      return refusal(404, "Not Found");
    }
    String sha = seen.version().value();
    Map<String, String> headers = new LinkedHashMap<>(JSON);
    headers.put("ETag", "W/\"" + sha + "\"");
    if (request.headers().getOrDefault("if-none-match", "").contains(sha)) {
      return new Reply(304, headers, "");
    }
    Map<String, String> file = new LinkedHashMap<>();
    file.put("type", "file");
    file.put("path", document + ".json");
    file.put("sha", sha);
    file.put("size", Integer.toString(seen.content().get().length()));
    file.put("encoding", "base64");
    file.put(
        "content",
        Base64.getEncoder().encodeToString(seen.content().get().getBytes(StandardCharsets.UTF_8)));
    return new Reply(200, headers, SimulatedNetwork.json(file));
  }

  private Reply write(Process by, String document, Map<String, String> body) {
    boolean there = cloud.current(document).content().isPresent();
    if (!there && !branches.contains(branchOf(document))) {
      return refusal(404, "Branch " + body.get("branch") + " not found");
    }
    String content =
        new String(Base64.getDecoder().decode(body.get("content")), StandardCharsets.UTF_8);
    String sha = body.get("sha");
    if (sha == null && there) {
      return refusal(422, "Invalid request.\n\n\"sha\" wasn't supplied.");
    }
    Version expected = sha == null ? Version.ABSENT : new Version(sha);
    Snapshot next = cloud.snapshotOf(content);
    String message = body.get("message").replaceFirst("(?s)\n.*", "");
    WriteResult result = cloud.writeTo(document, expected, next, by, message);
    if (result instanceof WriteResult.Lost) {
      return refusal(409, document + ".json does not match " + sha);
    }
    return new Reply(
        there ? 200 : 201, JSON, "{\"content\":{\"sha\":\"" + next.version().value() + "\"}}");
  }

  private Reply newBranch(String ref) {
    return branches.add(ref.replaceFirst("^refs/heads/", ""))
        ? ok(201, Map.of("ref", ref))
        : refusal(422, "Reference already exists");
  }

  private Reply commits(String document) {
    return new Reply(
        200,
        JSON,
        cloud.listOf(document).stream()
            .map(content -> "{\"sha\":\"" + commitOf(content) + "\"}")
            .collect(Collectors.joining(",", "[", "]")));
  }
}
