package dev.baton.cli.terminal;

import dev.baton.client.text.LogText;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/**
 * Prints text in which others may have a say, such as the titles in a queue: in the log of a
 * workflow it is no command, see {@link LogText}. Commands that are started print by themselves.
 */
final class InertStream extends PrintStream {

  private InertStream(OutputStream out) {
    super(out, true, StandardCharsets.UTF_8);
  }

  /** The same stream where it is one of these already. */
  static PrintStream over(PrintStream out) {
    return out instanceof InertStream ? out : new InertStream(new Filter(out));
  }

  /** Gets whole characters: that is how a print stream writes them. */
  private static final class Filter extends FilterOutputStream {
    private final LogText log = new LogText();

    Filter(OutputStream out) {
      super(out);
    }

    @Override
    public void write(int single) throws IOException {
      write(new byte[] {(byte) single}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      String text = new String(bytes, offset, length, StandardCharsets.UTF_8);
      out.write(log.next(text).getBytes(StandardCharsets.UTF_8));
    }
  }
}
