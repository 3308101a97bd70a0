package dev.baton.queue.github.probe;

import static dev.baton.queue.github.probe.GitHubAssumptions.ABSENT_BRANCH;
import static dev.baton.queue.github.probe.GitHubAssumptions.ABSENT_READ;
import static dev.baton.queue.github.probe.GitHubAssumptions.BRANCH_EXISTS;
import static dev.baton.queue.github.probe.GitHubAssumptions.CHANGED_READ;
import static dev.baton.queue.github.probe.GitHubAssumptions.CONDITIONAL_READ;
import static dev.baton.queue.github.probe.GitHubAssumptions.CONFLICT_WORDS;
import static dev.baton.queue.github.probe.GitHubAssumptions.CONTENTS_WRITE;
import static dev.baton.queue.github.probe.GitHubAssumptions.CREATE;
import static dev.baton.queue.github.probe.GitHubAssumptions.CREATE_CONFLICT;
import static dev.baton.queue.github.probe.GitHubAssumptions.ETAG;
import static dev.baton.queue.github.probe.GitHubAssumptions.FREE_304;
import static dev.baton.queue.github.probe.GitHubAssumptions.HISTORY;
import static dev.baton.queue.github.probe.GitHubAssumptions.LARGE_DOCUMENT;
import static dev.baton.queue.github.probe.GitHubAssumptions.ONE_WINNER;
import static dev.baton.queue.github.probe.GitHubAssumptions.ON_THE_BRANCH;
import static dev.baton.queue.github.probe.GitHubAssumptions.ORPHAN_BRANCH;
import static dev.baton.queue.github.probe.GitHubAssumptions.READ_AFTER_WRITE;
import static dev.baton.queue.github.probe.GitHubAssumptions.RECREATED;
import static dev.baton.queue.github.probe.GitHubAssumptions.TAG_LIST;
import static dev.baton.queue.github.probe.GitHubAssumptions.TAG_NAMED;
import static dev.baton.queue.github.probe.GitHubAssumptions.UPDATE;
import static dev.baton.queue.github.probe.GitHubAssumptions.UPDATE_CONFLICT;

import dev.baton.core.probe.Findings;
import dev.baton.core.probe.Observation;
import dev.baton.core.probe.Race;
import dev.baton.core.probe.Verdict;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;

/** A file on a branch of its own, written as {@code GitStore} writes it. */
final class ContentsChecks {
  private static final String PERMISSION = "contents: write";
  private static final String WRITE = "write a file";
  private static final String REFUSED = "write a file, refused";
  private static final String FILE = "queue.json";
  private static final int RACERS = 3;

  private final Session session;
  private final Findings findings;
  private final Scratch scratch;
  private final List<Session.Freshness> reads = new ArrayList<>();
  private boolean branchMayExist;

  /** What the file is known to be; empty when the outcome of a write is not known. */
  private Optional<String> sha = Optional.empty();

  private String createdSha = "";
  private String createdBy = "";
  private String updatedBy = "";
  private String tree = "";
  private String head = "";

  ContentsChecks(Session session, Findings findings, Scratch scratch) {
    this.session = session;
    this.findings = findings;
    this.scratch = scratch;
  }

  /** Whether there is something to delete, or could be. */
  boolean branchMayExist() {
    return branchMayExist;
  }

  /** A tree with the mark in it. */
  String tree() {
    return tree;
  }

  /** Where the branch is after the last write. */
  String head() {
    return head;
  }

  /**
   * @return whether the branch is there
   */
  boolean run() throws InterruptedException {
    findings.check(
        ABSENT_READ,
        () -> {
          Reply reply = session.get(ReadChecks.READ, path());
          return reply.judged(reply.status() == 404, "contents: read");
        });
    findings.check(ABSENT_BRANCH, this::absentBranch);
    if (!findings.check(ORPHAN_BRANCH, this::orphanBranch)) {
      findings.others(ON_THE_BRANCH, withoutBranch());
      return false;
    }
    findings.check(BRANCH_EXISTS, this::branchExists);
    if (findings.check(CREATE, this::create)) {
      afterCreate();
    } else {
      findings.others(ON_THE_BRANCH, Observation.unknown("not tried: there is no file to work on"));
    }
    return true;
  }

