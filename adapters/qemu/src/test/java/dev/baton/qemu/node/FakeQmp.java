package dev.baton.qemu.node;

import dev.baton.core.json.PlainJson;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A monitor that knows what the contract asks, and that can misbehave. */
final class FakeQmp implements AutoCloseable {
  private final ServerSocketChannel server;
  private final boolean greets;
  private final List<SocketChannel> open = new ArrayList<>();

  FakeQmp(Path socket, boolean greets) throws IOException {
    this.greets = greets;
    server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    server.bind(UnixDomainSocketAddress.of(socket));
    Thread thread = new Thread(this::accept, "fake-qmp");
    thread.setDaemon(true);
    thread.start();
  }

  private void accept() {
    // One at a time, as QEMU does.
    while (true) {
      try (SocketChannel client = server.accept()) {
        synchronized (open) {
          open.add(client);
        }
        serve(client);
      } catch (IOException e) {
        if (!server.isOpen()) {
          return;
        }
      }
    }
  }

  private void serve(SocketChannel client) throws IOException {
    BufferedReader in = new BufferedReader(Channels.newReader(client, StandardCharsets.UTF_8));
    if (greets) {
      say(client, Map.of("QMP", Map.of("version", Map.of(), "capabilities", List.of())));
    }
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      answer(client, PlainJson.object(line));
    }
  }

  private void answer(SocketChannel client, Map<String, Object> command) throws IOException {
    String name = (String) command.get("execute");
    Map<String, Object> reply = new LinkedHashMap<>();
    switch (name) {
      case "never-answers" -> {
        return;
      }
      case "hangs-up" -> {
        client.close();
        return;
      }
      case "qmp_capabilities", "stop", "cont" -> reply.put("return", Map.of());
      case "query-status" -> reply.put("return", Map.of("status", "prelaunch", "running", false));
      default ->
          reply.put(
              "error",
              Map.of(
                  "class",
                  "CommandNotFound",
                  "desc",
                  "The command " + name + " has not been found"));
    }
    if (name.equals("cont")) {
      say(client, Map.of("event", "RESUME", "timestamp", Map.of()));
      // Of somebody else, and of no command at all.
      say(client, Map.of("return", "not yours", "id", "baton-999"));
    }
    reply.put("id", command.get("id"));
    say(client, reply);
  }

  private static void say(SocketChannel client, Map<String, ?> line) throws IOException {
    client.write(ByteBuffer.wrap((PlainJson.text(line) + "\r\n").getBytes(StandardCharsets.UTF_8)));
  }

  @Override
  public void close() throws IOException {
    server.close();
    synchronized (open) {
      for (SocketChannel c : open) {
        c.close();
      }
    }
  }
}
