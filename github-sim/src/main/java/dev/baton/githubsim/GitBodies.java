package dev.baton.githubsim;

import static dev.baton.githubsim.Bodies.encode;
import static dev.baton.githubsim.Bodies.nodeId;
import static dev.baton.githubsim.Bodies.object;
import static dev.baton.githubsim.Bodies.time;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** What GitHub writes about refs, git objects, files and commits. */
final class GitBodies {
  private final Bodies bodies;

  GitBodies(Bodies bodies) {
    this.bodies = bodies;
  }

  Map<String, Object> ref(Repository repository, Repository.Ref ref) {
    return object(
        "ref", ref.name(),
        "node_id", nodeId("REF", ref.name()),
        "url", refUrl(repository, ref),
        "object",
            object(
                "sha",
                ref.sha(),
                "type",
                "commit",
                "url",
                bodies.api(repository) + "/git/commits/" + ref.sha()));
  }

  String refUrl(Repository repository, Repository.Ref ref) {
    return bodies.api(repository) + "/git/" + ref.name();
  }

  /** A file of more than 1 MB comes without its content. */
  Map<String, Object> file(Repository repository, Repository.Found found) {
    Map<String, Object> body = about(repository, found.path(), found.ref(), found.blob());
    Object links = body.remove("_links");
    boolean whole = FileSize.of(found.blob().size()) == FileSize.WHOLE;
    body.put("content", whole ? base64(found.blob()) : "");
    body.put("encoding", whole ? "base64" : "none");
    body.put("_links", links);
    return body;
  }

  List<Object> folder(Repository repository, Repository.Folder folder) {
    List<Object> all = new ArrayList<>();
    for (Tree.Entry entry : folder.tree().entries()) {
      String path = folder.path().isEmpty() ? entry.path() : folder.path() + "/" + entry.path();
      all.add(about(repository, path, folder.ref(), entry));
    }
    return all;
  }

  Map<String, Object> written(Repository repository, Repository.Written written) {
    return object(
        "content",
            written
                .blob()
                .map(blob -> about(repository, written.path(), written.branch(), blob))
                .orElse(null),
        "commit", gitCommit(repository, written.commit()));
  }

  String commitPage(Repository repository, Commit commit) {
    return bodies.html(repository) + "/commit/" + commit.sha();
  }

  /** A commit as the git part of the API shows it. */
  Map<String, Object> gitCommit(Repository repository, Commit commit) {
    return object(
        "sha", commit.sha(),
        "node_id", nodeId("C", commit.sha()),
        "url", gitUrl(repository, "commits", commit.sha()),
        "html_url", commitPage(repository, commit),
        "author", person(commit.author()),
        "committer", person(commit.committer()),
        "tree", treeOf(repository, commit),
        "message", commit.message(),
        "parents", parents(repository, commit, "/git/commits/"),
        "verification", unsigned());
  }

  String gitUrl(Repository repository, String kind, String sha) {
    return bodies.api(repository) + "/git/" + kind + "/" + sha;
  }

  Map<String, Object> madeBlob(Repository repository, Blob blob) {
    return object("sha", blob.sha(), "url", gitUrl(repository, "blobs", blob.sha()));
  }

  Map<String, Object> blob(Repository repository, Blob blob) {
    return object(
        "sha", blob.sha(),
        "node_id", nodeId("B", blob.sha()),
        "size", blob.size(),
        "url", gitUrl(repository, "blobs", blob.sha()),
        "content", base64(blob),
        "encoding", "base64");
  }

  Map<String, Object> tree(Repository repository, Tree tree, boolean recursive) {
    List<Tree.Entry> entries = recursive ? tree.allEntries() : tree.entries();
    List<Object> shown = new ArrayList<>();
    for (Tree.Entry entry : entries) {
      Map<String, Object> body =
          object(
              "path",
              entry.path(),
              "mode",
              entry.folder() ? "040000" : "100644",
              "type",
              entry.folder() ? "tree" : "blob",
              "sha",
              entry.sha());
      if (!entry.folder()) {
        body.put("size", entry.size());
      }
      body.put("url", gitUrl(repository, entry.folder() ? "trees" : "blobs", entry.sha()));
      shown.add(body);
    }
    return object(
        "sha",
        tree.sha(),
        "url",
        gitUrl(repository, "trees", tree.sha()),
        "tree",
        shown,
        "truncated",
        false);
  }

  /** GitHub breaks its Base64 into lines and ends the last one too. */
  private static String base64(Blob blob) {
    String text = Base64.getMimeEncoder(60, new byte[] {'\n'}).encodeToString(blob.content());
    return text.isEmpty() ? "" : text + "\n";
  }