  private void afterCreate() throws InterruptedException {
    String first = sha.orElseThrow();
    findings.check(
        READ_AFTER_WRITE,
        () -> {
          Session.Freshness fresh = awaitFile(first);
          reads.add(fresh);
          return fresh();
        });
    Optional<Reply> read = reads.isEmpty() ? Optional.empty() : reads.get(0).fresh();
    if (read.isPresent()) {
      new ReadChecks(session, findings).tags(path(), read.get(), first);
    } else {
      findings.others(
          List.of(ETAG, CONDITIONAL_READ, FREE_304, TAG_LIST, TAG_NAMED),
          Observation.unknown("not tried: no read has shown the file"));
    }
    findings.check(UPDATE, this::update);
    if (sha.isPresent() && !sha.get().equals(first)) {
      String second = sha.get();
      findings.check(
          READ_AFTER_WRITE,
          () -> {
            reads.add(awaitChange(first, second));
            return fresh();
          });
    }
    findings.others(
        List.of(CHANGED_READ), Observation.unknown("not tried: the file was not changed"));
    findings.check(UPDATE_CONFLICT, () -> conflict(first));
    findings.check(CREATE_CONFLICT, this::createConflict);
    findings.check(RECREATED, this::recreated);
    findings.check(ONE_WINNER, this::race);
    findings.others(
        List.of(CONFLICT_WORDS), Observation.unknown("not tried: there was no race to lose"));
    findings.check(LARGE_DOCUMENT, this::large);
    findings.check(HISTORY, this::history);
  }

  // ---- the branch

  /** As the store does for a queue that was never created. */
  private Observation absentBranch() throws IOException, InterruptedException {
    branchMayExist = true;
    Reply reply = put(REFUSED, Scratch.MARK_FILE, Scratch.markText(), Optional.empty());
    branchMayExist = reply.status() < 400 || reply.status() >= 500;
    return reply.judged(reply.status() == 404, PERMISSION);
  }

  private Observation orphanBranch() throws IOException, InterruptedException {
    Map<String, String> file =
        Map.of(
            "path",
            Scratch.MARK_FILE,
            "mode",
            "100644",
            "type",
            "blob",
            "content",
            Scratch.markText());
    Reply made =
        session.write(
            "create a tree", "POST", session.here("/git/trees"), Map.of("tree", List.of(file)));
    if (made.status() == 403 || made.status() == 404) {
      // The repository can be seen: a 404 is how GitHub says no to some tokens.
      Observation no = made.denied(PERMISSION);
      findings.note(CONTENTS_WRITE, no);
      findings.note(ABSENT_BRANCH, no);
      return no;
    }
    if (made.status() != 201) {
      findings.others(List.of(CONTENTS_WRITE), Observation.unknown(made.shown()));
      return made.judged(false, PERMISSION);
    }
    tree = made.text("sha");
    Reply root = commit("Baton probe: a branch to try things on");
    if (root.status() != 201) {
      findings.others(List.of(CONTENTS_WRITE), Observation.unknown(root.shown()));
      return root.judged(false, PERMISSION);
    }
    head = root.text("sha");
    branchMayExist = true;
    Reply ref = makeRef();
    findings.note(CONTENTS_WRITE, ref.judged(ref.status() == 201, PERMISSION));
    boolean rootless = Reply.objects(root.object(), "parents").isEmpty();
    return ref.judged(ref.status() == 201 && rootless, PERMISSION);
  }

  /** A commit without parents. */
  Reply commit(String subject) throws IOException, InterruptedException {
    return session.write(
        "create a commit",
        "POST",
        session.here("/git/commits"),
        Map.of("message", subject + "\n\n[skip ci]", "tree", tree));
  }

  private Reply makeRef() throws IOException, InterruptedException {
    return session.write(
        "create a branch",
        "POST",
        session.here("/git/refs"),
        Map.of("ref", "refs/heads/" + scratch.branch(), "sha", head));
  }

  private Observation withoutBranch() {
    boolean denied =
        findings.outcomeOf(CONTENTS_WRITE).filter(Verdict.NOT_ALLOWED::equals).isPresent();
    return denied
        ? Observation.notAllowed(
            "not tried: the token may not write contents", Reply.remedy(PERMISSION))
        : Observation.unknown("not tried: there is no branch to work on");
  }

  private Observation branchExists() throws IOException, InterruptedException {
    Reply reply = makeRef();
    return reply.judged(reply.status() == 422 && reply.says("already exists"), PERMISSION);
  }

  // ---- the file

  private String path() {
    return pathAt(scratch.branch());
  }

  private String pathAt(String ref) {
    return session.here("/contents/" + FILE + "?ref=" + Session.encoded(ref));
  }

