package dev.baton.benchmarks;

import dev.baton.store.StoreException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * What one would write first: the lock and the line are in the body of an issue; read it, and if
 * one may, write it back changed. Nobody reads back.
 */
final class NaiveClient {
  private static final Duration POLL = Duration.ofSeconds(5);

  /** Longer than anybody holds the lock: an old write may bring back a lock that nobody has. */
  private static final Duration DEAD = Duration.ofMinutes(5);

  private static final String FREE = "nobody";

  /** The body of the issue: {@code locked by NAME; line A B C}. */
  private record Body(String lockedBy, List<String> line) {

    static Body parse(String text) {
      String[] parts = text.split("; line ?", -1);
      if (parts.length != 2) {
        return new Body(FREE, List.of());
      }
      return new Body(
          parts[0].replace("locked by ", ""),
          Arrays.stream(parts[1].split(" ")).filter(s -> !s.isEmpty()).toList());
    }

    String text() {
      return "locked by " + lockedBy + "; line " + String.join(" ", line);
    }

    boolean isFree() {
      return lockedBy.equals(FREE);
    }

    Body joinedBy(String name) {
      List<String> next = new ArrayList<>(line);
      next.add(name);
      return new Body(lockedBy, next);
    }

    Body takenBy(String name) {
      return new Body(name, line.stream().filter(n -> !n.equals(name)).toList());
    }

    Body freed() {
      return new Body(FREE, line);
    }
  }

  private final Stage stage;
  private final LateWrites late;
  private final Judge judge;
  private final IssuePage page;
  private final int issue;
  private final String client;
  private long readAt;

  NaiveClient(Stage stage, LateWrites late, Judge judge, IssuePage page, int issue, String client) {
    this.stage = stage;
    this.late = late;
    this.judge = judge;
    this.page = page;
    this.issue = issue;
    this.client = client;
  }

  void visit(int turn, Duration build) throws StoreException {
    String me = client + "-" + turn;
    join(me);
    take(me);
    judge.holds(client);
    stage.world.sleep(build);
    judge.ends(client);
    release(me);
  }

  private Body read() {
    readAt = stage.world.nanos();
    return Body.parse(page.read(issue));
  }

  private Body truth() {
    return Body.parse(stage.repository.issueBody(issue).orElse(""));
  }

  private void write(Body body) throws StoreException {
    late.late(
        readAt,
        () -> {
          page.edit(issue, body.text());
          return null;
        });
  }

  private void join(String me) throws StoreException {
    write(read().joinedBy(me));
  }

  private void take(String me) throws StoreException {
    String seen = FREE;
    long since = stage.world.nanos();
    while (true) {
      if (!truth().line().contains(me)) {
        judge.lostTicket();
        join(me);
      }
      Body now = read();
      if (!now.lockedBy().equals(seen)) {
        seen = now.lockedBy();
        since = stage.world.nanos();
      }
      boolean dead = stage.world.since(since).compareTo(DEAD) > 0;
      if (now.isFree() || dead) {
        write(now.takenBy(me));
        return;
      }
      stage.world.sleep(POLL);
    }
  }

  private void release(String me) throws StoreException {
    for (int i = 0; i < 12; i++) {
      Body now = read();
      if (now.lockedBy().equals(me)) {
        write(now.freed());
        return;
      }
      stage.world.sleep(POLL);
    }
  }
}
