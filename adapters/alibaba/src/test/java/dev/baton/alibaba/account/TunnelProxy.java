package dev.baton.alibaba.account;

import dev.baton.core.Proxies;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/** A proxy on loopback that leads through to servers, also on loopback. */
public final class TunnelProxy implements AutoCloseable {
  private final ServerSocket door = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
  private final AtomicInteger tunnels = new AtomicInteger();

  private final boolean strict;

  /**
   * @param strict whether it wants to know who asks
   */
  public TunnelProxy(boolean strict) throws IOException {
    this.strict = strict;
    start(this::accept);
  }

  private static void start(Runnable work) {
    Thread thread = new Thread(work, "tunnel-proxy");
    thread.setDaemon(true);
    thread.start();
  }

  /** How many were made. */
  public int tunnels() {
    return tunnels.get();
  }

  /** That leads here, also on loopback. */
  public Proxies rules(String user) {
    return Proxies.alsoOnLoopback(
        Map.of("https_proxy", "http://" + user + "@127.0.0.1:" + door.getLocalPort()));
  }

  private void accept() {
    try {
      while (true) {
        Socket client = door.accept();
        start(() -> serve(client));
      }
    } catch (IOException e) {
      // The door is closed: the test is over.
      return;
    }
  }

  private void serve(Socket client) {
    try (client) {
      InputStream in = client.getInputStream();
      OutputStream out = client.getOutputStream();
      String head = head(in);
      while (strict && !head.isEmpty() && !head.contains("Proxy-Authorization: Basic ")) {
        say(out, "407 Who?\r\nProxy-Authenticate: Basic realm=\"proxy\"\r\nContent-Length: 0");
        head = head(in);
      }
      if (head.isEmpty()) {
        return;
      }
      String port = head.replaceFirst("(?s)^CONNECT [^: ]+:(\\d+) .*", "$1");
      try (Socket server = new Socket(InetAddress.getLoopbackAddress(), Integer.parseInt(port))) {
        tunnels.incrementAndGet();
        say(out, "200 OK");
        start(() -> copy(in, server));
        server.getInputStream().transferTo(out);
      }
    } catch (IOException e) {
      // One of the two has hung up, as they do.
      return;
    }
  }

  private static void say(OutputStream out, String answer) throws IOException {
    out.write(("HTTP/1.1 " + answer + "\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
    out.flush();
  }

  private static void copy(InputStream in, Socket server) {
    try {
      in.transferTo(server.getOutputStream());
    } catch (IOException e) {
      // The other direction sees the same end.
      return;
    }
  }

  /** The lines up to the empty one; nothing, when the client has hung up. */
  private static String head(InputStream in) throws IOException {
    StringBuilder head = new StringBuilder();
    for (int b = in.read(); b >= 0; b = in.read()) {
      head.append((char) b);
      if (head.toString().endsWith("\r\n\r\n")) {
        return head.toString();
      }
    }
    return "";
  }

  @Override
  public void close() throws IOException {
    door.close();
  }
}
