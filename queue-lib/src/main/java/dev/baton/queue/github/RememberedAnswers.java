package dev.baton.queue.github;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The latest answers to reads, and what proves that they still hold: with that as its condition a
 * read whose answer is unchanged is free of charge. Nothing is ever answered without asking, and
 * nothing is kept on disk.
 *
 * <p>Thread-safe.
 */
final class RememberedAnswers {
  private static final String TAG = "If-None-Match";
  private static final int MOST = 64;
  private static final int MOST_BYTES = 8_000_000;

  /**
   * An answer that was given.
   *
   * @param header the condition that asks whether it still holds
   * @param value of that condition
   */
  record Remembered(String header, String value, ApiAnswer answer) {
    Map<String, String> condition() {
      return Map.of(header, value);
    }
  }

  private final boolean rememberPatches;

  // Guarded by this.
  private final Map<String, Remembered> all = new LinkedHashMap<>(16, 0.75f, true);
  private int bytes;

  /**
   * @param rememberPatches whether the answer to an edit of an issue counts as a look at it. An
   *     edit by somebody else within the same second stays unseen then, so this is for boards and
   *     never for the truth.
   */
  RememberedAnswers(boolean rememberPatches) {
    this.rememberPatches = rememberPatches;
  }

  synchronized Optional<Remembered> find(ApiRequest request) {
    return request.isRead() ? Optional.ofNullable(all.get(request.url())) : Optional.empty();
  }

  /** GitHub says that an answer still holds. */
  ApiAnswer unchanged(ApiRequest request, Remembered known, ApiAnswer notModified) {
    Optional<String> tag = notModified.header("ETag");
    if (tag.isPresent() && !known.header().equals(TAG)) {
      keep(request.url(), new Remembered(TAG, tag.get(), known.answer()));
    }
    return new ApiAnswer(200, known.answer().headers(), known.answer().body());
  }

  void remember(ApiRequest request, ApiAnswer answer) {
    Optional<String> tag = answer.header("ETag");
    Optional<String> date = answer.header("Date");
    boolean issue = request.url().matches(".*/repos/[^/]+/[^/]+/issues/[0-9]+");
    if (request.isRead()) {
      if (tag.isPresent() && answer.status() == 200) {
        keep(request.url(), new Remembered(TAG, tag.get(), answer));
      }
    } else if (issue && request.method().equals("PATCH")) {
      if (rememberPatches && date.isPresent()) {
        keep(request.url(), new Remembered("If-Modified-Since", date.get(), answer));
      } else {
        forget(request.url());
      }
    }
  }

  private synchronized void keep(String url, Remembered answer) {
    forget(url);
    all.put(url, answer);
    bytes += lengthOf(answer);
    Iterator<Remembered> oldest = all.values().iterator();
    while (all.size() > MOST || bytes > MOST_BYTES) {
      bytes -= lengthOf(oldest.next());
      oldest.remove();
    }
  }

  private synchronized void forget(String url) {
    Remembered old = all.remove(url);
    bytes -= old == null ? 0 : lengthOf(old);
  }

  private static int lengthOf(Remembered one) {
    return one.answer().body().length;
  }
}
