package dev.baton.benchmarks;

import dev.baton.client.settings.Host;
import dev.baton.client.settings.Settings;
import dev.baton.client.vm.VmClient;
import dev.baton.qemu.node.LinuxHost;
import dev.baton.qemu.node.Monitor;
import dev.baton.vm.BuildVm;
import dev.baton.vm.BuildVm.Disk;
import dev.baton.vm.Client;
import dev.baton.vm.DeploySpec;
import dev.baton.vm.Options;
import dev.baton.vm.Questions;
import dev.baton.vm.VmName;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * VMs in QEMU against a shell script that does the same by hand, in turns on one machine, with the
 * tiny guest of the adapter's tests and without KVM.
 */
public final class QemuCost {
  private static final Options YES = Options.DEFAULT.asking(Questions.assumeYes());
  private static final int ROUND_TRIPS = 500;
  private static final double SHARE_OF_BARE = 1.15;
  private static final double SHARE_WARM = 0.4;
  private static final double SHARE_RESUMED = 0.3;

  /**
   * What a person would write: an overlay, what cloud-init reads, QEMU, and SSH until it answers.
   */
  private static final String BARE =
      """
      set -eu
      cd "$1"
      port=$3
      qemu-img create -q -f qcow2 -F qcow2 -b "$2" disk.qcow2 1G
      mkdir seed
      ssh-keygen -q -t ed25519 -N '' -f key
      ssh-keygen -q -t ed25519 -N '' -f host
      {
        printf '#cloud-config\\nssh_keys:\\n  ed25519_private: |\\n'
        sed 's/^/    /' host
        printf '  ed25519_public: %s\\n' "$(cat host.pub)"
        printf 'ssh_authorized_keys:\\n  - %s\\n' "$(cat key.pub)"
      } > seed/user-data
      printf 'instance-id: bare\\nlocal-hostname: bare\\n' > seed/meta-data
      printf '[127.0.0.1]:%s %s\\n' "$port" "$(cut -d ' ' -f 1,2 host.pub)" > known
      qemu-system-x86_64 -nodefaults -no-user-config -display none -machine q35,accel=tcg -cpu max -smp 1 -m 128M \\
        -serial file:console.log -device virtio-rng-pci \\
        -blockdev driver=qcow2,node-name=disk,file.driver=file,file.filename=disk.qcow2 \\
        -device virtio-blk-pci,drive=disk,bootindex=1 \\
        -blockdev driver=vvfat,node-name=seed,dir="$PWD/seed",label=cidata,read-only=on -device virtio-blk-pci,drive=seed \\
        -netdev "user,id=net,hostfwd=tcp:127.0.0.1:$port-:22" -device virtio-net-pci,netdev=net,romfile= \\
        -daemonize -pidfile pid
      until ssh -F none -T -i key -p "$port" -o BatchMode=yes -o IdentitiesOnly=yes -o StrictHostKeyChecking=yes \\
        -o UserKnownHostsFile=known -o ConnectTimeout=20 root@127.0.0.1 -- true 2> /dev/null
      do
        sleep 0.5
      done
      """;

  private final Path root;
  private final VmClient client;
  private final DeploySpec spec;

  private QemuCost(Path root, VmClient client) {
    this.root = root;
    this.client = client;
    this.spec = client.cloud().defaults().withImage("tiny").withDisk(1).withApplication("sleep 1");
  }

  public static void main(String[] args) throws Exception {
    int rounds = args.length > 0 ? Integer.parseInt(args[0]) : 7;
    Path image = Path.of(System.getProperty("baton.qemu.guest"));
    if (!Files.exists(image)) {
      System.out.println("Not run: QEMU is not installed, or the guest could not be built.");
      return;
    }
    Path root = Files.createTempDirectory("bq");
    Files.setPosixFilePermissions(root, PosixFilePermissions.fromString("rwxr-xr-x"));
    try {
      Map<String, String> environment = new HashMap<>();
      environment.put("PATH", System.getenv("PATH") + ":/usr/sbin");
      environment.put("HOME", root.toString());
      environment.put("BATON_CLOUD", "qemu");
      environment.put("BATON_VM_STORE", "file:" + root.resolve("states"));
      environment.put("BATON_QEMU_HOME", root.resolve("q").toString());
      environment.put("BATON_QEMU_TYPE", "1x128m");
      environment.put("BATON_QEMU_ACCELERATOR", "tcg");
      // Where this is root; QEMU never is.
      environment.put("BATON_QEMU_USER", "nobody");
      Host host = Host.system(environment, root, Enum::name);
      try (VmClient client =
          VmClient.open(Settings.ofEnvironment(host), host, Client.named("benchmark"))) {
        Files.copy(image, root.resolve("tiny.qcow2"));
        client.images().add("tiny", root.resolve("tiny.qcow2"), Optional.empty());
        new QemuCost(root, client).run(rounds);
      }
    } finally {
      try (Stream<Path> all = Files.walk(root)) {
        all.sorted(Comparator.reverseOrder()).forEach(p -> p.toFile().delete());
      }
    }
  }

  private interface Work {
    void run() throws Exception;
  }

  private static double seconds(Work work) throws Exception {
    long start = System.nanoTime();
    work.run();
    return (System.nanoTime() - start) / 1e9;
  }

  private BuildVm vm() {
    return client.vms().vm(VmName.DEFAULT);
  }

