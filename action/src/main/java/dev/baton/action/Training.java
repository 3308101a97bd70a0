package dev.baton.action;

import dev.baton.queue.BeatDocument;
import dev.baton.queue.QueueDocument;
import dev.baton.queue.Rules;
import dev.baton.queue.codec.DocumentCodec;
import dev.baton.queue.engine.SystemWorld;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;

/**
 * Goes through whole steps when the image is built, against a few answers on loopback, so that Java
 * can keep the classes that it needs in an archive and starts in half the time. For those who
 * install the command line it writes the list of such classes: an archive is good for one
 * installation alone.
 */
final class Training {

  /** What the command line ends with when it has waited for long enough. */
  private static final int GAVE_UP = 4;

  private static final int LENGTH = 1 << 20;
  private static final String JAVA =
      Path.of(System.getProperty("java.home"), "bin", "java").toString();
  private static final Pattern SENT = Pattern.compile("\"content\"\\s*:\\s*\"([^\"]+)\"");

  // Guarded by this, and about the request that is being answered.
  private final Map<String, String> documents = new HashMap<>();
  private String name = "queue";

  private Training(String document) {
    documents.put("queue", document);
    documents.put("beat-0", DocumentCodec.encodeBeat(BeatDocument.made(1)));
  }

  /**
   * @param args nothing to go through steps, or the file for the list of what the commands load
   */
  public static void main(String[] args)
      throws IOException, GeneralSecurityException, InterruptedException {
    greet();
    Training training = new Training(DocumentCodec.encode(queue(), LENGTH));
    try (ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      Thread thread = new Thread(() -> training.serve(server), "training");
      thread.setDaemon(true);
      thread.start();
      boolean good =
          args.length == 0
              ? steps(server.getLocalPort())
              : commands(server.getLocalPort(), Path.of(args[0]));
      if (!good) {
        System.out.println("training: failed");
      }
      System.exit(good ? 0 : 1);
    }
  }

  /** The first words of a TLS connection load most of what one needs. */
  private static void greet() throws IOException, GeneralSecurityException {
    SSLEngine engine = SSLContext.getDefault().createSSLEngine("localhost", 443);
    engine.setUseClientMode(true);
    engine.beginHandshake();
    engine.wrap(
        ByteBuffer.allocate(0), ByteBuffer.allocate(engine.getSession().getPacketBufferSize()));
  }

  private static QueueDocument queue() {
    QueueDocument d = QueueDocument.empty(QueueDocument.MODE_CAS, Rules.DEFAULT);
    return new QueueDocument(
        d.mode(),
        d.requires(),
        d.version(),
        d.issueLock(),
        d.issueLockVersion(),
        d.slots(),
        d.paused(),
        d.quarantine(),
        1,
        d.nextTicket(),
        d.nextToken(),
        d.rules(),
        d.tickets(),
        d.outcomes(),
        d.history(),
        d.extra());
  }

  /** A build, and then one that another waits behind until it has no more time. */
  private static boolean steps(int port) throws IOException {
    Step first = new Step(port, 1);
    boolean good = first.run(Phase.MAIN) && first.holds() && first.run(Phase.POST);
    Step second = new Step(port, 2);
    good &= second.run(Phase.MAIN) && second.holds();
    Step waiting = new Step(port, 3);
    waiting.environment.put("INPUT_WAIT-TIMEOUT", "1s");
    waiting.environment.put("INPUT_ON-TIMEOUT", "continue");
    good &= waiting.run(Phase.MAIN) && !waiting.holds() && waiting.run(Phase.POST);
    good &= second.run(Phase.POST);
    second.environment.put("INPUT_COMMAND", "status");
    return good && second.run(Phase.MAIN);
  }

  /** A step of a job of its own, in this process. */
  private static final class Step {
    private static final Pattern STATE = Pattern.compile("(?m)^(\\w+)<<(.*)\\R(.*)\\R\\2$");

