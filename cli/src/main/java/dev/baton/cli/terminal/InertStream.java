package dev.baton.cli.terminal;

import dev.baton.client.text.LogText;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/**
 * Prints text in which others may have a say, such as the titles in a queue or the names of files:
 * to a terminal and in the log of a workflow it is no command, see {@link LogText}; what Baton
 * itself tells the terminal comes as {@link TerminalCodes}. Commands that are started print by
 * themselves.
 */
public final class InertStream extends PrintStream {

  private final PrintStream behind;

  private InertStream(PrintStream behind) {
    super(new Filter(behind), true, StandardCharsets.UTF_8);
    this.behind = behind;
  }

  /** The same stream where it is one of these already. */
  static PrintStream over(PrintStream out) {
    return out instanceof InertStream ? out : new InertStream(out);
  }

  /** For text that is Baton's own from end to end, such as its help with the colours in it. */
  public static PrintStream past(PrintStream out) {
    return out instanceof InertStream inert ? inert.behind : out;
  }

  /** Gets whole characters: that is how a print stream writes them. */
  private static final class Filter extends FilterOutputStream {
    private final LogText log = new LogText();
    private final TerminalCodes codes = new TerminalCodes();

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
      out.write(codes.next(text, log::next).getBytes(StandardCharsets.UTF_8));
    }
  }
}
