package dev.baton.queue.github;

import dev.baton.core.World;
import dev.baton.core.json.PlainJson;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import javax.net.SocketFactory;

/**
 * Connects a {@link GitHubSpace} with a server in the same process. Everything between the queue
 * and the sockets is real; the sockets hand over whole requests and whole answers.
 */
public final class SimulatedNetwork {

  /** Longer than any simulation takes on the clock of the real machine. */
  private static final Duration NEVER = Duration.ofDays(1);

  private SimulatedNetwork() {}

  /** A request as it was sent; the names of headers in lower case. */
  public record Request(String method, String path, Map<String, String> headers, String body) {}

  /**
   * What comes back.
   *
   * @param cutOff the connection breaks in the middle of the body
   */
  public record Reply(int status, Map<String, String> headers, String body, boolean cutOff) {
    public Reply(int status, Map<String, String> headers, String body) {
      this(status, headers, body, false);
    }
  }

  /** Answers requests on the thread that asks, and may take its time there. */
  public interface Server {
    /**
     * @throws IOException when there is no answer
     */
    Reply answer(Request request) throws IOException;
  }

  /** A queue in git mode on that server. */
  public static GitHubSpace open(World world, Server server) {
    GitHubPlace place =
        new GitHubPlace(
            URI.create("http://127.0.0.1:1"), "octo/app", "sim", GitHubPlace.Mode.GIT, 0);
    GitHubConnection connection =
        GitHubConnection.builder()
            .token(() -> "simulated")
            .connectTimeout(NEVER)
            .callTimeout(NEVER)
            .sockets(new Sockets(server))
            .build();
    return GitHubSpace.open(place, connection, world);
  }

  /** The document that is kept in such a file, as {@link GitHubSpace#document} names it. */
  public static String documentOf(String file) {
    return file.replaceFirst("\\.json$", "");
  }

  /** Git's name for a content. */
  public static String blobSha(String content) {
    return Texts.blobSha(content.getBytes(StandardCharsets.UTF_8));
  }

  /** An object of strings. */
  public static String json(Map<String, String> members) {
    return PlainJson.text(members);
  }

  /** The members of an object, see {@link PlainJson#leaves}. */
  public static Map<String, String> members(String json) {
    return PlainJson.leaves(PlainJson.object(json));
  }

  private static final class Sockets extends SocketFactory {
    private final Server server;

    Sockets(Server server) {
      this.server = server;
    }

    @Override
    public Socket createSocket() {
      return new Link(server);
    }

    @Override
    public Socket createSocket(String host, int port) {
      throw new UnsupportedOperationException();
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress localHost, int localPort) {
      throw new UnsupportedOperationException();
    }

    @Override
    public Socket createSocket(InetAddress host, int port) {
      throw new UnsupportedOperationException();
    }

    @Override
    public Socket createSocket(InetAddress host, int port, InetAddress local, int localPort) {
      throw new UnsupportedOperationException();
    }
  }

  /** One connection; one request at a time. */
  private static final class Link extends Socket {
    private final Server server;
    private final ByteArrayOutputStream sent = new ByteArrayOutputStream();
    private byte[] received = new byte[0];
    private int read;
    private boolean ends;
    private volatile boolean closed;
    private volatile boolean connected;

    Link(Server server) {
      this.server = server;
    }

    @Override
    public void connect(SocketAddress endpoint, int timeout) {
      connected = true;
    }

    @Override
    public boolean isConnected() {
      return connected;
    }

    @Override
    public boolean isClosed() {
      return closed;
    }

    @Override
    public boolean isInputShutdown() {
      return closed;
    }

    @Override
    public boolean isOutputShutdown() {
      return closed;
    }

    @Override
    public void setSoTimeout(int timeout) {
      // Answers come when they come.
    }

    @Override
    public int getSoTimeout() {
      return 0;
    }

    @Override
    public void setTcpNoDelay(boolean on) {
      // Nothing is ever held back.
    }

    @Override
    public void close() {
      closed = true;
    }

    @Override
    public OutputStream getOutputStream() {
      return sent;
    }

    @Override
    public InputStream getInputStream() {
      return new InputStream() {
        @Override
        public int read() throws IOException {
          byte[] one = new byte[1];
          return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] to, int from, int length) throws IOException {
          if (read == received.length && !ends) {
            exchange();
          }
          if (read == received.length) {
            return -1;
          }
          int count = Math.min(length, received.length - read);
          System.arraycopy(received, read, to, from, count);
          read += count;
          return count;
        }

        @Override
        public int available() {
          return received.length - read;
        }
      };
    }

    private void exchange() throws IOException {
      if (sent.size() == 0) {
        throw new SocketTimeoutException("nothing was asked");
      }
      Request request = parsed(sent.toString(StandardCharsets.UTF_8));
      sent.reset();
      Reply reply = server.answer(request);
      byte[] body = reply.body().getBytes(StandardCharsets.UTF_8);
      StringBuilder head = new StringBuilder("HTTP/1.1 ").append(reply.status()).append(" X\r\n");
      reply.headers().forEach((n, v) -> head.append(n).append(": ").append(v).append("\r\n"));
      if (reply.status() != 304 && reply.status() != 204) {
        int length = body.length + (reply.cutOff() ? 1 : 0);
        head.append("Content-Length: ").append(length).append("\r\n");
      }
      ByteArrayOutputStream all = new ByteArrayOutputStream();
      all.writeBytes(head.append("\r\n").toString().getBytes(StandardCharsets.UTF_8));
      all.writeBytes(reply.status() == 304 ? new byte[0] : body);
      received = all.toByteArray();
      read = 0;
      ends = reply.cutOff();
    }

    private static Request parsed(String text) {
      int end = text.indexOf("\r\n\r\n");
      String[] lines = text.substring(0, end).split("\r\n");
      String[] first = lines[0].split(" ");
      Map<String, String> headers = new LinkedHashMap<>();
      for (int i = 1; i < lines.length; i++) {
        int colon = lines[i].indexOf(':');
        headers.put(
            lines[i].substring(0, colon).toLowerCase(Locale.ROOT),
            lines[i].substring(colon + 1).strip());
      }
      return new Request(first[0], first[1], headers, text.substring(end + 4));
    }
  }
}
