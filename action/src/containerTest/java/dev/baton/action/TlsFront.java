package dev.baton.action;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.logging.Level;
import java.util.logging.Logger;
import javax.net.ssl.SSLServerSocket;
import okhttp3.tls.HandshakeCertificates;
import okhttp3.tls.HeldCertificate;

/** Speaks TLS on one side and passes on to a port of this machine in clear. */
final class TlsFront implements AutoCloseable {

  private static final Logger LOG = Logger.getLogger(TlsFront.class.getName());

  private final ServerSocket server;
  private final int behind;

  private TlsFront(ServerSocket server, int behind) {
    this.server = server;
    this.behind = behind;
  }

  static TlsFront before(int port, HeldCertificate certificate) throws IOException {
    SSLServerSocket made =
        (SSLServerSocket)
            new HandshakeCertificates.Builder()
                .heldCertificate(certificate)
                .build()
                .sslContext()
                .getServerSocketFactory()
                .createServerSocket(0, 50, InetAddress.getLoopbackAddress());
    TlsFront front = new TlsFront(made, port);
    background(front::serve);
    return front;
  }

  int port() {
    return server.getLocalPort();
  }

  private void serve() throws IOException {
    while (true) {
      Socket client = server.accept();
      Socket inner = new Socket(InetAddress.getLoopbackAddress(), behind);
      background(() -> pass(client, inner));
      background(() -> pass(inner, client));
    }
  }

  private static void pass(Socket from, Socket to) throws IOException {
    try (from;
        to) {
      from.getInputStream().transferTo(to.getOutputStream());
    }
  }

  private interface Task {
    void run() throws IOException;
  }

  private static void background(Task task) {
    Thread thread =
        new Thread(
            () -> {
              try {
                task.run();
              } catch (IOException e) {
                // A client that does not believe the certificate hangs up, and so does each that
                // ends.
                LOG.log(Level.FINE, "a connection ended", e);
              }
            },
            "tls-front");
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public void close() {
    try {
      server.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