  /** The commit itself, with what it changed. */
  Map<String, Object> wholeCommit(Repository repository, Commit commit, List<FileChange> changes) {
    Map<String, Object> body = commit(repository, commit);
    int additions = changes.stream().mapToInt(FileChange::additions).sum();
    int deletions = changes.stream().mapToInt(FileChange::deletions).sum();
    body.put(
        "stats",
        object("total", additions + deletions, "additions", additions, "deletions", deletions));
    List<Object> files = new ArrayList<>();
    for (FileChange change : changes) {
      String below = "/" + commit.sha() + "/" + encode(change.path()).replace("%2F", "/");
      Map<String, Object> file =
          object(
              "sha", change.sha(),
              "filename", change.path(),
              "status", change.status(),
              "additions", change.additions(),
              "deletions", change.deletions(),
              "changes", change.additions() + change.deletions(),
              "blob_url", bodies.html(repository) + "/blob" + below,
              "raw_url", bodies.html(repository) + "/raw" + below,
              "contents_url",
                  bodies.api(repository)
                      + "/contents/"
                      + encode(change.path())
                      + "?ref="
                      + commit.sha());
      if (!change.patch().isEmpty()) {
        file.put("patch", change.patch());
      }
      files.add(file);
    }
    body.put("files", files);
    return body;
  }

  /** An entry of the list of branches. */
  Map<String, Object> briefBranch(Repository repository, Repository.Ref ref) {
    String commit = bodies.api(repository) + "/commits/" + ref.sha();
    return object(
        "name", ref.branch(),
        "commit", object("sha", ref.sha(), "url", commit),
        "protected", repository.isProtected(ref));
  }

  Map<String, Object> branch(Repository repository, Repository.Ref ref, Commit head) {
    String url = bodies.api(repository) + "/branches/" + ref.branch();
    String page = bodies.html(repository) + "/tree/" + ref.branch();
    boolean kept = repository.isProtected(ref);
    Map<String, Object> checks =
        object("enforcement_level", "off", "contexts", List.of(), "checks", List.of());
    return object(
        "name", ref.branch(),
        "commit", commit(repository, head),
        "_links", object("self", url, "html", page),
        "protected", kept,
        "protection", object("enabled", kept, "required_status_checks", checks),
        "protection_url", url + "/protection");
  }

  /** An entry of the list of commits. */
  Map<String, Object> commit(Repository repository, Commit commit) {
    String url = bodies.api(repository) + "/commits/" + commit.sha();
    return object(
        "sha", commit.sha(),
        "node_id", nodeId("C", commit.sha()),
        "commit",
            object(
                "author",
                person(commit.author()),
                "committer",
                person(commit.committer()),
                "message",
                commit.message(),
                "tree",
                treeOf(repository, commit),
                "url",
                bodies.api(repository) + "/git/commits/" + commit.sha(),
                "comment_count",
                0,
                "verification",
                unsigned()),
        "url", url,
        "html_url", commitPage(repository, commit),
        "comments_url", url + "/comments",
        "author", account(commit.author()),
        "committer", account(commit.committer()),
        "parents", parents(repository, commit, "/commits/"));
  }

  private Map<String, Object> about(Repository repository, String path, String ref, Blob blob) {
    return about(repository, path, ref, new Tree.Entry(path, blob.sha(), blob.size()));
  }

  private Map<String, Object> about(
      Repository repository, String path, String ref, Tree.Entry entry) {
    boolean folder = entry.folder();
    String encoded =
        Arrays.stream(path.split("/")).map(Bodies::encode).collect(Collectors.joining("/"));
    String self = bodies.api(repository) + "/contents/" + encoded + "?ref=" + ref;
    String git = gitUrl(repository, folder ? "trees" : "blobs", entry.sha());
    String below = "/" + ref + "/" + encoded;
    String page = bodies.html(repository) + (folder ? "/tree" : "/blob") + below;
    return object(
        "name",
        path.substring(path.lastIndexOf('/') + 1),
        "path",
        path,
        "sha",
        entry.sha(),
        "size",
        Math.max(0, entry.size()),
        "url",
        self,
        "html_url",
        page,
        "git_url",
        git,
        "download_url",
        folder ? null : bodies.html(repository) + "/raw" + below,
        "type",
        folder ? "dir" : "file",
        "_links",
        object("self", self, "git", git, "html", page));
  }

  private Map<String, Object> treeOf(Repository repository, Commit commit) {
    String sha = commit.tree().sha();
    return object("sha", sha, "url", gitUrl(repository, "trees", sha));
  }

  private List<Object> parents(Repository repository, Commit commit, String folder) {
    List<Object> all = new ArrayList<>();
    for (String sha : commit.parents()) {
      all.add(
          object(
              "sha", sha,
              "url", bodies.api(repository) + folder + sha,
              "html_url", bodies.html(repository) + "/commit/" + sha));
    }
    return all;
  }

  /** Null where the address in the commit is nobody's. */
  private Map<String, Object> account(Person person) {
    return person.login().map(bodies::user).orElse(null);
  }

  private static Map<String, Object> person(Person person) {
    return object("name", person.name(), "email", person.email(), "date", time(person.at()));
  }

  private static Map<String, Object> unsigned() {
    return object("verified", false, "reason", "unsigned", "signature", null, "payload", null);
  }
}
