package dev.baton.qemu.node;

import dev.baton.core.BrokenDocumentException;
import dev.baton.core.json.PlainJson;
import dev.baton.qemu.node.NodeException.Reason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Files with disks in them. What is made here is there as a whole, or not at all, and for this user
 * alone.
 */
public final class QemuImg {
  private static final Duration QUICK = Duration.ofMinutes(2);
  private static final Duration COPY = Duration.ofHours(2);

  private final HostMachine host;
  private final String program;

  public QemuImg(HostMachine host, String program) {
    this.host = host;
    this.program = program;
  }

  /**
   * What a file is.
   *
   * @param format as the caller has claimed, or as QEMU has found out
   * @param backing the file that it builds on
   * @param foreign whether it refers to yet another file for its data
   */
  public record Info(String format, long virtualBytes, Optional<String> backing, boolean foreign) {}

  /**
   * @param format that the file must have; empty: any, which only a file of one's own may have
   */
  public Info info(Path file, Optional<String> format) throws NodeException, InterruptedException {
    List<String> line = new ArrayList<>(List.of(program, "info", "--output=json", "-U"));
    format.ifPresent(f -> line.addAll(List.of("-f", f)));
    line.add(file.toString());
    String said = run(line, QUICK);
    try {
      Map<String, Object> info = PlainJson.object(said, 1 << 20);
      boolean foreign =
          info.get("format-specific") instanceof Map<?, ?> specific
              && specific.get("data") instanceof Map<?, ?> data
              && data.containsKey("data-file");
      return new Info(
          String.valueOf(info.get("format")),
          ((Number) info.get("virtual-size")).longValue(),
          Optional.ofNullable((String) info.get("full-backing-filename"))
              .or(() -> Optional.ofNullable((String) info.get("backing-filename"))),
          foreign);
    } catch (BrokenDocumentException | ClassCastException e) {
      throw new NodeException(
          Reason.BROKEN, program + " says something unexpected about " + file, "", e);
    }
  }

  /** A disk on top of another one, which is not changed. */
  public void overlay(Path base, Path target, long bytes)
      throws NodeException, InterruptedException {
    make(
        target,
        t ->
            List.of(
                program,
                "create",
                "-q",
                "-f",
                "qcow2",
                "-F",
                "qcow2",
                "-b",
                base.toString(),
                t.toString(),
                Long.toString(bytes)),
        QUICK);
  }

  /** An empty disk. */
  public void create(Path target, long bytes) throws NodeException, InterruptedException {
    make(
        target,
        t -> List.of(program, "create", "-q", "-f", "qcow2", t.toString(), Long.toString(bytes)),
        QUICK);
  }

  /**
   * A copy without snapshots in it, of a disk that no running machine uses.
   *
   * @param base what the disk is on top of, and the copy too; empty: a whole one
   */
  public void copy(Path from, String format, Optional<Path> base, Path target)
      throws NodeException, InterruptedException {
    make(
        target,
        t -> {
          List<String> line =
              new ArrayList<>(List.of(program, "convert", "-q", "-f", format, "-O", "qcow2"));
          base.ifPresent(b -> line.addAll(List.of("-F", "qcow2", "-B", b.toString())));
          line.addAll(List.of(from.toString(), t.toString()));
          return line;
        },
        COPY);
  }

  /** A file with the same bytes; it shares them where the file system can. */
  public void same(Path from, Path target) throws NodeException, InterruptedException {
    make(
        target,
        t ->
            List.of("cp", "--reflink=auto", "--sparse=always", "-T", from.toString(), t.toString()),
        COPY);
  }

  /** Makes a disk larger. */
  public void grow(Path disk, long bytes) throws NodeException, InterruptedException {
    run(
        List.of(program, "resize", "-q", "-f", "qcow2", disk.toString(), Long.toString(bytes)),
        QUICK);
  }

  private interface Line {
    List<String> to(Path temporary);
  }

  private void make(Path target, Line line, Duration patience)
      throws NodeException, InterruptedException {
    Path temporary = target.resolveSibling(target.getFileName() + ".tmp");
    try {
      Files.deleteIfExists(temporary);
      // What is written into a file that is there leaves it to whom it belongs.
      Files.createFile(
          temporary,
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
      run(line.to(temporary), patience);
      Files.move(temporary, target, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw Texts.cannot("write", target, e);
    } finally {
      temporary.toFile().delete();
    }
  }

  private String run(List<String> line, Duration patience)
      throws NodeException, InterruptedException {
    HostMachine.Finished finished = host.run(line, new byte[0], patience);
    if (!finished.isGood()) {
      throw new NodeException(Reason.BROKEN, finished.lastWords(), "");
    }
    return finished.output();
  }
}
