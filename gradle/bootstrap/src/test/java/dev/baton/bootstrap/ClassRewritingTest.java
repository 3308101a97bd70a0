package dev.baton.bootstrap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClassRewritingTest {

  private static final String GREETER =
      """
      package org.gradle.internal.impldep.acme;
      public class Greeter {
        public static class Inner { public String word() { return "hello"; } }
        public String greet(String name) { return new Inner().word() + " " + name; }
      }
      """;

  /** Every kind of constant that javac writes, with names in descriptors and signatures. */
  private static final String USER =
      """
      package tiny;
      import java.util.List;
      import java.util.function.Function;
      import org.gradle.internal.impldep.acme.Greeter;
      public class User {
        static final long LONG = 0x0102030405060708L;
        static final double DOUBLE = 2.5;
        static List<Greeter> greeters = List.of(new Greeter());
        interface Greets<T extends Greeter> { String with(T greeter); }
        public static List<String> values() throws ReflectiveOperationException {
          long l = LONG + greeters.size() - 1;
          double d = DOUBLE * greeters.size();
          float f = 1.5f * greeters.size();
          int i = 1_000_000 * greeters.size();
          Function<String, String> handle = greeters.get(0)::greet;
          Greets<Greeter> lambda = g -> g.greet("lambda");
          return List.of(
              handle.apply("handle"), lambda.with(new Greeter()), "concat " + l + d + f + i,
              Class.forName("org.gradle.internal.impldep.acme.Greeter$Inner").getName(),
              "org.gradle.internal.impldep.", "org/gradle/internal/impldep/", "\\u00e4\\u20ac\\0");
        }
      }
      """;

  @TempDir Path directory;

  @Test
  void rewrittenClassesRunUnderTheirOriginalNames()
      throws IOException, ReflectiveOperationException {
    Path compiled = compile();
    Path rewritten = directory.resolve("rewritten");
    try (Stream<Path> files = Files.walk(compiled)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        String name = GradleFromMaven.unshade(compiled.relativize(file).toString());
        Path target = rewritten.resolve(name);
        Files.createDirectories(target.getParent());
        Files.write(target, GradleFromMaven.unshadeClass(Files.readAllBytes(file)));
      }
    }

    assertThat(rewritten.resolve("acme/Greeter$Inner.class")).exists();
    try (URLClassLoader loader = new URLClassLoader(new URL[] {rewritten.toUri().toURL()}, null)) {
      Object values = loader.loadClass("tiny.User").getMethod("values").invoke(null);
      assertThat(values)
          .isEqualTo(
              List.of(
                  "hello handle",
                  "hello lambda",
                  "concat " + 0x0102030405060708L + 2.5 + 1.5 + 1_000_000,
                  "acme.Greeter$Inner",
                  "org.gradle.internal.impldep.",
                  "org/gradle/internal/impldep/",
                  "\u00e4\u20ac\0"));
    }
  }

  @Test
  void aClassWithoutMovedNamesStaysAsItIs() throws IOException {
    byte[] same = Files.readAllBytes(compile().resolve("tiny/User$Greets.class"));
    byte[] plain =
        new String(same, StandardCharsets.ISO_8859_1)
            .replace("impldep", "nothing")
            .getBytes(StandardCharsets.ISO_8859_1);
    assertThat(GradleFromMaven.unshadeClass(plain)).isSameAs(plain);
  }

  @Test
  void namesAreRestoredInEverySpelling() {
    assertThat(GradleFromMaven.unshade("Lorg/gradle/internal/impldep/a/B;")).isEqualTo("La/B;");
    assertThat(GradleFromMaven.unshade("org.gradle.internal.impldep.a.B")).isEqualTo("a.B");
    assertThat(GradleFromMaven.unshade("org$gradle$internal$impldep$a$B")).isEqualTo("a$B");
    assertThat(GradleFromMaven.unshade("org.gradle/internal.impldep.a"))
        .isEqualTo("org.gradle/internal.impldep.a");
  }

  @Test
  void anUnknownConstantIsRefused() {
    byte[] file = "0123456789impldep".getBytes(StandardCharsets.US_ASCII);
    assertThatThrownBy(() -> GradleFromMaven.unshadeClass(file))
        .isInstanceOf(GradleFromMaven.Failure.class)
        .hasMessageContaining("constant of kind " + (int) 'i');
  }

  private Path compile() throws IOException {
    Path out = Files.createDirectories(directory.resolve("compiled"));
    Path greeter = Files.writeString(directory.resolve("Greeter.java"), GREETER);
    Path user = Files.writeString(directory.resolve("User.java"), USER);
    String[] arguments = {"--release", "17", "-d", out.toString(), greeter + "", user + ""};
    assertThat(ToolProvider.getSystemJavaCompiler().run(null, null, null, arguments)).isZero();
    return out;
  }
}
