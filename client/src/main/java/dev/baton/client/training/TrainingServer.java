package dev.baton.client.training;

import dev.baton.core.json.PlainJson;
import dev.baton.queue.BuildQueue;
import dev.baton.queue.QueueException;
import dev.baton.queue.Rules;
import dev.baton.queue.operation.Queues;
import dev.baton.store.MemoryStores;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;

/**
 * As much of a GitHub as a front end needs to go through its usual commands when it is packaged, so
 * that Java can keep the classes that they load in an archive.
 */
public final class TrainingServer implements AutoCloseable {

  private final ServerSocket server;
  // Guarded by this, and about the request that is being answered.
  private final Map<String, String> documents;
  private String name = "queue";

  private TrainingServer(ServerSocket server, Map<String, String> documents) {
    this.server = server;
    this.documents = documents;
  }

  /** Starts one on loopback, with a queue in it. */
  public static TrainingServer start() throws IOException, GeneralSecurityException {
    greet();
    Map<String, String> documents = documents();
    TrainingServer training =
        new TrainingServer(new ServerSocket(0, 50, InetAddress.getLoopbackAddress()), documents);
    Thread thread = new Thread(training::serve, "training");
    thread.setDaemon(true);
    thread.start();
    return training;
  }

  public int port() {
    return server.getLocalPort();
  }

  @Override
  public void close() throws IOException {
    server.close();
  }

  /** The first words of a TLS connection load most of what one needs. */
  private static void greet() throws IOException, GeneralSecurityException {
    SSLEngine engine = SSLContext.getDefault().createSSLEngine("localhost", 443);
    engine.setUseClientMode(true);
    engine.beginHandshake();
    engine.wrap(
        ByteBuffer.allocate(0), ByteBuffer.allocate(engine.getSession().getPacketBufferSize()));
  }

  /** The documents of a queue that has just been created, with issue 1 as its board. */
  private static Map<String, String> documents() throws IOException {
    MemoryStores stores = new MemoryStores();
    try (BuildQueue queue = Queues.open(stores)) {
      queue.create(Rules.DEFAULT);
    } catch (QueueException e) {
      throw new IOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted");
    }
    Map<String, String> all = new HashMap<>();
    Map<String, Object> queue =
        new LinkedHashMap<>(
            PlainJson.object(stores.document("queue").read().content().orElseThrow()));
    queue.put("board", 1);
    all.put("queue", PlainJson.text(queue));
    all.put("beat-0", stores.document("beat-0").read().content().orElseThrow());
    return all;
  }

  private void serve() {
    try {
      while (true) {
        Socket socket = server.accept();
        Thread thread = new Thread(() -> converse(socket), "training");
        thread.setDaemon(true);
        thread.start();
      }
    } catch (IOException e) {
      System.out.println("training: " + e.getMessage());
    }
  }

  private void converse(Socket socket) {
    try (socket) {
      InputStream in = socket.getInputStream();
      OutputStream out = socket.getOutputStream();
      String request = line(in);
      while (!request.isEmpty()) {
        Map<String, String> headers = new HashMap<>();
        for (String h = line(in); !h.isEmpty(); h = line(in)) {
          int colon = h.indexOf(':');
          headers.put(
              h.substring(0, colon).toLowerCase(Locale.ROOT), h.substring(colon + 1).strip());
        }
        int length = Integer.parseInt(headers.getOrDefault("content-length", "0"));
        String body = new String(in.readNBytes(length), StandardCharsets.UTF_8);
        out.write(answer(request, headers, body).getBytes(StandardCharsets.UTF_8));
        out.flush();
        request = line(in);
      }
    } catch (IOException e) {
      System.out.println("training: " + e.getMessage());
    }
  }

  private static String line(InputStream in) throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    for (int c = in.read(); c >= 0 && c != '\n'; c = in.read()) {
      line.write(c);
    }
    return line.toString(StandardCharsets.UTF_8).strip();
  }

  private synchronized String answer(String request, Map<String, String> headers, String body) {
    name = request.contains("/contents/beat") ? "beat-0" : "queue";
    if (request.contains("/issues/")) {
      return response("200 OK", Map.of("id", 1, "number", 1, "state", "open", "body", ""));
    }
    if (request.startsWith("GET") && etag().equals(headers.get("if-none-match"))) {
      return response("304 Not Modified", "");
    }
    if (request.startsWith("PUT") && PlainJson.object(body).get("content") instanceof String sent) {
      documents.put(name, new String(Base64.getMimeDecoder().decode(sent), StandardCharsets.UTF_8));
      return response("200 OK", Map.of("content", file(), "commit", Map.of("sha", "0".repeat(40))));
    }
    Map<String, Object> whole = file();
    whole.put("encoding", "base64");
    whole.put(
        "content", Base64.getEncoder().encodeToString(document().getBytes(StandardCharsets.UTF_8)));
    return response("200 OK", whole);
  }

  private Map<String, Object> file() {
    Map<String, Object> file = new LinkedHashMap<>();
    file.put("type", "file");
    file.put("name", name + ".json");
    file.put("path", name + ".json");
    file.put("size", document().getBytes(StandardCharsets.UTF_8).length);
    file.put("sha", sha());
    return file;
  }

  private String etag() {
    return "W/\"" + sha() + "\"";
  }

  private String document() {
    return documents.get(name);
  }

  /** As git names contents. */
  private String sha() {
    byte[] bytes = document().getBytes(StandardCharsets.UTF_8);
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-1");
      digest.update(("blob " + bytes.length + "\0").getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(digest.digest(bytes));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java has SHA-1", e);
    }
  }

  /** In pieces and with a date, as GitHub's are. */
  private String response(String status, Map<String, ?> body) {
    return response(status, PlainJson.text(body));
  }

  private String response(String status, String body) {
    int length = body.getBytes(StandardCharsets.UTF_8).length;
    String head =
        "HTTP/1.1 "
            + status
            + "\r\nContent-Type: application/json; charset=utf-8\r\nETag: "
            + etag()
            + "\r\nDate: Mon, 16 Nov 2026 12:00:00 GMT\r\n"
            + "X-RateLimit-Limit: 1000\r\n"
            + "X-RateLimit-Remaining: 999\r\n"
            + "X-RateLimit-Reset: 4000000000\r\n";
    return length == 0
        ? head + "\r\n"
        : head
            + "Transfer-Encoding: chunked\r\n\r\n"
            + Integer.toHexString(length)
            + "\r\n"
            + body
            + "\r\n0\r\n\r\n";
  }
}
