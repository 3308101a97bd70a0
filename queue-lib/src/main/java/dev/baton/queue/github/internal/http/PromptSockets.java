package dev.baton.queue.github.internal.http;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import javax.net.SocketFactory;

/**
 * Sockets that send at once. Otherwise the body of a write waits for the receipt of its headers,
 * which the other side may hold back for 40 ms.
 */
public final class PromptSockets extends SocketFactory {
  private final SocketFactory plain = SocketFactory.getDefault();

  @Override
  public Socket createSocket() throws IOException {
    return prompt(plain.createSocket());
  }

  @Override
  public Socket createSocket(String host, int port) throws IOException {
    return prompt(plain.createSocket(host, port));
  }

  @Override
  public Socket createSocket(String host, int port, InetAddress localHost, int localPort)
      throws IOException {
    return prompt(plain.createSocket(host, port, localHost, localPort));
  }

  @Override
  public Socket createSocket(InetAddress host, int port) throws IOException {
    return prompt(plain.createSocket(host, port));
  }

  @Override
  public Socket createSocket(InetAddress host, int port, InetAddress localHost, int localPort)
      throws IOException {
    return prompt(plain.createSocket(host, port, localHost, localPort));
  }

  private static Socket prompt(Socket socket) throws IOException {
    socket.setTcpNoDelay(true);
    return socket;
  }
}