  private void run(int rounds) throws Exception {
    List<Double> bare = new ArrayList<>();
    List<Double> deploy = new ArrayList<>();
    List<Double> cold = new ArrayList<>();
    List<Double> resume = new ArrayList<>();
    List<Double> warm = new ArrayList<>();
    double own = 0;
    double raw = 0;
    List<String> others = List.of();
    vm().deploy(spec.startingWarm(true), YES);
    vm().destroy(Disk.DROP, YES);
    for (int i = 0; i < rounds; i++) {
      bare.add(bare(i));
      // Without a script, as the other has none.
      deploy.add(seconds(() -> vm().deploy(withoutScript(), YES)));
      if (i == 0) {
        others = others();
        Path socket = socket();
        raw = rawTrip(socket);
        own = ownTrip(socket);
      }
      vm().suspend(YES);
      resume.add(seconds(() -> vm().resume(YES)));
      vm().destroy(Disk.DROP, YES);
      cold.add(seconds(() -> vm().deploy(spec, YES)));
      vm().destroy(Disk.DROP, YES);
      warm.add(seconds(() -> vm().deploy(spec.startingWarm(true), YES)));
      vm().destroy(Disk.DROP, YES);
      System.out.printf(
          "round %d: script %.1f s, deploy %.1f, resume %.1f, with a script %.1f, warm %.1f%n",
          i + 1, bare.get(i), deploy.get(i), resume.get(i), cold.get(i), warm.get(i));
    }
    for (VmName name : client.vms().names()) {
      client.vms().vm(name).takeDown(YES);
    }
    System.out.printf("one QMP command: %.2f ms, over a bare socket %.2f ms%n", own, raw);
    System.out.println("processes beside QEMU that a VM needs while it runs: " + others.size());
    boolean good =
        said("deploy to SSH, against a script that starts QEMU", deploy, bare, SHARE_OF_BARE)
            & said("resume, against that deploy", resume, deploy, SHARE_RESUMED)
            & said("warm start, against a boot with the script", warm, cold, SHARE_WARM)
            & others.isEmpty();
    if (!good) {
      throw new IllegalStateException("a goal was missed");
    }
  }

  private DeploySpec withoutScript() {
    return client.cloud().defaults().withImage("tiny").withDisk(1);
  }

  private static boolean said(String what, List<Double> a, List<Double> b, double goal) {
    double[] ratios = new double[a.size()];
    for (int i = 0; i < ratios.length; i++) {
      ratios[i] = a.get(i) / b.get(i);
    }
    Arrays.sort(ratios);
    double median = ratios[ratios.length / 2];
    System.out.printf(
        "%s: %.2f (%.2f to %.2f; goal %.2f)%n",
        what, median, ratios[0], ratios[ratios.length - 1], goal);
    return median <= goal;
  }

  private double bare(int round) throws Exception {
    Path directory = Files.createDirectory(root.resolve("bare" + round));
    int port;
    try (ServerSocket socket = new ServerSocket(0)) {
      port = socket.getLocalPort();
    }
    try {
      return seconds(
          () -> {
            Process process =
                new ProcessBuilder(
                        "sh",
                        "-c",
                        BARE,
                        "bare",
                        directory.toString(),
                        root.resolve("q/images/tiny.qcow2").toString(),
                        Integer.toString(port))
                    .inheritIO()
                    .start();
            if (!process.waitFor(10, TimeUnit.MINUTES) || process.exitValue() != 0) {
              process.destroyForcibly();
              throw new IllegalStateException("the script has failed");
            }
          });
    } finally {
      Path pid = directory.resolve("pid");
      if (Files.exists(pid)) {
        ProcessHandle.of(Long.parseLong(Files.readString(pid).strip()))
            .ifPresent(ProcessHandle::destroyForcibly);
      }
    }
  }

  /** What runs for this VM, but for QEMU and this benchmark. */
  private List<String> others() {
    return ProcessHandle.allProcesses()
        .filter(p -> p.pid() != ProcessHandle.current().pid())
        .map(p -> p.info().commandLine().orElse(""))
        .filter(l -> l.contains(root.toString()) && !l.contains("qemu-system"))
        .toList();
  }

  private Path socket() {
    try (Stream<Path> all = Files.list(root.resolve("q/run"))) {
      return all.filter(p -> p.toString().endsWith(".sock")).findFirst().orElseThrow();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static double median(double[] times) {
    Arrays.sort(times);
    return times[times.length / 2];
  }

  private static double ownTrip(Path socket) throws Exception {
    double[] times = new double[ROUND_TRIPS];
    try (Monitor monitor =
        new LinuxHost(List.of(), Map.of()).connect(socket, Duration.ofSeconds(10))) {
      for (int i = 0; i < times.length; i++) {
        times[i] =
            1_000
                * seconds(() -> monitor.execute("query-status", Map.of(), Duration.ofSeconds(10)));
      }
    }
    return median(times);
  }

  private static double rawTrip(Path socket) throws Exception {
    double[] times = new double[ROUND_TRIPS];
    try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      channel.connect(UnixDomainSocketAddress.of(socket));
      line(channel);
      ask(channel, "{\"execute\":\"qmp_capabilities\"}");
      for (int i = 0; i < times.length; i++) {
        times[i] = 1_000 * seconds(() -> ask(channel, "{\"execute\":\"query-status\"}"));
      }
    }
    return median(times);
  }

  private static void ask(SocketChannel channel, String command) throws IOException {
    channel.write(ByteBuffer.wrap((command + "\n").getBytes(StandardCharsets.US_ASCII)));
    line(channel);
  }

  private static void line(SocketChannel channel) throws IOException {
    ByteBuffer buffer = ByteBuffer.allocate(4_096);
    do {
      if (channel.read(buffer) < 0) {
        throw new IOException("QEMU has closed the connection");
      }
    } while (buffer.get(buffer.position() - 1) != '\n');
  }
}
