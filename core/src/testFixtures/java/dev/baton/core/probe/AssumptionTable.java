package dev.baton.core.probe;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

/** The tables of docs/probe.md, as the assumptions themselves have them. */
public final class AssumptionTable {
  private static final String HEAD =
      "| | assumed | if it does not hold | code | requests |\n|---|---|---|---|---|\n";

  private AssumptionTable() {}

  /** Fails, and shows the right table, unless that stands below this heading. */
  public static void requireIn(Path document, String heading, List<Assumption> assumptions) {
    try {
      assertThat(Files.readString(document)).contains(heading + "\n\n" + of(assumptions));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static String of(List<Assumption> assumptions) {
    return HEAD
        + assumptions.stream().map(AssumptionTable::row).collect(Collectors.joining("\n"))
        + "\n";
  }

  private static String row(Assumption a) {
    String code =
        a.reliedOnBy().isEmpty()
            ? "nothing yet"
            : a.reliedOnBy().stream().map(c -> "`" + c + "`").collect(Collectors.joining(", "));
    String cost = a.requests() + (a.writes() && a.requests() > 0 ? ", writes" : "");
    return "| `"
        + a.id()
        + "` | "
        + a.assumed()
        + " | "
        + a.otherwise()
        + " | "
        + code
        + " | "
        + cost
        + " |";
  }
}
