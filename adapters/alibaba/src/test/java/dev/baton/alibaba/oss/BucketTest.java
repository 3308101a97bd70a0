package dev.baton.alibaba.oss;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.alibaba.account.Keys;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BucketTest {

  /** The server sends for as long as somebody reads. */
  @ParameterizedTest
  @ValueSource(strings = {"Content-Length: 1099511627776", "X-No-Length: connection ends"})
  void anObjectOfAbsurdSizeIsRefusedAndNotGotToItsEnd(String length) throws Exception {
    try (ServerSocket server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
      FutureTask<Long> serving = new FutureTask<>(() -> sendForEver(server, length));
      new Thread(serving, "endless").start();
      OssAccess access =
          OssAccess.of(
              URI.create("http://127.0.0.1:" + server.getLocalPort()),
              "cn-hangzhou",
              () -> new Keys.Pair("id", "secret", ""));
      try (Bucket bucket = new Bucket("team-builds", access)) {
        FutureTask<?> looking = new FutureTask<>(() -> bucket.look("huge"));
        new Thread(looking, "looking").start();

        assertThatThrownBy(() -> looking.get(60, TimeUnit.SECONDS))
            .isInstanceOf(ExecutionException.class)
            .hasCauseInstanceOf(OssFailure.class)
            .hasMessageContaining("huge is not a document of Baton");
        assertThat(serving.get(60, TimeUnit.SECONDS)).as("bytes").isLessThan(64L << 20);
      }
    }
  }

  /** How many bytes went out until nobody took them. */
  private static long sendForEver(ServerSocket server, String length) throws IOException {
    long sent = 0;
    try (Socket socket = server.accept()) {
      socket.getInputStream().read(new byte[8192]);
      OutputStream out = socket.getOutputStream();
      String head = "HTTP/1.1 200 OK\r\n" + length + "\r\nETag: \"A\"\r\n\r\n";
      out.write(head.getBytes(StandardCharsets.US_ASCII));
      byte[] block = new byte[1 << 16];
      while (sent < 1L << 33) {
        out.write(block);
        sent += block.length;
      }
    } catch (SocketException e) {
      // The reader has had enough.
    }
    return sent;
  }
}