  private Reply put(String operation, String file, String content, Optional<String> expected)
      throws IOException, InterruptedException {
    Map<String, String> body = new LinkedHashMap<>();
    body.put("path", file);
    body.put("branch", scratch.branch());
    body.put(
        "content", Base64.getEncoder().encodeToString(content.getBytes(StandardCharsets.UTF_8)));
    body.put("message", "Baton probe: " + operation + "\n\n[skip ci]");
    expected.ifPresent(old -> body.put("sha", old));
    Reply reply = session.write(operation, "PUT", session.here("/contents/" + file), body);
    if (reply.status() == 200 || reply.status() == 201) {
      synchronized (this) {
        head = reply.text("commit.sha");
        if (file.equals(FILE)) {
          sha = Optional.of(reply.text("content.sha"));
        }
      }
    }
    return reply;
  }

  private String text(String what) {
    return "{\"probe\":\"" + scratch.suffix() + "\",\"what\":\"" + what + "\"}\n";
  }

  private Observation create() throws IOException, InterruptedException {
    String content = text("created");
    // What was made a moment ago may not be there yet, in spite of all: the store tries again too.
    Reply reply =
        session
            .awaitBriefly(() -> put(WRITE, FILE, content, Optional.empty()), r -> r.status() != 404)
            .fresh()
            .orElseThrow(() -> new IOException("a branch that was made is not found"));
    if (reply.status() != 201) {
      return reply.judged(false, PERMISSION);
    }
    createdSha = reply.text("content.sha");
    createdBy = reply.text("commit.sha");
    boolean named = createdSha.equals(GitBlob.name(content));
    return Observation.of(
        named && isSha(createdBy),
        "201, content.sha "
            + (named ? "is" : "is not")
            + " git's name of the content, commit.sha is "
            + Reply.clean(createdBy));
  }

  private static boolean isSha(String text) {
    return text.matches("[0-9a-f]{40}");
  }

  private Session.Freshness awaitFile(String expected) throws IOException, InterruptedException {
    return session.await(
        () -> session.get(ReadChecks.READ, path()),
        reply -> reply.status() == 200 && reply.text("sha").equals(expected));
  }

  /** With the tag of what was there before, as the store reads. */
  private Session.Freshness awaitChange(String before, String expected)
      throws IOException, InterruptedException {
    String tag = "W/\"" + before + "\"";
    Session.Freshness read =
        session.await(
            () -> session.get(ReadChecks.READ, path(), "If-None-Match", tag),
            reply -> reply.status() == 200 && reply.text("sha").equals(expected));
    if (read.fresh().isPresent()) {
      findings.note(CHANGED_READ, Observation.held("200 with the new content"));
      return read;
    }
    Reply plain = session.get(ReadChecks.READ, path());
    if (plain.status() == 200 && plain.text("sha").equals(expected)) {
      findings.note(
          CHANGED_READ,
          Observation.broken("304, while a read without a tag shows the new content"));
      return new Session.Freshness(Optional.of(plain), read.after(), read.old());
    }
    findings.note(CHANGED_READ, Observation.unknown("no read has shown the change"));
    return read;
  }

  private Observation fresh() {
    return freshness(reads);
  }

  /** How soon reads have shown what was written. */
  static Observation freshness(List<Session.Freshness> reads) {
    String seen =
        reads.stream()
            .map(
                read ->
                    read.fresh().isPresent()
                        ? "new after "
                            + read.after().toMillis()
                            + " ms"
                            + (read.old() == 0 ? "" : " (" + read.old() + " older before)")
                        : "still old after " + read.after().toMillis() + " ms")
            .collect(Collectors.joining(", "));
    return Observation.of(reads.stream().allMatch(read -> read.fresh().isPresent()), seen);
  }

  private Observation update() throws IOException, InterruptedException {
    String content = text("updated");
    Optional<String> old = sha;
    Reply reply = put(WRITE, FILE, content, old);
    if (reply.status() != 200) {
      return reply.judged(false, PERMISSION);
    }
    updatedBy = reply.text("commit.sha");
    boolean named = reply.text("content.sha").equals(GitBlob.name(content));
    return Observation.of(
        named, "200, content.sha " + (named ? "is" : "is not") + " git's name of the content");
  }

  private Observation conflict(String older) throws IOException, InterruptedException {
    if (sha.equals(Optional.of(older))) {
      return Observation.unknown("not tried: the file was not changed");
    }
    Reply reply = put(REFUSED, FILE, text("late"), Optional.of(older));
    return reply.judged(reply.status() == 409 && reply.says("does not match"), PERMISSION);
  }

  private Observation createConflict() throws IOException, InterruptedException {
    Reply reply = put(REFUSED, FILE, text("second"), Optional.empty());
    return reply.judged(reply.status() == 422 && reply.says("\"sha\" wasn't supplied"), PERMISSION);
  }

  private Observation recreated() throws IOException, InterruptedException {
    Reply reply = put(WRITE, "other.json", text("other"), sha.or(() -> Optional.of(createdSha)));
    return reply.judged(reply.status() == 201, PERMISSION);
  }

