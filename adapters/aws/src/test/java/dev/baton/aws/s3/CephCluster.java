package dev.baton.aws.s3;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * The S3 of Ceph, from the packages of Debian: a monitor, one object store in memory and a gateway,
 * as processes of their own on loopback, in a temporary directory.
 */
final class CephCluster implements AutoCloseable {
  private static final long PATIENCE = TimeUnit.MINUTES.toNanos(2);
  private static final int OSD_STARTS = 10;

  private static final String CONFIGURATION =
      """
      [global]
      fsid = %1$s
      mon host = v1:127.0.0.1:%2$d
      public network = 127.0.0.0/8
      auth cluster required = none
      auth service required = none
      auth client required = none
      keyring = /dev/null
      ms bind msgr2 = false
      run dir = %3$s
      admin socket = %3$s/$name.$pid.asok
      log file = %3$s/$name.log
      mon data = %3$s/mon
      mon data avail crit = 1
      mon allow pool size one = true
      osd data = %3$s/osd
      osd objectstore = memstore
      memstore device bytes = 1073741824
      osd crush chooseleaf type = 0
      osd pool default size = 1
      osd pool default min size = 1
      osd pool default pg num = 4
      osd pool default pgp num = 4
      osd pool default pg autoscale mode = off
      rgw run sync thread = false
      """;

  private final Path directory;
  private final Deque<Process> processes = new ArrayDeque<>();
  private final int port;

  private CephCluster(Path directory, int port) {
    this.directory = directory;
    this.port = port;
  }

  static CephCluster start(String id, String secret) {
    try {
      CephCluster cluster =
          new CephCluster(Files.createTempDirectory("baton-ceph").toRealPath(), freePort());
      try {
        cluster.startAll(id, secret);
      } catch (IOException | RuntimeException e) {
        cluster.close();
        throw e;
      }
      return cluster;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  String endpoint() {
    return "http://127.0.0.1:" + port;
  }

  private void startAll(String id, String secret) throws IOException {
    int monitorPort = freePort();
    String cluster = UUID.randomUUID().toString();
    Files.createDirectory(directory.resolve("mon"));
    Files.createDirectory(directory.resolve("osd"));
    Files.writeString(
        directory.resolve("ceph.conf"), CONFIGURATION.formatted(cluster, monitorPort, directory));
    String monitor = "[v1:127.0.0.1:" + monitorPort + "]";
    done("monmaptool", "--create", "--fsid", cluster, "--addv", "a", monitor, "monmap");
    done("ceph-mon", "--mkfs", "-i", "a", "--monmap", "monmap", "--keyring", "/dev/null");
    running("ceph-mon", "-f", "-i", "a");
    until("the monitor answers", () -> said("ceph", "-s").contains("quorum a"));

    String osd = UUID.randomUUID().toString();
    until("the object store is known", () -> said("ceph", "osd", "new", osd).startsWith("0"));
    done("ceph-osd", "-i", "0", "--mkfs", "--osd-uuid", osd);
    startObjectStore();

    running(
        "radosgw", "-f", "-n", "client.rgw.a", "--rgw-frontends=beast endpoint=127.0.0.1:" + port);
    until("the gateway answers", this::answers);
    done(
        "radosgw-admin",
        "user",
        "create",
        "--uid=team",
        "--display-name=team",
        "--access-key=" + id,
        "--secret-key=" + secret);
  }

  /** The first one may find that the monitor does not know the cluster by its name yet, and end. */
  private void startObjectStore() throws IOException {
    for (int start = 0; start < OSD_STARTS; start++) {
      Process process = running("ceph-osd", "-f", "-i", "0");
      long until = System.nanoTime() + PATIENCE;
      while (process.isAlive() && System.nanoTime() < until) {
        if (said("ceph", "-s").contains("1 up")) {
          return;
        }
        pause();
      }
      process.destroyForcibly();
      processes.remove(process);
    }
    throw new IllegalStateException("the object store of Ceph does not come up: " + logs());
  }

  private boolean answers() {
    try {
      HttpURLConnection connection =
          (HttpURLConnection) URI.create(endpoint()).toURL().openConnection();
      connection.setConnectTimeout(1000);
      connection.setReadTimeout(5000);
      return connection.getResponseCode() == HttpURLConnection.HTTP_OK;
    } catch (IOException e) {
      return false;
    }
  }

  // ---- processes

  private ProcessBuilder command(String program, String... rest) {
    List<String> line = new ArrayList<>(List.of(program, "-c", "ceph.conf"));
    if (program.equals("monmaptool")) {
      line = new ArrayList<>(List.of(program));
    }
    line.addAll(List.of(rest));
    return new ProcessBuilder(line).directory(directory.toFile()).redirectErrorStream(true);
  }

  private Process running(String program, String... rest) throws IOException {
    Process process =
        command(program, rest)
            .redirectOutput(
                ProcessBuilder.Redirect.appendTo(directory.resolve(program + ".out").toFile()))
            .start();
    processes.push(process);
    return process;
  }

  private void done(String program, String... rest) throws IOException {
    Path out = directory.resolve(program + ".done");
    Process process = command(program, rest).redirectOutput(out.toFile()).start();
    if (!ended(process, PATIENCE) || process.exitValue() != 0) {
      throw new IllegalStateException(program + " failed: " + Files.readString(out));
    }
  }

  private String said(String program, String... rest) {
    try {
      Path out = directory.resolve(program + ".said");
      Process process = command(program, rest).redirectOutput(out.toFile()).start();
      return ended(process, TimeUnit.SECONDS.toNanos(20)) ? Files.readString(out).strip() : "";
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static boolean ended(Process process, long nanos) {
    try {
      if (process.waitFor(nanos, TimeUnit.NANOSECONDS)) {
        return true;
      }
      process.destroyForcibly();
      return false;
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  private interface Look {
    boolean isSo() throws IOException;
  }

  private void until(String what, Look look) throws IOException {
    long until = System.nanoTime() + PATIENCE;
    while (!look.isSo()) {
      if (System.nanoTime() > until) {
        throw new IllegalStateException("it does not happen that " + what + ": " + logs());
      }
      pause();
    }
  }

  private String logs() throws IOException {
    StringBuilder all = new StringBuilder();
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.filter(f -> f.toString().endsWith(".out")).toList()) {
        all.append(file.getFileName()).append(":\n").append(Files.readString(file));
      }
    }
    return all.toString();
  }

  private static void pause() {
    try {
      Thread.sleep(200);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  /** The gateway first. */
  @Override
  public void close() {
    for (Process process : processes) {
      process.destroyForcibly();
      ended(process, PATIENCE);
    }
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
