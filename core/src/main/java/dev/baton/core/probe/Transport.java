package dev.baton.core.probe;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Sends requests as they are: nothing is remembered, sent again or waited for. It adds the
 * credentials, and takes them out of an answer that has them in it.
 */
public interface Transport {

  /**
   * @throws IOException when no whole answer came; what was asked for may have been done
   */
  Answer send(Request request) throws IOException;

  /**
   * What is sent.
   *
   * @param path below the address of the service
   * @param body empty for none
   */
  record Request(String method, String path, Map<String, String> headers, String body) {
    public Request {
      Objects.requireNonNull(method, "method");
      Objects.requireNonNull(path, "path");
      headers = Map.copyOf(headers);
      Objects.requireNonNull(body, "body");
    }
  }

  /**
   * What came back, whatever its status says.
   *
   * @param headers by their names in any case
   */
  record Answer(int status, Map<String, List<String>> headers, String body) {
    public Answer {
      Map<String, List<String>> copy = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
      copy.putAll(headers);
      headers = copy;
      Objects.requireNonNull(body, "body");
    }

    public Optional<String> header(String name) {
      List<String> values = headers.get(name);
      return values == null || values.isEmpty() ? Optional.empty() : Optional.of(values.get(0));
    }
  }
}
