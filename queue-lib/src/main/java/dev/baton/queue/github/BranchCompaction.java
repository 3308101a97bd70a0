package dev.baton.queue.github;

import dev.baton.core.json.PlainJson;
import dev.baton.store.StoreException;
import dev.baton.store.VersionedStore;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a branch short on which every change is a commit.
 *
 * <ol>
 *   <li>One query tells where the branch points, to which tree, and how many commits lead there. A
 *       branch that is short enough is left alone.
 *   <li>A commit without a parent is made of that very tree. Its message names the commit that the
 *       branch points to, so that {@link VersionedStore#earlier} goes on from there.
 *   <li>{@code updateRefs} moves two branches together or none: the document's own from the one
 *       commit to the other, and a second one to where the first was, so that the commits of the
 *       last interval stay. What the second one led to before is let go.
 * </ol>
 *
 * <p>Both moves name the commit that each branch has to point to before ({@code beforeOid}). A
 * write that lands in between makes GitHub refuse, and nothing is lost. A write that comes later
 * finds the same content, which is what it is compared with. A client that dies in between leaves a
 * commit that no branch leads to.
 *
 * <p>Where GitHub refuses, for a rule against force pushes or because it does not have {@code
 * updateRefs}, the branch grows. Its length tells so to everybody: very long branches are tried
 * rarely.
 */
final class BranchCompaction {
  private static final Logger LOG = LoggerFactory.getLogger("dev.baton.queue");

  /** A branch is looked at once in so many changes. */
  static final int INTERVAL = 256;

  /** Shorter ones stay: of what is let go, at least so much remains on the second branch. */
  static final int SHORTEST = INTERVAL / 2;

  /** A branch that has grown this long has been refused before, or is older than compaction. */
  static final int REFUSED_BEFORE = 4 * INTERVAL;

  /** The name of no commit: the branch must not be there. */
  private static final String NONE = "0".repeat(40);

  private static final Pattern BEFORE = Pattern.compile("(?m)^Earlier versions: ([0-9a-f]{40})$");

  private static final Pattern SHA = Pattern.compile("[0-9a-f]{40}");

  private static final String LOOK =
      "query($owner: String!, $name: String!, $tip: String!, $earlier: String!) {"
          + " repository(owner: $owner, name: $name) { id"
          + " tip: ref(qualifiedName: $tip) {"
          + " target { oid ... on Commit { tree { oid } history { totalCount } } } }"
          + " earlier: ref(qualifiedName: $earlier) { target { oid } } } }";

  private static final String MOVE =
      "mutation($repository: ID!, $tip: GitRefname!, $before: GitObjectID!, $after: GitObjectID!,"
          + " $earlier: GitRefname!, $earlierBefore: GitObjectID!) {"
          + " updateRefs(input: {repositoryId: $repository, refUpdates: ["
          + "{name: $tip, beforeOid: $before, afterOid: $after, force: true}, "
          + "{name: $earlier, beforeOid: $earlierBefore, afterOid: $before, force: true}]})"
          + " { clientMutationId } }";

  private final Remote remote;
  private final String branch;
  private final String earlierBranch;

  /**
   * @param earlierBranch keeps the commits of the last interval
   */
  BranchCompaction(Remote remote, String branch, String earlierBranch) {
    this.remote = remote;
    this.branch = branch;
    this.earlierBranch = earlierBranch;
  }

  /** The commit before the first one of a branch that was started over, by the first's message. */
  static Optional<String> before(String message) {
    return Optional.ofNullable(message)
        .map(BEFORE::matcher)
        .filter(Matcher::find)
        .map(found -> found.group(1));
  }

  /** Where both branches point. */
  private record Standing(
      String repository, String tip, String tree, long length, String earlier) {}

  /** Of a branch that has been refused one tip in sixteen, so that no client has to remember. */
  static boolean isDue(long length, String tip) {
    return length >= SHORTEST && (length <= REFUSED_BEFORE || tip.startsWith("0"));
  }

  Optional<Long> length() throws StoreException {
    try {
      return look().map(Standing::length);
    } catch (IOException e) {
      throw failed("GitHub does not tell how many commits the branch " + branch + " has", e);
    }
  }

  boolean run() throws StoreException {
    try {
      Optional<Standing> standing = look().filter(at -> isDue(at.length(), at.tip()));
      if (standing.isEmpty()) {
        return false;
      }
      Standing at = standing.get();
      move(at, newRoot(at));
      LOG.info("the branch {} starts over after {} commits", branch, at.length());
      return true;
    } catch (IOException e) {
      throw failed("the branch " + branch + " stays as long as it is", e);
    }
  }

  /** A refusal too: nothing else that is asked of GitHub depends on it. */
  private static StoreException failed(String what, IOException e) {
    return StoreException.passing(what + ": " + Remote.reason(e), e);
  }

  private Optional<Standing> look() throws IOException {
    String[] repository = remote.place().repository().split("/", 2);
    Map<String, String> variables = new LinkedHashMap<>();
    variables.put("owner", repository[0]);
    variables.put("name", repository[1]);
    variables.put("tip", ref(branch));
    variables.put("earlier", ref(earlierBranch));
    Map<String, String> said = ask(LOOK, variables);
    String length = said.get("data.repository.tip.target.history.totalCount");
    Standing at =
        new Standing(
            said.get("data.repository.id"),
            said.get("data.repository.tip.target.oid"),
            said.get("data.repository.tip.target.tree.oid"),
            length == null || !length.matches("[0-9]{1,15}") ? 0 : Long.parseLong(length),
            said.getOrDefault("data.repository.earlier.target.oid", NONE));
    boolean there =
        at.repository() != null && isSha(at.tip()) && isSha(at.tree()) && isSha(at.earlier());
    return there ? Optional.of(at) : Optional.empty();
  }

  private static boolean isSha(String text) {
    return text != null && SHA.matcher(text).matches();
  }

  private static String ref(String branch) {
    return "refs/heads/" + branch;
  }

  private String newRoot(Standing at) throws IOException {
    String message =
        "Start the branch over at the same content\n\nEarlier versions: "
            + at.tip()
            + "\nThe branch "
            + earlierBranch
            + " keeps them for a while.\n\n[skip ci]";
    String body = PlainJson.text(Map.of("message", message, "tree", at.tree()));
    String made =
        remote.wire().write("POST", remote.path("/git/commits"), body).members().get("sha");
    if (!isSha(made)) {
      throw new IOException("an answer of GitHub lacks something");
    }
    return made;
  }

  private void move(Standing at, String root) throws IOException {
    Map<String, String> variables = new LinkedHashMap<>();
    variables.put("repository", at.repository());
    variables.put("tip", ref(branch));
    variables.put("before", at.tip());
    variables.put("after", root);
    variables.put("earlier", ref(earlierBranch));
    variables.put("earlierBefore", at.earlier());
    ask(MOVE, variables);
  }

  /** What GraphQL answers. It refuses in an answer that is a success by its status. */
  private Map<String, String> ask(String query, Map<String, String> variables) throws IOException {
    String body = PlainJson.text(Map.of("query", query, "variables", variables));
    ApiAnswer answer = remote.wire().graphql(remote.place().graphqlUrl(), body);
    Optional<String> error = answer.graphqlError();
    if (error.isPresent()) {
      throw new IOException(error.get());
    }
    return answer.members();
  }
}
