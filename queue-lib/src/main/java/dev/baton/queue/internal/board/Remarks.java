package dev.baton.queue.internal.board;

import dev.baton.queue.board.Discussion.Remark;
import java.util.List;
import java.util.stream.Collectors;

/** Answers below a board, as Markdown that shows just what was said. Pure. */
public final class Remarks {

  private static final int LINES = 40;
  private static final int ROOM = 1_000;
  private static final int CODE = 20_000;

  private Remarks() {}

  /** The first line is {@link Remark#MARK}, by which nobody takes the rest for a command. */
  public static String markdown(Remark remark) {
    String text =
        remark
            .text()
            .lines()
            .limit(LINES)
            .map(line -> Text.escape(line, ROOM))
            .filter(line -> !line.isEmpty())
            .collect(Collectors.joining("\n"));
    return Remark.MARK + "\n" + text + "\n" + (remark.code().isBlank() ? "" : code(remark.code()));
  }

  private static String code(String code) {
    List<String> lines = code.lines().limit(4L * LINES).toList();
    String whole = Text.visibleJson(String.join("\n", lines));
    String shown = whole.substring(0, Math.min(CODE, whole.length()));
    return "\n" + Text.fenced("text", shown);
  }
}