    private final Map<String, String> environment = new HashMap<>();
    private final Path files = Files.createTempDirectory("training");

    Step(int port, int run) throws IOException {
      environment.put("INPUT_TOKEN", "training");
      environment.put("INPUT_JOB-ID", Integer.toString(run));
      environment.put("GITHUB_API_URL", "http://127.0.0.1:" + port);
      environment.put("GITHUB_REPOSITORY", "octo/app");
      environment.put("GITHUB_RUN_ID", Integer.toString(run));
      environment.put("GITHUB_RUN_ATTEMPT", "1");
      environment.put("GITHUB_JOB", "build");
      environment.put("GITHUB_REF_NAME", "main");
      for (String file : new String[] {"OUTPUT", "STATE", "ENV", "STEP_SUMMARY"}) {
        environment.put("GITHUB_" + file, files.resolve(file).toString());
      }
    }

    boolean run(Phase phase) throws IOException {
      Console console = new Console(new PrintStream(System.out, true, StandardCharsets.UTF_8));
      int code = Action.run(phase, new Runner(environment, console, new SystemWorld()));
      Matcher state = STATE.matcher(Files.readString(files.resolve("STATE")));
      while (state.find()) {
        environment.put("STATE_" + state.group(1), state.group(3));
      }
      return code == 0;
    }

    boolean holds() {
      return environment.containsKey("STATE_token");
    }
  }

  // ---- the command line

  private static boolean commands(int port, Path list) throws IOException, InterruptedException {
    Path files = Files.createTempDirectory("training");
    Set<String> loaded = new TreeSet<>();
    boolean good = command(0, port, files, loaded, "--help");
    for (String store : List.of("file:" + files.resolve("store"), "github:octo/app")) {
      if (store.startsWith("file:")) {
        good &= command(0, port, files, loaded, "init", "--store", store);
      }
      good &= command(0, port, files, loaded, "status", "--store", store);
      good &= command(0, port, files, loaded, "run", "--store", store, "--", JAVA, "--version");
      good &= command(0, port, files, loaded, "join", "--store", store);
      // Behind one who has joined and never takes the turn: this one waits, and gives up.
      good &=
          command(
              GAVE_UP,
              port,
              files,
              loaded,
              "run",
              "--store",
              store,
              "--wait-timeout",
              "1s",
              "--",
              JAVA,
              "--version");
    }
    Files.write(list, loaded);
    return good;
  }

  /** As a process of its own, as people run it. */
  private static boolean command(
      int expected, int port, Path files, Set<String> loaded, String... arguments)
      throws IOException, InterruptedException {
    Path list = files.resolve("list");
    Path said = files.resolve("said");
    List<String> command =
        new ArrayList<>(
            List.of(
                JAVA,
                "-Xshare:off",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-XX:DumpLoadedClassList=" + list,
                "-cp",
                System.getProperty("java.class.path"),
                "dev.baton.cli.Main"));
    command.addAll(List.of(arguments));
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(said.toFile());
    Map<String, String> environment = builder.environment();
    environment.keySet().removeIf(name -> name.startsWith("BATON_") || name.startsWith("GITHUB_"));
    environment.put("GITHUB_API_URL", "http://127.0.0.1:" + port);
    environment.put("BATON_TOKEN", "training");
    int code = builder.start().waitFor();
    if (code != expected) {
      System.out.println("training: " + List.of(arguments) + " ends with " + code);
      System.out.println(Files.readString(said));
    }
    try (Stream<String> lines = Files.lines(list)) {
      // A class of a loader of its own would be named with the path of its file.
      lines.filter(line -> !line.contains("source:")).forEach(loaded::add);
    }
    return code == expected;
  }

  // ---- as much of a GitHub as one step needs

  private void serve(ServerSocket server) {
    try {
      while (true) {
        Socket socket = server.accept();
        Thread thread = new Thread(() -> converse(socket), "training");
        thread.setDaemon(true);
        thread.start();
      }
    } catch (IOException e) {
      System.out.println("training: " + e.getMessage());
    }
  }