  // ---- a race

  private Observation race() throws IOException, InterruptedException {
    if (sha.isEmpty()) {
      return Observation.unknown("not tried: the outcome of an earlier write is unknown");
    }
    Optional<String> expected = sha;
    List<Callable<Reply>> racers = new ArrayList<>();
    for (int i = 0; i < RACERS; i++) {
      String content = text("racer " + i);
      racers.add(() -> put("write a file, in a race", FILE, content, expected));
    }
    sha = Optional.empty();
    List<Reply> replies = raced(racers);
    List<Reply> won = replies.stream().filter(r -> r.status() < 300).toList();
    if (won.isEmpty()) {
      sha = expected;
    }
    List<Reply> lost = replies.stream().filter(r -> r.status() >= 300).toList();
    findings.note(CONFLICT_WORDS, words(lost));
    String seen = replies.stream().map(Reply::shown).collect(Collectors.joining("; "));
    return Observation.of(won.size() <= 1, won.size() + " of " + RACERS + " accepted: " + seen);
  }

  private static List<Reply> raced(List<Callable<Reply>> racers)
      throws IOException, InterruptedException {
    try {
      return Race.run(racers);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof Error error) {
        throw error;
      }
      throw new IOException("not every write was answered: " + e.getCause().getMessage(), e);
    }
  }

  private static Observation words(List<Reply> lost) {
    if (lost.isEmpty()) {
      return Observation.unknown("nobody has lost");
    }
    if (lost.stream().anyMatch(r -> r.status() >= 500)) {
      return Observation.unknown("a server error");
    }
    boolean known =
        lost.stream()
            .allMatch(
                r ->
                    r.status() == 409
                        && (r.says("does not match")
                            || r.says("but expected")
                            || r.says("expected to be at")));
    return Observation.of(
        known, lost.stream().map(Reply::shown).distinct().collect(Collectors.joining("; ")));
  }

  // ---- size and past

  private Observation large() throws IOException, InterruptedException {
    if (sha.isEmpty()) {
      return Observation.unknown("not tried: the outcome of an earlier write is unknown");
    }
    String line = text("large");
    String content =
        line.repeat(GitHubAssumptions.LONGEST_DOCUMENT / line.length() + 1)
            .substring(0, GitHubAssumptions.LONGEST_DOCUMENT);
    Reply written = put("write a file of 1 MB", FILE, content, sha);
    if (written.status() != 200) {
      return written.judged(false, PERMISSION);
    }
    String name = GitBlob.name(content);
    Optional<Reply> read =
        session
            .awaitBriefly(
                () -> session.get("read a file of 1 MB", path()),
                r -> r.status() != 200 || r.text("sha").equals(name))
            .fresh();
    if (read.isEmpty()) {
      return Observation.unknown("written, and reads are late");
    }
    if (read.get().status() != 200) {
      return read.get().judged(false, "contents: read");
    }
    String back = decoded(read.get().text("content"));
    return Observation.of(
        back.equals(content),
        "read back as " + back.length() + " of " + content.length() + " bytes");
  }

  private static String decoded(String base64) throws IOException {
    try {
      return new String(Base64.getMimeDecoder().decode(base64), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      throw new IOException("a content that is not base64", e);
    }
  }

  private Observation history() throws IOException, InterruptedException {
    if (updatedBy.isEmpty()) {
      return Observation.unknown("not tried: the file was not changed");
    }
    String query = "?path=" + FILE + "&sha=" + Session.encoded(scratch.branch()) + "&per_page=10";
    Optional<Reply> list =
        session
            .awaitBriefly(
                () -> session.get("list commits", session.here("/commits" + query)),
                r -> r.status() != 200 || commits(r).contains(updatedBy))
            .fresh();
    if (list.isEmpty()) {
      return Observation.broken("a list without a commit that was made before");
    }
    if (list.get().status() != 200) {
      return list.get().judged(false, "contents: read");
    }
    List<String> commits = commits(list.get());
    boolean newestFirst = commits.indexOf(createdBy) > commits.indexOf(updatedBy);
    Reply then = session.get(ReadChecks.READ, pathAt(createdBy));
    boolean asItWas = then.status() == 200 && then.text("sha").equals(createdSha);
    return Observation.of(
        newestFirst && asItWas,
        commits.size()
            + " commits, "
            + (newestFirst ? "the newest first" : "not the newest first")
            + "; the first content "
            + (asItWas ? "is found" : "is not found (" + then.shown() + ")"));
  }

  private static List<String> commits(Reply reply) throws IOException {
    return reply.list().stream().map(commit -> Reply.text(commit, "sha")).toList();
  }
}
