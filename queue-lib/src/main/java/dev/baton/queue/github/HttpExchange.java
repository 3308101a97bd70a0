package dev.baton.queue.github;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import okhttp3.Call;
import okhttp3.EventListener;
import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import okhttp3.RequestBody;
import okio.BufferedSink;
import okio.BufferedSource;

/**
 * Sends one request over HTTP, once, and reads the answer.
 *
 * <ol>
 *   <li>Nothing is sent a second time behind the caller's back, and no redirect is followed.
 *   <li>A failure tells whether the request may have reached the server.
 *   <li>An answer has a greatest length.
 *   <li>The time limits of {@link GitHubConnection} hold for all of it. An interrupt of the thread
 *       ends it.
 * </ol>
 *
 * <p>Thread-safe.
 */
final class HttpExchange {
  /** Many times what GitHub says about a hundred jobs. */
  private static final long MOST_BYTES = 8L << 20;

  private final OkHttpClient client;

  HttpExchange(OkHttpClient client) {
    this.client = client.newBuilder().eventListenerFactory(HttpExchange::listen).build();
  }

  /**
   * @throws WireFailure.Broken when no whole answer came
   */
  ApiAnswer send(ApiRequest request, Map<String, String> headers) throws WireFailure.Broken {
    Departure departure = new Departure();
    okhttp3.Request.Builder outgoing =
        new okhttp3.Request.Builder()
            .url(request.url())
            .tag(Departure.class, departure)
            .method(request.method(), request.isRead() ? null : new SentOnce(request.bytes()));
    headers.forEach(outgoing::header);
    try (okhttp3.Response response = client.newCall(outgoing.build()).execute()) {
      Map<String, List<String>> said = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
      said.putAll(response.headers().toMultimap());
      boolean empty = response.code() == 304 || response.code() == 204;
      return new ApiAnswer(response.code(), said, empty ? new byte[0] : bytes(response));
    } catch (IOException e) {
      String why = e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
      throw new WireFailure.Broken(Texts.clean(why, 300), departure.begun, e);
    }
  }

  /** Whoever answers must not fill the memory. */
  private static byte[] bytes(okhttp3.Response response) throws IOException {
    BufferedSource source = response.body().source();
    if (source.request(MOST_BYTES + 1)) {
      throw new IOException("an answer of more than " + (MOST_BYTES >> 20) + " MB");
    }
    return source.readByteArray();
  }

  /** Whether a request has begun to leave; it travels with the request. */
  private static final class Departure {
    volatile boolean begun;
  }

  private static EventListener listen(Call made) {
    return new EventListener() {
      @Override
      public void requestHeadersStart(Call call) {
        Departure departure = call.request().tag(Departure.class);
        if (departure != null) {
          departure.begun = true;
        }
      }
    };
  }

  /**
   * The content of a write. After some answers, such as 408, or 503 with {@code Retry-After: 0},
   * the HTTP client sends a request again by itself, unless it cannot.
   */
  private static final class SentOnce extends RequestBody {
    private final byte[] content;

    SentOnce(byte[] content) {
      this.content = content;
    }

    @Override
    public MediaType contentType() {
      return null; // among the headers
    }

    @Override
    public long contentLength() {
      return content.length;
    }

    @Override
    public void writeTo(BufferedSink sink) throws IOException {
      sink.write(content);
    }

    @Override
    public boolean isOneShot() {
      return true;
    }
  }
}
