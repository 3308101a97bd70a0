package dev.baton.queue.github;

import java.nio.charset.StandardCharsets;

/**
 * One thing to ask of GitHub.
 *
 * @param url the whole address
 * @param body JSON; empty for a read
 * @param urgent whether it is sent before a limit is over, see {@link Limits}
 */
record ApiRequest(String method, String url, String body, boolean urgent) {

  static ApiRequest read(String url, boolean urgent) {
    return new ApiRequest("GET", url, "", urgent);
  }

  boolean isRead() {
    return method.equals("GET");
  }

  /** Whether it is for GraphQL, which refuses with an answer that is a success. */
  boolean isQuery() {
    return url.endsWith("/graphql");
  }

  byte[] bytes() {
    return body.getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public String toString() {
    return method + " " + url;
  }
}
