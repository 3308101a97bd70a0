package dev.baton.qemu.node;

import dev.baton.core.BrokenDocumentException;
import dev.baton.core.json.PlainJson;
import dev.baton.qemu.node.NodeException.Reason;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;

/**
 * QEMU's machine protocol over a unix socket:
 *
 * <ol>
 *   <li>QEMU greets. A socket that is not there, or that nothing listens on, means that QEMU is not
 *       there; one that takes the connection and says nothing belongs to a QEMU that hangs, or that
 *       talks to somebody else: it talks to one at a time.
 *   <li>{@code qmp_capabilities} ends the negotiation.
 *   <li>Every command has an id, and its reply has the same one. Events come in between.
 * </ol>
 */
public final class Qmp implements Monitor {
  private static final int LONGEST_LINE = 4 << 20;

  private final Path socket;
  private final SocketChannel channel;
  private final AtomicLong ids = new AtomicLong();
  private final Map<String, CompletableFuture<Map<?, ?>>> waiting = new ConcurrentHashMap<>();
  private final CompletableFuture<Map<?, ?>> greeting = new CompletableFuture<>();
  private final Semaphore events = new Semaphore(0);
  private volatile boolean closed;

  private Qmp(Path socket, SocketChannel channel) {
    this.socket = socket;
    this.channel = channel;
  }

  /**
   * @param patience for the greeting and the negotiation
   * @throws NodeException {@code MISSING}: no QEMU is there; {@code SILENT}: it says nothing
   */
  public static Qmp connect(Path socket, Duration patience)
      throws NodeException, InterruptedException {
    if (!Files.exists(socket)) {
      throw new NodeException(Reason.MISSING, "there is no socket " + socket, "");
    }
    Qmp qmp;
    try {
      SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
      try {
        channel.connect(UnixDomainSocketAddress.of(socket));
      } catch (IOException e) {
        channel.close();
        throw e;
      }
      qmp = new Qmp(socket, channel);
    } catch (IOException e) {
      throw new NodeException(Reason.MISSING, "nothing listens on " + socket, "", e);
    }
    Thread reader = new Thread(qmp::read, "baton-qmp");
    reader.setDaemon(true);
    reader.start();
    try {
      if (!(qmp.await(qmp.greeting, "its greeting", patience).get("QMP") instanceof Map)) {
        throw new NodeException(Reason.BROKEN, socket + " is not a QMP socket", "");
      }
      qmp.execute("qmp_capabilities", Map.of(), patience);
      return qmp;
    } catch (NodeException | InterruptedException | RuntimeException e) {
      qmp.close();
      throw e;
    }
  }

  @Override
  public Object execute(String command, Map<String, ?> arguments, Duration patience)
      throws NodeException, InterruptedException {
    String id = "baton-" + ids.incrementAndGet();
    CompletableFuture<Map<?, ?>> reply = new CompletableFuture<>();
    waiting.put(id, reply);
    try {
      if (closed) {
        throw gone(null);
      }
      Map<String, Object> line = new LinkedHashMap<>();
      line.put("execute", command);
      line.put("arguments", arguments);
      line.put("id", id);
      send(PlainJson.text(line) + "\n");
      Map<?, ?> answer = await(reply, "a reply to " + command, patience);
      if (answer.get("error") instanceof Map<?, ?> error) {
        throw new NodeException(
            Reason.BROKEN, "QEMU refuses " + command + ": " + error.get("desc"), "");
      }
      return answer.get("return");
    } finally {
      waiting.remove(id);
    }
  }

  private synchronized void send(String line) throws NodeException {
    ByteBuffer bytes = ByteBuffer.wrap(line.getBytes(StandardCharsets.UTF_8));
    try {
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
    } catch (IOException e) {
      throw gone(e);
    }
  }

  private Map<?, ?> await(CompletableFuture<Map<?, ?>> reply, String what, Duration patience)
      throws NodeException, InterruptedException {
    try {
      return reply.get(patience.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      throw new NodeException(
          Reason.SILENT,
          "QEMU is there and has not sent " + what + " within " + patience.toSeconds() + " s",
          "It hangs, or another program holds its monitor at " + socket + ".",
          e);
    } catch (ExecutionException e) {
      throw gone(e);
    }
  }

  private NodeException gone(Exception cause) {
    return new NodeException(
        Reason.MISSING, "QEMU has closed the connection to " + socket, "", cause);
  }

  private void read() {
    try (BufferedReader in =
        new BufferedReader(Channels.newReader(channel, StandardCharsets.UTF_8))) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        take(PlainJson.object(line, LONGEST_LINE));
      }
    } catch (IOException | BrokenDocumentException e) {
      // As good as an end: whatever is still waited for is told so below.
      closed = true;
    }
    closed = true;
    IOException end = new IOException("the connection is closed");
    greeting.completeExceptionally(end);
    waiting.values().forEach(w -> w.completeExceptionally(end));
    events.release();
  }

  private void take(Map<String, Object> message) {
    if (message.containsKey("QMP")) {
      greeting.complete(message);
    } else if (message.containsKey("event")) {
      events.release();
    } else if (message.get("id") instanceof String id && waiting.containsKey(id)) {
      waiting.get(id).complete(message);
    }
  }

  @Override
  public boolean awaitEvent(Duration atMost) throws InterruptedException {
    boolean any = events.tryAcquire(atMost.toMillis(), TimeUnit.MILLISECONDS);
    events.drainPermits();
    return any;
  }

  @Override
  public boolean isOpen() {
    return !closed;
  }

  @Override
  public void close() {
    closed = true;
    try {
      channel.close();
    } catch (IOException e) {
      // Nothing more is wanted of it.
      return;
    }
  }
}
