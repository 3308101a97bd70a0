package dev.baton.bootstrap;

import java.io.BufferedOutputStream;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.URLConnection;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.Deflater;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;

/**
 * Assembles a Gradle installation from Maven artifacts, for machines that reach a Maven repository
 * but not the official Gradle site. Run as {@code java GradleFromMaven.java}; see {@link #USAGE}.
 *
 * <ol>
 *   <li>Maven fetches {@code gradle-api}, which holds every class of the Gradle runtime with the
 *       third-party ones moved below {@code org.gradle.internal.impldep}, and the few libraries
 *       that builds, workers or Ant must see as jars of their own. All are pinned by SHA-256.
 *   <li>The move is undone: one {@code gradle-runtime} jar with the original class names.
 *   <li>For each Gradle module a tiny jar of its name points to that jar, and for each library an
 *       empty jar of its name exists: Gradle looks both up by file name.
 *   <li>All of it is made beside its place, under a lock, and moved there in one step.
 * </ol>
 */
public final class GradleFromMaven {
  static final String USAGE =
      """
      Assembles Gradle from Maven artifacts. Needs a JDK and Maven (mvn on the PATH).

      java GradleFromMaven.java --wrapper FILE [--user-home DIR] [--live] [-- GRADLE ARGUMENTS]
          FILE is gradle-wrapper.properties. Does nothing when its distribution is installed or can
          be downloaded; otherwise assembles it where the wrapper looks. --user-home: when it is
          not $GRADLE_USER_HOME or ~/.gradle. --live: draw progress on one line. Of the Gradle
          arguments, -Dname=value is obeyed.
      java GradleFromMaven.java VERSION DIRECTORY
          Makes DIRECTORY a Gradle installation. Does nothing when it is one already.
      VERSION is one of: %s
      """;

  /** Part of the marker's name: raise it when the layout changes, here and in the scripts. */
  static final String MARKER = ".from-maven-1";

  private static final String DEPENDENCY_PLUGIN =
      "org.apache.maven.plugins:maven-dependency-plugin:3.8.1";

