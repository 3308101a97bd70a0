package dev.baton.alibaba.account;

import dev.baton.core.Proxies;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** A proxy on loopback in front of one server, which remembers what was sent through it. */
public final class PipeProxy implements AutoCloseable {
  private final ServerSocket door;
  private final int target;
  private final ByteArrayOutputStream heard = new ByteArrayOutputStream();

  /**
   * @param target such as {@code http://127.0.0.1:8080}
   */
  public PipeProxy(String target) throws IOException {
    this.target = Integer.parseInt(target.replaceFirst(".*:(\\d+)$", "$1"));
    this.door = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    start(this::accept);
  }

  private static void start(Runnable work) {
    Thread thread = new Thread(work, "pipe-proxy");
    thread.setDaemon(true);
    thread.start();
  }

  private void accept() {
    try {
      while (true) {
        Socket in = door.accept();
        Socket out = new Socket(InetAddress.getLoopbackAddress(), target);
        start(() -> copy(in, out, true));
        start(() -> copy(out, in, false));
      }
    } catch (IOException e) {
      // The door is closed: the test is over.
      return;
    }
  }

  private void copy(Socket from, Socket to, boolean listen) {
    byte[] some = new byte[8192];
    try (InputStream in = from.getInputStream();
        OutputStream out = to.getOutputStream()) {
      for (int n = in.read(some); n >= 0; n = in.read(some)) {
        if (listen) {
          synchronized (heard) {
            heard.write(some, 0, n);
          }
        }
        out.write(some, 0, n);
        out.flush();
      }
    } catch (IOException e) {
      // One side has hung up, and the other is hung up by this.
      return;
    }
  }

  /** What was sent, with its heads. */
  public String heard() {
    synchronized (heard) {
      return heard.toString(StandardCharsets.ISO_8859_1);
    }
  }

  /** That leads here, also on loopback. */
  public Proxies rules(String user) {
    String who = user.isEmpty() ? "" : user + "@";
    return Proxies.alsoOnLoopback(
        Map.of("http_proxy", "http://" + who + "127.0.0.1:" + door.getLocalPort()));
  }

  @Override
  public void close() throws IOException {
    door.close();
  }
}
