package dev.baton.qemu.node;

import dev.baton.qemu.node.NodeException.Reason;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** This machine, with Linux. */
public final class LinuxHost implements HostMachine {
  private static final Path PROC = Path.of("/proc");
  private static final int STATE_FIELD = 0;
  private static final int START_FIELD = 19;
  private static final int MOST_OUTPUT = 1 << 20;

  private final List<String> before;
  private final List<String> path;
  private final Map<String, String> environment;

  /**
   * @param before what each program that lives on is started by, such as {@code setpriv} and its
   *     arguments
   * @param environment that programs get; its {@code PATH} says where they are, as far as that does
   *     not depend on the working directory
   */
  public LinuxHost(List<String> before, Map<String, String> environment) {
    this.before = List.copyOf(before);
    this.path = safe(environment.getOrDefault("PATH", ""));
    Map<String, String> all = new HashMap<>(environment);
    all.put("PATH", String.join(":", path));
    this.environment = Map.copyOf(all);
  }

  /** Of a {@code PATH}, what does not depend on the working directory, which may be a checkout. */
  private static List<String> safe(String path) {
    List<String> safe = Stream.of(path.split(":")).filter(d -> d.startsWith("/")).toList();
    return safe.isEmpty() ? List.of("/usr/local/bin", "/usr/bin", "/bin") : safe;
  }

  /** By its whole path: the system would look where the {@code PATH} of this process leads. */
  private List<String> located(List<String> line) throws IOException {
    String name = line.get(0);
    if (name.startsWith("/")) {
      return line;
    }
    Path program =
        path.stream()
            .map(directory -> Path.of(directory, name))
            .filter(f -> Files.isRegularFile(f) && Files.isExecutable(f))
            .findFirst()
            .orElseThrow(() -> new NoSuchFileException(name));
    List<String> all = new ArrayList<>(line);
    all.set(0, program.toString());
    return all;
  }

  @Override
  public ProcessIdentity start(List<String> line, Path directory, Path output) throws IOException {
    List<String> all = new ArrayList<>(List.of("setsid"));
    all.addAll(before);
    all.addAll(line);
    // Each of these becomes the next one, so the number stays.
    Process process =
        builder(all)
            .directory(directory.toFile())
            .redirectInput(new File("/dev/null"))
            .redirectOutput(ProcessBuilder.Redirect.appendTo(output.toFile()))
            .redirectErrorStream(true)
            .start();
    return identity(process.pid()).orElseGet(() -> new ProcessIdentity(process.pid(), 0, boot()));
  }

  private ProcessBuilder builder(List<String> line) throws IOException {
    ProcessBuilder builder = new ProcessBuilder(located(line));
    builder.environment().clear();
    builder.environment().putAll(environment);
    return builder;
  }

  @Override
  public boolean isAlive(ProcessIdentity process) {
    return identity(process.pid()).filter(process::equals).isPresent();
  }

  @Override
  public void kill(ProcessIdentity process) {
    if (isAlive(process)) {
      ProcessHandle.of(process.pid()).ifPresent(ProcessHandle::destroyForcibly);
    }
  }

  /** Empty: there is none, or it has ended and only its parent has not taken notice yet. */
  private static Optional<ProcessIdentity> identity(long pid) {
    String stat;
    try {
      stat = Files.readString(PROC.resolve(Long.toString(pid)).resolve("stat"));
    } catch (IOException e) {
      return Optional.empty();
    }
    // The name in parentheses may have anything in it.
    String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
    return hasEnded(pid, fields[STATE_FIELD])
        ? Optional.empty()
        : Optional.of(new ProcessIdentity(pid, Long.parseLong(fields[START_FIELD]), boot()));
  }

  /**
   * Where the first thread of a process has ended and others have not yet, its files and ports are
   * still in use.
   */
  private static boolean hasEnded(long pid, String state) {
    return state.equals("X") || state.equals("Z") && threads(pid) <= 1;
  }

  private static int threads(long pid) {
    String[] names = PROC.resolve(Long.toString(pid)).resolve("task").toFile().list();
    return names == null ? 0 : names.length;
  }

  private static String boot() {
    try {
      return Files.readString(PROC.resolve("sys/kernel/random/boot_id")).strip();
    } catch (IOException e) {
      throw new UncheckedIOException("/proc cannot be read", e);
    }
  }

  @Override
  public ProcessIdentity self() {
    return identity(ProcessHandle.current().pid())
        .orElseThrow(() -> new IllegalStateException("this process is not in /proc"));
  }