  /** Gradle versions in brackets; below them what they need and its SHA-256 in Base64. */
  private static final String PINNED =
      """
      [7.6.4 8.0.2 8.4 8.7 8.8]
      org.junit.platform:junit-platform-commons:1.8.2 0uAV_KcTDnmvL0YI3FRBXksQtZLXczPey0saJ0wYUFA
      org.junit.platform:junit-platform-engine:1.8.2 C30AD4w-jl99a4GWSZNue5k4MU6HyPmDgFIY6ldWflk
      org.junit.platform:junit-platform-launcher:1.8.2 giFWQJ_YPmguTFGZs0YAVCmbU4oFjCxtD1ybalvbdZQ
      org.opentest4j:opentest4j:1.2.0 WIEt5giY2Xb7ge87YtoFxmBMGP1KJJ9QRCgkefwoavI
      [7.6.4 8.4 8.7 8.8]
      org.apache.ant:ant:1.10.13 vvv8eedE6Yks-n25bfO26C3BfSVxr0KqQnl2_CIpmDg
      org.apache.ant:ant-launcher:1.10.13 zXaVs7-2lkq3G2oLMdrWAAWud_5QITI2Rnmqzwj3eXA
      [7.6.4 8.0.2]
      org.codehaus.groovy:groovy:3.0.13 BEVpwgsUOCY0cFhWJ9obLJci8fuNiflOeMD_IZq9AUY
      org.codehaus.groovy:groovy-ant:3.0.13 a5jc8TCUSNSLWpdi6UBz--4XzEX_K5Gz10o0tJRVF8c
      org.codehaus.groovy:groovy-json:3.0.13 khly3v2KiaWrRC9a5XsXYHVdf-M53ORv4UDnmm5j4GY
      org.codehaus.groovy:groovy-nio:3.0.13 h6jwrYAitSleMpLy_8ZebrLxCNqfNki8Xq6HOg1Uya0
      org.codehaus.groovy:groovy-templates:3.0.13 q_txkGMaNfyW4CO_zUZY8_fUrnbEiO8blypUspgJ3cI
      org.codehaus.groovy:groovy-xml:3.0.13 j66pg_DYcb0tLygVB0ft-QR91NcWcAoCduqpBaXNCBY
      [8.4 8.7]
      org.codehaus.groovy:groovy:3.0.17 ntKlZahZKp9j9BCv7YktDKa-wf-WJ3zkzH8-LjZueU8
      org.codehaus.groovy:groovy-ant:3.0.17 uvJVZ7Clx-E_5XpI0fdFjK-zO-2OTwrvoYdEkfgpHFE
      org.codehaus.groovy:groovy-json:3.0.17 9Xe9FVFXAWLULyI3P_FkiU6_LyldctjukUhmqqKsN9Q
      org.codehaus.groovy:groovy-nio:3.0.17 0GGA_A9ZG_fGKBimU9jhKFM7we8mBEY_-3PH6WJIaug
      org.codehaus.groovy:groovy-templates:3.0.17 ZK6hytYmhbv3HUppylsh_xtQ1Ls2SwwTCBcObzrTF6M
      org.codehaus.groovy:groovy-xml:3.0.17 UvxAR6PcuHCwWtc_ax3Ou1oK6XtaWPWLWB-JYKsSirE
      [8.7 8.8]
      org.jetbrains.kotlin:kotlin-stdlib:1.9.22 ar4UbCeGQTi4dMzM_l9TTj65I8maG3tdRUlO5WlPPgo
      [7.6.4]
      dev.gradleplugins:gradle-api:7.6.4 SgZSgDGYq_HeMUzHBy52_aSwFgUL0HuH4X1Vt4iNj1I
      dev.gradleplugins:gradle-test-kit:7.6 MVgsqr1d6aFi2RQMuf_UX9xpq1YRQag2Y-YI1EBN8HA
      org.jetbrains.kotlin:kotlin-stdlib:1.7.10 53H-dCUKlD6PY0ZxMgH_HYy5XDpdGpGiK2Wp4E9qiQE
      org.jetbrains.kotlin:kotlin-stdlib-jdk7:1.7.10 VPYTUbGTatiPTlMFn-eB5yPq5R147Z50Iti0A1dOxoI
      org.jetbrains.kotlin:kotlin-stdlib-jdk8:1.7.10 iq_dYMlPRUyS5QZtJmpe1T7MY8ePYjs_2dtW_qQDKHM
      [8.0.2]
      dev.gradleplugins:gradle-api:8.0.2 XTWEFaSkczAIHfHX886gD6XmQNJJQ90XHvJm9LgzOFY
      dev.gradleplugins:gradle-test-kit:8.0.2 DKj4AOraFXSl85plHmM38lED_Q116xAWwm9ECEFaQHE
      org.apache.ant:ant:1.10.11 iMC4m7uq4B4Nn8rpO-eS9au-NAkQb47uhY_fNl28B1Q
      org.apache.ant:ant-launcher:1.10.11 2rUw33qYC1rI_X6NIIJDrg0-vW3gmxqiznVjYMwu0lY
      org.jetbrains.kotlin:kotlin-stdlib:1.8.10 F-EHYTHNB8lYqUL_igh8-GWx7z3lhGPh5d1v11FUBrA
      [8.4]
      dev.gradleplugins:gradle-api:8.4 pEdTZa5hN3rw8U6MInpKGKm40-7Frin9_QI5DiKRrds
      dev.gradleplugins:gradle-test-kit:8.4 igbmdS9g1Gh2aEQsOncwvGv6oFEhvcxQGA_OjewsBYk
      org.jetbrains.kotlin:kotlin-stdlib:1.9.10 VemJxRK4CQd5n4VDCfO8d4LFs9E5MkQtA3nVxHJxFQQ
      [8.7]
      dev.gradleplugins:gradle-api:8.7 OXd3C7_fJ-BMWhNoEMCSqoiEHGPETLlUsBNd2HXKnMg
      dev.gradleplugins:gradle-test-kit:8.7 AD_o0mefyavIaIKiztCVyqsJboof-PuVcx_xV1DbthI
      [8.8]
      dev.gradleplugins:gradle-api:8.8 0nILD-s2Jyx9MRADoU137BCGA8OMMBMpeR9s7ttjlvU
      dev.gradleplugins:gradle-test-kit:8.8 ULf_Wo0gaM-JYIfXzcdkp2L2Qaom0pcpDSm6Hk4NfgU
      org.codehaus.groovy:groovy:3.0.21 XPNzDAwsFcKT93UN1xFO0npnH8lAFlu64DeKKB9bLV4
      org.codehaus.groovy:groovy-ant:3.0.21 I_oOJ1niIDGfQ5HjXlxXhYVWyyVv6X74VZWHRNothKw
      org.codehaus.groovy:groovy-json:3.0.21 rRZ92wwR7_7kE8f55Tch2njbHqr45GFjgLECTrIKEqM
      org.codehaus.groovy:groovy-nio:3.0.21 KUplSma6Tf_-yoB_1qBAxB1-hZcIrQH_cy6CnxPWcJM
      org.codehaus.groovy:groovy-templates:3.0.21 Ge_TqzENr_phoGrA08jsUvE3JNCx0zHXLTO3lLxs_sc
      org.codehaus.groovy:groovy-xml:3.0.21 FkG8SEKZ25hq9VU24RDI7XTHBJGlSu4L4FmRgpH8pzs
      """;

  private final Map<String, List<Artifact>> releases;
  private final PrintStream err;

  /** For tests, which bring tiny releases of their own. */
  GradleFromMaven(Map<String, List<Artifact>> releases, PrintStream err) {
    this.releases = Map.copyOf(releases);
    this.err = err;
  }

  public static void main(String[] args) {
    System.exit(new GradleFromMaven(pinnedReleases(), System.err).run(List.of(args)));
  }

