package dev.baton.queue.github;

import dev.baton.core.json.PlainJson;
import dev.baton.store.StoreException;
import dev.baton.store.Version;
import dev.baton.store.WriteResult;
import java.io.IOException;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The compare-and-set that the whole queue stands on.
 *
 * <ol>
 *   <li>One {@code PUT} of the file names the content that it replaces ({@code sha}). GitHub
 *       compares that with what the branch has and refuses if it is another. Without a {@code sha}
 *       it makes the file, and refuses if there is one.
 *   <li>The answer must name the content that was sent. One about another content proves nothing.
 *   <li>A conflict or a bad request counts as lost only in the words that are known for it: GitHub
 *       has changed them before, and a proxy has its own. In any other words the outcome is
 *       unknown.
 *   <li>If the branch moved during the write, the same content may still be there: the write is
 *       sent once more.
 *   <li>No answer, or one of a server in trouble: the outcome is unknown, unless the request never
 *       left.
 * </ol>
 */
final class CompareAndSet {

  /**
   * @param expected the version to replace; absent to make the file
   * @param content as {@code bytes} encode it
   * @param message of the commit
   */
  record Change(Version expected, byte[] bytes, String content, String message) {
    boolean isUpdate() {
      return !expected.isAbsent();
    }
  }

  /** What became of a change. */
  sealed interface Outcome {
    /** What a caller may be told who does not find out more. */
    WriteResult result();

    /** As certain as it will be. */
    record Decided(WriteResult result) implements Outcome {}

    /** Refused, but not in the words that are known. */
    record Unclear(WriteResult.Unknown result) implements Outcome {}

    /** The branch is not there, or must not be written (404). */
    record NotFound(WireFailure.Refused refusal) implements Outcome {
      @Override
      public WriteResult result() {
        return new WriteResult.Unknown(refusal.getMessage());
      }
    }

    /** The branch moved during the write. */
    record Moved(String said) implements Outcome {
      @Override
      public WriteResult result() {
        return new WriteResult.Unknown("the branch moved during the write: " + said);
      }
    }
  }

  private final Remote remote;
  private final GitFile file;
  private final Remote.Purpose writing;

  CompareAndSet(Remote remote, GitFile file) {
    this.remote = remote;
    this.file = file;
    this.writing = new Remote.Purpose("write " + file, "contents: write", file.branch());
  }

  Remote.Purpose writing() {
    return writing;
  }

  Outcome send(Change change) throws StoreException {
    Outcome first = sendOnce(change);
    return first instanceof Outcome.Moved ? sendOnce(change) : first;
  }

  private Outcome sendOnce(Change change) throws StoreException {
    ApiAnswer answer;
    try {
      answer = remote.askHere(writing, () -> put(change));
    } catch (WireFailure.Refused e) {
      return refused(e, change);
    } catch (WireFailure.Limited | WireFailure.NoToken e) {
      throw remote.explain(e, writing);
    } catch (WireFailure.Broken e) {
      if (!e.sent()) {
        throw remote.explain(e, writing);
      }
      return unknown(Remote.reason(e));
    } catch (IOException e) {
      // It was a success that could not be understood.
      return unknown(Remote.reason(e));
    }
    if (change.isUpdate() && answer.status() == 201) {
      throw new GitHubException.Recreated(file.name(), file.branch());
    }
    return new Outcome.Decided(new WriteResult.Written(new Version(Texts.blobSha(change.bytes()))));
  }

  private ApiAnswer put(Change change) throws IOException {
    Map<String, String> body = new LinkedHashMap<>();
    body.put("path", file.name());
    body.put("branch", file.branch());
    body.put("content", Base64.getEncoder().encodeToString(change.bytes()));
    body.put("message", change.message());
    if (change.isUpdate()) {
      body.put("sha", change.expected().value());
    }
    ApiAnswer answer = remote.wire().write("PUT", file.path(), PlainJson.text(body));
    if (!Texts.blobSha(change.bytes()).equals(answer.members().get("content.sha"))) {
      throw new IOException("GitHub has answered about another content than the one that was sent");
    }
    return answer;
  }

  private Outcome refused(WireFailure.Refused e, Change change) throws StoreException {
    int status = e.status();
    if (status == 404) {
      return new Outcome.NotFound(e);
    }
    if (e.isAnotherContent() || !change.isUpdate() && e.isOfExistingFile()) {
      return new Outcome.Decided(new WriteResult.Lost());
    }
    if (e.isMovedBranch()) {
      return new Outcome.Moved(e.said());
    }
    if ((status == 409 || status == 422) && !Remote.saysWhy(e)) {
      return new Outcome.Unclear(new WriteResult.Unknown(e.getMessage()));
    }
    if (status == 408 || status >= 500) {
      return unknown(e.getMessage());
    }
    throw remote.explain(e, writing);
  }

  private static Outcome unknown(String why) {
    return new Outcome.Decided(new WriteResult.Unknown(why));
  }
}
