package dev.baton.qemu.fake;

import dev.baton.qemu.node.HostMachine;
import dev.baton.qemu.node.Monitor;
import dev.baton.qemu.node.NodeException;
import dev.baton.qemu.node.ProcessIdentity;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** A machine that is another one, but for what a test changes. */
public class ForwardingHost implements HostMachine {
  protected final HostMachine host;

  public ForwardingHost(HostMachine host) {
    this.host = host;
  }

  @Override
  public ProcessIdentity start(List<String> line, Path directory, Path output) throws IOException {
    return host.start(line, directory, output);
  }

  @Override
  public boolean isAlive(ProcessIdentity process) {
    return host.isAlive(process);
  }

  @Override
  public void kill(ProcessIdentity process) {
    host.kill(process);
  }

  @Override
  public ProcessIdentity self() {
    return host.self();
  }

  @Override
  public Optional<ProcessIdentity> find(UUID machine) {
    return host.find(machine);
  }

  @Override
  public Monitor connect(Path socket, Duration patience)
      throws NodeException, InterruptedException {
    return host.connect(socket, patience);
  }

  @Override
  public Finished run(List<String> line, byte[] input, Duration patience)
      throws NodeException, InterruptedException {
    return host.run(line, input, patience);
  }

  @Override
  public boolean isFree(int port) {
    return host.isFree(port);
  }

  @Override
  public boolean isSshThere(int port, Duration patience) {
    return host.isSshThere(port, patience);
  }

  @Override
  public long freeSpace(Path directory) throws IOException {
    return host.freeSpace(directory);
  }

  @Override
  public long freeMemoryMb() {
    return host.freeMemoryMb();
  }

  @Override
  public long memoryMb() {
    return host.memoryMb();
  }

  @Override
  public void pause(Duration time) throws InterruptedException {
    host.pause(time);
  }

  @Override
  public long nanos() {
    return host.nanos();
  }
}