  int run(List<String> args) {
    try {
      if (args.contains("--help") && !args.contains("--")) {
        err.printf(USAGE, versions());
      } else if (args.size() >= 2 && args.get(0).equals("--wrapper")) {
        provideToWrapper(Path.of(args.get(1)), args.subList(2, args.size()));
      } else if (args.size() == 2 && !args.get(0).startsWith("-")) {
        install(args.get(0), Path.of(args.get(1)).toAbsolutePath().normalize());
      } else {
        throw new Failure("Cannot understand: " + args + ".\n" + USAGE.formatted(versions()));
      }
      return 0;
    } catch (Failure e) {
      err.println("\nERROR: " + e.getMessage() + "\n");
    } catch (FileSystemException e) {
      err.println("\nERROR: Cannot write " + e.getFile() + " (" + reason(e) + ").");
      err.println("Make its directory writable, or name another one: GRADLE_USER_HOME is where");
      err.println("Gradle is installed. Then try again.\n");
    } catch (IOException | UncheckedIOException e) {
      err.println("\nERROR: Assembling Gradle failed: " + e.getMessage() + ".");
      err.println("Nothing was installed. Check disk space and permissions, then try again.\n");
    }
    return 1;
  }

  private static String reason(FileSystemException e) {
    return e.getReason() != null ? e.getReason() : e.getClass().getSimpleName();
  }

  private String versions() {
    return String.join(", ", new TreeSet<>(releases.keySet()));
  }

  /** What the user can do something about; the message says what. */
  static final class Failure extends RuntimeException {
    private static final long serialVersionUID = 1;

    Failure(String message) {
      super(message);
    }
  }

  record Artifact(String group, String name, String version, String sha256) {
    Artifact {
      if (sha256.length() != 43) {
        throw new IllegalArgumentException("not a SHA-256 in Base64: " + sha256);
      }
    }

    String jar() {
      return name + "-" + version + ".jar";
    }

    boolean isLibrary() {
      return !group.equals("dev.gradleplugins");
    }
  }

  static Map<String, List<Artifact>> pinnedReleases() {
    Map<String, List<Artifact>> releases = new TreeMap<>();
    String[] versions = {};
    for (String line : PINNED.lines().toList()) {
      if (line.startsWith("[")) {
        versions = line.substring(1, line.length() - 1).split(" ");
      } else {
        String[] parts = line.split("[: ]");
        Artifact artifact = new Artifact(parts[0], parts[1], parts[2], parts[3]);
        for (String version : versions) {
          releases.computeIfAbsent(version, v -> new ArrayList<>()).add(artifact);
        }
      }
    }
    return releases;
  }

  // ---- where it goes

  /** Where the stock wrapper looks for what its properties file names. */
  record Distribution(URI url, String version, Path directory) {
    private static final Pattern ZIP = Pattern.compile(".*/(gradle-(.+)-(?:bin|all))\\.zip");

    static Distribution of(URI url, Path userHome) {
      Matcher zip = ZIP.matcher(url.getPath());
      if (!zip.matches()) {
        throw new Failure("Cannot tell the Gradle version from the distributionUrl " + url);
      }
      Path directory = userHome.resolve("wrapper/dists").resolve(zip.group(1)).resolve(hash(url));
      return new Distribution(url, zip.group(2), directory.toAbsolutePath());
    }

    /** The wrapper's own rule. */
    static String hash(URI url) {
      byte[] bytes = url.toASCIIString().getBytes(StandardCharsets.UTF_8);
      return new BigInteger(1, digest("MD5").digest(bytes)).toString(36);
    }

    Path home() {
      return directory.resolve("gradle-" + version);
    }

    Path zip(String suffix) {
      String path = url.getPath();
      return directory.resolve(path.substring(path.lastIndexOf('/') + 1) + suffix);
    }

    boolean isInstalled() throws IOException {
      return Files.exists(zip(".ok")) && isComplete(home(), version);
    }
  }

  /** Ours: as many files as were written. Official: the jar that the wrapper starts is there. */
  static boolean isComplete(Path home, String version) throws IOException {
    Path lib = home.resolve("lib");
    Path marker = home.resolve(MARKER);
    if (Files.exists(marker) && Files.isDirectory(lib)) {
      return Files.readString(marker).strip().equals(Long.toString(count(lib)));
    }
    return Files.exists(home.resolve("LICENSE"))
        && Files.exists(lib.resolve("gradle-launcher-" + version + ".jar"));
  }

