package dev.baton.client.queue;

import dev.baton.queue.WaitProgress;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Where somebody who waits can look: the board of the queue, and the run that has the lock. Told
 * once, and again when another one has the lock. Pure: the same progress gives the same line.
 */
public final class WaitAddresses {

  private static final String GITHUB = "https://github.com";

  private final Place place;
  private final String server;
  private String told = "";

  /**
   * @param server where workflow runs are looked at, such as {@code https://github.com}
   */
  public WaitAddresses(Place place, String server) {
    this.place = Objects.requireNonNull(place, "place");
    this.server = Objects.requireNonNull(server, "server");
  }

  public static WaitAddresses of(OpenQueue open) {
    return new WaitAddresses(
        open.place(), open.workflows().map(github -> github.place().webUrl()).orElse(GITHUB));
  }

  /** A line, when there is another one to tell than the last time. */
  public Optional<String> news(WaitProgress p) {
    if (p.trouble().isPresent()) {
      return Optional.empty();
    }
    String line =
        Stream.concat(
                place.boardAddress(p.board()).map(board -> "Board: " + board).stream(),
                p.building().stream()
                    .flatMap(t -> t.run().map(run -> run.address(server)).stream())
                    .map(run -> "Builds now: " + run))
            .collect(Collectors.joining("  "));
    if (line.isEmpty() || line.equals(told)) {
      return Optional.empty();
    }
    told = line;
    return Optional.of(line);
  }
}