  private void converse(Socket socket) {
    try (socket) {
      InputStream in = socket.getInputStream();
      OutputStream out = socket.getOutputStream();
      String request = line(in);
      while (!request.isEmpty()) {
        Map<String, String> headers = new HashMap<>();
        for (String h = line(in); !h.isEmpty(); h = line(in)) {
          int colon = h.indexOf(':');
          headers.put(
              h.substring(0, colon).toLowerCase(Locale.ROOT), h.substring(colon + 1).strip());
        }
        int length = Integer.parseInt(headers.getOrDefault("content-length", "0"));
        String body = new String(in.readNBytes(length), StandardCharsets.UTF_8);
        out.write(answer(request, headers, body).getBytes(StandardCharsets.UTF_8));
        out.flush();
        request = line(in);
      }
    } catch (IOException e) {
      System.out.println("training: " + e.getMessage());
    }
  }

  private static String line(InputStream in) throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    for (int c = in.read(); c >= 0 && c != '\n'; c = in.read()) {
      line.write(c);
    }
    return line.toString(StandardCharsets.UTF_8).strip();
  }

  private synchronized String answer(String request, Map<String, String> headers, String body) {
    name = request.contains("/contents/beat") ? "beat-0" : "queue";
    if (request.contains("/issues/")) {
      return response("200 OK", "{\"id\":1,\"number\":1,\"state\":\"open\",\"body\":\"\"}");
    }
    if (request.startsWith("GET") && etag().equals(headers.get("if-none-match"))) {
      return response("304 Not Modified", "");
    }
    Matcher sent = SENT.matcher(body);
    if (request.startsWith("PUT") && sent.find()) {
      documents.put(
          name,
          new String(
              Base64.getMimeDecoder().decode(sent.group(1).replace("\\n", "")),
              StandardCharsets.UTF_8));
      return response(
          "200 OK",
          "{\"content\":" + file("") + ",\"commit\":{\"sha\":\"" + "0".repeat(40) + "\"}}");
    }
    String content =
        Base64.getEncoder().encodeToString(document().getBytes(StandardCharsets.UTF_8));
    return response("200 OK", file(",\"encoding\":\"base64\",\"content\":\"" + content + "\""));
  }

  private String file(String more) {
    return "{\"type\":\"file\",\"name\":\""
        + name
        + ".json\",\"path\":\""
        + name
        + ".json\",\"size\":"
        + document().getBytes(StandardCharsets.UTF_8).length
        + ",\"sha\":\""
        + sha()
        + "\""
        + more
        + "}";
  }

  private String etag() {
    return "W/\"" + sha() + "\"";
  }

  private String document() {
    return documents.get(name);
  }

  /** As git names contents. */
  private String sha() {
    byte[] bytes = document().getBytes(StandardCharsets.UTF_8);
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-1");
      digest.update(("blob " + bytes.length + "\0").getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(digest.digest(bytes));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java has SHA-1", e);
    }
  }

  /** In pieces and with a date, as GitHub's are. */
  private String response(String status, String body) {
    int length = body.getBytes(StandardCharsets.UTF_8).length;
    String head =
        "HTTP/1.1 "
            + status
            + "\r\nContent-Type: application/json; charset=utf-8\r\nETag: "
            + etag()
            + "\r\nDate: Mon, 16 Nov 2026 12:00:00 GMT\r\n"
            + "X-RateLimit-Limit: 1000\r\n"
            + "X-RateLimit-Remaining: 999\r\n"
            + "X-RateLimit-Reset: 4000000000\r\n";
    return length == 0
        ? head + "\r\n"
        : head
            + "Transfer-Encoding: chunked\r\n\r\n"
            + Integer.toHexString(length)
            + "\r\n"
            + body
            + "\r\n0\r\n\r\n";
  }
}
