package dev.baton.vm.crash;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Counts the moments at which a process could be killed, and kills it at one of them. */
public final class KillSwitch {

  /** The end of a process. Nothing may catch it. */
  public static final class Killed extends Error {
    private static final long serialVersionUID = 1;

    public Killed(String where) {
      super("killed " + where, null, false, false);
    }
  }

  /** What a moment is next to. */
  public enum At {
    STORE_WRITE,
    COPY,
    PROVIDER_CALL
  }

  /** One moment. */
  public record Point(At at, String where) {}

  private final List<Point> points = new ArrayList<>();
  private final Runnable kill;
  private Consumer<Point> watcher = point -> {};
  private int target = -1;
  private boolean armed;

  /**
   * @param kill ends the process, or null for an error that nothing catches
   */
  public KillSwitch(Runnable kill) {
    this.kill = kill;
  }

  public KillSwitch() {
    this(null);
  }

  /** From now on moments count. */
  public void arm(int killAt) {
    points.clear();
    target = killAt;
    armed = true;
  }

  /** Told at each moment; may do what others do meanwhile. */
  public void watch(Consumer<Point> next) {
    watcher = next;
    armed = true;
  }

  public void disarm() {
    armed = false;
  }

  public List<Point> points() {
    return List.copyOf(points);
  }

  void point(At at, String where) {
    if (!armed) {
      return;
    }
    Point point = new Point(at, where);
    points.add(point);
    watcher.accept(point);
    if (points.size() - 1 == target) {
      armed = false;
      if (kill != null) {
        kill.run();
      }
      throw new Killed(where);
    }
  }
}
