package dev.baton.store;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;

/** Lets a number of changing steps happen and then stops, as the process or as the disk would. */
final class StoppingFiles extends ForwardingFiles {

  enum Way {
    /** The process is gone: this step and all later ones do not happen. */
    KILLED,
    /** As before, but half of the content was written if it stopped in a write. */
    KILLED_HALFWAY,
    /** This one step fails and does nothing; those after it work. */
    FAILING_STEP,
    /** This step fails although it was done; those after it work. */
    LYING_STEP
  }

  /** Not an exception that the code under test could handle: a killed process handles nothing. */
  static final class Killed extends Error {
    private static final long serialVersionUID = 1;
  }

  private final int steps;
  private final Way way;
  private int done;
  private boolean stopped;

  StoppingFiles(FileOperations files, int steps, Way way) {
    super(files);
    this.steps = steps;
    this.way = way;
  }

  boolean stopped() {
    return stopped;
  }

  private interface Step {
    void run() throws IOException;
  }

  private void step(Step step, Step half) throws IOException {
    boolean killed = way == Way.KILLED || way == Way.KILLED_HALFWAY;
    if (killed && stopped) {
      throw new Killed();
    }
    if (done++ != steps) {
      step.run();
      return;
    }
    stopped = true;
    switch (way) {
      case KILLED -> throw new Killed();
      case KILLED_HALFWAY -> {
        half.run();
        throw new Killed();
      }
      case FAILING_STEP -> throw new IOException("failed on purpose");
      case LYING_STEP -> {
        step.run();
        throw new IOException("failed on purpose, after the fact");
      }
    }
  }

  private void step(Step step) throws IOException {
    step(step, () -> {});
  }

  @Override
  public NewFile create(Path path) throws IOException {
    NewFile[] created = new NewFile[1];
    step(() -> created[0] = super.create(path));
    NewFile file = created[0];
    return new ForwardingNewFile(file) {
      @Override
      public void write(byte[] content) throws IOException {
        step(
            () -> file.write(content),
            () -> file.write(Arrays.copyOf(content, content.length / 2)));
      }

      @Override
      public void sync() throws IOException {
        step(file::sync);
      }
    };
  }

  @Override
  public void link(Path existing, Path name) throws IOException {
    step(() -> super.link(existing, name));
  }

  @Override
  public void rename(Path from, Path to) throws IOException {
    step(() -> super.rename(from, to));
  }

  @Override
  public void delete(Path file) throws IOException {
    step(() -> super.delete(file));
  }

  @Override
  public void syncDirectory(Path directory) throws IOException {
    step(() -> super.syncDirectory(directory));
  }
}
