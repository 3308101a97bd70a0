package dev.baton.testing.service;

import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * A request as a fake understands it.
 *
 * @param kind the service's own name of the operation, such as {@code PutObject}
 * @param resource what it is about, such as {@code bucket/key}; may be empty
 * @param parameters those of the query
 * @param headers by lower-case name
 */
public record Call(
    String kind,
    String method,
    String resource,
    Map<String, String> parameters,
    Map<String, String> headers,
    byte[] body) {

  public Call {
    Objects.requireNonNull(kind, "kind");
    Objects.requireNonNull(method, "method");
    Objects.requireNonNull(resource, "resource");
    parameters = new TreeMap<>(parameters);
    headers = new TreeMap<>(headers);
  }

  /** Empty when it is not there. */
  public String header(String name) {
    return headers.getOrDefault(name, "");
  }

  /** Empty when it is not there. */
  public String parameter(String name) {
    return parameters.getOrDefault(name, "");
  }

  public boolean is(String someKind) {
    return kind.equals(someKind);
  }
}
