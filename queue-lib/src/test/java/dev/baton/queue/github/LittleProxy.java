package dev.baton.queue.github;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A proxy on loopback: tunnels by CONNECT, and passes plain requests on. */
final class LittleProxy implements AutoCloseable {
  private final ServerSocket door;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final List<String> requests = new ArrayList<>();
  private final Optional<String> credentials;

  /**
   * @param credentials what {@code Proxy-Authorization} must be, or nothing
   */
  LittleProxy(Optional<String> credentials) {
    this.credentials = credentials;
    try {
      door = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      throw new AssertionError("no port on loopback", e);
    }
    threads.execute(this::open);
  }

  int port() {
    return door.getLocalPort();
  }

  /** The first lines of the requests that were passed on. */
  synchronized List<String> requests() {
    return List.copyOf(requests);
  }

  private void open() {
    while (!door.isClosed()) {
      try {
        Socket client = door.accept();
        threads.execute(() -> serve(client));
      } catch (IOException e) {
        // The door was closed: that is the end of the test.
        return;
      }
    }
  }

  private void serve(Socket client) {
    try (client) {
      InputStream in = client.getInputStream();
      OutputStream out = client.getOutputStream();
      List<String> head = readHead(in);
      if (head.isEmpty()) {
        return;
      }
      if (credentials.isPresent() && !head.contains("Proxy-Authorization: " + credentials.get())) {
        out.write(
            ("HTTP/1.1 407 Proxy Authentication Required\r\n"
                    + "Proxy-Authenticate: Basic realm=\"test\"\r\n"
                    + "Content-Length: 0\r\nConnection: close\r\n\r\n")
                .getBytes(StandardCharsets.US_ASCII));
        return;
      }
      synchronized (this) {
        requests.add(head.get(0));
      }
      String[] first = head.get(0).split(" ");
      if (first[0].equals("CONNECT")) {
        String[] target = first[1].split(":");
        try (Socket server = new Socket(target[0], Integer.parseInt(target[1]))) {
          out.write("HTTP/1.1 200 OK\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
          pipe(in, out, server);
        }
      } else {
        URI uri = URI.create(first[1]);
        try (Socket server = new Socket(uri.getHost(), uri.getPort())) {
          server.getOutputStream().write(passedOn(first, uri, head));
          pipe(in, out, server);
        }
      }
    } catch (IOException e) {
      // One of the two has hung up, as they do.
      return;
    }
  }

  private static byte[] passedOn(String[] first, URI uri, List<String> head) {
    String query = uri.getRawQuery() == null ? "" : "?" + uri.getRawQuery();
    StringBuilder text = new StringBuilder();
    text.append(first[0]).append(' ').append(uri.getRawPath()).append(query);
    text.append(" HTTP/1.1\r\nConnection: close\r\n");
    head.stream()
        .skip(1)
        .filter(line -> !line.startsWith("Proxy-") && !line.startsWith("Connection:"))
        .forEach(line -> text.append(line).append("\r\n"));
    return text.append("\r\n").toString().getBytes(StandardCharsets.US_ASCII);
  }

  private void pipe(InputStream in, OutputStream out, Socket server) throws IOException {
    threads.execute(
        () -> {
          try {
            in.transferTo(server.getOutputStream());
          } catch (IOException e) {
            // The other direction sees the same end.
            return;
          }
        });
    server.getInputStream().transferTo(out);
  }

  private static List<String> readHead(InputStream in) throws IOException {
    List<String> lines = new ArrayList<>();
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    for (int b = in.read(); b >= 0; b = in.read()) {
      if (b == '\n') {
        String text = line.toString(StandardCharsets.US_ASCII).strip();
        if (text.isEmpty()) {
          return lines;
        }
        lines.add(text);
        line.reset();
      } else {
        line.write(b);
      }
    }
    return lines;
  }

  @Override
  public void close() {
    try {
      door.close();
    } catch (IOException e) {
      throw new AssertionError("a socket that cannot be closed", e);
    }
    threads.shutdownNow();
  }
}
