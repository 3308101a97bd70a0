package dev.baton.store;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** What another process does to a document, and how a test starts one. */
public final class StoreProcess {
  private static final int LETTERS = 60_000;

  private StoreProcess() {}

  static Process start(String... arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    // Short-lived processes: start fast rather than run fast.
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx64m"));
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add(StoreProcess.class.getName());
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command).redirectErrorStream(true).start();
  }

  /**
   * Public, and with plain arguments, so that a copy of this class in another loader can be run.
   */
  public static void main(String[] arguments) throws IOException {
    Path directory = Path.of(arguments[1]);
    switch (arguments[0]) {
      case "increment" -> increment(directory, Integer.parseInt(arguments[2]));
      case "write-forever" -> writeForever(directory, Long.parseLong(arguments[2]));
      case "hold-lock" -> holdLock(directory.resolve("queue.lock"));
      case "impatient-write" -> impatientWrite(directory);
      case "try-lock" -> tryLock(directory.resolve("queue.lock"));
      default -> throw new IllegalArgumentException(arguments[0]);
    }
  }

  /** The counter is safe only because a write that is based on an old value is lost. */
  static void increment(Path directory, int times) throws StoreException {
    VersionedStore store = FileStores.in(directory).document("queue");
    for (int done = 0; done < times; ) {
      Snapshot seen = store.read();
      int value = seen.content().map(Integer::parseInt).orElse(0);
      WriteResult result = store.write(seen.version(), Integer.toString(value + 1), "");
      if (result instanceof WriteResult.Written) {
        done++;
      } else if (!(result instanceof WriteResult.Lost)) {
        throw new IllegalStateException(result.toString());
      }
    }
  }

  private static void writeForever(Path directory, long seed) throws StoreException {
    VersionedStore store = FileStores.in(directory).document("queue");
    Random random = new Random(seed);
    while (true) {
      Snapshot seen = store.read();
      WriteResult result = store.write(seen.version(), content(random.nextInt(1_000_000)), "");
      if (result instanceof WriteResult.Written) {
        System.out.println("written");
      }
    }
  }

  /** A content whose every half, mixture or beginning can be told from the whole. */
  private static String content(int number) {
    String letters = Character.toString('a' + number % 26).repeat(LETTERS + number % 1000);
    return "begin " + number + " " + letters + " end " + number;
  }

  static boolean isWhole(String content) {
    String[] words = content.split(" ", 3);
    return words.length == 3
        && words[0].equals("begin")
        && words[1].matches("\\d{1,6}")
        && content.equals(content(Integer.parseInt(words[1])));
  }

  private static void impatientWrite(Path directory) throws StoreException {
    new FileStores(directory, new Disk(), Duration.ofMillis(1), Clock.systemUTC())
        .document("queue")
        .write(new Version("none"), "never written", "");
  }

  private static void tryLock(Path file) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE);
        FileLock lock = channel.tryLock()) {
      System.out.println(lock == null ? "taken" : "free");
    }
  }

  private static void holdLock(Path file) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE);
        FileLock lock = channel.lock()) {
      System.out.println("held " + lock.isValid());
      if (System.in.read() >= 0) {
        throw new IllegalStateException("waits for the end of its input or of its life");
      }
    }
  }
}