  @Override
  public Optional<ProcessIdentity> find(UUID machine) {
    try (DirectoryStream<Path> all = Files.newDirectoryStream(PROC, "[0-9]*")) {
      for (Path process : all) {
        if (isOf(machine, process)) {
          Optional<ProcessIdentity> found =
              identity(Long.parseLong(process.getFileName().toString()));
          if (found.isPresent()) {
            return found;
          }
        }
      }
      return Optional.empty();
    } catch (IOException e) {
      throw new UncheckedIOException("/proc cannot be read", e);
    }
  }

  private static boolean isOf(UUID machine, Path process) {
    try {
      List<String> line = Arrays.asList(Files.readString(process.resolve("cmdline")).split("\0"));
      int at = line.indexOf("-uuid");
      return at >= 0 && at + 1 < line.size() && line.get(at + 1).equals(machine.toString());
    } catch (IOException e) {
      // It has ended meanwhile, or is another user's.
      return false;
    }
  }

  @Override
  public Monitor connect(Path socket, Duration patience)
      throws NodeException, InterruptedException {
    return Qmp.connect(socket, patience);
  }

  @Override
  public Finished run(List<String> line, byte[] input, Duration patience)
      throws NodeException, InterruptedException {
    Process process;
    try {
      process = builder(line).start();
    } catch (IOException e) {
      throw new NodeException(
          Reason.MISSING, "the program " + line.get(0) + " cannot be started", "", e);
    }
    CompletableFuture<String> output = read(process.getInputStream());
    CompletableFuture<String> errors = read(process.getErrorStream());
    CompletableFuture<Void> written =
        CompletableFuture.runAsync(() -> write(process.getOutputStream(), input));
    try {
      if (!process.waitFor(patience.toMillis(), TimeUnit.MILLISECONDS)) {
        throw new NodeException(
            Reason.SILENT, line.get(0) + " was not done after " + patience.toSeconds() + " s", "");
      }
      Finished finished = new Finished(process.exitValue(), output.join(), errors.join());
      written.join();
      return finished;
    } finally {
      process.destroyForcibly();
    }
  }

  private static void write(OutputStream to, byte[] input) {
    try (to) {
      to.write(input);
    } catch (IOException e) {
      // It has ended without reading all of it; its exit code says how that went.
      return;
    }
  }

  private static CompletableFuture<String> read(InputStream from) {
    return CompletableFuture.supplyAsync(
        () -> {
          ByteArrayOutputStream kept = new ByteArrayOutputStream();
          byte[] buffer = new byte[8192];
          try (from) {
            for (int n = from.read(buffer); n >= 0; n = from.read(buffer)) {
              kept.write(buffer, 0, Math.min(n, MOST_OUTPUT - kept.size()));
            }
          } catch (IOException e) {
            // The process was ended; what it has said until then is all there is.
            return kept.toString(StandardCharsets.UTF_8);
          }
          return kept.toString(StandardCharsets.UTF_8);
        });
  }

  @Override
  public boolean isFree(int port) {
    try (ServerSocket socket = new ServerSocket()) {
      socket.setReuseAddress(true);
      socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  @Override
  public boolean isSshThere(int port, Duration patience) {
    int millis = (int) patience.toMillis();
    try (Socket socket = new Socket()) {
      socket.setSoTimeout(millis);
      socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), millis);
      return new String(socket.getInputStream().readNBytes(4), StandardCharsets.US_ASCII)
          .equals("SSH-");
    } catch (IOException e) {
      return false;
    }
  }

  @Override
  public long freeSpace(Path directory) throws IOException {
    return Files.getFileStore(directory).getUsableSpace();
  }

  @Override
  public long freeMemoryMb() {
    return memory("MemAvailable:");
  }

  @Override
  public long memoryMb() {
    return memory("MemTotal:");
  }

  private static long memory(String which) {
    try {
      for (String line : Files.readAllLines(PROC.resolve("meminfo"))) {
        if (line.startsWith(which)) {
          return Long.parseLong(line.replaceAll("[^0-9]", "")) / 1024;
        }
      }
      throw new IllegalStateException("/proc/meminfo has no " + which);
    } catch (IOException e) {
      throw new UncheckedIOException("/proc cannot be read", e);
    }
  }

  @Override
  public void pause(Duration time) throws InterruptedException {
    Thread.sleep(time.toMillis());
  }

  @Override
  public long nanos() {
    return System.nanoTime();
  }
}
