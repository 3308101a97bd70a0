package dev.baton.core.probe;

import java.util.Objects;

/**
 * A request and its answer.
 *
 * @param number counted from 1 within a probe
 * @param operation what kind of request it is, such as {@code write a file}
 */
public record ProbeExchange(
    int number, String operation, Transport.Request request, Transport.Answer answer) {
  public ProbeExchange {
    Objects.requireNonNull(operation, "operation");
    Objects.requireNonNull(request, "request");
    Objects.requireNonNull(answer, "answer");
  }
}
