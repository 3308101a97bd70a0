package dev.baton.demo;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What a build wrote to the file that all builds of a queue share.
 *
 * @param end empty when it never said so
 */
record Witness(String title, long token, Instant start, Optional<Instant> end) {

  static void write(Path file, String what, long token, String title) throws IOException {
    Files.writeString(
        file,
        String.join("\t", what, String.valueOf(token), Instant.now().toString(), title) + "\n",
        StandardCharsets.UTF_8,
        StandardOpenOption.CREATE,
        StandardOpenOption.APPEND);
  }

  /** In the order in which they started. */
  static List<Witness> read(Path file) throws IOException {
    List<Witness> result = new ArrayList<>();
    if (!Files.exists(file)) {
      return result;
    }
    for (String line : Files.readAllLines(file)) {
      String[] part = line.split("\t", 4);
      Instant at = Instant.parse(part[2]);
      if (part[0].equals("start")) {
        result.add(new Witness(part[3], Long.parseLong(part[1]), at, Optional.empty()));
      } else {
        result.replaceAll(
            w ->
                w.title.equals(part[3])
                    ? new Witness(w.title, w.token, w.start, Optional.of(at))
                    : w);
      }
    }
    return result;
  }
}