  private static long count(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.count();
    }
  }

  private void provideToWrapper(Path propertiesFile, List<String> args) throws IOException {
    Properties properties = new Properties();
    try (BufferedReader reader = Files.newBufferedReader(propertiesFile)) {
      properties.load(reader);
    }
    int split = args.contains("--") ? args.indexOf("--") : args.size();
    obey(args.subList(split, args.size()));
    URI url = URI.create(properties.getProperty("distributionUrl", ""));
    Path userHome = userHome(args.subList(0, split));
    Distribution dist = Distribution.of(url, userHome);
    if (dist.isInstalled()) {
      return;
    }
    if (isDownloadable(dist.url())) {
      // The wrapper downloads only when this file is missing, also when the rest is broken.
      Files.deleteIfExists(dist.zip(".ok"));
      return;
    }
    err.printf("Gradle %s is not installed, and %s%n", dist.version(), dist.url());
    err.println("cannot be reached: assembling it from Maven artifacts, once.");
    Progress progress = new Progress(err, args.subList(0, split).contains("--live"));
    // The wrapper's own lock file, so that a downloading wrapper is kept out as well.
    underLock(
        dist.zip(".lck"),
        () -> {
          if (!dist.isInstalled()) {
            Files.deleteIfExists(dist.zip(".ok"));
            // Not inside of it: the wrapper allows one directory there.
            Path beside = dist.directory().resolveSibling(dist.directory().getFileName() + ".part");
            shareApi(assemble(dist.version(), dist.home(), beside, progress), userHome);
            Files.write(dist.zip(".ok"), new byte[0]);
          }
        });
  }

  /** What was fetched is what Gradle makes of itself for {@code gradleApi()}, in half a minute. */
  private static void shareApi(Path api, Path userHome) throws IOException {
    String name = api.getFileName().toString();
    String version = name.replaceAll("gradle-api-(.*)\\.jar", "$1");
    Path shared = userHome.resolve("caches/" + version + "/generated-gradle-jars/" + name);
    if (!Files.exists(shared)) {
      Files.createDirectories(shared.getParent());
      Path part = shared.resolveSibling(name + ".part");
      Files.copy(api, part, StandardCopyOption.REPLACE_EXISTING);
      Files.move(part, shared, StandardCopyOption.ATOMIC_MOVE);
    }
  }

  private static void obey(List<String> gradleArguments) {
    for (String argument : gradleArguments) {
      if (argument.startsWith("-D") && argument.contains("=")) {
        int end = argument.indexOf('=');
        System.setProperty(argument.substring(2, end), argument.substring(end + 1));
      }
    }
  }

  private static Path userHome(List<String> options) {
    int given = options.indexOf("--user-home") + 1;
    String environment = System.getenv("GRADLE_USER_HOME");
    if (given > 0 && given < options.size()) {
      return Path.of(options.get(given));
    }
    return environment != null && !environment.isEmpty()
        ? Path.of(environment)
        : Path.of(System.getProperty("user.home"), ".gradle");
  }

  private void install(String version, Path home) throws IOException {
    if (isComplete(home, version)) {
      return;
    }
    if (Files.isDirectory(home) && count(home) > 0 && !Files.exists(home.resolve(MARKER))) {
      throw new Failure(home + " holds something else. Delete it or name another directory.");
    }
    underLock(
        home.resolveSibling(home.getFileName() + ".lck"),
        () -> {
          if (!isComplete(home, version)) {
            Path beside = home.resolveSibling(home.getFileName() + ".part");
            assemble(version, home, beside, new Progress(err, false));
          }
        });
  }

  private interface Action {
    void run() throws IOException;
  }

  /** The operating system drops the lock of a killed process. */
  private void underLock(Path file, Action action) throws IOException {
    Files.createDirectories(file.getParent());
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      if (channel.tryLock() == null) {
        err.println("Waiting for another process that installs the same Gradle ...");
        channel.lock();
      }
      action.run();
    }
  }

  /**
   * One quick try: a site that is blocked may answer by silence. A proxy counts only when it is set
   * as the wrapper reads it, in system properties, or the wrapper would fail where this succeeds.
   */
  static boolean isDownloadable(URI url) {
    try {
      URLConnection connection = url.toURL().openConnection();
      connection.setConnectTimeout(3_000);
      connection.setReadTimeout(5_000);
      if (connection instanceof HttpURLConnection http) {
        http.setRequestMethod("HEAD");
        return http.getResponseCode() == HttpURLConnection.HTTP_OK;
      }
      connection.connect();
      return true;
    } catch (IOException e) {
      return false; // the caller says so and goes the other way
    }
  }

  // ---- assembly

  /**
   * Returns the fetched gradle-api jar. Needs the lock: what lies in {@code beside} was left by a
   * process that was killed.
   */
  private Path assemble(String version, Path home, Path beside, Progress progress)
      throws IOException {
    List<Artifact> artifacts = releases.get(version);
    if (artifacts == null) {
      throw new Failure(
          ("Gradle %s cannot be assembled from Maven artifacts, only: %s.\n"
                  + "Use one of these, or a network that reaches the official Gradle site.")
              .formatted(version, versions()));
    }
    if (ToolProvider.getSystemJavaCompiler() == null) {
      throw new Failure(
          "A JDK is needed; this Java has no compiler: "
              + System.getProperty("java.home")
              + ".\nSet JAVA_HOME to a JDK and try again.");
    }
    Map<String, Path> jars;
    try {
      delete(beside);
      Path made = beside.resolve("home");
      jars = fetch(artifacts, Files.createDirectories(beside), progress);
      verify(artifacts, jars, progress);
      List<Artifact> libraries = artifacts.stream().filter(Artifact::isLibrary).toList();
      new Assembly(version, libraries, jars, made, progress).run();
      Files.createDirectories(home.getParent());
      if (Files.exists(home)) { // not deleted in place, or a kill could leave half of it
        Files.move(home, beside.resolve("old"), StandardCopyOption.ATOMIC_MOVE);
      }
      Files.move(made, home, StandardCopyOption.ATOMIC_MOVE);
    } finally {
      progress.end();
      delete(beside);
    }
    err.printf("Gradle %s is ready after %d s.%n", version, progress.seconds());
    return jars.get("gradle-api");
  }

  private static void delete(Path directory) throws IOException {
    if (Files.exists(directory)) {
      try (Stream<Path> all = Files.walk(directory)) {
        for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(path);
        }
      }
    }
  }

  // ---- Maven

  /** The jars by artifact name, in the local Maven repository. */
  private static Map<String, Path> fetch(List<Artifact> artifacts, Path work, Progress progress)
      throws IOException {
    Path pom = Files.writeString(work.resolve("pom.xml"), pom(artifacts));
    Path list = work.resolve("jars.txt");
    List<String> command = new ArrayList<>();
    // Strict checksums; and a failure that Maven remembers must not spoil the next try.
    command.addAll(List.of(maven().toString(), "-B", "-C", "-U", "-f", pom.toString()));
    String repository = System.getProperty("maven.repo.local");
    if (repository != null) {
      command.add("-Dmaven.repo.local=" + repository);
    }
    command.addAll(List.of("-Dmdep.outputFile=" + list, DEPENDENCY_PLUGIN + ":build-classpath"));
    Process mvn =
        new ProcessBuilder(command).directory(work.toFile()).redirectErrorStream(true).start();
    Runtime.getRuntime().addShutdownHook(new Thread(mvn::destroy));
    mvn.getOutputStream().close();
    int files = 0;
    List<String> complaints = new ArrayList<>();
    int exit;
    try (BufferedReader output = mvn.inputReader();
        Progress.Step step = progress.new Step("fetching with Maven")) {
      for (String line = output.readLine(); line != null; line = output.readLine()) {
        if (line.contains("Downloaded from")) {
          files++;
          step.say("fetching with Maven: " + files + " files");
        } else if (line.contains("[ERROR]")) {
          complaints.add(line.replaceFirst(".*?\\[ERROR]\\s*", ""));
        }
      }
      exit = mvn.waitFor();
    } catch (InterruptedException e) {
      throw new Failure("Interrupted while Maven was running.");
    }
    if (exit != 0 || !Files.exists(list)) {
      throw mavenFailure(exit, String.join("\n", complaints));
    }
    Map<String, Path> jars = new LinkedHashMap<>();
    for (String file : Files.readString(list).strip().split(Pattern.quote(File.pathSeparator))) {
      Path jar = Path.of(file);
      artifacts.stream().filter(a -> jar.endsWith(a.jar())).forEach(a -> jars.put(a.name(), jar));
    }
    return jars;
  }

  private static String pom(List<Artifact> artifacts) {
    String dependency =
        "<dependency><groupId>%s</groupId><artifactId>%s</artifactId><version>%s</version>"
            + "<exclusions><exclusion><groupId>*</groupId><artifactId>*</artifactId></exclusion>"
            + "</exclusions></dependency>\n";
    String project =
        "<project><modelVersion>4.0.0</modelVersion><groupId>local</groupId><artifactId>fetch"
            + "</artifactId><version>1</version><packaging>pom</packaging><dependencies>\n";
    return artifacts.stream()
        .map(a -> dependency.formatted(a.group(), a.name(), a.version()))
        .collect(Collectors.joining("", project, "</dependencies></project>\n"));
  }

  private static Path maven() {
    boolean windows = System.getProperty("os.name").startsWith("Windows");
    String path = Optional.ofNullable(System.getenv("PATH")).orElse("");
    return Stream.of(path.split(Pattern.quote(File.pathSeparator)))
        .filter(directory -> !directory.isEmpty())
        .map(directory -> Path.of(directory, windows ? "mvn.cmd" : "mvn"))
        .filter(Files::isExecutable)
        .findFirst()
        .orElseThrow(
            () ->
                new Failure(
                    "Maven is needed to get Gradle, and there is no mvn on the PATH.\n"
                        + "Install Maven 3.6.3 or later (https://maven.apache.org), then try"
                        + " again."));
  }

  private static Failure mavenFailure(int exit, String complaints) {
    String advice;
    if (complaints.toLowerCase(Locale.ROOT).contains("checksum")) {
      advice =
          "What was downloaded is not what the repository says it is (wrong checksum).\n"
              + "Try again; if it stays, the Maven mirror in use is broken.";
    } else if (Pattern.compile(
            "(?i)unknown host|name resolution|refused|timed? ?out|unreachable|no route|offline")
        .matcher(complaints)
        .find()) {
      advice =
          "No connection to a Maven repository. Check the network, and the mirror and proxy in\n"
              + "Maven's settings.xml, then try again.";
    } else {
      advice = "Run mvn by itself to see whether it works here, then try again.";
    }
    String first = complaints.lines().filter(l -> !l.isBlank()).findFirst().orElse("no message");
    return new Failure(
        "Maven could not fetch Gradle (exit code " + exit + ").\n" + advice + "\nMaven: " + first);
  }

  /** Guards against a local repository that was changed after Maven's own check. */
  static void verify(List<Artifact> artifacts, Map<String, Path> jars, Progress progress)
      throws IOException {
    try (Progress.Step step = progress.new Step("checking")) {
      for (Artifact artifact : artifacts) {
        step.say("checking " + artifact.jar());
        Path jar = jars.get(artifact.name());
        if (jar == null || !Files.isRegularFile(jar)) {
          throw new Failure(
              "Maven did not deliver %s. Run mvn by itself to see whether it works here."
                  .formatted(artifact.jar()));
        }
        MessageDigest digest = digest("SHA-256");
        try (FileChannel in = FileChannel.open(jar)) {
          ByteBuffer buffer = ByteBuffer.allocate(1 << 20);
          while (in.read(buffer.clear()) >= 0) {
            digest.update(buffer.flip());
          }
        }
        String found = Base64.getUrlEncoder().withoutPadding().encodeToString(digest.digest());
        if (!found.equals(artifact.sha256())) {
          throw new Failure(
              ("%s is not the file that this project trusts (wrong SHA-256).\n"
                      + "Delete the directory %s and try again.\n"
                      + "If it stays, the Maven repository in use delivers something else.")
                  .formatted(artifact.jar(), jar.getParent()));
        }
      }
    }
  }

  private static MessageDigest digest(String algorithm) {
    try {
      return MessageDigest.getInstance(algorithm);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has " + algorithm, e);
    }
  }

  // ---- undoing the move of third-party classes

  /** Only with a name behind it: Gradle's own code holds the bare prefix as a constant. */
  private static final Pattern SHADED =
      Pattern.compile("org([./$])gradle\\1internal\\1impldep\\1(?=[A-Za-z_])");

  static String unshade(String text) {
    return text.contains("impldep") ? SHADED.matcher(text).replaceAll("") : text;
  }

  /** Rewrites the text constants of a class file; all else refers to them by number. */
  static byte[] unshadeClass(byte[] file) {
    // One char a byte: neither the search nor the replacement touches what is not ASCII.
    if (!new String(file, StandardCharsets.ISO_8859_1).contains("impldep")) {
      return file;
    }
    ByteBuffer in = ByteBuffer.wrap(file);
    ByteArrayOutputStream out = new ByteArrayOutputStream(file.length);
    int constants = Short.toUnsignedInt(in.getShort(8));
    in.position(10);
    out.write(file, 0, 10);
    for (int i = 1; i < constants; i++) {
      int start = in.position();
      int tag = in.get();
      if (tag == 1) {
        byte[] text = new byte[Short.toUnsignedInt(in.getShort())];
        in.get(text);
        byte[] plain =
            unshade(new String(text, StandardCharsets.ISO_8859_1))
                .getBytes(StandardCharsets.ISO_8859_1);
        out.write(1);
        out.write(plain.length >> 8);
        out.write(plain.length);
        out.writeBytes(plain);
      } else {
        int size =
            switch (tag) {
              case 7, 8, 16, 19, 20 -> 2;
              case 15 -> 3;
              case 3, 4, 9, 10, 11, 12, 17, 18 -> 4;
              case 5, 6 -> 8;
              default -> throw new Failure("Not a class file: it has a constant of kind " + tag);
            };
        out.write(file, start, 1 + size);
        in.position(start + 1 + size);
        i += size / 8; // a long or double counts as two
      }
    }
    out.write(file, in.position(), in.remaining());
    return out.toByteArray();
  }

  // ---- the installation

  private record Assembly(
      String version,
      List<Artifact> libraries,
      Map<String, Path> jars,
      Path home,
      Progress progress) {
    /** Java's own, or loaded by Java itself from the class path, or in a library's own jar. */
    private static final Pattern UNWANTED =
        Pattern.compile(
            "META-INF/(maven|versions|proguard|native-image|groovy)/.*"
                + "|META-INF/(MANIFEST\\.MF|INDEX\\.LIST|[^/]*\\.(SF|DSA|RSA)|\\.gradle-.*)"
                + "|META-INF/services/(java\\.nio\\.file\\.spi|javax\\.script)\\..*"
                + "|(javax/xml|org/w3c|org/xml)/.*"
                + "|(groovy|org/codehaus/groovy|org/apache/groovy|org/apache/tools/ant)/.*"
                + "|[^/]*-classpath\\.properties|(.*/)?module-info\\.class");

    /** Groovy reads one such list per jar; of those in gradle-api only one was kept. */
    private static final List<String> GROOVY_EXTENSIONS =
        List.of(
            "org.gradle.api.internal.artifacts.dsl.dependencies.DependenciesExtensionModule",
            "org.gradle.api.internal.artifacts.dsl.dependencies.DependencyAdderExtensionModule",
            "org.gradle.api.internal.provider.MapPropertyExtensions");

    /**
     * Gradle 8 hands each javac task to this class, which is not published. Ours only runs the
     * task; {@link #INIT_SCRIPT} switches off incremental compilation, which needs more.
     */
    private static final String COMPILE_TASK =
        """
        package org.gradle.internal.compiler.java;
        import java.util.function.*;
        import javax.tools.JavaCompiler.CompilationTask;
        public class IncrementalCompileTask implements CompilationTask {
          private final CompilationTask javac;
          public IncrementalCompileTask(CompilationTask javac, Function<?, ?> a, Consumer<?> b,
              BiConsumer<?, ?> c, BiConsumer<?, ?> d) {
            this.javac = javac;
          }
          public IncrementalCompileTask(CompilationTask javac, Function<?, ?> a, Consumer<?> b,
              Consumer<?> c, BiConsumer<?, ?> d, BiConsumer<?, ?> e) {
            this.javac = javac;
          }
          public void addModules(Iterable<String> names) { javac.addModules(names); }
          public void setProcessors(Iterable<? extends javax.annotation.processing.Processor> p) {
            javac.setProcessors(p);
          }
          public void setLocale(java.util.Locale locale) { javac.setLocale(locale); }
          public Boolean call() { return javac.call(); }
        }
        """;

    private static final String INIT_SCRIPT =
        "allprojects { tasks.withType(JavaCompile).configureEach { options.incremental = false }"
            + " }\n";

    /** GradleRunner finds the installation by the jar that holds this class. */
    private static final String BEACON =
        "package org.gradle.internal.installation.beacon; public class InstallationBeacon {}";

    private Path lib() {
      return home.resolve("lib");
    }

    private String runtimeJar() {
      return "gradle-runtime-" + version + ".jar";
    }

    void run() throws IOException {
      Files.createDirectories(lib().resolve("plugins"));
      Set<String> provided = new HashSet<>();
      for (Artifact library : libraries) {
        Path jar = jars.get(library.name());
        Files.copy(jar, lib().resolve(library.jar()));
        try (ZipFile zip = new ZipFile(jar.toFile())) {
          zip.stream().map(ZipEntry::getName).forEach(provided::add);
        }
      }
      try (ZipFile api = new ZipFile(jars.get("gradle-api").toFile());
          ZipFile testKit = new ZipFile(jars.get("gradle-test-kit").toFile())) {
        writeRuntime(api, testKit, provided);
        writeModules(api, testKit);
      }
      Files.writeString(
          home.resolve("gradle.properties"),
          // The agent is not published; without it Gradle instruments jars ahead of time.
          "org.gradle.internal.instrumentation.agent=false\n");
      Files.writeString(
          Files.createDirectories(home.resolve("init.d")).resolve("javac.gradle"), INIT_SCRIPT);
      Files.writeString(home.resolve(MARKER), count(lib()) + "\n");
    }

    private void writeRuntime(ZipFile api, ZipFile testKit, Set<String> provided)
        throws IOException {
      List<? extends ZipEntry> entries = api.stream().filter(e -> !e.isDirectory()).toList();
      int done = 0;
      try (Progress.Step step = progress.new Step("restoring class names");
          Jar out = new Jar(lib().resolve(runtimeJar()), null)) {
        for (ZipEntry entry : entries) {
          String name = unshade(entry.getName());
          if (!UNWANTED.matcher(name).matches() && !provided.contains(name)) {
            byte[] content = read(api, entry.getName());
            if (name.endsWith(".class")) {
              content = unshadeClass(content);
            } else if (name.startsWith("META-INF/services/")) {
              content = bytes(unshade(new String(content, StandardCharsets.UTF_8)));
            }
            out.add(name, content);
          }
          step.say("restoring class names: " + ++done + " of " + entries.size());
        }
        out.add(
            "META-INF/groovy/org.codehaus.groovy.runtime.ExtensionModule",
            bytes(
                "moduleName=gradle\nmoduleVersion=%s\nextensionClasses=%s\n"
                    .formatted(
                        version,
                        GROOVY_EXTENSIONS.stream()
                            .filter(c -> api.getEntry(c.replace('.', '/') + ".class") != null)
                            .collect(Collectors.joining(",")))));
        for (Artifact library : libraries) {
          if (library.name().equals("kotlin-stdlib")) { // `gradle --version` reads it
            out.add(
                "gradle-kotlin-dsl-versions.properties",
                bytes("kotlin=" + library.version() + "\n"));
          }
        }
        String relocated = "org/gradle/api/internal/runtimeshaded/test-kit-relocated.txt";
        out.add(relocated, read(testKit, relocated));
      }
    }

    private void writeModules(ZipFile api, ZipFile testKit) throws IOException {
      Set<String> missing =
          new TreeSet<>(List.of("gradle-instrumentation-agent", "gradle-installation-beacon"));
      Set<String> names = new TreeSet<>();
      Set<String> jarNames = new TreeSet<>();
      for (ZipFile source : List.of(api, testKit)) {
        for (String entry : source.stream().map(ZipEntry::getName).toList()) {
          if (entry.matches("[^/]+-classpath\\.properties")) {
            String module = entry.substring(0, entry.lastIndexOf("-classpath"));
            String manifest = new String(read(source, entry), StandardCharsets.ISO_8859_1);
            missing.addAll(listed(manifest, "projects"));
            jarNames.addAll(listed(manifest, "runtime"));
            names.add(module);
            try (Jar out = moduleJar(module, runtimeJar())) {
              out.add(entry, bytes(withOurJars(manifest)));
              if (source == testKit) {
                for (String name : testKit.stream().map(ZipEntry::getName).toList()) {
                  if (name.endsWith(".class")) {
                    out.add(name, unshadeClass(read(testKit, name)));
                  }
                }
              }
            }
          }
        }
      }
      missing.removeAll(names);
      missing.add("gradle-java-compiler-plugin");
      for (String module : missing) {
        try (Jar out = moduleJar(module, null)) {
          out.add(module + "-classpath.properties", bytes("projects=\nruntime=\n"));
          if (module.equals("gradle-installation-beacon")) {
            compile(BEACON, "InstallationBeacon", out);
          } else if (module.equals("gradle-java-compiler-plugin")) {
            compile(COMPILE_TASK, "IncrementalCompileTask", out);
          }
        }
      }
      libraries.forEach(library -> jarNames.remove(library.jar()));
      for (String jar : jarNames) {
        new Jar(lib().resolve(jar), null).close();
      }
    }

    private Jar moduleJar(String module, String classPath) throws IOException {
      return new Jar(lib().resolve(module + "-" + version + ".jar"), classPath);
    }

    /** All classes are in one class loader, which therefore needs all libraries. */
    private String withOurJars(String manifest) {
      String runtime =
          Stream.concat(Stream.of(runtimeJar()), libraries.stream().map(Artifact::jar))
              .collect(Collectors.joining(","));
      return manifest.replaceAll("(?m)^runtime=.*$", "runtime=" + runtime);
    }

    private static List<String> listed(String manifest, String key) {
      Matcher line = Pattern.compile("(?m)^" + key + "=(.+)$").matcher(manifest);
      return line.find() ? List.of(line.group(1).strip().split(",")) : List.of();
    }

    /** For Java 8, because javac of an old toolchain may load it. */
    private void compile(String source, String name, Jar out) throws IOException {
      Path work = Files.createDirectories(home.resolveSibling(name));
      Path file = Files.writeString(work.resolve(name + ".java"), source);
      JavaCompiler javac = ToolProvider.getSystemJavaCompiler();
      StringWriter log = new StringWriter();
      List<String> options = new ArrayList<>(List.of("-source", "8", "-target", "8"));
      options.addAll(List.of("-Xlint:-options", "-proc:none", "-d", work.toString()));
      try (var files = javac.getStandardFileManager(null, null, null)) {
        var units = files.getJavaFileObjects(file);
        if (!javac.getTask(log, files, null, options, null, units).call()) {
          throw new IllegalStateException("cannot compile " + name + ":\n" + log);
        }
      }
      try (Stream<Path> all = Files.walk(work)) {
        for (Path path : all.filter(p -> p.toString().endsWith(".class")).toList()) {
          out.add(work.relativize(path).toString().replace('\\', '/'), Files.readAllBytes(path));
        }
      }
    }

    private static byte[] read(ZipFile zip, String name) throws IOException {
      ZipEntry entry = zip.getEntry(name);
      if (entry == null) {
        throw new IOException(zip.getName() + " has no " + name);
      }
      try (var in = zip.getInputStream(entry)) {
        return in.readAllBytes();
      }
    }

    private static byte[] bytes(String text) {
      return text.getBytes(StandardCharsets.UTF_8);
    }
  }

  private static final class Jar implements AutoCloseable {
    private final ZipOutputStream zip;
    private final Set<String> names = new HashSet<>();

    Jar(Path file, String classPath) throws IOException {
      zip = new ZipOutputStream(new BufferedOutputStream(Files.newOutputStream(file), 1 << 16));
      zip.setLevel(Deflater.BEST_SPEED);
      String link = classPath == null ? "" : "Class-Path: " + classPath + "\n";
      add("META-INF/MANIFEST.MF", Assembly.bytes("Manifest-Version: 1.0\n" + link + "\n"));
    }

    /** The first of a name stays, as on a class path. */
    void add(String name, byte[] content) throws IOException {
      if (names.add(name)) {
        ZipEntry entry = new ZipEntry(name);
        entry.setTimeLocal(LocalDateTime.of(1980, 2, 1, 0, 0)); // same bytes each time
        zip.putNextEntry(entry);
        zip.write(content);
        zip.closeEntry();
      }
    }

    @Override
    public void close() throws IOException {
      zip.close();
    }
  }

  // ---- a sign of life

  static final class Progress {
    private final PrintStream err;
    private final boolean live;
    private final long start = System.nanoTime();

    Progress(PrintStream err, boolean live) {
      this.err = err;
      this.live = live;
    }

    long seconds() {
      return Duration.ofNanos(System.nanoTime() - start).toSeconds();
    }

    private void show(String text) {
      if (live) {
        err.printf("\r  %-70s", text + ", " + seconds() + " s");
      } else {
        err.println("  " + text + ", " + seconds() + " s");
      }
      err.flush();
    }

    void end() {
      if (live) {
        err.println();
      }
    }

    /** Shows its text at once, then every few seconds, and when it is closed. */
    final class Step implements AutoCloseable {
      private final Thread ticker = new Thread(this::tick, "progress");
      private volatile String text;

      Step(String text) {
        this.text = text;
        ticker.setDaemon(true);
        ticker.start();
      }

      void say(String newText) {
        text = newText;
      }

      private void tick() {
        try {
          while (true) {
            show(text);
            Thread.sleep(live ? 250 : 5_000);
          }
        } catch (InterruptedException closed) {
          show(text);
        }
      }

      @Override
      public void close() {
        ticker.interrupt();
        try {
          ticker.join();
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
        }
      }
    }
  }
}
